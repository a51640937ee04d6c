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

Derived for this project; docs/science/levelset.md has the short proofs.
"""

from __future__ import annotations

import numpy as np

from ....instances import KSubset, arrays
from ....instances.arrays import ranked
from ....solvers import DEFAULT, Grade, Proof, Result, Settings
from ....solvers.running import clock
from ..search import KSubsetSearch, search_alone
from . import kernels, layout

PROOF = Proof(Grade.ENUMERATED, "levelset-bb")
_LISTING_SECONDS = 0.1
"""Seconds for which median rows are listed between two checks of the limits."""


def levelset_bb(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum in the plane by branch and bound over level sets.

    Guarantee: exact.
    Time: exponential at worst; O(rows + columns) of the set for most nodes.
    Source: derived for closeknit, see docs/science/levelset.md.
    """
    return search_alone(LevelSetSearch, PROOF, instance, settings)


class LevelSetSearch(KSubsetSearch):
    """A search among distinct points in the plane, to be stopped and resumed."""

    turn = 1_000_000

    def __init__(
        self, instance: KSubset, chosen: tuple[int, ...], bound: int = 0
    ) -> None:
        super().__init__(instance, chosen, bound)
        y, row = ranked(arrays.points(instance)[:, 0])
        x, column = ranked(arrays.points(instance)[:, 1])
        self._place = row, column
        rows, columns = len(y), len(x)
        free = np.zeros((rows, columns), dtype=np.bool_)
        free[self._place] = True
        ahead = np.zeros((rows, columns + 1), dtype=np.int64)
        ahead[:, 1:] = free.cumsum(axis=1)
        area = np.zeros((rows + 1, columns + 1), dtype=np.int64)
        area[1:] = ahead.cumsum(axis=0)
        self._grid = layout.Grid(instance.k, y, x, free, ahead, area)
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
        self._scratch = layout.room_for(rows, columns)
        self._listed: list[layout.Ints] = []
        self._roots: layout.Ints | None = None

    def _least_open(self) -> int:
        if self._roots is None:
            return self._known
        at = int(self._state.at[1])
        return int(self._roots[at, 0]) if at < len(self._roots) else self.best

    def _list(self, until: float) -> None:
        """List the median rows with their runs by increasing bound."""
        room = 1024
        while len(self._listed) < len(self._grid.y):
            row = len(self._listed)
            roots = np.empty((room, 4), dtype=np.int64)
            found = kernels.list_roots(self._grid, row, self.best, roots)
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
        _, best, nodes = kernels.search(
            self._grid, self._roots, self._state, self._scratch, self.best, budget
        )
        self.nodes += nodes
        row, column = self._place
        first, last = self._state.picked
        inside = (first[row] <= column) & (column <= last[row])
        self.offer(np.flatnonzero(inside), best)
