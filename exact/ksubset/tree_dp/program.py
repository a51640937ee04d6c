"""Dynamic program over a tree: exact for any edge weights.

An edge of weight w with c of the chosen below it costs w c (k - c), so the cost
of a subtree depends on the rest of the tree only through the number chosen in it.
A table holds the least cost for every such number; the tables of the children of
a node are merged one by one, and every merge costs at most the product of the
two lengths. As these are bounded by the processors below as well as by k, all
merges together cost O(n k): two processors meet in one merge only, and each meets
at most 2 k others before its table is full.

Time and memory are reduced as follows:

- Processors that hang from a node without branching need no merges among
  themselves: the nearest of them are chosen first.
- The child with most processors is continued in place (a *path*); only the tables
  of lighter children are stored, O(n log n) entries. Equal subtrees share one.
- Nothing is stored to recover the choice. Paths that are neither empty nor full
  are recomputed from the root down, keeping the tables before each merge; a long path
  in segments, from tables kept at their starts.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import isqrt

import numpy as np

from ....instances import IntArray, KSubset, arrays, cost
from ....solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer
from ....solvers.running import clock
from ....solvers.running.limits import limits
from . import kernels as kernels
from . import plan as tree_plan

PROOF = Proof(Grade.ENUMERATED, "tree-dp")
_WORK = 2**27
"""Sums formed between two checks of the limits, about 0.1 s."""
_KEPT = 2**20
"""Total entries up to which all tables of a path are kept at once."""


def tree_dp(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Find an optimum on a tree by merging tables over the number chosen below.

    Also supports a graph whose processor distances are those of a tree, such as a
    fat-tree with several spines.

    Stopped early, it returns the first k processors below a deepest node that has
    k of them, in depth-first order, and a bound from the secants of c (k - c).

    Guarantee: exact.
    Time: O(n k), and O(n log n) memory plus O(√n k) on long chains.
    Ties: fewest in the lighter part, then nearest, then coordinates.
    Source: tree knapsack; derived for closeknit, see docs/science/theory.md.
    """
    start = clock.now()
    if instance.k == instance.n:
        everything = range(instance.n)
        bound = cost(instance, everything)
        return answer(instance, everything, start=start, bound=bound, proof=PROOF)
    deadline = start + settings.time_limit
    with limits(deadline) as watch:
        program = _Program(instance)
        stopped = program.run(watch.reached)
    return answer(
        instance,
        program.chosen(complete=stopped is None),
        start=start,
        bound=program.bound,
        proof=PROOF,
        limit=stopped,
    )


class _Program:
    """The tables of one instance, and which of them are filled."""

    def __init__(self, instance: KSubset) -> None:
        found = arrays.tree_of(instance)
        assert found is not None
        tree, site, self._factor = found
        n, k, nodes = instance.n, instance.k, len(tree.parent)
        order = np.array(tree.order)
        rank = np.empty(nodes, dtype=np.int64)
        rank[order] = np.arange(nodes)
        self.up = rank[np.array(tree.parent)[order]]
        self.up[0] = -1
        self.weight = np.array(tree.weight, dtype=np.int64)[order]
        self.node = rank[site]
        self.size = np.zeros(nodes, dtype=np.int64)
        home = np.empty(n, dtype=np.int64)
        away = np.zeros(n, dtype=np.int64)
        tree_plan.gather(self.up, self.weight, self.node, self.size, home, away)
        self.plan = tree_plan.steps_of(
            n,
            k,
            self.up,
            self.weight,
            self.size,
            np.searchsorted(self.up[1:], np.arange(nodes + 1)) + 1,
            np.concatenate([[0], np.cumsum(np.bincount(home, minlength=nodes))]),
            np.lexsort((away, home)),
            away,
        )
        self.tables = kernels.TreeTables(
            pool=np.empty(self.plan.table[-2], dtype=np.int64),
            buffer=np.zeros((2, k + 1), dtype=np.int64),
            need=np.zeros(len(self.plan.first), dtype=np.int64),
            picked=np.zeros(n, dtype=np.bool_),
        )
        self.tables.need[0] = k
        self.kept = np.empty(_KEPT, dtype=np.int64)
        self._least = int(
            tree_plan.secant(n, k, self.up, self.weight, self.size, self.node)
        )

    @property
    def bound(self) -> int:
        """The best proved lower bound so far, in hops."""
        return -(-self._least // self._factor)

    def run(self, limit: Callable[[], Limit | None]) -> Limit | None:
        """Fill the tables and recover the choice; return the limit that stopped it."""
        state = np.array([0, -1, 0])
        while not kernels.climb(self.plan, self.tables, state, _WORK):
            if stopped := limit():
                return stopped
        end, path = kernels.LONG, 0
        while end != kernels.DONE:
            if end == kernels.LONG:
                if stopped := self._path(path, limit):
                    return stopped
                state[:] = path + 1, -1, 0
            elif stopped := limit():
                return stopped
            end = kernels.descend(self.plan, self.tables, self.kept, state, _WORK)
            path = int(state[kernels.AT])
        return None

    def _path(self, path: int, limit: Callable[[], Limit | None]) -> Limit | None:
        """Split the count of one path, segment by segment from its top."""
        entry, buffer = self.plan.entry, self.tables.buffer
        first, stop = int(self.plan.first[path]), int(self.plan.stop[path])
        total = int(entry[stop] - entry[first])
        room = max(_KEPT, isqrt(total * len(buffer[0])))
        ends = [first]
        while ends[-1] < stop:
            fits = int(np.searchsorted(entry, entry[ends[-1]] + room, "right")) - 1
            ends.append(min(stop, max(fits, ends[-1] + 1)))
        kept = np.empty(max(int(entry[b] - entry[a]) for a, b in pairwise(ends)), int)
        state = np.array([path, first, 0])
        buffer[0, 0] = 0
        starts: list[IntArray] = []

        def run(end: int) -> Limit | None:
            origin = entry[state[kernels.STEP]]
            while state[kernels.STEP] < end:
                kernels.run(self.plan, self.tables, kept, origin, state, end, _WORK)
                if stopped := limit():
                    return stopped
            return None

        for begin, end in pairwise(ends):
            length = int(entry[begin + 1] - entry[begin])
            starts.append(buffer[state[kernels.SIDE], :length].copy())
            if stopped := run(end):
                return stopped
        if path == 0:
            self._least = int(buffer[state[kernels.SIDE], 0])
        count = int(self.tables.need[path])
        for begin, end in reversed(list(pairwise(ends))):
            if end < stop:
                table = starts[ends.index(begin)]
                state[:] = path, begin, 0
                buffer[0, : len(table)] = table
                if stopped := run(end):
                    return stopped
            count = kernels.trace(self.plan, self.tables, kept, begin, end, count)
        return None

    def chosen(self, *, complete: bool) -> IntArray:
        """Return the optimum, or an incumbent if not complete, by indices."""
        picked = self.tables.picked
        if not complete:
            tree_plan.choose_first(self.up, self.size, self.node, self.plan.k, picked)
        return np.flatnonzero(picked)
