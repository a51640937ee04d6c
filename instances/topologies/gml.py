"""Reader of GML (Himsolt 1997): one undirected graph, not nested.

Nodes are identified by ``id``. Edges between the same nodes are parallel, whether or
not ``multigraph`` declares them: most public files do not.
"""

from __future__ import annotations

import html
import re
from typing import Any, NoReturn

from ..errors import InputError
from ..reading.parsing import MOST_VALUES
from .graph import Graph
from .listed_graph import ListedGraph, on_line

_MOST_DEPTH = 32
_TOKEN = re.compile(
    r"(?:\s++|#[^\n]*+)*+(?:(?P<key>[A-Za-z]\w*)|(?P<open>\[)|(?P<close>\])"
    r"|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[Ee][+-]?\d+)?)(?![\w.])"
    r'|"(?P<text>[^"]*)")',
    re.ASCII,
)
_LISTS = ("graph", "node", "edge")
_COMMENTS = re.compile(r"(?:\s++|#[^\n]*+)*+")
_List = dict[str, list[tuple[int, Any]]]
"""The values of every key, with their lines."""


def parse_gml(text: str) -> Graph:
    """Build a graph from GML; nodes are identified by ``id``.

    Raises InputError if it is malformed or not a valid graph.
    """
    graphs = _parse(text).get("graph", [])
    if not graphs or not isinstance(graphs[0][1], dict):
        raise InputError("not usable GML: has no graph")
    if len(graphs) > 1:
        raise InputError(
            "is the second one: one is read", on_line("graph", graphs[1][0])
        )
    graph = graphs[0][1]
    if _one(graph, "directed", 0, "graph") not in (None, "0"):
        raise InputError("must be undirected", "graph", "directed")
    listed = ListedGraph()
    _refuse_nested(graph)
    for line, node in _lists(graph, "node"):
        name = _one(node, "id", line, "node")
        if name is None:
            raise InputError("needs an id", on_line("node", line))
        listed.add_node(line, name, _one(node, "processor", line, "node"))
    for line, edge in _lists(graph, "edge"):
        ends = [_one(edge, end, line, "edge") for end in ("source", "target")]
        if None in ends:
            raise InputError("needs source and target", on_line("edge", line))
        length = _one(edge, "weight", line, "edge")
        listed.add_edge(line, ends[0], ends[1], length)
    return listed.graph()


def _parse(text: str) -> _List:
    """Return the keys and values of a text; numbers stay as they are written."""
    whole: _List = {}
    stack: list[_List] = [whole]
    key, at, line, counted, count = "", 0, 1, 0, 0
    while (found := _TOKEN.match(text, at)) and found.lastgroup:
        kind, value = found.lastgroup, found[found.lastgroup]
        if (kind in ("key", "close")) == bool(key):
            break
        if kind == "close" and len(stack) == 1:
            break
        at = found.end()
        count += 1
        if count > 4 * MOST_VALUES:
            _refuse("too many values")
        if kind == "key":
            key = value
            continue
        if kind == "close":
            stack.pop()
            continue
        if kind == "open" or key in _LISTS:
            line, counted = line + text.count("\n", counted, at), at
        if kind == "open":
            if len(stack) > _MOST_DEPTH:
                _refuse("too many lists, or nested too deeply")
            fresh: _List = {}
            stack[-1].setdefault(key, []).append((line, fresh))
            stack.append(fresh)
        else:
            shown = html.unescape(value) if kind == "text" else value
            stack[-1].setdefault(key, []).append((line, shown))
        key = ""
    rest = text[at:].lstrip()
    if rest and not _COMMENTS.fullmatch(rest):
        line += text.count("\n", counted, len(text) - len(rest))
        near = " ".join(rest[:20].split())
        _refuse(f"line {line}: not a key and its value: {near}")
    if key or len(stack) > 1:
        _refuse("ends within a list")
    return whole


def _refuse(problem: str) -> NoReturn:
    raise InputError(f"not usable GML: {problem}")


def _lists(graph: _List, key: str) -> list[tuple[int, _List]]:
    """Return the nodes or edges of a graph."""
    found = graph.get(key, [])
    for line, value in found:
        if not isinstance(value, dict):
            raise InputError("must be a list", on_line(key, line))
        _refuse_nested(value)
    return found


def _refuse_nested(inside: _List) -> None:
    if "graph" in inside:
        line = inside["graph"][0][0]
        problem = "is nested in another one, which is not read"
        raise InputError(problem, on_line("graph", line))


def _one(owner: _List, key: str, line: int, what: str) -> str | None:
    """Return the value of a key that may be there once."""
    found = owner.get(key, [])
    if len(found) > 1 or (found and isinstance(found[0][1], dict)):
        raise InputError("must be one value", f"{on_line(what, line)}.{key}")
    return found[0][1] if found else None
