"""Kernels that shrink the intervals of counts by what each count would cost.

Let the weights of the points be those of the secant bound, for which the chosen and
the lightest others are best. Where the count of a cut has to be c, the best points are
the lightest ones inside, c in all, and the lightest ones outside. What they weigh more
is convex in c, and found by exchanging pairs along the sorted weights.

The points of a cut, and those outside, are lists linked in the order of weights, with a
mark between what the bound takes and what it does not: the next to exchange are the
neighbours of the mark. From one cut of a chain to the next only the points in between
change lists: all are removed from the inner one beforehand, the innermost last, and put
back in the opposite order, which restores every state of the list.
"""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .layout import CHOSEN, FAR, UNDECIDED, Bytes, CutProblem, Ints, Scratch


@kernel
def sort_by_weight(
    problem: CutProblem, status: Bytes, scratch: Scratch
) -> tuple[Ints, Ints, int]:
    """Return the undecided points by weight, their weights, and the mark.

    Both begin and end with an entry that stands for no point, as does the mark, which
    comes behind those that the bound takes.
    """
    undecided, values = scratch.undecided, scratch.values
    free = 0
    mark = problem.k + 1
    for p in range(len(status)):
        if status[p] == UNDECIDED:
            undecided[free] = p
            values[free] = scratch.weight[p]
            free += 1
        elif status[p] == CHOSEN:
            mark -= 1
    rank = np.argsort(values[:free])
    point = np.zeros(free + 3, dtype=np.int64)
    price = np.zeros(free + 3, dtype=np.int64)
    for i in range(free):
        at = i + 1 + (i + 1 >= mark)
        point[at] = undecided[rank[i]]
        price[at] = values[rank[i]]
    return point, price, mark


@kernel
def link(at: Ints, start: int, stop: int, mark: int, after: Ints, before: Ints) -> int:
    """Link the points inside a cut, row 0, and outside, row 1.

    ``at`` is the position of each point. Returns how many inside come before the mark.
    """
    end = len(at) - 1
    last = np.zeros(2, dtype=np.int64)
    taken = 0
    for i in range(1, end + 1):
        within = start <= at[i] < stop
        if i not in (mark, end):
            side = 0 if within else 1
            taken += within and i < mark
            after[side, last[side]] = i
            before[side, i] = last[side]
            last[side] = i
            continue
        for side in range(2):
            after[side, last[side]] = i
            before[side, i] = last[side]
            last[side] = i
    return taken


@kernel
def unlink_all(at: Ints, mark: int, after: Ints, before: Ints, gone: Ints) -> None:
    """Remove all points from row 0, those at high positions first; note the order."""
    end = len(at) - 1
    lowest, highest = FAR, 0
    for i in range(1, end):
        if i != mark:
            lowest = min(lowest, at[i])
            highest = max(highest, at[i])
    ends = np.zeros(max(highest - lowest, 0) + 2, dtype=np.int64)
    for i in range(1, end):
        if i != mark:
            ends[highest - at[i] + 1] += 1
    for y in range(1, len(ends)):
        ends[y] += ends[y - 1]
    for i in range(1, end):
        if i != mark:
            gone[ends[highest - at[i]]] = i
            ends[highest - at[i]] += 1
    for i in gone:
        after[0, before[0, i]] = after[0, i]
        before[0, after[0, i]] = before[0, i]


@kernel
def exchange_along(
    price: Ints,
    mark: int,
    after: Ints,
    before: Ints,
    count: int,
    until: int,
    gap: int,
    more: Ints,
) -> int:
    """Write how far each count from ``count`` to ``until`` exceeds the bound.

    ``after`` is the list from which points are taken, ``before`` the one to which they
    are given back. Returns the count before the one that reaches the gap.
    """
    step = 1 if until > count else -1
    end = len(price) - 1
    total = 0
    more[count] = 0
    i, j = mark, mark
    while count != until:
        i, j = after[i], before[j]
        if i == end or j == 0:
            break
        total += price[i] - price[j]
        if total >= gap:
            break
        count += step
        more[count] = total
    return count


@kernel
def narrow_by_cost(
    problem: CutProblem,
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
    point, price, mark = sort_by_weight(problem, status, scratch)
    after = np.empty((2, len(point)), dtype=np.int64)
    before = np.empty((2, len(point)), dtype=np.int64)
    at = np.empty(len(point), dtype=np.int64)
    gone = np.empty(len(point) - 3, dtype=np.int64)
    more = np.empty(problem.k + 1, dtype=np.int64)
    last_axis, reached, left, taken = -1, 0, 0, 0
    cut = 0
    for h in range(len(w)):
        if low[h] == high[h]:
            continue
        chain = problem.chain[axis[h]]
        if axis[h] != last_axis or stop[h] < reached:
            last_axis = axis[h]
            for i in range(len(point)):
                at[i] = position[point[i], last_axis]
            if chain:
                for side in range(2):
                    for i in range(len(point)):
                        after[side, i], before[side, i] = i + 1, i - 1
                unlink_all(at, mark, after, before, gone)
                left, taken = len(gone), 0
        reached = stop[h]
        if chain:
            while left > 0 and at[gone[left - 1]] < reached:
                left -= 1
                i = gone[left]
                taken += i < mark
                after[0, before[0, i]] = before[0, after[0, i]] = i
                after[1, before[1, i]] = after[1, i]
                before[1, after[1, i]] = before[1, i]
        else:
            taken = link(at, start[h], stop[h], mark, after, before)
        count = scratch.chosen[stop[h]] - scratch.chosen[start[h]] + taken
        least, most = low[h], high[h]
        first = exchange_along(
            price, mark, after[1], before[0], count, min(count, least), gap, more
        )
        last = exchange_along(
            price, mark, after[0], before[1], count, max(count, most), gap, more
        )
        first, last = max(first, least), min(last, most)
        while first <= last and (
            more[first] + w[h] * (first - least) * (most - first) >= gap
        ):
            first += 1
        if first > last:
            return -1 - h
        while more[last] + w[h] * (last - least) * (most - last) >= gap:
            last -= 1
        cut += first - least + most - last
        low[h], high[h] = first, last
    return cut
