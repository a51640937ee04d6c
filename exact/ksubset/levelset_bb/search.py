"""Branch and bound over level sets: exact in the plane.

An optimal set S is a level set of D(x) = Σ_{s in S} d(x, s) = F1 + F2: its rows
are runs of free cells that nest outwards from the median row. The search chooses
the median row, its run and the number of points below, then adds rows above and
below in the order of rising F2, which the counts determine.

- Margins: D(q) - D(p) ≥ d(p, q) for p chosen and q free and rejected. F1 is known
  where the runs have ended and bounded between; this forces or forbids cells of later
  rows, which bounds the counts, which bounds F1.
- Cost: gaps between known counts are exact; other counts lie in intervals, at one
  end of which the concave c (k - c) is least.

Derived for this project; docs/levelset.md has the short proofs.
"""

from __future__ import annotations

import numpy as np

from ....instances import KSubset
from ....instances.topologies.cuts import ranked
from ....solvers import DEFAULT, Grade, Proof, Result, Settings, clock
from ..search import KSubsetSearch, search_alone
from . import kernels, kernels_roots, layout

PROOF = Proof(Grade.ENUMERATED, "levelset-bb")
_LISTING_SECONDS = 0.1
"""Seconds for which median rows are listed between two checks of the limits."""


def levelset_bb(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum in the plane by branch and bound over level sets.

    Guarantee: exact.
    Time: exponential at worst; O(rows + columns) of the set for most nodes.
    Source: derived for closeknit, see docs/levelset.md.
    """
    return search_alone(LevelSetSearch, PROOF, instance, settings)


class LevelSetSearch(KSubsetSearch):
    """A search that can be stopped and resumed.

    Parameters
    ----------
    instance
        The instance to solve: distinct points in the plane.
    chosen
        A first solution, by indices.
    bound
        A known lower bound, in hops.
    """

    turn = 1_000_000

    def __init__(
        self, instance: KSubset, chosen: tuple[int, ...], bound: int = 0
    ) -> None:
        self._chosen = tuple(sorted(chosen))
        self._known = bound
        self.nodes = 0
        y, row = ranked(instance.points[:, 0])
        x, column = ranked(instance.points[:, 1])
        self._place = row, column
        rows, columns = len(y), len(x)
        free = np.zeros((rows, columns), dtype=np.bool_)
        free[self._place] = True
        ahead = np.zeros((rows, columns + 1), dtype=np.int64)
        ahead[:, 1:] = free.cumsum(axis=1)
        area = np.zeros((rows + 1, columns + 1), dtype=np.int64)
        area[1:] = ahead.cumsum(axis=0)
        self._grid = layout.Grid(instance.k, y, x, free, ahead, area)
        self.best = _cost(self._grid, *(a[list(chosen)] for a in self._place))
        self._state = layout.State(
            frame=np.zeros((rows + 1, layout.FIELDS), dtype=np.int64),
            cell=np.zeros((rows + 1, columns), dtype=np.int64),
            fine=np.zeros((rows + 1, 2, columns + 1), dtype=np.bool_),
            lost=np.zeros((rows + 1, 3, columns + 1), dtype=np.int64),
            low=np.zeros((rows + 1, columns), dtype=np.int64),
            high=np.zeros((rows + 1, columns), dtype=np.int64),
            level=np.zeros(rows, dtype=np.int64),
            before=np.zeros(rows, dtype=np.int64),
            after=np.zeros(rows, dtype=np.int64),
            first=np.zeros(rows, dtype=np.int64),
            last=np.zeros(rows, dtype=np.int64),
            picked=np.zeros((2, rows), dtype=np.int64),
            at=np.array([-1, 0, -1, -1, 0]),
        )
        self._listed: list[layout.Ints] = []
        self._roots: layout.Ints | None = None

    @property
    def chosen(self) -> tuple[int, ...]:
        """The best solution so far, by indices."""
        return self._chosen

    @property
    def bound(self) -> int:
        """The best proved lower bound so far, in hops."""
        if self._roots is None:
            return min(self.best, self._known)
        at = int(self._state.at[1])
        if at >= len(self._roots):
            return self.best
        return min(self.best, max(int(self._roots[at, 0]), self._known))

    def offer(self, chosen: tuple[int, ...], cost: int) -> None:
        """Accept a solution found elsewhere, with its cost in hops."""
        if cost < self.best:
            self.best = cost
            self._chosen = tuple(sorted(chosen))

    def _list(self, until: float) -> None:
        """List the median rows with their runs by increasing bound."""
        room = 1024
        while len(self._listed) < len(self._grid.y):
            row = len(self._listed)
            roots = np.empty((room, 4), dtype=np.int64)
            found = kernels_roots.list_roots(self._grid, row, self.best, roots)
            if found > room:
                room = found
                continue
            self._listed.append(roots[:found].copy())
            if clock.now() > until:
                return
        listed = np.concatenate(self._listed)
        self._roots = listed[np.lexsort(listed.T[::-1])]

    def _step(self, budget: int) -> None:
        if self._roots is None:
            self._list(clock.now() + _LISTING_SECONDS)
            return
        before = self.best
        _, self.best, nodes = kernels.search(
            self._grid, self._roots, self._state, self.best, budget
        )
        self.nodes += nodes
        if self.best < before:
            row, column = self._place
            first, last = self._state.picked
            inside = (first[row] <= column) & (column <= last[row])
            self._chosen = tuple(int(i) for i in np.flatnonzero(inside))


def _cost(grid: layout.Grid, row: layout.Ints, column: layout.Ints) -> int:
    """Pair sum of the cells in these rows and columns."""
    total = 0
    for at, line in (row, grid.y), (column, grid.x):
        count = np.bincount(at, minlength=len(line)).cumsum()[:-1]
        total += int((count * (grid.k - count) * np.diff(line)).sum())
    return total
