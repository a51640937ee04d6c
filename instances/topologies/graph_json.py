"""Graphs in instance files, and what nodes are called there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..errors import InputError
from ..reading.fields import integer, integers, lists, number, only, strings
from .graph import MOST_NODES, Graph, graph_of
from .topology import reads

_FIELDS = "kind", "nodes", "edges", "processors", "names"


@reads("graph")
def _parse(value: dict[str, Any]) -> Graph:
    """Build a graph; an edge is a list of two nodes and an optional length."""
    only(value, _FIELDS, ("nodes", "edges"), "topology")
    nodes = integer(value["nodes"], "topology.nodes")
    lengths = []
    pairs: set[tuple[int, int]] = set()
    for i, edge in enumerate(lists(value["edges"], "topology.edges")):
        at = f"topology.edges[{i}]"
        numbers = lists(edge, at)
        if len(numbers) not in (2, 3):
            raise InputError("must be [node, node, length]", at)
        u, v = (integer(x, f"{at}[{j}]") for j, x in enumerate(numbers[:2]))
        if u == v:
            raise InputError("joins a node to itself", at, u)
        pair = min(u, v), max(u, v)
        if pair in pairs:
            raise InputError("listed twice", at, list(pair))
        pairs.add(pair)
        length = number(numbers[2], f"{at}[2]") if len(numbers) == 3 else 1
        lengths.append((u, v, length))
    processors: Sequence[int] = range(min(nodes, MOST_NODES))
    if "processors" in value:
        processors = integers(value["processors"], "topology.processors")
    names = strings(value.get("names", []), "topology.names")
    return graph_of(lengths, processors, names, nodes=nodes)


def names_of(graph: Graph, nodes: Collection[int]) -> list[str]:
    """Return the names of some nodes, or their numbers if there are no names."""
    return [graph.names[v] if graph.names else str(v) for v in nodes]
