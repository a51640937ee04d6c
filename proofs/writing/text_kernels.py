"""Writing integers as text, compiled: for the long lines of proofs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel

Longs = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

_DIGITS = 20
_SPACE, _TIMES, _PLUS, _ZERO = 32, 42, 43, 48


@kernel
def _write(number: int, out: Bytes, at: int) -> int:
    """Write a number that is at least 0, and a blank; return where they end."""
    end = at + 1
    rest = number // 10
    while rest > 0:
        end += 1
        rest //= 10
    for place in range(end - 1, at - 1, -1):
        out[place] = _ZERO + number % 10
        number //= 10
    out[end] = _SPACE
    return end + 1


@kernel
def write_multiples(rows: Longs, factors: Longs, out: Bytes) -> int:
    """Write "row factor * + " for each pair, "row + " for a factor of 1.

    Returns how many bytes that are.
    """
    at = 0
    for i in range(len(rows)):
        at = _write(rows[i], out, at)
        if factors[i] != 1:
            at = _write(factors[i], out, at)
            out[at], out[at + 1] = _TIMES, _SPACE
            at += 2
        out[at], out[at + 1] = _PLUS, _SPACE
        at += 2
    return at


def multiples(rows: Longs, factors: Longs) -> str:
    """Return the words that add multiples of rows in reverse Polish notation.

    >>> multiples(np.array([7, 12]), np.array([1, 30]))
    '7 + 12 30 * +'
    """
    out = np.empty(2 * (_DIGITS + 3) * len(rows), dtype=np.uint8)
    count = write_multiples(rows, factors, out)
    return out[:count].tobytes().decode("ascii").rstrip()
