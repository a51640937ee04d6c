"""Kernels that turn shares of profits into a row of a proof; see ``record``.

Shares are rounded to integers. The row is what these make of it, exactly.
"""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .layout import IN, OPEN, Bools, Bytes, FlatInstance, Ints
from .rows_layout import EDGES, MOST, SCALE, TIMES, UNIT, Desk, Draft

_PRECISION = 2**9
"""The multiplier of the capacity is at least this, so that rounding costs little."""
_MOST_COST, _MOST_WEIGHT = 2**55, 2**58
"""Coefficients stem from costs and weights that sum to less than these."""


@kernel
def round_off(problem: FlatInstance, desk: Desk, draft: Draft, unit: int) -> None:
    """List the shares as integers, in units of which ``unit`` are a profit of 1."""
    count = 0
    for j in range(len(desk.alive)):
        total, done = 0.0, 0
        for t in range(problem.item[j], problem.item[j + 1]):
            if not desk.alive[j] or desk.state[problem.member[t]] != OPEN:
                continue
            total += desk.share[t]
            until = min(np.int64(total * unit + 0.5), problem.profit[j] * unit)
            if until > done:
                draft.edge[count] = t
                draft.amount[count] = until - done
                count += 1
                done = until
    draft.tally[EDGES] = count
    draft.tally[UNIT] = unit


@kernel
def combine(
    problem: FlatInstance, desk: Desk, draft: Draft, ratio: float, best: int
) -> int:
    """Combine the row; return how far it is contradicted (negative: it is not)."""
    tally, row, weight, state = draft.tally, draft.row, problem.weight, desk.state
    unit = tally[UNIT]
    m = len(weight)
    row[:] = 0
    for i in range(tally[EDGES]):
        row[problem.member[draft.edge[i]]] += draft.amount[i]
    costs = np.int64(0)
    for p in problem.profit:
        costs += p * unit
    scale = 1
    while 0 < ratio * unit * scale < _PRECISION and costs * scale < _MOST_COST // 2:
        scale *= 2
    highest = _MOST_WEIGHT // max(1, weight.sum())
    times = min(np.int64(min(ratio * unit * scale, 2.0**60)), highest - 1)
    value = -(2**62)
    for trial in range(times, times + 2):
        total = trial * problem.need - unit * scale * (best - 1)
        for e in range(m):
            if state[e] == IN:
                total += scale * unit * desk.charge[e] - trial * weight[e]
            elif state[e] == OPEN:
                total += min(0, scale * row[e] - trial * weight[e])
        if total > value:
            value, times = total, trial
    for e in range(m):
        row[e] = scale * (row[e] + unit * desk.charge[e]) - times * weight[e]
    tally[SCALE], tally[TIMES] = scale, times
    tally[MOST] = unit * scale * (best - 1) - times * problem.need
    return value


@kernel
def thin_out(problem: FlatInstance, draft: Draft) -> None:
    """Move shares around circles of items and elements until there are none.

    Sums by item and by element stay, and fewer memberships than items and elements
    together take part. Walks from an item along unused memberships; an end is cut off.
    """
    n, m = len(problem.profit), len(problem.weight)
    owner, edge, amount, count = (
        draft.owner,
        draft.edge,
        draft.amount,
        draft.tally[EDGES],
    )
    begin = np.zeros(n + m + 1, dtype=np.int64)
    for i in range(count):
        begin[owner[edge[i]] + 1] += 1
        begin[n + problem.member[edge[i]] + 1] += 1
    for v in range(n + m):
        begin[v + 1] += begin[v]
    end = begin[:-1].copy()
    touch = np.empty(2 * count, dtype=np.int64)
    ends = np.empty(count, dtype=np.int64)  # the item's number plus the element's
    for i in range(count):
        item = np.int64(owner[edge[i]])
        element = n + np.int64(problem.member[edge[i]])
        touch[end[item]] = touch[end[element]] = i
        end[item] += 1
        end[element] += 1
        ends[i] = item + element
    used = np.ones(count, dtype=np.bool_)
    place = np.full(n + m, -1, dtype=np.int64)  # on the walk
    nodes = np.empty(n + m + 1, dtype=np.int64)
    steps = np.empty(n + m + 1, dtype=np.int64)  # the membership that led to each
    for start in range(n):
        nodes[0], depth = start, 0
        place[start] = 0
        while depth >= 0:
            v = nodes[depth]
            found = -1
            k = begin[v]
            while k < end[v]:
                i = touch[k]
                if not used[i]:
                    end[v] -= 1
                    touch[k] = touch[end[v]]
                elif depth > 0 and i == steps[depth]:
                    k += 1
                else:
                    found = i
                    break
            if found < 0:
                place[v] = -1
                if depth > 0:
                    used[steps[depth]] = False
                depth -= 1
                continue
            other = ends[found] - v
            if place[other] < 0:
                depth += 1
                nodes[depth], steps[depth] = other, found
                place[other] = depth
                continue
            top = depth
            depth = shift_around(amount, used, steps, place[other] + 1, top, found)
            for d in range(depth + 1, top + 1):
                place[nodes[d]] = -1
    remove_empty(draft)


@kernel
def shift_around(
    amount: Ints, used: Bools, steps: Ints, first: int, last: int, closing: int
) -> int:
    """Move as much as possible around a circle; return what remains of the walk."""
    odd = even = amount[closing]
    odd = amount[steps[last]]
    for d in range(first, last + 1):
        if (last - d) % 2 == 0:
            odd = min(odd, amount[steps[d]])
        else:
            even = min(even, amount[steps[d]])
    by = even if even <= odd else -odd
    amount[closing] -= by
    used[closing] = amount[closing] > 0
    remains = last
    for d in range(last, first - 1, -1):
        i = steps[d]
        amount[i] += by if (last - d) % 2 == 0 else -by
        if amount[i] == 0:
            used[i] = False
            remains = d - 1
    return remains


@kernel
def remove_empty(draft: Draft) -> None:
    """Remove the memberships that have no part."""
    left = 0
    for i in range(draft.tally[EDGES]):
        if draft.amount[i] > 0:
            draft.edge[left], draft.amount[left] = draft.edge[i], draft.amount[i]
            left += 1
    draft.tally[EDGES] = left


@kernel
def drop(problem: FlatInstance, draft: Draft, state: Bytes, surplus: int) -> None:
    """Leave out the smallest parts that the row does not need.

    It is to remain contradicted if ``surplus`` is positive; otherwise, elements that it
    decides are to remain so.
    """
    amount, row, tally = draft.amount, draft.row, draft.tally
    spare = surplus - 1
    if surplus <= 0:  # until the least that it decides would be open again
        spare = 2**62
        for e in range(len(row)):
            if state[e] == OPEN and abs(row[e]) > -surplus:
                spare = min(spare, abs(row[e]) + surplus - 1)
        surplus -= spare
    for i in np.argsort(amount[: tally[EDGES]]):
        e = problem.member[draft.edge[i]]
        less = row[e] - amount[i] * tally[SCALE]
        price = min(0, row[e]) - min(0, less)
        if price <= spare and (surplus > 0 or row[e] <= -surplus or less > -surplus):
            spare -= price
            row[e] = less
            amount[i] = 0
    remove_empty(draft)
