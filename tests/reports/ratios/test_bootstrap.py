"""Block bootstrap, against its definition and on data whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest

from closeknit.reports.pages.bootstrap import (
    Estimate,
    block_length,
    estimate,
    resampled_sums,
)


def slow_sums(
    values: np.ndarray, block: int, times: int, seed: int
) -> list[list[float]]:
    """Put every stream together value by value."""
    n, columns = values.shape
    starts = np.random.default_rng(seed).integers(0, n, size=(times, n // block + 1))
    drawn = []
    for row in starts.tolist():
        taken = [(s + i) % n for s in row for i in range(block)][:n]
        drawn.append([float(values[taken, c].sum()) for c in range(columns)])
    return drawn


@pytest.mark.parametrize(("n", "block"), [(1, 1), (7, 1), (7, 3), (12, 4), (9, 9)])
def test_is_what_its_definition_says(n: int, block: int) -> None:
    values = np.random.default_rng(n).integers(0, 100, size=(n, 2))
    found = resampled_sums(values, block=block, times=20, seed=5)
    assert found.tolist() == slow_sums(values, block, 20, 5)


def test_blocks_are_never_longer_than_the_stream() -> None:
    values = np.arange(4).reshape(4, 1)
    assert set(resampled_sums(values, block=99, times=50).ravel()) == {6.0}


def test_columns_are_given_the_same_blocks() -> None:
    values = np.random.default_rng(0).normal(size=(400, 1)) * 50
    sums = resampled_sums(np.hstack([values, values + 3]))
    assert np.allclose(sums[:, 1] - sums[:, 0], 1200)  # no chance in the difference


def test_independent_values_give_the_interval_of_the_textbook() -> None:
    n = 2500
    values = np.random.default_rng(1).normal(10, 2, size=(n, 1))
    found = estimate(float(values.mean()), resampled_sums(values)[:, 0] / n)
    half = 1.96 * values.std() / n**0.5
    assert found.low == pytest.approx(values.mean() - half, abs=0.3 * half)
    assert found.high == pytest.approx(values.mean() + half, abs=0.3 * half)


def test_blocks_see_what_hangs_together() -> None:
    """Runs of fifty equal values: single draws are far too sure of themselves."""
    values = np.repeat(np.random.default_rng(2).normal(size=60), 50).reshape(-1, 1)
    single = resampled_sums(values, block=1).std()
    blocks = resampled_sums(values, block=200).std()
    assert blocks > 4 * single


def test_the_same_seed_gives_the_same_streams() -> None:
    values = np.arange(90).reshape(30, 3)
    assert np.array_equal(resampled_sums(values), resampled_sums(values))
    assert not np.array_equal(resampled_sums(values), resampled_sums(values, seed=1))


def test_an_estimate_knows_its_side_of_zero() -> None:
    assert Estimate(-2, -3, -1).sign == -1
    assert Estimate(2, 0, 3).sign == 0
    assert str(Estimate(1, -0.5, 2.25)) == "+1.00 [-0.50, +2.25]"
    assert [block_length(n) for n in (0, 1, 2, 16, 17)] == [1, 1, 2, 4, 5]
