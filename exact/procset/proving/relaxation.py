"""Linear relaxations, and integer combinations of rows that refute boxes.

A combination of rows with multipliers that are at least 0 follows from them. If it
cannot hold in the box to which decisions confine the variables, these are refuted.
Such multipliers are the dual solution of a linear program, scaled and rounded; what
they refute is computed in integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from ....proofs.writing.proof_log import ProofLog
from .kernels import Floats, Ints, RowTable, inside, refutes, total
from .programme import Programme

_SCALES = np.array(
    [1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 24, 30, 60, 120, *(10**i for i in range(3, 15))]
)
"""What multipliers are scaled by before they are rounded; short numbers first."""
_MOST = 2.0**61
"""No sum of a combination in 64 bits may exceed it."""
_SHRUNK = 0.6
"""Share of the columns that are left where a smaller model is made."""
_PENALTY = 1000.0
"""For each unit by which the first row is missed, relative to the goal."""


@dataclass(slots=True)
class Logged:
    """A row over columns: the sum of ``terms`` is at least ``degree``."""

    number: int | Callable[[], int]
    """Its number; a function that logs it where it is needed first."""
    terms: dict[int, int]
    """Coefficients by variable; that of each in group g of them is at -1 - g."""
    degree: int

    def log(self) -> int:
        """Return its number."""
        if not isinstance(self.number, int):
            self.number = self.number()
        return self.number


class Box(NamedTuple):
    """Least and largest value of every column."""

    low: Ints
    high: Ints


class LoggedCombination(NamedTuple):
    """A logged combination: its number, and its coefficients by column."""

    number: int
    terms: Ints
    degree: int


class _Model(NamedTuple):
    """A program for the boxes inside one."""

    programme: Programme
    rows: Ints
    columns: Ints
    box: Box

    def covers(self, box: Box) -> bool:
        """Whether a box lies inside."""
        inside = (self.box.low <= box.low) & (box.high <= self.box.high)
        return bool(inside.all())


class Relaxation:
    """Rows over columns, a column being the sum of a group of variables.

    ``column`` gives the column of a variable or group, ``sizes`` how many variables a
    column sums up. The last row is the goal: all others are kept, and its left side is
    maximised. The first row may be missed, at a penalty, so that there is a solution.
    """

    def __init__(
        self, column: dict[int, int], sizes: Ints, rows: Sequence[Logged]
    ) -> None:
        self._rows = rows
        length = np.array([len(row.terms) for row in rows])
        at = np.array(
            [column[x] for x in chain.from_iterable(row.terms for row in rows)],
            dtype=np.int32,
        )
        values = chain.from_iterable(row.terms.values() for row in rows)
        a = np.fromiter(values, np.int64, len(at))
        start = np.zeros(len(rows) + 1, dtype=np.int64)
        length.cumsum(out=start[1:])
        degrees = np.array([row.degree for row in rows], dtype=np.int64)
        self._table = RowTable(start, at, a, degrees)
        row, size = np.repeat(np.arange(len(rows)), length), np.abs(a)
        # Rows of costs may be large; they are scaled for the solver.
        self._by = np.maximum(np.maximum.reduceat(np.append(size, 0), start[:-1]), 1.0)
        self._reach = np.abs(degrees) + np.bincount(row, size * sizes[at], len(rows))
        self._entries = row, at, a
        goal = np.zeros(len(sizes))
        goal[at[start[-2] :]] = -a[start[-2] :] / self._by[-1]
        penalty = _PENALTY * (1 + abs(rows[-1].degree) / self._by[-1])
        self._costs = np.append(goal, penalty)
        self._models: list[_Model] = []

    def _model(self, box: Box) -> _Model:
        """Return the program without what a box decides: columns at 0, idle rows."""
        row, at, a = self._entries
        extreme = a * np.where(a > 0, box.low[at], box.high[at])
        least = np.bincount(row, extreme, len(self._rows))
        idle = least >= self._table.degrees
        idle[0], idle[-1] = False, True  # the first takes the slack; that of the goal
        rows, columns = np.flatnonzero(~idle), np.flatnonzero(box.high > 0)
        held = ~idle[row] & (box.high[at] > 0)
        row, at, scaled = row[held], at[held], a[held] / self._by[row[held]]
        by, size = self._by[rows], np.bincount(row, minlength=len(self._rows))[rows]
        start = np.append(0, size.cumsum() + 1)
        place = (np.cumsum(box.high > 0) - 1)[at]
        programme = Programme(
            np.append(self._costs[columns], self._costs[-1]),
            start,
            np.append(len(columns), place),
            np.append(1.0, scaled),
            self._table.degrees[rows] / by,
        )
        return _Model(programme, rows, columns, box)

    def solve(self, box: Box) -> tuple[Floats, Floats]:
        """Return the optimum in a box, and the multipliers of all rows."""
        # Boxes are those of a tree: models of other branches are given up.
        while self._models and not self._models[-1].covers(box):
            self._models.pop()
        alive = np.count_nonzero(box.high)
        if not self._models or alive < _SHRUNK * len(self._models[-1].columns):
            self._models.append(self._model(box))
        programme, rows, columns, _ = self._models[-1]
        found = programme.solve(box.low[columns], box.high[columns])
        values, multipliers = np.zeros(len(box.low)), np.zeros(len(self._rows))
        if found is not None:
            values[columns] = found[0][:-1]
            multipliers[rows] = found[1] * (self._by[-1] / self._by[rows])
            multipliers[-1] = 1.0
        return values, multipliers

    def refuting(self, box: Box, multipliers: Floats) -> Ints | None:
        """Return integer multipliers, near to real ones, that refute a box, if any."""
        most = _MOST / max(float(np.maximum(multipliers, 0) @ self._reach), 1e-300)
        found, terms = np.empty(len(multipliers), np.int64), np.empty_like(box.low)
        given = self._table, multipliers, *box, _SCALES, most, found, terms
        return found if refutes(*given) else None

    def near(self, multipliers: Floats, scale: int) -> Ints:
        """Return integers near to scaled multipliers."""
        if scale * (multipliers @ self._reach) > _MOST:
            return np.zeros(len(multipliers), dtype=np.int64)
        integers: Ints = np.rint(scale * np.maximum(multipliers, 0)).astype(np.int64)
        return integers

    def inside(self, high: Ints, count: int) -> Ints:
        """Return how much of the other columns the rows of each of the first limit."""
        found = np.empty(count, dtype=np.int64)
        inside(self._table, high, found)
        return found

    def log(self, multipliers: Ints, log: ProofLog) -> LoggedCombination:
        """Log a combination."""
        used = np.flatnonzero(multipliers).tolist()
        numbers = [self._rows[r].log() for r in used]
        factors = list(zip(multipliers[used].tolist(), numbers, strict=True))
        terms = np.empty(len(self._costs) - 1, np.int64)
        degree = total(self._table, multipliers, terms)
        return LoggedCombination(log.combine(factors), terms, degree)
