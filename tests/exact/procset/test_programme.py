"""Linear programmes solved again between other bounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from closeknit.exact.procset.proving.programme import Programme


class Drawn(NamedTuple):
    """A programme, and what it is made of."""

    programme: Programme
    costs: npt.NDArray[np.float64]
    matrix: npt.NDArray[np.int64]
    degrees: npt.NDArray[np.int64]


@st.composite
def programmes(draw: st.DrawFn, count: int) -> Drawn:
    """Draw a programme."""
    rows = draw(st.integers(1, 8))
    signs = st.sampled_from([(0, 1), (-1, 1), (-1, 0, 0, 1), (-7, -2, -1, 0, 1, 3)])
    entry = st.sampled_from(draw(signs))
    line = st.lists(entry, min_size=count, max_size=count)
    matrix = np.array(draw(st.lists(line, min_size=rows, max_size=rows)))
    slack = draw(st.lists(st.sampled_from([0, 1]), min_size=rows, max_size=rows))
    matrix = np.hstack([matrix, np.array([1, *slack[1:]])[:, None]])
    r, c = np.nonzero(matrix)
    start = np.append(0, np.bincount(r, minlength=rows).cumsum())
    costs = draw(st.lists(st.integers(-3, 3), min_size=count, max_size=count))
    degrees = draw(st.lists(st.integers(-5, 5), min_size=rows, max_size=rows))
    prices = np.array([*costs, draw(st.integers(0, 40))], dtype=float)
    given = prices, start, c, matrix[r, c].astype(float), np.array(degrees, dtype=float)
    return Drawn(Programme(*given), prices, matrix, np.array(degrees))


def solvable(
    one: Drawn, low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]
) -> bool:
    """Whether SciPy finds an optimum."""
    bounds = [*zip(low, high, strict=True), (0, None)]
    status = linprog(one.costs, -one.matrix, -one.degrees, bounds=bounds).status
    assert status in (0, 2)
    return bool(status == 0)


@settings(max_examples=60)
@given(st.data())
def test_values_and_duals_are_optimal(data: st.DataObject) -> None:
    """They cost the same, so both are; between bounds that change."""
    count = data.draw(st.integers(1, 8))
    bound = st.tuples(st.integers(0, 2), st.integers(0, 3))
    one = data.draw(programmes(count))
    for _ in range(3):
        pairs = data.draw(st.lists(bound, min_size=count, max_size=count))
        low = np.array([a for a, _ in pairs])
        high = np.array([a + more for a, more in pairs])
        found = one.programme.solve(low, high)
        assert (found is None) == (not solvable(one, low, high))
        if not found:
            continue
        values, duals = found
        assert (values[:-1] >= low - 1e-7).all()
        assert (values[:-1] <= high + 1e-7).all()
        assert values[-1] >= -1e-7
        assert (one.matrix @ values >= one.degrees - 1e-6).all()
        assert (duals >= -1e-7).all()
        left = one.costs - one.matrix.T @ duals
        assert left[-1] >= -1e-7
        least = np.minimum(left[:-1] * low, left[:-1] * high).sum()
        cost = one.costs @ values
        assert duals @ one.degrees + least == pytest.approx(cost, abs=1e-6)
