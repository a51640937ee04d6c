"""Linear programmes solved again between other bounds, by tableau and by GLOP."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from closeknit.exact.procset.proving import programme
from closeknit.exact.procset.proving.kernels_simplex import FAILED
from closeknit.exact.procset.proving.programme import Programme


def drawn(draw: st.DrawFn, count: int) -> tuple[Programme, npt.NDArray[np.int64]]:
    """Draw a programme, and its matrix."""
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
    return Programme(*given), matrix


def solvable(
    one: Programme,
    matrix: npt.NDArray[np.int64],
    low: npt.NDArray[np.int64],
    high: npt.NDArray[np.int64],
) -> bool:
    """Whether SciPy finds an optimum."""
    bounds = [*zip(low, high, strict=True), (0, None)]
    status = linprog(one._costs, -matrix, -one._degrees, bounds=bounds).status
    assert status in (0, 2)
    return bool(status == 0)


@pytest.mark.parametrize("way", ["tableau", "GLOP"])
@settings(max_examples=60)
@given(st.data())
def test_values_and_duals_are_optimal(way: str, data: st.DataObject) -> None:
    """They cost the same, so both are; between bounds that change."""
    count = data.draw(st.integers(1, 8))
    bound = st.tuples(st.integers(0, 2), st.integers(0, 3))
    with pytest.MonkeyPatch.context() as patch:
        if way != "tableau":
            patch.setattr(programme, "_SMALL", 0)
        one, matrix = data.draw(st.composite(drawn)(count))
        for _ in range(3):
            pairs = data.draw(st.lists(bound, min_size=count, max_size=count))
            low = np.array([a for a, _ in pairs])
            high = np.array([a + more for a, more in pairs])
            found = one.solve(low, high)
            assert (found is None) == (not solvable(one, matrix, low, high))
            if not found:
                continue
            values, duals = found
            assert (values[:-1] >= low - 1e-7).all()
            assert (values[:-1] <= high + 1e-7).all()
            assert values[-1] >= -1e-7
            assert (matrix @ values >= one._degrees - 1e-6).all()
            assert (duals >= -1e-7).all()
            left = one._costs - matrix.T @ duals
            assert left[-1] >= -1e-7
            least = np.minimum(left[:-1] * low, left[:-1] * high).sum()
            cost = one._costs @ values
            assert duals @ one._degrees + least == pytest.approx(cost, abs=1e-6)


def test_glop_takes_over_where_the_tableau_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start, index = np.array([0, 2]), np.array([0, 1])
    one = Programme(np.array([1.0, 9.0]), start, index, np.ones(2), np.array([2.0]))
    low, high = np.array([0]), np.array([1])
    expected = one.solve(low, high)
    monkeypatch.setattr(programme, "solve", lambda *given: FAILED)
    found = one.solve(low, high)
    assert found
    assert expected
    for mine, other in zip(found, expected, strict=True):
        assert mine == pytest.approx(other)
    assert found[0] == pytest.approx([1, 1])


@pytest.mark.parametrize("much", [1e-3, 1.0])
def test_a_tableau_that_has_drifted_is_made_anew(much: float) -> None:
    start, index = np.array([0, 2, 4]), np.array([0, 1, 0, 1])
    value, degrees = np.array([1.0, 1.0, 2.0, -1.0]), np.array([2.0, 1.0])
    one = Programme(np.array([1.0, 9.0]), start, index, value, degrees)
    low, high = np.array([0]), np.array([5])
    expected = one.solve(low, high)
    assert expected
    assert expected[0] == pytest.approx([2, 0])
    assert one._tableau
    one._tableau.entry[:] += much
    one._tableau.right[:] += much
    found = one.solve(low, high)
    assert found
    assert found[0] == pytest.approx([2, 0])
