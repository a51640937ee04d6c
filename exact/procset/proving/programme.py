"""Linear programmes that are solved again and again, between other bounds.

Those of up to some hundred rows are solved by a tableau (`kernels_simplex`), in a
third to a tenth of the time that a library takes; larger ones by GLOP, which begins
with the basis of the time before.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from .kernels import Floats, Ints
from .kernels_simplex import FAILED, OPTIMAL, Matrix, Tableau, made, solve

_SMALL = 40_000
"""Entries of a tableau up to which it is quicker."""


class Programme:
    """Minimises ``costs``, all rows being at least their ``degrees``.

    The matrix is given by rows. The last column is at least 0, and not bounded above;
    its cost is not negative.
    """

    def __init__(
        self, costs: Floats, start: Ints, index: Ints, value: Floats, degrees: Floats
    ) -> None:
        self._costs, self._degrees = costs, degrees
        self._matrix = Matrix(start, index, value)
        columns, rows = len(costs), len(degrees)
        self._tableau: Tableau | None = None
        if columns * rows <= _SMALL:
            self._tableau = made(rows, columns)
            self._low = np.zeros(columns + rows)
            self._high = np.full(columns + rows, np.inf)
        self._fresh = True

    def solve(self, low: Ints, high: Ints) -> tuple[Floats, Floats] | None:
        """Return an optimum between bounds of all columns but the last, and the duals.

        None where there is none, or it is not found.
        """
        if self._tableau:
            columns = len(self._costs)
            self._low[: columns - 1], self._high[: columns - 1] = low, high
            given = self._tableau, self._matrix, self._costs, self._degrees
            state = solve(*given, self._low, self._high, self._fresh)
            self._fresh = state == FAILED
            if state == OPTIMAL:
                duals = np.zeros(len(self._low))
                duals[self._tableau.other] = self._tableau.price
                return self._tableau.value[:columns], duals[columns:]
            if state != FAILED:
                return None
        return self._by_glop(low, high)

    @cached_property
    def _glop(self) -> tuple[Any, list[Any], list[Any]]:
        """GLOP, given the programme; its columns, and its rows."""
        from ortools.linear_solver import pywraplp

        solver = pywraplp.Solver.CreateSolver("GLOP")
        infinity = solver.infinity()
        columns = [solver.NumVar(0, infinity, "") for _ in self._costs]
        for column, cost in zip(columns, self._costs.tolist(), strict=True):
            solver.Objective().SetCoefficient(column, cost)
        rows = [
            solver.Constraint(degree, infinity) for degree in self._degrees.tolist()
        ]
        start, index, value = (part.tolist() for part in self._matrix)
        for row, (a, b) in zip(rows, pairwise(start), strict=True):
            for i, weight in zip(index[a:b], value[a:b], strict=True):
                row.SetCoefficient(columns[i], weight)
        return solver, columns, rows

    def _by_glop(self, low: Ints, high: Ints) -> tuple[Floats, Floats] | None:
        solver, columns, rows = self._glop
        for column, a, b in zip(columns, low.tolist(), high.tolist(), strict=False):
            column.SetBounds(a, b)
        if solver.Solve() != solver.OPTIMAL:
            return None
        values = np.array([column.solution_value() for column in columns])
        return values, np.array([row.dual_value() for row in rows])
