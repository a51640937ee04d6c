"""Kernels that price every set of processors at once: sets are bits of an integer."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.kernels import kernel

Ints = npt.NDArray[np.int64]
Costs = npt.NDArray[np.int32]


def sizes(cells: int) -> Ints:
    """Count the processors of every set."""
    return np.bitwise_count(np.arange(1 << cells)).astype(np.int64)


@kernel
def prices(hops: Ints) -> Costs:
    """Price every set: that without its highest processor, and the way to that.

    The sum of all distances is below 2^31.
    """
    cells = len(hops)
    price = np.zeros(1 << cells, dtype=np.int32)
    for high in range(cells):
        base = 1 << high
        way = np.zeros(base, dtype=np.int32)  # from the highest to all of a set
        for p in range(base):
            if p:
                low = 0
                while not p >> low & 1:
                    low += 1
                way[p] = way[p & (p - 1)] + hops[high, low]
            price[base + p] = price[p] + way[p]
    return price


@kernel
def least_of_all(price: Costs, count: Ints, k: int) -> Costs:
    """Return the least cost of k points of every set; 2^31 - 1 for sets of fewer."""
    optima = np.empty(len(price), dtype=np.int32)
    for members in range(len(price)):
        best = 2**31 - 1
        if count[members] == k:
            best = price[members]
        elif count[members] > k:
            left = members
            while left:
                best = min(best, optima[members ^ (left & -left)])
                left &= left - 1
        optima[members] = best
    return optima
