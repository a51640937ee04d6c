"""Linear programmes that are solved again and again, between other bounds.

SciPy's ``linprog`` takes 2 ms for the smallest one. So its HiGHS is asked directly,
which also keeps the basis from one call to the next. (``highspy`` cannot share a
process with ortools.) That interface is not a public one: where it is missing,
``linprog`` is called.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from .kernels import Floats, Ints

_LARGE = 5000
"""Rows from which an interior point method is faster."""


def _highs() -> Any:
    """Return SciPy's HiGHS, or None."""
    try:
        return import_module("scipy.optimize._highspy._core")
    except ImportError:
        return None


class _Matrix(NamedTuple):
    """Rows of a sparse matrix, one after the other."""

    start: Ints
    column: Ints
    value: Floats


class Programme:
    """Minimises ``costs``, all rows being at least their ``degrees``.

    The matrix is given by rows. The last column is at least 0, and not bounded above.
    """

    def __init__(
        self, costs: Floats, start: Ints, index: Ints, value: Floats, degrees: Floats
    ) -> None:
        self._costs, self._degrees = costs, degrees
        self._matrix = _Matrix(start, index, value)
        self._large = len(degrees) >= _LARGE
        self._core = _highs()
        self._solver = self._core and self._passed()

    def _passed(self) -> Any:
        """Return a solver that was given the programme."""
        core, columns, rows = self._core, len(self._costs), len(self._degrees)
        solver, linear = core._Highs(), core.HighsLp()
        solver.setOptionValue("output_flag", False)
        choice = ("solver", "ipm") if self._large else ("presolve", "off")
        solver.setOptionValue(*choice)
        linear.num_col_, linear.num_row_ = columns, rows
        linear.col_cost_, linear.col_lower_ = self._costs, np.zeros(columns)
        linear.col_upper_ = np.full(columns, np.inf)
        linear.row_lower_, linear.row_upper_ = self._degrees, np.full(rows, np.inf)
        held = linear.a_matrix_
        held.format_ = core.MatrixFormat.kRowwise
        held.start_, held.index_, held.value_ = self._matrix
        solver.passModel(linear)
        return solver

    def solve(self, low: Ints, high: Ints) -> tuple[Floats, Floats] | None:
        """Return an optimum between bounds of all columns but the last, and the duals.

        None where the solver finds none.
        """
        if self._solver is None:
            return self._by_linprog(low, high)
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
            method="highs-ipm" if self._large else "highs-ds",
        )
        return (found.x, -found.ineqlin.marginals) if found.status == 0 else None
