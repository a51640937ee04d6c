"""Distances and cuts of graphs as arrays: the fast twin of what `Graph` derives.

Tests compare `embedding_of` with that of ``metric_cuts``, which states what is
recognised and why.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..topologies.graph import Graph
from ..topologies.metric_cuts import MOST_CLASSES, Branches, Embedding, RootedTree, bits
from ..topologies.shortest_paths import Edge, Neighbours

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
_BLOCK = 256


def table_of(graph: Graph) -> IntArray:
    """Return the distances from every processor to every node, read-only."""
    sources, extras = [], []
    for v in graph.processors:
        only = graph.neighbours[v]
        source, extra = only[0] if len(only) == 1 else (v, 0)
        sources.append(source)
        extras.append(extra)
    begin = np.array(sources, dtype=np.int64)
    distinct, row = np.unique(begin, return_inverse=True)
    table = rows_from(distinct, graph.edges, graph.neighbours)[row]
    table += np.array(extras, dtype=np.int64)[:, None]
    table[np.arange(len(table)), list(graph.processors)] = 0
    table.setflags(write=False)
    return table


def rows_from(
    sources: IntArray, edges: Sequence[Edge], neighbours: Neighbours
) -> IntArray:
    """Return the distances from some nodes to all, one row per source.

    The graph must be connected. If all edges have the same length, the search is
    breadth first from all sources at once, otherwise `weighted_rows`.
    """
    if not edges:
        return np.zeros((len(sources), len(neighbours)), dtype=np.int64)
    lengths = {weight for _, _, weight in edges}
    if len(lengths) == 1:
        return _levels(sources, neighbours) * lengths.pop()
    return weighted_rows(sources, edges, len(neighbours))


def weighted_rows(
    sources: IntArray, edges: Sequence[Edge] | IntArray, nodes: int
) -> IntArray:
    """Return the distances from some nodes to all by SciPy's Dijkstra.

    In double precision, which is exact below 2^53.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    u, v, weight = np.asarray(edges, dtype=np.int64).T
    links = csr_array((weight.astype(np.float64), (u, v)), shape=(nodes, nodes))
    found = dijkstra(links, directed=False, indices=sources)
    rows: IntArray = np.rint(found).astype(np.int64)
    return rows


def _levels(sources: IntArray, neighbours: Neighbours) -> IntArray:
    """Search breadth first from all sources at once, with one bit for each of them."""
    degree = [len(some) for some in neighbours]
    begin = np.concatenate([[0], np.cumsum(degree)[:-1]])
    other = np.array([v for some in neighbours for v, _ in some])
    unseen = np.ones((len(neighbours), len(sources)), dtype=np.bool_)
    unseen[sources, np.arange(len(sources))] = False
    seen = np.packbits(~unseen, axis=1)
    levels = unseen.astype(np.int64)
    while True:
        seen |= np.bitwise_or.reduceat(seen[other], begin, axis=0)
        unseen = np.unpackbits(~seen, axis=1, count=len(sources)).astype(np.bool_)
        if not unseen.any():
            break
        levels += unseen
    rows = np.empty((len(sources), len(neighbours)), dtype=np.int64)
    for a in range(0, len(sources), _BLOCK):  # in pieces, between which a limit is kept
        rows[a : a + _BLOCK] = levels[:, a : a + _BLOCK].T
    return rows


def embedding_of(graph: Graph, table: IntArray) -> Embedding | None:
    """Find cuts that sum to the distances of the processors, or return None.

    The table holds the distances from every processor to every node.
    """
    at = list(graph.processors)
    hops = table[:, at]
    tree = tree_of(hops)
    if tree is not None:
        return Embedding(*tree)
    found = _classes(graph.nodes, graph.edges)
    if found is None:
        return None
    sides, weights = found[0][:, at], found[1]
    if not _adds_up(sides, weights, 2 * hops):
        return None
    numbers = tuple(bits(side) for side in sides.tolist())
    return Embedding(sides=numbers, weights=tuple(weights.tolist()))


def tree_of(hops: IntArray) -> RootedTree | None:
    """Return a tree whose distances are twice these, or None; see `metric_cuts`.

    >>> tree = tree_of(np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]]))
    >>> tree[1] if tree else None
    (0, 1, 1, 1)
    """
    n = len(hops)
    height = hops[0]
    # twice the depth at which the paths from point 0 to p and q diverge
    parts = height[:, None] + height[None] - hops
    if (parts < 0).any() or (parts > 2 * np.minimum.outer(height, height)).any():
        return None
    tree = Branches()
    leaf = np.zeros(n, dtype=np.int64)
    # Points are added in the order of a maximum spanning tree of these depths (Prim).
    joined = np.zeros(n, dtype=np.bool_)
    joined[0] = True
    deepest, at = parts[0].copy(), np.zeros(n, dtype=np.int64)
    for _ in range(n - 1):
        p = int(np.argmax(np.where(joined, -1, deepest)))
        level = int(deepest[p])
        if (parts[p] != np.minimum(level, parts[at[p]]))[joined].any():
            return None
        leaf[p] = tree.hang(int(leaf[at[p]]), level, 2 * int(height[p]))
        joined[p] = True
        nearer = parts[p] > deepest
        deepest[nearer] = parts[p][nearer]
        at[nearer] = p
    return tree.root_at(leaf.tolist())


def _classes(nodes: int, edges: Sequence[Edge]) -> tuple[BoolArray, IntArray] | None:
    """Return the cuts that edges define, weights times two; None if they do not fit.

    The caller verifies that the weights add up to the distances.
    """
    ends = np.array(edges, dtype=np.int64).reshape(-1, 3)
    waiting = np.ones(len(ends), dtype=np.bool_)
    found: dict[bytes, tuple[BoolArray, int]] = {}
    while waiting.any():
        edge = int(np.argmax(waiting))
        u, v, weight = ends[edge].tolist()
        from_u, from_v = weighted_rows(np.array([u, v]), ends, nodes)
        apart = from_v - from_u
        if apart[u] < weight:  # a link that no shortest path needs
            waiting[edge] = False
            continue
        sign = np.sign(apart)
        between = sign[ends[:, 0]] * sign[ends[:, 1]] < 0
        if len(found) >= MOST_CLASSES or (apart != sign * weight).any():
            return None
        if not waiting[between].all() or (ends[between, 2] != weight).any():
            return None
        waiting &= ~between
        halves = [sign > 0] if sign.all() else [sign > 0, sign < 0]
        for side in halves:
            side = side == side[0]  # of the two sides, that of node 0
            share = 2 * weight // len(halves)
            if found.setdefault(side.tobytes(), (side, share))[1] != share:
                return None
    sides = np.array([side for side, _ in found.values()], dtype=np.bool_)
    weights = np.array([share for _, share in found.values()], dtype=np.int64)
    return sides.reshape(-1, nodes), weights


def _adds_up(sides: BoolArray, weights: IntArray, hops: IntArray) -> bool:
    """Whether the weights of the cuts between any two points sum to their distance.

    Computed in double precision, which is exact below 2^53.
    """
    inside = sides.astype(np.float64)
    heavy = inside * weights[:, None]
    total = heavy.sum(axis=0)
    for first in range(0, len(hops), _BLOCK):
        rows = slice(first, first + _BLOCK)
        both = heavy[:, rows].T @ inside
        if (total[rows, None] + total[None] - 2 * both != hops[rows]).any():
            return False
    return True
