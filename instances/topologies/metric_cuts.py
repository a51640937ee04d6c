"""Recognition of graphs whose distances are weighted sums of cuts.

Two kinds of metrics are recognised. Both are verified: the weighted cuts must sum to
the distance of every two processors.

- *Tree metrics* (Buneman 1971). Seen from a processor r, the Gromov product
  (d(p, r) + d(q, r) - d(p, q)) / 2 is the depth at which the paths to p and q part.
  The distances are those of a tree exactly if these depths nest, and then they define
  it. Trees are recognised so, and fat-trees with several spines: between their
  processors the distances are those of one spine.
- *Partial cubes* (Djokovic 1973, Winkler 1984), also at scale 1/2. The nodes nearer to
  u than to v, for an edge uv, are one side of a cut, and the edges between both sides
  are its class. In a bipartite graph the other side is the nodes nearer to v: meshes,
  even rings and tori, hypercubes. If some nodes are equally far from u and v, there are
  two cuts, each of half the length of uv: odd rings, complete graphs, and products of
  them with each other and with bipartite partial cubes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .cuts import BoolArray, Cuts, IntArray, cuts_of, downwards, subtree_cuts
from .shortest_paths import Edge, weighted_rows

_MOST_CLASSES = 512
"""Maximal number of edge classes; graphs with more are not recognised."""
_BLOCK = 256


@dataclass(frozen=True)
class Embedding:
    """Cuts of all processors of a graph."""

    parent: tuple[int, ...]
    weight: tuple[int, ...]
    order: tuple[int, ...]
    leaf: IntArray
    """A tree with twice the distances: fields as of ``Tree``, and the node of each
    processor; empty for a partial cube."""
    sides: BoolArray
    weights: IntArray
    """Shape (m, processors) and (m,): cuts of a partial cube, weights times two."""

    @property
    def is_tree(self) -> bool:
        """Whether the distances are those of a tree."""
        return bool(self.parent)

    def cuts(self, numbers: IntArray) -> Cuts:
        """Return the cuts that separate some processors.

        Processors are given by index, in order of their nodes.
        """
        if self.is_tree:
            leaf = self.leaf[numbers]
            doubled = subtree_cuts(leaf, self.parent, self.weight, self.order)
        else:
            doubled = chained(self.sides[:, numbers], self.weights)
        if (doubled.weights % 2).any():
            return replace(doubled, denominator=2)
        return replace(doubled, weights=doubled.weights // 2)


def embedding_of(
    nodes: int,
    edges: Sequence[Edge],
    table: IntArray,
    processors: Sequence[int],
) -> Embedding | None:
    """Find cuts that sum to the distances of the processors, or return None.

    The table holds the distances from every processor to every node.
    """
    hops = table[:, list(processors)]
    tree = tree_of(hops)
    none = np.zeros((0, len(hops)), dtype=np.bool_)
    if tree is not None:
        return Embedding(*tree, none, np.zeros(0, dtype=np.int64))
    found = _classes(nodes, edges)
    if found is None:
        return None
    sides, weights = found[0][:, list(processors)], found[1]
    if not _adds_up(sides, weights, 2 * hops):
        return None
    return Embedding((), (), (), np.zeros(0, dtype=np.int64), sides, weights)


def tree_of(
    hops: IntArray,
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], IntArray] | None:
    """Return a tree whose distances are twice these, or None, in O(n²).

    The tree consists of parents, weights, an order with parents before their children,
    and the node of every point. It is verified: the path to a new point must diverge
    from that to every earlier point at the depth implied by the nearest of them.

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
    parent: list[int] = [-1]
    depth: list[int] = [0]
    leaf = np.zeros(n, dtype=np.int64)
    # Points are added in the order of a maximum spanning tree of these depths (Prim).
    joined = np.zeros(n, dtype=np.bool_)
    joined[0] = True
    deepest, at = parts[0].copy(), np.zeros(n, dtype=np.int64)
    for _ in range(n - 1):
        p = int(np.argmax(np.where(joined, -1, deepest)))
        level, low = int(deepest[p]), int(leaf[at[p]])
        if (parts[p] != np.minimum(level, parts[at[p]]))[joined].any():
            return None
        while parent[low] >= 0 and depth[parent[low]] >= level:
            low = parent[low]
        if depth[low] > level:  # a new node on the way up from low
            parent.append(parent[low])
            depth.append(level)
            parent[low] = len(parent) - 1
            low = len(parent) - 1
        if 2 * int(height[p]) > level:
            parent.append(low)
            depth.append(2 * int(height[p]))
            low = len(parent) - 1
        leaf[p] = low
        joined[p] = True
        nearer = parts[p] > deepest
        deepest[nearer] = parts[p][nearer]
        at[nearer] = p
    weight = [depth[v] - depth[up] if up >= 0 else 0 for v, up in enumerate(parent)]
    return tuple(parent), tuple(weight), downwards(parent), leaf


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
        if len(found) >= _MOST_CLASSES or (apart != sign * weight).any():
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


def chained(sides: BoolArray, weights: IntArray) -> Cuts:
    """Arrange cuts as nested ranges of positions, greedily on few axes.

    Cuts with all points on one side are omitted, equal cuts merged.
    """
    n = sides.shape[1]
    end = _end(sides, weights)
    sides = sides == sides[:, end : end + 1]  # the end is inside every cut
    found: dict[bytes, int] = {}
    for side, weight in zip(sides, weights.tolist(), strict=True):
        if not side.all():
            key = side.tobytes()
            found[key] = found.get(key, 0) + weight
    listed = [
        (np.frombuffer(key, dtype=np.bool_), weight) for key, weight in found.items()
    ]
    listed.sort(key=lambda one: int(one[0].sum()))
    chains: list[list[tuple[npt.NDArray[np.bool_], int]]] = []
    for side, weight in listed:
        for chain in chains:
            if (chain[-1][0] <= side).all():
                chain.append((side, weight))
                break
        else:
            chains.append([(side, weight)])
    position = np.zeros((n, max(1, len(chains))), dtype=np.int64)
    rows: list[tuple[int, int, int, int, int]] = []
    for axis, chain in enumerate(chains):
        for i, (side, weight) in enumerate(chain):
            position[:, axis] += ~side
            up = len(rows) + 1 if i + 1 < len(chain) else -1
            rows.append((weight, axis, 0, i + 1, up))
    return cuts_of(rows, position, 1)


def _end(sides: BoolArray, weights: IntArray) -> int:
    """Return the point farthest from the first: on a mesh a corner."""
    apart = weights @ (sides != sides[:, :1])
    return int(np.argmax(apart))
