"""Kernels of the dynamic program over trees; see ``tree_dp`` and ``tree_plan``.

Entry c - lowest of a table is the least cost of its edges when c processors are
chosen among its own. Of s processors at least k - (n - s) and at most k are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....solvers.running.kernels import kernel
from .plan import BUNCH, PATH, Flags, Ints, MergePlan, entries


class TreeTables(NamedTuple):
    """The computed tables."""

    pool: Ints  # finished tables of groups
    buffer: Ints  # (2, k + 1) two tables; the current one is buffer[state[SIDE]]
    need: Ints  # (paths,) how many each has to contribute
    picked: Flags  # (n,)


AT, STEP, SIDE = 0, 1, 2
"""Where a run stands: path or group, step, and which buffer holds the table."""
DONE, AGAIN, LONG = 0, 1, 2
"""Why `descend` came back: all is chosen, its work is used up, a long path is next."""
FAR = 2**62


@kernel
def lowest(n: int, k: int, size: int) -> int:
    """Return the least number that some of the processors must contribute."""
    return max(0, k - (n - size))


@kernel
def _operand(plan: MergePlan, pool: Ints, step: int) -> tuple[Ints, int]:
    """Return the table that a step merges in, and its number of processors."""
    if plan.kind[step] == BUNCH:
        u = plan.operand[step]
        begin, size = plan.bunch[u] + u, plan.bunch[u + 1] - plan.bunch[u]
        least = lowest(plan.n, plan.k, size)
        return plan.price[begin + least : begin + min(size, plan.k) + 1], size
    path = plan.operand[step]
    begin = plan.table[plan.group[path]]
    size = plan.size[path]
    return pool[begin : begin + entries(plan.n, plan.k, size)], size


@kernel
def _lower(out: Ints, a: Ints, extra: int, offset: int, begin: int, end: int) -> None:
    """Lower out[t] to a[t - offset] + extra, where begin <= t < end."""
    if begin < end:
        source, target = a[begin - offset : end - offset], out[begin:end]
        for t in range(len(target)):
            target[t] = min(target[t], source[t] + extra)


@kernel
def _merge(a: Ints, b: Ints, shift: int, out: Ints) -> None:
    """Set out[t] to the least a[i] + b[j] with i + j = t + shift.

    Takes four j at a time where all of them reach t: a third of the time of one by
    one, which spends it on loading and storing out[t].
    """
    out[:] = FAR
    if len(b) > len(a):
        a, b = b, a
    fours = len(b) - len(b) % 4
    for j in range(0, fours, 4):
        begin = max(0, j + 3 - shift)
        end = max(begin, min(len(out), len(a) + j - shift))
        if begin < end:
            at, count = begin + shift - j, end - begin
            a0, a1 = a[at : at + count], a[at - 1 : at - 1 + count]
            a2, a3 = a[at - 2 : at - 2 + count], a[at - 3 : at - 3 + count]
            b0, b1, b2, b3 = b[j], b[j + 1], b[j + 2], b[j + 3]
            target = out[begin:end]
            for t in range(count):
                low = min(a0[t] + b0, a1[t] + b1)
                target[t] = min(target[t], low, min(a2[t] + b2, a3[t] + b3))
        for i in range(j, j + 4):
            offset = i - shift
            stop = min(len(out), len(a) + offset)
            _lower(out, a, b[i], offset, max(0, offset), min(begin, stop))
            _lower(out, a, b[i], offset, end, stop)
    for i in range(fours, len(b)):
        offset = i - shift
        stop = min(len(out), len(a) + offset)
        _lower(out, a, b[i], offset, max(0, offset), stop)


@kernel
def run(
    plan: MergePlan,
    tables: TreeTables,
    kept: Ints,
    origin: int,
    state: Ints,
    stop: int,
    work: int,
) -> int:
    """Do the steps up to ``stop`` within a budget of work; return what is left of it.

    The table before each step is kept in ``kept``, from the step whose ``entry`` is
    ``origin``, unless that has length 0. ``work`` counts sums, about.
    """
    n, k, buffer = plan.n, plan.k, tables.buffer
    while state[STEP] < stop and work > 0:
        step = state[STEP]
        size = plan.before[step]
        old = buffer[state[SIDE], : entries(n, k, size)]
        state[SIDE] = 1 - state[SIDE]
        if len(kept):
            at = plan.entry[step] - origin
            kept[at : at + len(old)] = old
        other, added = _operand(plan, tables.pool, step)
        least = lowest(n, k, size + added)
        new = buffer[state[SIDE], : entries(n, k, size + added)]
        shift = least - lowest(n, k, size) - lowest(n, k, added)
        _merge(old, other, shift, new)
        weight = plan.edge[step]
        if weight:
            for t in range(len(new)):
                new[t] += weight * (least + t) * (k - least - t)
        work -= len(new) + len(old) * len(other)
        state[STEP] += 1
    return work


@kernel
def climb(plan: MergePlan, tables: TreeTables, state: Ints, work: int) -> bool:
    """Fill the tables of all groups but the last, the root's; True when done."""
    none = np.empty(0, dtype=np.int64)
    buffer = tables.buffer
    while state[AT] < len(plan.leader) - 1:
        path = plan.leader[state[AT]]
        if state[STEP] < 0:
            state[STEP] = plan.first[path]
            buffer[state[SIDE], 0] = 0
        work = run(plan, tables, none, 0, state, plan.stop[path], work)
        if state[STEP] < plan.stop[path]:
            return False
        begin, end = plan.table[state[AT]], plan.table[state[AT] + 1]
        tables.pool[begin:end] = buffer[state[SIDE], : end - begin]
        state[AT] += 1
        state[STEP] = -1
    return True


