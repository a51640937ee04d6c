"""Reader of GraphML, http://graphml.graphdrawing.org: one undirected graph, not nested.

Hyperedges, nested graphs, a second graph and references to other files are refused;
ports and the data that other programs add are passed over, as they change no distance.
"""

from __future__ import annotations

from typing import Any, NoReturn
from xml.parsers import expat

from ..errors import InputError
from ..reading.numbers import at_most
from ..reading.parsing import MOST_DEPTH, MOST_VALUES
from .graph import Graph
from .listed_graph import ListedGraph, on_line

_READ = {"weight": "edge", "processor": "node"}
"""Attributes that are read, and of what."""
_REFUSED = {"hyperedge": "hyperedges", "locator": "parts in other files"}


def parse_graphml(text: str) -> Graph:
    """Build a graph from GraphML.

    Raises InputError if it is not well-formed, has a document type, or is not a valid
    graph.
    """
    reader = _Reader()
    parser = reader.parser
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise InputError(f"not XML: {error}") from None
    if not reader.graphs:
        raise InputError("not usable GraphML: has no graph")
    return reader.listed.graph()


class _Reader:
    """Collects nodes and edges while expat reads the text."""

    def __init__(self) -> None:
        self.listed = ListedGraph()
        self.graphs = 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._add_text
        self.parser.StartDoctypeDeclHandler = self._refuse_type
        self.parser.EntityDeclHandler = self._refuse_type
        self._open: list[str] = []
        self._count = 0
        self._keys: dict[str, str] = {}
        self._defaults: dict[str, str] = {}
        self._edges: set[str] = set()
        self._owner: tuple[str, int, dict[str, str]] = ("", 0, {})
        self._key = ""
        self._text: list[str] | None = None
        self._data: dict[str, str] = {}

    def _refuse_type(self, *_: Any) -> NoReturn:
        raise InputError("has a document type, which is not read", "DOCTYPE")

    def _fail(self, what: str, problem: str, *value: object) -> NoReturn:
        raise InputError(problem, on_line(what, self.parser.CurrentLineNumber), *value)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        self._count += 1 + len(attributes)
        if len(self._open) >= MOST_DEPTH:
            raise InputError("not usable XML: nested too deeply")
        at_most(self._count, MOST_VALUES, "elements and attributes")
        if self._text is None:  # what is inside of data is that of other programs
            self._begin_outside(name, attributes)
        self._open.append(name)

    def _begin_outside(self, name: str, attributes: dict[str, str]) -> None:
        if name in _REFUSED:
            self._fail(name, f"{_REFUSED[name]} are not read")
        elif name == "graph":
            self._begin_graph(attributes)
        elif name == "key":
            self._declare(attributes)
        elif name == "data":
            self._key = self._keys.get(attributes.get("key", ""), "?")
            if self._key == "?":
                self._fail("data", "no such key", attributes.get("key", ""))
            self._text = []
        elif name == "default":
            if self._open[-1] != "key":
                self._fail(name, "is not directly in a key")
            self._text = []
        elif name in ("node", "edge"):
            if self._open.count("graph") != 1 or self._open[-1] != "graph":
                self._fail(name, "is not directly in a graph")
            self._owner = (name, self.parser.CurrentLineNumber, attributes)
            self._data = {}

    def _begin_graph(self, attributes: dict[str, str]) -> None:
        if "graph" in self._open:
            self._fail("graph", "is nested in another one, which is not read")
        if self.graphs:
            self._fail("graph", "is the second one: one is read")
        if attributes.get("edgedefault", "undirected") != "undirected":
            raise InputError("must be undirected", "graph", attributes["edgedefault"])
        self.graphs += 1

    def _declare(self, attributes: dict[str, str]) -> None:
        key, name = attributes.get("id", ""), attributes.get("attr.name", "")
        if key in self._keys:
            self._fail("key", "listed twice", key)
        if attributes.get("for", "all") not in ("all", _READ.get(name)):
            name = ""
        self._keys[key] = self._key = name if name in _READ else ""

    def _add_text(self, text: str) -> None:
        if self._text is not None and self._open[-1] in ("data", "default"):
            self._text.append(text)

    def _end(self, name: str) -> None:
        name = name.rpartition(":")[2]
        self._open.pop()
        if "data" in self._open:
            return
        if name in ("data", "default") and self._text is not None:
            text, self._text = "".join(self._text).strip(), None
            self._end_text(name, text)
        elif name == self._owner[0]:
            getattr(self, f"_add_{name}")(*self._owner[1:])
            self._owner = ("", 0, {})

    def _end_text(self, name: str, text: str) -> None:
        """Keep a value that is read: a default, or that of the node or edge itself."""
        if name == "default":
            if self._key and self._defaults.setdefault(self._key, text) != text:
                self._fail("default", "is another one than before", text)
        elif self._key and self._open[-1] == self._owner[0]:
            if self._key in self._data:
                self._fail("data", "is given twice", self._key)
            self._data[self._key] = text

    def _value(self, key: str) -> str | None:
        return self._data.get(key, self._defaults.get(key))

    def _add_node(self, line: int, attributes: dict[str, str]) -> None:
        if "id" not in attributes:
            raise InputError("needs an id", on_line("node", line))
        self.listed.add_node(line, attributes["id"], self._value("processor"))

    def _add_edge(self, line: int, attributes: dict[str, str]) -> None:
        for end in ("source", "target"):
            if end not in attributes:
                raise InputError(f"needs a {end}", on_line("edge", line))
        if attributes.get("directed", "false") not in ("false", "0"):
            raise InputError("must be undirected", on_line("edge", line))
        if name := attributes.get("id", ""):
            if name in self._edges:
                raise InputError("listed twice", on_line("edge", line) + ".id", name)
            self._edges.add(name)
        ends = attributes["source"], attributes["target"]
        self.listed.add_edge(line, *ends, self._value("weight"))
