"""Readers of graphs in GraphML and node-link JSON.

Processors are the nodes whose attribute ``processor`` is true, or all nodes if none has
it. The attribute ``weight`` of an edge is its length, by default 1; of parallel edges
the shortest counts. Files are bounded like all others (see `files`). XML with a
document type, the only place where entities can be declared, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

from ..errors import InputError, in_file
from ..reading import fields
from ..reading.files import read_text
from ..reading.parsing import parse_json
from .graph import Graph
from .graphml import parse_graphml as parse_graphml
from .listed_graph import ListedGraph


def read_graph(path: str | Path) -> Graph:
    """Read a graph in the format of the file's extension.

    It is ``.graphml`` or ``.json`` (node-link). Raises InputError if the file
    is invalid: one line with the file, the field and the value.
    """
    ending = Path(path).suffix.lower()
    with in_file(path):
        if ending == ".gml":
            raise InputError("GML is not read: write it as GraphML, as networkx does")
        if ending not in _PARSERS:
            raise InputError(f"must end in {', '.join(_PARSERS)}", "name", ending)
        return _PARSERS[ending](read_text(path))


def parse_node_link(text: str) -> Graph:
    """Build a graph from JSON in the format of ``networkx.node_link_data``.

    Raises InputError if it is not JSON or not a valid graph.
    """
    document = fields.objects(parse_json(text), "document")
    if document.get("directed", False) is not False:
        raise InputError("must be false", "directed", document["directed"])
    key = "links" if "edges" not in document else "edges"
    if key == "edges" and "links" in document:
        raise InputError("cannot be given with edges", "links")
    places = {"node": "nodes", "edge": key}
    listed = ListedGraph(lambda what, i: f"{places[what]}[{i}]")
    for i, one in enumerate(fields.lists(document.get("nodes"), "nodes")):
        node = fields.objects(one, f"nodes[{i}]")
        name = _identity(node.get("id"), f"nodes[{i}].id")
        listed.add_node(i, name, node.get("processor"))
    for i, one in enumerate(fields.lists(document.get(key), key)):
        edge = fields.objects(one, f"{key}[{i}]")
        ends = [_identity(edge.get(x), f"{key}[{i}].{x}") for x in ("source", "target")]
        listed.add_edge(i, ends[0], ends[1], edge.get("weight"))
    return listed.graph()


_PARSERS: dict[str, Callable[[str], Graph]] = {
    ".graphml": parse_graphml,
    ".json": parse_node_link,
}


def _identity(value: Any, field: str) -> Hashable:
    """Return the identifier of a node: text or an integer, or tuples of these."""
    if isinstance(value, list):
        return tuple(_identity(one, field) for one in value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InputError("must be text or an integer", field, value)
    return value
