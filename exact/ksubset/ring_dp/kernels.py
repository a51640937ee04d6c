"""Kernels of the dynamic program over a ring; see ``ring_dp``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

FAR = 2**62


@kernel
def sweep(
    table: Ints,
    gap: Ints,
    second: Bytes,
    left: Ints,
    a: int,
    k: int,
    begin: int,
    end: int,
    taken: Bytes,
) -> int:
    """Pass some processors, in the order in which the diameter meets them.

    ``table[i, j]`` is the least cost so far with i of a chosen in the first half and j
    of k - a in the second; everywhere `FAR` but 0 at (0, 0) before the first. ``gap``
    has the number of diameters before every processor, and after the last; ``left``,
    shape (n + 1, 2), the processors of either half still to come. Bit e % 8 of
    ``taken[e // 8, i, j]`` is set if processor e is chosen on the cheapest way to
    (i, j) after it, unless ``taken`` has length 0. Returns the least entry.
    """
    b = k - a
    keep = len(taken) > 0
    price = np.empty(k + 1, dtype=np.int64)
    least = FAR
    for e in range(begin, end):
        for h in range(k + 1):
            price[h] = gap[e] * h * (k - h)
        low, high = max(0, a - left[e, 0]), min(a, left[0, 0] - left[e, 0])
        below, above = max(0, b - left[e, 1]), min(b, left[0, 1] - left[e, 1])
        for i in range(low, high + 1):
            row = table[i]
            for j in range(below, above + 1):
                row[j] += price[a - i + j]
        low, high = max(0, a - left[e + 1, 0]), min(a, left[0, 0] - left[e + 1, 0])
        below = max(0, b - left[e + 1, 1])
        above = min(b, left[0, 1] - left[e + 1, 1])
        least = FAR
        for i in range(high, low - 1, -1):  # downwards: row i - 1 is still old
            row = table[i]
            if second[e]:
                for j in range(above, max(below, 1) - 1, -1):
                    if keep and row[j - 1] < row[j]:
                        taken[e // 8, i, j] |= np.uint8(1 << (e % 8))
                    row[j] = min(row[j], row[j - 1])
            elif i:
                other = table[i - 1]
                if keep:
                    for j in range(below, above + 1):
                        if other[j] < row[j]:
                            taken[e // 8, i, j] |= np.uint8(1 << (e % 8))
                for j in range(below, above + 1):
                    row[j] = min(row[j], other[j])
            for j in range(below, above + 1):
                least = min(least, row[j])
    return least


@kernel
def bound_turn(
    gap: Ints, second: Bytes, a: int, k: int, charge: int
) -> tuple[int, int]:
    """Bound from below what a turn costs that begins with a on the first side.

    Any number of processors may be chosen, at a charge each, as long as h is back at
    k - a after half a circle; k charges are paid back. Returns that bound, in
    half hops, and how many were chosen. O(n k).
    """
    cost = np.full(k + 1, FAR, dtype=np.int64)
    chosen = np.zeros(k + 1, dtype=np.int64)
    cost[a] = 0
    low = high = a
    for e in range(len(second)):
        for h in range(low, high + 1):
            cost[h] += gap[e] * h * (k - h)
        if second[e]:
            high = min(k, high + 1)
            for h in range(high, low, -1):
                if cost[h - 1] + charge < cost[h]:
                    cost[h] = cost[h - 1] + charge
                    chosen[h] = chosen[h - 1] + 1
        else:
            low = max(0, low - 1)
            for h in range(low, high):
                if cost[h + 1] + charge < cost[h]:
                    cost[h] = cost[h + 1] + charge
                    chosen[h] = chosen[h + 1] + 1
    return cost[k - a] + gap[-1] * a * (k - a) - k * charge, chosen[k - a]
