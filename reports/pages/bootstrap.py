"""Intervals for means over a stream, by resampling blocks of consecutive values."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
import numpy.typing as npt

TIMES = 2000
"""Streams that are drawn, unless another number is asked for."""
LEVEL = 0.95
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and the interval in which 95 % of the resampled streams have it."""

    value: float
    low: float
    high: float

    @property
    def sign(self) -> int:
        """1 if it is above 0, -1 if below; 0 where that may be chance.

        >>> Estimate(0.5, 0.1, 0.9).sign, Estimate(0.5, -0.1, 0.9).sign
        (1, 0)
        """
        return int(self.low > 0) - int(self.high < 0)

    def __str__(self) -> str:
        return f"{self.value:+.2f} [{self.low:+.2f}, {self.high:+.2f}]"


def block_length(n: int) -> int:
    """Return the length of a block: the square root of the stream's.

    >>> block_length(18_000)
    135
    """
    return max(1, isqrt(n - 1) + 1) if n else 1


def resampled_sums(
    values: Ints | Floats,
    *,
    block: int | None = None,
    times: int = TIMES,
    seed: int = 0,
) -> Floats:
    """Add up streams of the same length, put together from blocks of this one.

    Blocks begin anywhere and go on at the beginning where the stream ends (the
    circular block bootstrap); the last one is cut to the length. All columns are
    given the same blocks, so that differences of columns are paired.

    Parameters
    ----------
    values
        Shape (n, columns), n at least 1, in the order of the stream.
    block
        Consecutive values drawn at a time; `block_length` if not given.
    times
        How many streams.
    seed
        Of the draws.

    Returns
    -------
    array
        Shape (times, columns).

    Notes
    -----
    Time: O(times n / block) a column.
    Source: Politis and Romano 1992, A circular block-resampling procedure for
    stationary data.
    """
    n, columns = values.shape
    length = min(n, block or block_length(n))
    whole, rest = divmod(n, length)
    starts = np.random.default_rng(seed).integers(0, n, size=(times, whole + 1))
    sums = np.zeros((times, columns))
    for column in range(columns):
        series = values[:, column].astype(np.float64)
        before = np.concatenate([[0.0], np.cumsum(np.tile(series, 2))])
        first = starts[:, :whole]
        sums[:, column] = (before[first + length] - before[first]).sum(axis=1)
        sums[:, column] += before[starts[:, whole] + rest] - before[starts[:, whole]]
    return sums


def estimate(value: float, resampled: Floats) -> Estimate:
    """Return a number with the middle 95 % of its resampled values.

    >>> estimate(2.0, np.full(40, 2.5))
    Estimate(value=2.0, low=2.5, high=2.5)
    """
    tail = 50 * (1 - LEVEL)
    low, high = np.percentile(resampled, [tail, 100 - tail])
    return Estimate(value, float(low), float(high))
