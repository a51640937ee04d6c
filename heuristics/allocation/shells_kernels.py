"""Kernels of shells: what growing boxes round a centre hold, by prefix sums."""

from __future__ import annotations

import numpy as np

from ...instances import IntArray as Ints
from ...solvers.running.kernels import kernel


@kernel
def scan(
    sums: Ints,
    stride: Ints,
    side: Ints,
    rings: Ints,
    box: Ints,
    k: int,
    centres: Ints,
    best: int,
) -> tuple[int, int]:
    """Find the centre whose k first processors have the least sum of shell numbers.

    Of these k - N(s) lie beyond shell s, N(s) being how many lie in shells 0 to s,
    which make up a box: the sum over s of k - N(s) is the sum of the shell numbers.
    O(2^d d) a shell in d dimensions.

    ``sums`` are flat prefix sums of the numbers of processors, with ``stride``: at
    (x, y, …) of those of smaller coordinates on every axis; on axes that are rings, of
    two periods. Shell 0 has the sides ``box``, at most ``side`` on ``rings`` (not 0),
    and begins (box - 1) // 2 before one of the ``centres`` on every axis. Returns the
    least sum below ``best`` and where it is first met, or ``best`` and -1.
    """
    d = len(side)
    low = np.empty(d, dtype=np.int64)  # of a shell's box, as places in ``sums``
    high = np.empty(d, dtype=np.int64)
    where = -1
    for i in range(len(centres)):
        total = shell = 0
        while total < best:
            for a in range(d):
                start = centres[i, a] - (box[a] - 1) // 2 - shell
                length = box[a] + 2 * shell
                if not rings[a]:
                    end = min(side[a], start + length)
                    start = max(0, start)
                elif length >= side[a]:
                    start, end = 0, side[a]
                else:
                    start %= side[a]
                    end = start + length
                low[a], high[a] = start * stride[a], end * stride[a]
            inside = 0
            for corner in range(1 << d):
                at, sign = 0, 1
                for a in range(d):
                    if corner >> a & 1:
                        at += low[a]
                        sign = -sign
                    else:
                        at += high[a]
                inside += sign * sums[at]
            if inside >= k:
                best, where = total, i
                break
            total += k - inside
            shell += 1
    return best, where
