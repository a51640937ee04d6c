"""Linear relaxations, and integer combinations of rows that refute boxes.

A combination of rows with multipliers that are at least 0 follows from them. If it
cannot hold in the box to which decisions confine the variables, these are refuted.
Such multipliers are the dual solution of a linear programme, scaled and rounded; what
they refute is computed in integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.proof_log import ProofLog

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_SCALES = (
    1,
    2,
    3,
    4,
    5,
    6,
    8,
    10,
    12,
    20,
    24,
    30,
    60,
    120,
    *(10**i for i in range(3, 15)),
)
"""What multipliers are scaled by before they are rounded; short numbers first."""
_MOST = 2.0**61
"""No sum of a combination in 64 bits may exceed it."""
_LARGE = 5000
"""Rows from which an interior point method is faster."""
_PENALTY = 1000.0
"""For each unit by which the first row is missed, relative to the goal."""


@dataclass(slots=True)
class Logged:
    """A row over columns: the sum of ``terms`` is at least ``degree``."""

    parts: list[int]
    """Numbers of the logged rows that add up to it."""
    terms: dict[int, int]
    """Coefficients by variable; that of each in group g of them is at -1 - g."""
    degree: int


class Box(NamedTuple):
    """Least and largest value of every column."""

    low: Ints
    high: Ints

    def most(self, terms: Ints) -> int:
        """Return the most that a sum can reach."""
        return int(terms @ self.low + np.maximum(terms, 0) @ (self.high - self.low))


class Combination(NamedTuple):
    """A logged combination: its number, and its coefficients by column."""

    number: int
    terms: Ints
    degree: int


class Relaxation:
    """Rows over columns, a column being the sum of a group of variables.

    ``column`` gives the column of a variable or group, ``sizes`` how many variables a
    column sums up. The last row is the goal: all others are kept, and its left side is
    maximised. The first row may be missed, at a penalty, so that there is a solution.
    """

    def __init__(
        self, column: dict[int, int], sizes: Ints, rows: Sequence[Logged]
    ) -> None:
        from scipy.sparse import csr_array, diags_array, hstack

        self._columns, self._rows = len(sizes), rows
        entries = [
            (r, column[x], a)
            for r, row in enumerate(rows)
            for x, a in row.terms.items()
        ]
        r, c, a = np.array(entries, dtype=np.int64).reshape(-1, 3).T
        self._matrix: Any = csr_array((a, (r, c)), shape=(len(rows), len(sizes)))
        self._degrees = np.array([row.degree for row in rows], dtype=np.int64)
        size: Any = abs(self._matrix).astype(float)
        self._reach = size @ sizes.astype(float) + np.abs(self._degrees)
        limits = (self._matrix[1:] > 0).T.astype(np.int64)
        self._limits: Any = limits @ (self._matrix[1:] < 0).astype(np.int64)
        # Rows of costs may be large; they are scaled for the solver.
        largest: Floats = np.maximum(size.max(axis=1).toarray().ravel(), 1.0)
        self._by, self._unit = largest[:-1], float(largest[-1])
        matrix = diags_array(1 / self._by) @ self._matrix[:-1]
        slack = csr_array(([1.0], ([0], [0])), shape=(len(rows) - 1, 1))
        self._above: Any = -hstack([matrix, slack]).tocsr()
        self._bounds = -self._degrees[:-1] / self._by
        goal = -self._matrix[[-1]].toarray()[0] / self._unit
        penalty = _PENALTY * (1 + abs(rows[-1].degree) / self._unit)
        self._costs = np.append(goal, penalty)

    def solve(self, box: Box) -> tuple[Floats, Floats]:
        """Return the optimum in a box, and the multipliers of all rows."""
        from scipy.optimize import linprog

        low, high = np.append(box.low, 0), np.append(box.high, np.inf)
        bounds: Any = np.stack([low, high], axis=1)
        found: Any = linprog(
            self._costs,
            A_ub=self._above,
            b_ub=self._bounds,
            bounds=bounds,
            method="highs-ds" if len(self._rows) < _LARGE else "highs-ipm",
        )
        if found.status != 0:
            return np.zeros(self._columns), np.zeros(len(self._rows))
        above = -found.ineqlin.marginals * (self._unit / self._by)
        return found.x[:-1], np.append(above, 1.0)

    def refuting(self, box: Box, multipliers: Floats) -> Ints | None:
        """Return integer multipliers, near to real ones, that refute a box, if any."""
        for scale in _SCALES:
            near = self.near(multipliers, scale)
            terms, degree = self._sum(near)
            if degree > box.most(terms):
                return near
        return None

    def near(self, multipliers: Floats, scale: int) -> Ints:
        """Return integers near to scaled multipliers."""
        if scale * (multipliers @ self._reach) > _MOST:
            return np.zeros(len(multipliers), dtype=np.int64)
        integers: Ints = np.rint(scale * np.maximum(multipliers, 0)).astype(np.int64)
        return integers

    def inside(self, high: Ints, count: int) -> Ints:
        """Return how much of the other columns the rows of each of the first limit."""
        terms: Ints = self._limits[:count] @ high
        return terms

    def _sum(self, multipliers: Ints) -> tuple[Ints, int]:
        terms: Ints = self._matrix.T @ multipliers
        return terms, int(multipliers @ self._degrees)

    def log(self, multipliers: Ints, log: ProofLog) -> Combination:
        """Log a combination."""
        used = np.flatnonzero(multipliers).tolist()
        factors = [(int(multipliers[r]), self._number(r, log)) for r in used]
        return Combination(log.combined(factors), *self._sum(multipliers))

    def _number(self, row: int, log: ProofLog) -> int:
        """Return the number of a row, which is added up when it is needed first."""
        parts = self._rows[row].parts
        if len(parts) > 1:
            parts[:] = [log.combined([(1, part) for part in parts])]
        return parts[0]
