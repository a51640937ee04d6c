"""Kernel of the exhaustive search: the optimum of every set of free processors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.kernels import kernel

Ints = npt.NDArray[np.int64]


@kernel
def least_of_all(hops: Ints, k: int) -> npt.NDArray[np.int32]:
    """Return the least cost of k points in each of the 2^n sets of points.

    Parameters
    ----------
    hops
        Shape (n, n): distances, whose sum is below 2^31.
    k
        How many to choose.

    Returns
    -------
    array
        Shape (2^n,), by the set as bits; 2^31 - 1 for sets of fewer than k.
    """
    n = len(hops)
    none = 2**31 - 1
    optima = np.empty(1 << n, dtype=np.int32)
    cost = np.zeros(1 << n, dtype=np.int32)
    for members in range(1 << n):
        best = none
        size = 0
        for p in range(n):
            if members >> p & 1:
                size += 1
        if size:
            last = 0
            while not members >> last & 1:
                last += 1
            star = 0
            for q in range(last + 1, n):
                if members >> q & 1:
                    star += hops[last, q]
            cost[members] = cost[members & (members - 1)] + star
        if size == k:
            best = cost[members]
        elif size > k:
            for p in range(n):
                if members >> p & 1:
                    best = min(best, optima[members ^ (1 << p)])
        optima[members] = best
    return optima
