"""Kernel of the tie orders ``best`` and ``worst``: enumerate a boundary shell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.kernels import kernel

Ints = npt.NDArray[np.int64]


@kernel
def extreme(
    missing: int, capacity: Ints, star: Ints, hops: Ints, sign: int, taken: Ints
) -> int:
    """Find the cheapest (sign 1) or dearest (sign -1) way to fill up a candidate.

    Parameters
    ----------
    missing
        How many processors to take from the shell.
    capacity
        Shape (m,): how many coincide at each site of the shell.
    star
        Shape (m,): sum of the distances to all that are inside the shell.
    hops
        Shape (m, m): distances between the sites.
    sign
        1 or -1.
    taken
        Shape (m,): filled with how many to take at each site; the first answer
        in order of descending counts.

    Returns
    -------
    int
        What they add to the pair sum.
    """
    m = len(capacity)
    behind = np.zeros(m + 1, dtype=np.int64)  # capacity from a site on
    for i in range(m - 1, -1, -1):
        behind[i] = behind[i + 1] + capacity[i]
    count = np.zeros(m, dtype=np.int64)
    left = np.zeros(m + 1, dtype=np.int64)  # still missing before site i
    total = np.zeros(m + 1, dtype=np.int64)  # cost of the sites before i
    price = np.zeros(m, dtype=np.int64)  # of one processor at site i
    left[0] = missing
    best = 0
    found = False
    i = 0
    count[0] = -1  # not entered yet
    while i >= 0:
        if count[i] < 0:
            count[i] = min(capacity[i], left[i])
            price[i] = star[i]
            for j in range(i):
                price[i] += count[j] * hops[j, i]
        else:
            count[i] -= 1
        if count[i] < 0 or left[i] - count[i] > behind[i + 1]:
            i -= 1  # none lower will do either
            continue
        left[i + 1] = left[i] - count[i]
        total[i + 1] = total[i] + count[i] * price[i]
        if i + 1 < m and left[i + 1] > 0:
            i += 1
            count[i] = -1
            continue
        if not found or sign * total[i + 1] < sign * best:
            found = True
            best = total[i + 1]
            taken[:] = 0
            taken[: i + 1] = count[: i + 1]
    return best
