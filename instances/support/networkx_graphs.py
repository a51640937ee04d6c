"""Networks from graphs of networkx."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import replace
from numbers import Integral
from typing import Any

from ..errors import InputError
from ..topologies import Graph
from ..topologies.graph import graph_of
from .networks import is_name


def convert(graph: Any, processors: Collection[Hashable] | None, weight: str) -> Graph:
    """Return the network of a networkx graph, see `Graph.from_networkx`."""
    if graph.is_directed():
        raise InputError("must be undirected", "graph", "directed")
    number: dict[Hashable, int] = {v: i for i, v in enumerate(graph)}
    for v in number:
        if not is_name(v) and not isinstance(v, Integral):
            problem = "a node must be no tuple of one: sites are written like that"
            raise InputError(problem, "graph", v)
    if processors is None:
        marks: dict[Hashable, Any] = dict(graph.nodes(data="processor"))
        marked = any(mark is not None for mark in marks.values())
        processors = [v for v in number if marks[v] or not marked]
    chosen = []
    for v in processors:
        if v not in number:
            raise InputError("no such node", "processors", str(v))
        chosen.append(number[v])
    lengths = [
        (number[u], number[v], length)
        for u, v, length in graph.edges(data=weight, default=1)
    ]
    names = [str(v) for v in number]
    return replace(graph_of(lengths, chosen, names), originals=tuple(number))
