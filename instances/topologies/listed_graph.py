"""Nodes and edges as a file lists them, checked, and the graph of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from ..reading.numbers import at_most
from .graph import MOST_EDGES, MOST_NODES, Graph, graph_of

_TRUTH = {"true": True, "false": False}


def on_line(what: str, line: int) -> str:
    """Return the place of a node or edge in a text."""
    return f"line {line}: {what}"


@dataclass
class ListedGraph:
    """What a file lists; edges may come before their nodes.

    Nodes whose mark is true are processors, or all nodes if none has a mark.
    """

    place: Callable[[str, int], str] = on_line
    marks: dict[Hashable, bool | None] = field(default_factory=dict)
    edges: list[tuple[int, Hashable, Hashable, Any]] = field(default_factory=list)

    def add_node(self, at: int, name: Hashable, mark: Any = None) -> None:
        """Add a node; refuse one that is there, and a mark that is no truth value."""
        if name in self.marks:
            raise InputError("listed twice", f"{self.place('node', at)}.id", str(name))
        if isinstance(mark, str):
            word = mark.strip().lower()
            truth = bool(int(word)) if re.fullmatch("[0-9]{1,9}", word) else None
            mark = _TRUTH.get(word, truth)
            if mark is None:
                where = f"{self.place('node', at)}.processor"
                raise InputError("must be true or false", where, word)
        self.marks[name] = mark
        at_most(len(self.marks), MOST_NODES, "nodes")

    def add_edge(
        self, at: int, source: Hashable, target: Hashable, length: Any
    ) -> None:
        """Add an edge; a length that is None is 1."""
        self.edges.append((at, source, target, 1 if length is None else length))
        at_most(len(self.edges), MOST_EDGES, "edges")

    def graph(self) -> Graph:
        """Build the graph; refuse edges whose ends are no nodes."""
        number = {name: i for i, name in enumerate(self.marks)}
        lengths = []
        for at, source, target, length in self.edges:
            for end, name in (("source", source), ("target", target)):
                if name not in number:
                    where = f"{self.place('edge', at)}.{end}"
                    raise InputError("no such node", where, str(name))
            lengths.append((number[source], number[target], length))
        marked = any(mark is not None for mark in self.marks.values())
        return graph_of(
            lengths,
            [number[name] for name, mark in self.marks.items() if mark or not marked],
            [str(name) for name in number],
            place=lambda i: self.place("edge", self.edges[i][0]),
        )
