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

`instances.arrays.graphs` finds the same in arrays, faster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from .cuts import Cuts, Row, cuts_of, downwards, subtree_cuts
from .shortest_paths import Edge, Neighbours, lengths_from

MOST_CLASSES = 512
"""Maximal number of edge classes; graphs with more are not recognised."""
RootedTree = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Parents, weights, an order with parents before their children, and the node of
every point."""


@dataclass(frozen=True)
class Embedding:
    """Cuts of all processors of a graph; processors are numbered from 0."""

    parent: tuple[int, ...] = ()
    weight: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    leaf: tuple[int, ...] = ()
    """A tree with twice the distances: fields as of ``Tree``, and the node of each
    processor; empty for a partial cube."""
    sides: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()
    """Cuts of a partial cube: the processors on one side as the bits of a number, and
    the weights times two."""

    @property
    def is_tree(self) -> bool:
        """Whether the distances are those of a tree."""
        return bool(self.parent)

    def cuts(self, numbers: Sequence[int]) -> Cuts:
        """Return the cuts that separate some processors, given by number."""
        if self.is_tree:
            leaf = [self.leaf[i] for i in numbers]
            doubled = subtree_cuts(leaf, self.parent, self.weight, self.order)
        else:
            sides = [[side >> i & 1 for i in numbers] for side in self.sides]
            doubled = _chain(sides, self.weights, len(numbers))
        if any(weight % 2 for weight in doubled.weights):
            return replace(doubled, denominator=2)
        return replace(doubled, weights=tuple(w // 2 for w in doubled.weights))


def embedding_of(
    neighbours: Neighbours,
    edges: Sequence[Edge],
    processors: Sequence[int],
    walked: Callable[[int], tuple[list[int], int]],
) -> Embedding | None:
    """Find cuts that sum to the distances of the processors, or return None.

    ``walked`` returns the distances from a node as a row and a number to be added.
    """

    def hops(p: int) -> list[int]:
        row, extra = walked(processors[p])
        found = [row[v] + extra for v in processors]
        found[p] = 0
        return found

    tree = tree_of(len(processors), hops)
    if tree is not None:
        return Embedding(*tree)
    found = _classes(neighbours, edges)
    if found is None:
        return None
    sides = tuple(bits([side >> v & 1 for v in processors]) for side in found)
    weights = tuple(found.values())
    if not _adds_up(sides, weights, len(processors), hops):
        return None
    return Embedding(sides=sides, weights=weights)


def bits(flags: Iterable[int]) -> int:
    """Return flags as the bits of a number, the first as the lowest.

    >>> bits([1, 0, 1, 1])
    13
    """
    return sum(1 << i for i, flag in enumerate(flags) if flag)


class Branches:
    """A tree that grows by one point after the other, given by depths below a root."""

    def __init__(self) -> None:
        self.parent, self.depth = [-1], [0]

    def hang(self, low: int, level: int, depth: int) -> int:
        """Add a point at a depth; return its node.

        Its path from the root leaves that to the node ``low`` at the depth ``level``.
        """
        while self.parent[low] >= 0 and self.depth[self.parent[low]] >= level:
            low = self.parent[low]
        if self.depth[low] > level:  # a new node on the way up from low
            above = self._add(self.parent[low], level)
            self.parent[low] = low = above
        return self._add(low, depth) if depth > level else low

    def _add(self, parent: int, depth: int) -> int:
        self.parent.append(parent)
        self.depth.append(depth)
        return len(self.parent) - 1

    def root_at(self, leaf: Iterable[int]) -> RootedTree:
        """Return the tree, given the node of every point."""
        depth, ups = self.depth, enumerate(self.parent)
        weight = [depth[v] - depth[up] if up >= 0 else 0 for v, up in ups]
        parent = tuple(self.parent)
        return parent, tuple(weight), downwards(parent), tuple(leaf)


def tree_of(n: int, hops: Callable[[int], Sequence[int]]) -> RootedTree | None:
    """Return a tree whose distances are twice those of n points, or None, in O(n²).

    ``hops`` returns the distances of a point from all. The tree is verified: the path
    to a new point must diverge from that to every earlier point at the depth implied
    by the nearest of them.

    >>> tree = tree_of(3, [[0, 1, 1], [1, 0, 1], [1, 1, 0]].__getitem__)
    >>> tree[1] if tree else None
    (0, 1, 1, 1)
    """
    height = hops(0)
    parts: dict[int, list[int]] = {0: [0] * n}
    """Twice the depth at which the paths from point 0 to p and to each point part."""
    tree, leaf = Branches(), [0] * n
    # Points are added in the order of a maximum spanning tree of these depths (Prim).
    deepest, at = [0] * n, [0] * n
    waiting = list(range(1, n))
    while waiting:
        p = max(waiting, key=deepest.__getitem__)
        waiting.remove(p)
        level, up = deepest[p], parts[at[p]]
        here = [height[p] + x - d for x, d in zip(height, hops(p), strict=True)]
        if any(
            not 0 <= part <= 2 * min(height[p], x)
            for part, x in zip(here, height, strict=True)
        ):
            return None
        if any(here[q] != min(level, up[q]) for q in parts):
            return None
        leaf[p] = tree.hang(leaf[at[p]], level, 2 * height[p])
        parts[p] = here
        for q, part in enumerate(here):
            if part > deepest[q]:
                deepest[q], at[q] = part, p
    return tree.root_at(leaf)


def _classes(neighbours: Neighbours, edges: Sequence[Edge]) -> dict[int, int] | None:
    """Return the cuts that edges define, weights times two; None if they do not fit.

    Of a cut, the nodes on the side of node 0 are the bits of a number. The caller
    verifies that the weights add up to the distances.
    """
    waiting = dict.fromkeys(edges)
    found: dict[int, int] = {}
    while waiting:
        u, v, weight = next(iter(waiting))
        from_u, from_v = lengths_from(u, neighbours), lengths_from(v, neighbours)
        apart = [b - a for a, b in zip(from_u, from_v, strict=True)]
        if apart[u] < weight:  # a link that no shortest path needs
            del waiting[u, v, weight]
            continue
        if len(found) >= MOST_CLASSES or not {*apart} <= {-weight, 0, weight}:
            return None
        for edge in edges:
            if apart[edge[0]] * apart[edge[1]] < 0:
                if edge not in waiting or edge[2] != weight:
                    return None
                del waiting[edge]
        halves = [0] if 0 not in apart else [0, -1]
        for least in halves:
            side = [x > least for x in apart]
            key = bits(x == side[0] for x in side)
            share = 2 * weight // len(halves)
            if found.setdefault(key, share) != share:
                return None
    return found


def _adds_up(
    sides: Sequence[int],
    weights: Sequence[int],
    n: int,
    hops: Callable[[int], Sequence[int]],
) -> bool:
    """Whether the weights of the cuts between any two points sum to their distance."""
    within = [bits(side >> i & 1 for side in sides) for i in range(n)]
    heavy = [(w, bits(w == other for other in weights)) for w in sorted({*weights})]
    return all(
        sum(w * ((within[p] ^ within[q]) & cuts).bit_count() for w, cuts in heavy)
        == 2 * row[q]
        for p in range(n)
        for row in [hops(p)]
        for q in range(p)
    )


def _chain(sides: Sequence[Sequence[int]], weights: Sequence[int], n: int) -> Cuts:
    """Arrange cuts as nested ranges of positions, greedily on few axes.

    Cuts with all points on one side are omitted, equal cuts merged.
    """
    apart = [0] * n  # from the first point; the farthest is on a mesh a corner
    for side, weight in zip(sides, weights, strict=True):
        for i, flag in enumerate(side):
            apart[i] += weight * (flag != side[0])
    end = apart.index(max(apart))
    found: dict[int, int] = {}
    for side, weight in zip(sides, weights, strict=True):
        key = bits(flag == side[end] for flag in side)  # the end is inside every cut
        if key.bit_count() < n:
            found[key] = found.get(key, 0) + weight
    chains: list[list[int]] = []
    for key in sorted(found, key=int.bit_count):
        for chain in chains:
            if chain[-1] | key == key:
                chain.append(key)
                break
        else:
            chains.append([key])
    rows: list[Row] = []
    for axis, chain in enumerate(chains):
        for i, key in enumerate(chain):
            up = len(rows) + 1 if i + 1 < len(chain) else -1
            rows.append((found[key], axis, 0, i + 1, up))
    position = [
        tuple(sum(not key >> i & 1 for key in chain) for chain in chains or [[]])
        for i in range(n)
    ]
    return cuts_of(rows, position, 1)
