"""Kernels that measure where a job lies on a mesh or torus.

Processors are numbered row by row; tests hold them against the definitions in
``instances/ksubset/dispersal.py``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@kernel
def _pairs_of_line(counts: Ints, k: int) -> int:
    """Sum up the distances along an axis of a mesh: a cut at each gap."""
    total = 0
    left = 0
    for count in counts:
        left += count
        total += left * (k - left)
    return total


@kernel
def _pairs_of_ring(counts: Ints, k: int) -> int:
    """Sum up the distances around a ring: each half ring is a cut of weight 1/2."""
    side = len(counts)
    half = side // 2
    within = 0
    for a in range(half):
        within += counts[a]
    twice = 0
    for a in range(side):
        twice += within * (k - within)
        within += counts[(a + half) % side] - counts[a]
    return twice // 2


@kernel
def _reach(counts: Ints, wraps: bool) -> int:
    """Count the coordinates from the first to the last in use, the shorter way."""
    side = len(counts)
    first = 0
    while counts[first] == 0:
        first += 1
    longest = 0
    gap = 0
    last = first
    for step in range(1, side + 1):
        a = first + step
        if counts[a % side]:
            if wraps:
                longest = max(longest, gap)
            gap = 0
            if a < side:
                last = a
        else:
            gap += 1
    return side - longest if wraps else last - first + 1


@kernel
def components(member: Flags, shape: Ints, rings: Ints) -> tuple[int, int]:
    """Count the connected pieces of a set of processors, and the largest one.

    Parameters
    ----------
    member
        Of every processor whether it is in the set.
    shape
        Sides.
    rings
        Of each axis whether its ends are linked: not 0.

    Returns
    -------
    tuple
        How many pieces, and processors of the largest; O(processors).
    """
    n = len(member)
    seen = np.zeros(n, dtype=np.bool_)
    stack = np.empty(n, dtype=np.int64)
    pieces = 0
    largest = 0
    for begin in range(n):
        if seen[begin] or not member[begin]:
            continue
        pieces += 1
        seen[begin] = True
        stack[0] = begin
        height = 1
        size = 0
        while height:
            height -= 1
            at = stack[height]
            size += 1
            stride = 1
            rest = at
            for axis in range(len(shape) - 1, -1, -1):
                side = shape[axis]
                x = rest % side
                rest //= side
                for step in (-1, 1):
                    y = x + step
                    if rings[axis]:
                        y %= side
                    elif y < 0 or y >= side:
                        continue
                    other = at + (y - x) * stride
                    if member[other] and not seen[other]:
                        seen[other] = True
                        stack[height] = other
                        height += 1
                stride *= side
        largest = max(largest, size)
    return pieces, largest


@kernel
def above_below(numbers: Ints, shape: Ints) -> int:
    """Count the processors before the middle of the first axis less those behind it."""
    rows = shape[0]
    row = 1
    for axis in range(1, len(shape)):
        row *= shape[axis]
    total = 0
    for number in numbers:
        twice = 2 * (number // row) + 1
        if twice < rows:
            total += 1
        elif twice > rows:
            total -= 1
    return total


@kernel
def measure_job(numbers: Ints, shape: Ints, rings: Ints) -> tuple[int, int, int, int]:
    """Measure where a job lies.

    Parameters
    ----------
    numbers
        Of its processors, at least one.
    shape
        Sides.
    rings
        Of each axis whether its ends are linked: not 0.

    Returns
    -------
    tuple
        Sum of the distances of all pairs, processors of the smallest box around it,
        those before the middle of the first axis less those behind it, and connected
        pieces. O(processors of the machine).
    """
    k = len(numbers)
    pairs = 0
    box = 1
    stride = 1
    n = 1
    for axis in range(len(shape) - 1, -1, -1):
        side = shape[axis]
        counts = np.zeros(side, dtype=np.int64)
        for number in numbers:
            counts[number // stride % side] += 1
        ring = rings[axis] != 0
        pairs += _pairs_of_ring(counts, k) if ring else _pairs_of_line(counts, k)
        box *= _reach(counts, ring)
        stride *= side
        n *= side
    member = np.zeros(n, dtype=np.bool_)
    for number in numbers:
        member[number] = True
    pieces, _ = components(member, shape, rings)
    return pairs, box, above_below(numbers, shape), pieces
