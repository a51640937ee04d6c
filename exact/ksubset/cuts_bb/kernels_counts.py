"""Kernels that shrink the intervals of counts by what each count would cost.

Let the weights of the points be those of the secant bound, for which the chosen and
the lightest others are best. Where the count of a cut has to be c, the best points are
the lightest ones inside, c in all, and the lightest ones outside. What they weigh more
is convex in c, and found by exchanging pairs along the sorted weights.
"""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .layout import (
    CHOSEN,
    UNDECIDED,
    Bytes,
    Flags,
    Ints,
    Problem,
    Scratch,
)


@kernel
def sort_by_weight(
    problem: Problem, status: Bytes, scratch: Scratch
) -> tuple[Ints, Ints, int]:
    """Return the undecided points by weight, their weights, and how many to choose."""
    undecided, values = scratch.undecided, scratch.values
    free = 0
    missing = problem.k
    for p in range(len(status)):
        if status[p] == UNDECIDED:
            undecided[free] = p
            values[free] = scratch.weight[p]
            free += 1
        elif status[p] == CHOSEN:
            missing -= 1
    rank = np.argsort(values[:free])
    return undecided[:free][rank], values[:free][rank], missing


@kernel
def weigh_counts(
    inside: Flags,
    price: Ints,
    missing: int,
    count: int,
    low: int,
    most: int,
    more: Ints,
) -> None:
    """Write by how much each count exceeds the bound, in weights; ``most`` if more.

    ``inside`` tells of the points by weight whether they count; ``count`` is that of
    the bound's points, which may lie outside of the interval. ``more`` begins at
    ``low`` and ends with the interval.
    """
    free, high = len(price), low + len(more) - 1
    more[:] = most
    if low <= count <= high:
        more[count - low] = 0
    for upwards in (True, False):
        now, total = count, 0
        i, j = missing, missing - 1  # the next to take, the next to give back
        while now < high if upwards else now > low:
            while i < free and inside[i] != upwards:
                i += 1
            while j >= 0 and inside[j] == upwards:
                j -= 1
            if i >= free or j < 0:
                break
            total += price[i] - price[j]
            if total >= most:
                break
            i += 1
            j -= 1
            now += 1 if upwards else -1
            if low <= now <= high:
                more[now - low] = total


@kernel
def narrow_by_cost(
    problem: Problem,
    status: Bytes,
    low: Ints,
    high: Ints,
    gap: int,
    scratch: Scratch,
) -> int:
    """Cut off counts that lift the secant bound by ``gap``; return how many.

    Returns -1 - h for a cut h that has no count left.
    """
    position, axis, w = problem.position, problem.axis, problem.weight
    start, stop = problem.start, problem.stop
    order, price, missing = sort_by_weight(problem, status, scratch)
    inside = np.empty(len(order), dtype=np.bool_)
    room = np.empty(problem.k + 1, dtype=np.int64)
    at = np.empty(len(order), dtype=np.int64)
    last_axis = -1
    cut = 0
    for h in range(len(w)):
        if low[h] == high[h]:
            continue
        if axis[h] != last_axis:
            last_axis = axis[h]
            for i in range(len(order)):
                at[i] = position[order[i], last_axis]
        count = scratch.chosen[stop[h]] - scratch.chosen[start[h]]
        for i in range(len(order)):
            inside[i] = start[h] <= at[i] < stop[h]
        for i in range(missing):
            count += inside[i]
        size = high[h] - low[h] + 1
        more = room[:size]
        weigh_counts(inside, price, missing, count, low[h], gap, more)
        first = 0
        while first < size and more[first] + w[h] * first * (size - 1 - first) >= gap:
            first += 1
        if first == size:
            return -1 - h
        last = size - 1
        while more[last] + w[h] * last * (size - 1 - last) >= gap:
            last -= 1
        cut += first + size - 1 - last
        high[h] = low[h] + last
        low[h] += first
    return cut