@kernel
def trace(
    plan: MergePlan, tables: TreeTables, kept: Ints, first: int, stop: int, count: int
) -> int:
    """Split a count among the operands of some steps; return what is left below.

    Needs the tables before these steps in ``kept``. Of equally cheap splits the
    one with least in the operand is taken.
    """
    n, k = plan.n, plan.k
    for step in range(stop - 1, first - 1, -1):
        size = plan.before[step]
        at = plan.entry[step] - plan.entry[first]
        old = kept[at : at + entries(n, k, size)]
        other, added = _operand(plan, tables.pool, step)
        below, least = lowest(n, k, size), lowest(n, k, added)
        best, taken = FAR, -1
        for j in range(len(other)):
            i = count - least - j - below
            if 0 <= i < len(old) and old[i] + other[j] < best:
                best = old[i] + other[j]
                taken = least + j
        u = plan.operand[step]
        if plan.kind[step] == BUNCH:
            for i in range(plan.bunch[u], plan.bunch[u] + taken):
                tables.picked[plan.member[i]] = True
        else:
            tables.need[u] = taken
        count -= taken
    return count


@kernel
def descend(
    plan: MergePlan, tables: TreeTables, kept: Ints, state: Ints, work: int
) -> int:
    """Turn the counts of paths into chosen processors, from the root down.

    Stops before a path whose tables do not fit in ``kept``.
    """
    need = tables.need
    while state[AT] < len(plan.first):
        path = state[AT]
        first, stop = plan.first[path], plan.stop[path]
        if need[path] == plan.size[path]:
            for step in range(first, stop):
                u = plan.operand[step]
                if plan.kind[step] == PATH:
                    need[u] = plan.size[u]
                else:
                    for i in range(plan.bunch[u], plan.bunch[u + 1]):
                        tables.picked[plan.member[i]] = True
        elif need[path]:
            if plan.entry[stop] - plan.entry[first] > len(kept):
                return LONG
            if state[STEP] < 0:
                state[STEP] = first
                tables.buffer[state[SIDE], 0] = 0
            origin = plan.entry[first]
            work = run(plan, tables, kept, origin, state, stop, work)
            if state[STEP] < stop:
                return AGAIN
            trace(plan, tables, kept, first, stop, need[path])
        state[AT] += 1
        state[STEP] = -1
    return DONE
