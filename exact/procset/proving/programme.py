"""Linear programmes that are solved again and again, between other bounds.

Those of up to some hundred rows are solved by a tableau (`kernels_simplex`), in a
third to a tenth of the time that HiGHS takes. For larger ones SciPy's HiGHS is asked
directly, since ``linprog`` takes 2 ms for the smallest one and keeps no basis.
(``highspy`` cannot share a process with ortools.) That interface is not a public one:
where it is missing, ``linprog`` is called.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from .kernels import Floats, Ints
from .kernels_simplex import FAILED, OPTIMAL, Matrix, Tableau, made, solve

_LARGE = 5000
"""Rows from which an interior point method is faster."""
_SMALL = 40_000
"""Entries of a tableau up to which it is quicker."""


def _highs() -> Any:
    """Return SciPy's HiGHS, or None."""
    try:
        return import_module("scipy.optimize._highspy._core")
    except ImportError:
        return None


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
        return self._by_highs(low, high) if self._core else self._by_linprog(low, high)

    @cached_property
    def _core(self) -> Any:
        return _highs()

    @cached_property
    def _solver(self) -> Any:
        """HiGHS, given the programme."""
        core, columns, rows = self._core, len(self._costs), len(self._degrees)
        solver, linear = core._Highs(), core.HighsLp()
        solver.setOptionValue("output_flag", False)
        large = rows >= _LARGE
        solver.setOptionValue(*(("solver", "ipm") if large else ("presolve", "off")))
        linear.num_col_, linear.num_row_ = columns, rows
        linear.col_cost_, linear.col_lower_ = self._costs, np.zeros(columns)
        linear.col_upper_ = np.full(columns, np.inf)
        linear.row_lower_, linear.row_upper_ = self._degrees, np.full(rows, np.inf)
        held = linear.a_matrix_
        held.format_ = core.MatrixFormat.kRowwise
        held.start_, held.index_, held.value_ = self._matrix
        solver.passModel(linear)
        return solver

    def _by_highs(self, low: Ints, high: Ints) -> tuple[Floats, Floats] | None:
        solver, every = self._solver, np.arange(len(low), dtype=np.int32)
        solver.changeColsBounds(len(low), every, low.astype(float), high.astype(float))
        solver.run()
        if solver.getModelStatus() != self._core.HighsModelStatus.kOptimal:
            return None
        found = solver.getSolution()
        return np.array(found.col_value), np.array(found.row_dual)

    def _by_linprog(self, low: Ints, high: Ints) -> tuple[Floats, Floats] | None:
        from scipy.optimize import linprog
        from scipy.sparse import csr_array

        start, index, value = self._matrix
        shape = len(self._degrees), len(self._costs)
        above: Any = -csr_array((value, index, start), shape=shape)
        bounds: Any = np.stack([np.append(low, 0), np.append(high, np.inf)], axis=1)
        found: Any = linprog(
            self._costs,
            A_ub=above,
            b_ub=-self._degrees,
            bounds=bounds,
            method="highs-ipm" if len(self._degrees) >= _LARGE else "highs-ds",
        )
        return (found.x, -found.ineqlin.marginals) if found.status == 0 else None
