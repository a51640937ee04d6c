"""Linear programs that are solved again and again, between other bounds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ....solvers.later import pywraplp
from .kernels import Floats, Ints

_PARAMETERS = "use_dual_simplex: true use_preprocessing: false"


class Programme:
    """Minimises ``costs``, all rows being at least their ``degrees``.

    The matrix is given by rows. The last column is at least 0, and not bounded above;
    its cost is not negative. GLOP begins with the basis of the time before, which stays
    dual feasible between other bounds, so that the dual simplex method has few steps.
    """

    def __init__(
        self, costs: Floats, start: Ints, index: Ints, value: Floats, degrees: Floats
    ) -> None:
        self._solver = solver = pywraplp.Solver.CreateSolver("GLOP")
        solver.SetSolverSpecificParametersAsString(_PARAMETERS)
        infinity = solver.infinity()
        self._columns = [solver.NumVar(0, infinity, "") for _ in costs]
        for column, cost in zip(self._columns, costs.tolist(), strict=True):
            solver.Objective().SetCoefficient(column, cost)
        self._rows = [solver.Constraint(one, infinity) for one in degrees.tolist()]
        entries = list(zip(index.tolist(), value.tolist(), strict=True))
        for row, (a, b) in zip(self._rows, pairwise(start.tolist()), strict=True):
            for i, weight in entries[a:b]:
                row.SetCoefficient(self._columns[i], weight)

    def solve(self, low: Ints, high: Ints) -> tuple[Floats, Floats] | None:
        """Return an optimum between bounds of all columns but the last, and the duals.

        None where there is none, or it is not found.
        """
        bounds = zip(self._columns, low.tolist(), high.tolist(), strict=False)
        for column, a, b in bounds:
            column.SetBounds(a, b)
        if self._solver.Solve() != pywraplp.Solver.OPTIMAL:
            return None
        values = np.array([column.solution_value() for column in self._columns])
        return values, np.array([row.dual_value() for row in self._rows])
