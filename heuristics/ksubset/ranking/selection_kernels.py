"""Quickselect, for kernels that need a value of some rank."""

from __future__ import annotations

from ....instances import IntArray as Ints
from ....solvers.running.kernels import kernel


@kernel
def select(values: Ints, rank: int) -> int:
    """Return the value of a rank, counted from 0, by Hoare's method.

    Rearranges the values: before that rank none is larger, after it none smaller.
    Time: O(n) on average.
    """
    left, right = 0, len(values) - 1
    while left < right:
        pivot = values[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if rank <= j:
            right = j
        elif rank >= i:
            left = i
        else:
            break
    found: int = values[rank]
    return found
