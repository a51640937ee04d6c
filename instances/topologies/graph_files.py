"""Readers of graphs in GraphML, GML and node-link JSON.

Processors are the nodes whose attribute ``processor`` is true, or all nodes if none has
it. The attribute ``weight`` of an edge is its length, by default 1. Files are bounded
like all others (see `files`). XML with a document type, the only place where entities
can be declared, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import accumulate
from pathlib import Path
from typing import Any
from xml.parsers import expat

from .. import fields
from ..errors import InputError
from ..files import read_text
from ..numbers import at_most
from ..parsing import MOST_DEPTH, MOST_VALUES, parse_json
from .graph import MOST_EDGES, MOST_NODES, Graph, graph_of

_MOST_GML_DEPTH = 32


def read_graph(path: str | Path) -> Graph:
    """Read a graph in the format of the file's extension.

    It is ``.graphml``, ``.gml`` or ``.json`` (node-link). Raises InputError if the file
    is invalid: one line with the file, the field and the value.
    """
    ending = Path(path).suffix.lower()
    try:
        if ending not in _PARSERS:
            raise InputError(f"must end in {', '.join(_PARSERS)}", "name", ending)
        return _PARSERS[ending](read_text(path))
    except InputError as error:
        raise error.of_file(path) from None


def parse_graphml(text: str) -> Graph:
    """Build a graph from GraphML.

    Raises InputError if it is not well-formed, has a document type, or is not a valid
    graph.
    """
    _check_xml(text)
    from networkx import parse_graphml

    return _converted(lambda: parse_graphml(text), "GraphML")


def parse_gml(text: str) -> Graph:
    """Build a graph from GML; nodes are identified by ``id``.

    Raises InputError if it is malformed or not a valid graph.
    """
    if text.count("[") > MOST_VALUES or _depth(text) > _MOST_GML_DEPTH:
        raise InputError("not usable GML: too many lists, or nested too deeply")
    from networkx import parse_gml

    return _converted(lambda: parse_gml(text.splitlines(), label="id"), "GML")


def parse_node_link(text: str) -> Graph:
    """Build a graph from JSON in the format of ``networkx.node_link_data``.

    Raises InputError if it is not JSON or not a valid graph.
    """
    document = fields.objects(parse_json(text), "document")
    if document.get("directed", False) is not False:
        raise InputError("must be false", "directed", document["directed"])
    number: dict[Hashable, int] = {}
    marks = []
    for i, one in enumerate(fields.lists(document.get("nodes"), "nodes")):
        node = fields.objects(one, f"nodes[{i}]")
        name = _identity(node.get("id"), f"nodes[{i}].id")
        if name in number:
            raise InputError("listed twice", f"nodes[{i}].id", str(name))
        number[name] = i
        marks.append(node.get("processor"))
    at_most(len(number), MOST_NODES, "nodes")
    key = "links" if "edges" not in document else "edges"
    listed = fields.lists(document.get(key), key)
    at_most(len(listed), MOST_EDGES, key)
    lengths = []
    for i, one in enumerate(listed):
        edge = fields.objects(one, f"{key}[{i}]")
        ends = []
        for end in ("source", "target"):
            at = f"{key}[{i}].{end}"
            name = _identity(edge.get(end), at)
            if name not in number:
                raise InputError("no such node", at, str(name))
            ends.append(number[name])
        lengths.append((ends[0], ends[1], edge.get("weight", 1)))
    marked = any(mark is not None for mark in marks)
    processors = [i for i, mark in enumerate(marks) if mark or not marked]
    return graph_of(lengths, processors, [str(name) for name in number])


_PARSERS: dict[str, Callable[[str], Graph]] = {
    ".graphml": parse_graphml,
    ".gml": parse_gml,
    ".json": parse_node_link,
}


def _converted(parse: Callable[[], Any], form: str) -> Graph:
    """Run a parser of networkx, convert its errors, and convert the graph."""
    try:
        graph = parse()
    except RecursionError:
        raise InputError(f"not usable {form}: nested too deeply") from None
    except Exception as error:  # networkx does not document which errors it raises
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"not usable {form}: {why}") from None
    at_most(len(graph), MOST_NODES, "nodes")
    at_most(graph.number_of_edges(), MOST_EDGES, "edges")
    return Graph.from_networkx(graph)


def _check_xml(text: str) -> None:
    """Refuse XML that is malformed, nested too deeply, or has a document type."""
    depth = count = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1 + len(attributes)
        if depth > MOST_DEPTH:
            raise InputError("not usable XML: nested too deeply")
        at_most(count, MOST_VALUES, "elements and attributes")

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*_: Any) -> None:
        raise InputError("has a document type, which is not read", "DOCTYPE")

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise InputError(f"not XML: {error}") from None


def _depth(text: str) -> int:
    """Return the nesting depth of the lists in a GML text."""
    return max(accumulate((mark == "[") - (mark == "]") for mark in text), default=0)


def _identity(value: Any, field: str) -> Hashable:
    """Return the identifier of a node: text or an integer, or tuples of these."""
    if isinstance(value, list):
        return tuple(_identity(one, field) for one in value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InputError("must be text or an integer", field, value)
    return value
