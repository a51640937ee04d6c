"""The rules of Slurm's topology/tree and topology/block, re-implemented.

They follow what the source of Slurm does (``eval_nodes_tree.c`` as of 24.11 and
``eval_nodes_block.c`` as of 2026) for nodes of equal weight that serve one job at a
time, without required nodes. Switches and blocks are in the order of the topology.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .state import HierarchyLayout, HierarchyState

Chosen = tuple[int, ...] | None


def slurm_tree(state: HierarchyState, k: int, /) -> Chosen:
    """Take the tightest leaf switch with room, or the fullest and what is near.

    Where no leaf has room for all that is missing, leaves are compared by the first
    switches above them of which one has room: the one with room, of two the tighter,
    at last the leaf with more free nodes. A leaf nearer to those taken replaces a
    farther one only if it, or the switch above that decided, has room for the rest.

    Guarantee: none.
    Time: O(leaves) comparisons for each leaf that is taken.
    Ties: the first leaf.
    Source: Slurm, topology/tree, the source of 24.11.
    """
    if k > state.below[0]:
        return None
    layout, free = state.layout, list(state.below)
    far = dict.fromkeys(layout.leaves, 0)
    own = dict(zip(layout.leaves, (state.at[v] for v in layout.leaves), strict=True))
    taken: dict[int, int] = {}
    while k:
        best = -1
        for v in layout.leaves:
            if v in taken or not own[v]:
                continue
            if best < 0:
                best = v
                continue
            better, fits = _compare(layout, free, v, best, k)
            nearer = far[v] < far[best] and fits
            if nearer or (far[v] == far[best] and better):
                best = v
        taken[best] = min(k, own[best])
        k -= taken[best]
        for v in far:
            far[v] += layout.edges(v, best)
        v = best
        while v >= 0:
            free[v] -= taken[best]
            v = layout.parent[v]
    return state.first(taken)


def _compare(
    layout: HierarchyLayout, free: list[int], a: int, b: int, k: int
) -> tuple[bool, bool]:
    """Return whether a leaf is better than another, and whether it has room."""
    parent = layout.parent
    while True:
        a_fits, b_fits = free[a] >= k, free[b] >= k
        if a_fits or b_fits:
            if not (a_fits and b_fits):
                return a_fits, a_fits
            if free[a] != free[b]:
                return free[a] < free[b], True
            break
        if parent[a] == parent[b] or parent[a] < 0 or parent[b] < 0:
            break
        a, b = parent[a], parent[b]
    if free[a] != free[b]:
        return free[a] > free[b], a_fits
    return layout.level[a] < layout.level[b], a_fits


def slurm_block(state: HierarchyState, k: int, /) -> Chosen:
    """Take segment by segment, each from the tightest group of blocks with room.

    The group is the smallest of BlockSizes that a segment needs; within it a segment
    may use no more of the next smaller groups than it would fill. Fullest first, and
    the last one the tightest. Without segments the job is one. On trees the leaves are
    the blocks, and the least of them is their size. Segments larger than that, which
    Slurm spreads over blocks, find nothing here.

    Guarantee: none; it can find nothing where there is a choice.
    Time: O(blocks) for each block that is taken.
    Ties: the last group and the last block.
    Source: Slurm, topology/block, the source of 2026 (26.05).
    """
    fabric = state.layout.fabric
    places = fabric.block_places or range(len(state.layout.leaves))
    blocks = dict(zip(places, state.layout.leaves, strict=True))
    base, exponents = _block_sizes(state.layout)
    if k * state.size > state.below[0] or state.size > base:
        return None
    segment = state.size if state.size > 1 else k
    free = [0] * (max(blocks) + 1)  # placeholders have none, and keep their places
    for place, v in blocks.items():
        free[place] = state.at[v]
    taken: dict[int, int] = {}
    for _ in range(k * state.size // segment):
        plan = _Plan(base, exponents, segment, free)
        if (found := plan.taken()) is None:
            return None
        for i, count in found.items():
            free[i] -= count
            taken[blocks[i]] = taken.get(blocks[i], 0) + count
    return state.first(taken)


def _block_sizes(layout: HierarchyLayout) -> tuple[int, list[int]]:
    """Return the size of a base block, and the levels of groups as powers of two."""
    sizes = layout.fabric.block_sizes
    base = sizes[0] if sizes else min(len(layout.members[v]) for v in layout.leaves)
    return base, [(size // base).bit_length() - 1 for size in sizes] or [0]


@dataclass
class _Plan:
    """One segment on blocks with so many free nodes each."""

    base: int
    exponents: list[int]
    segment: int
    free: list[int]
    within: int = field(init=False)
    """The smaller groups have two to this power of blocks."""
    most: int = field(init=False)
    """How many of the smaller groups may be used."""
    by_group: bool = field(init=False)
    """Whether the smaller groups matter."""
    sums: dict[int, int] = field(init=False)
    """Free nodes of the smaller groups within the larger one that was taken."""

    def taken(self) -> dict[int, int] | None:
        """Return how many nodes of which blocks are taken, or None."""
        raw = (-(-self.segment // self.base) - 1).bit_length()
        smaller = [e for e in self.exponents if e < raw]
        self.within = max(smaller, default=0)
        level = min((e for e in self.exponents if e >= raw), default=None)
        width = len(self.free) if level is None else 2**level
        self.most = -(-self.segment // (self.base << self.within))
        self.by_group = width != self.most << self.within
        group = self._group(width)
        return None if group is None else self._fill(group)

    def _group(self, width: int) -> range | None:
        """Return the group with fewest free nodes that has room, the last one."""
        best, least = None, -1
        for begin in range(0, len(self.free), width):
            group = range(begin, min(begin + width, len(self.free)))
            total = sum(self.free[i] for i in group)
            usable = total
            if self.by_group:
                largest = sorted(self._sums(group).values(), reverse=True)
                usable = sum(largest[: self.most])
            if usable >= self.segment and (best is None or total <= least):
                best, least = group, total
        return best

    def _sums(self, group: range) -> dict[int, int]:
        found: dict[int, int] = {}
        for i in group:
            found[i >> self.within] = found.get(i >> self.within, 0) + self.free[i]
        return found

    def _fill(self, group: range) -> dict[int, int] | None:
        self.sums = self._sums(group)
        taken: dict[int, int] = {}
        left, most = self.segment, self.most
        while left:
            best = -1
            for i in group:
                if i not in taken and self._better(i, best, left, taken):
                    best = i
            if best < 0 or not self.free[best]:
                return None
            if self.by_group and not self._opened(best, taken):
                if most <= 0:
                    return None
                most -= 1
            taken[best] = min(left, self.free[best])
            left -= taken[best]
        return taken

    def _opened(self, i: int, taken: dict[int, int]) -> bool:
        return any(j >> self.within == i >> self.within for j in taken)

    def _better(self, i: int, best: int, left: int, taken: dict[int, int]) -> bool:
        """Whether a block is preferred to the best one before it."""
        if best < 0:
            return True
        here, there = i >> self.within, best >> self.within
        if self.by_group and here != there:
            a_open, b_open = self._opened(i, taken), self._opened(best, taken)
            if a_open != b_open:
                return a_open
            a, b = self.sums[here], self.sums[there]
            if (a >= left) != (b >= left):
                return a >= left
            if a != b:
                return a < b if a >= left else a > b
        mine, its = self.free[i], self.free[best]
        if mine >= left:
            return its < left or mine <= its
        return its < left and mine >= its
