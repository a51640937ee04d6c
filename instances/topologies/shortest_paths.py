"""Shortest paths in a graph with weighted edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from heapq import heappop, heappush
from operator import or_

from ..errors import InputError

Edge = tuple[int, int, int]
"""Two nodes, the smaller first, and the length of the link between them."""

Neighbours = tuple[tuple[tuple[int, int], ...], ...]
"""For every node, its neighbours and the lengths of the links to them."""


LONGEST = 2**53
"""Exclusive upper bound of the sum of all lengths, so that doubles are exact."""


def checked_edges(edges: Sequence[Edge], nodes: int) -> tuple[Edge, ...]:
    """Return the edges, sorted; refuse invalid ones."""
    ordered: list[Edge] = []
    seen: set[tuple[int, int]] = set()
    total = 0
    for i, (u, v, weight) in enumerate(edges):
        at = f"topology.edges[{i}]"
        u, v = min(u, v), max(u, v)
        if u < 0 or v >= nodes:
            raise InputError("no such node", at, u if u < 0 else v)
        if u == v:
            raise InputError("joins a node to itself", at, u)
        if (u, v) in seen:
            raise InputError("listed twice", at, [u, v])
        if weight < 1:
            raise InputError("length must be positive", at, weight)
        seen.add((u, v))
        ordered.append((u, v, weight))
        total += weight
    if total >= LONGEST:
        raise InputError(
            "lengths must sum to less than 2^53 once scaled to integers",
            "topology.edges",
            total,
        )
    return tuple(sorted(ordered))


def lengths_from(start: int, neighbours: Neighbours) -> list[int]:
    """Return the distances from one node by Dijkstra's algorithm; -1 if no path.

    >>> lengths_from(0, (((1, 5),), ((0, 5),), ()))
    [0, 5, -1]
    """
    away = [-1] * len(neighbours)
    waiting = [(0, start)]
    while waiting:
        hops, v = heappop(waiting)
        if away[v] >= 0:
            continue
        away[v] = hops
        for other, weight in neighbours[v]:
            if away[other] < 0:
                heappush(waiting, (hops + weight, other))
    return away


def pair_sum_by_levels(
    nodes: Sequence[int], edges: Sequence[Edge], neighbours: Neighbours
) -> int | None:
    """Sum the shortest paths of all pairs, link by link from all nodes at once.

    A pair is counted at each length that its path exceeds. None if the links have
    different lengths, or a path has more links than there are nodes to walk from.
    """
    lengths = {weight for _, _, weight in edges}
    if len(lengths) != 1:
        return None
    # bit i of each: node i of these is at most so many links away
    known = [0] * len(neighbours)
    for i, v in enumerate(nodes):
        known[v] |= 1 << i
    ahead = [[u for u, _ in some] for some in neighbours]
    total = 0
    for _ in nodes:
        apart = sum(len(nodes) - known[v].bit_count() for v in nodes)
        if not apart:
            return lengths.pop() * total // 2  # each pair was seen from both ends
        total += apart
        before = known
        known = [
            reduce(or_, map(before.__getitem__, others), before[v])
            for v, others in enumerate(ahead)
        ]
    return None


def pair_sum_by_walks(
    nodes: Sequence[int], walked: Callable[[int], tuple[list[int], int]]
) -> int:
    """Sum the shortest paths of all pairs, from one node after the other."""
    total = 0
    for i, v in enumerate(nodes):
        row, extra = walked(v)
        total += extra * i + sum(row[u] for u in nodes[:i])
    return total
