"""Kernels of the exchange rules; see ``cuts_bb``."""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .layout import (
    BY_SWEEPS,
    CHOSEN,
    CONTRADICTION,
    FAR,
    NO_EXCHANGE,
    REJECTED,
    UNDECIDED,
    Bytes,
    CutProblem,
    Ints,
    Scratch,
)

CROWDED = 5
"""Points for each row and column from which runs are quicker than pairs."""


@kernel
def take_twins_in_order(problem: CutProblem, status: Bytes) -> int:
    """Of coinciding points take the first ones first.

    Returns -1 - p for a chosen point p after a rejected one.
    """
    twin = problem.twin
    decided = 0
    for p in range(1, len(status)):
        if twin[p] == twin[p - 1] and status[p - 1] == REJECTED:
            if status[p] == CHOSEN:
                return -1 - p
            decided += status[p] == UNDECIDED
            status[p] = REJECTED
    for p in range(len(status) - 1, 0, -1):
        if twin[p] == twin[p - 1] and status[p] == CHOSEN:
            decided += status[p - 1] == UNDECIDED
            status[p - 1] = CHOSEN
    return decided


@kernel
def bound_gains(problem: CutProblem, low: Ints, high: Ints, scratch: Scratch) -> None:
    """Bound D(q) - D(p) - d(p, q) for p chosen and q not, axis by axis.

    On a chain, going to a higher position gains at most a difference of ``up``,
    to a lower one of ``down``; other axes have a table of pairs of positions.
    """
    up, down, tables = scratch.up, scratch.down, scratch.tables
    offset, chain, table_at = problem.offset, problem.chain, problem.table_at
    k, w, axis = problem.k, problem.weight, problem.axis
    start, stop = problem.start, problem.stop
    up[:] = 0
    down[:] = 0
    tables[:] = 0
    for h in range(len(w)):
        a, s, e = axis[h], start[h], stop[h]
        leave = w[h] * (2 * high[h] - k - 1)
        enter = w[h] * (k - 2 * low[h] - 1)
        if chain[a]:
            up[e] += leave
            down[e] += enter
            continue
        length = offset[a + 1] - offset[a] - 1
        base = table_at[a]
        for x in range(length):
            if s - offset[a] <= x < e - offset[a]:
                continue
            for y in range(s - offset[a], e - offset[a]):
                tables[base + y * length + x] += leave
                tables[base + x * length + y] += enter
    for a in range(len(chain)):
        if chain[a]:
            for at in range(offset[a] + 1, offset[a + 1]):
                up[at] += up[at - 1]
                down[at] += down[at - 1]


@kernel
def _gains_from(problem: CutProblem, p: int, row: Ints, scratch: Scratch) -> None:
    """Write the gain from the position of p to every other one into ``row``."""
    offset, chain, position = problem.offset, problem.chain, problem.position
    up, down, tables = scratch.up, scratch.down, scratch.tables
    for a in range(len(chain)):
        first = offset[a]
        last = offset[a + 1] - 1
        x = position[p, a]
        if chain[a]:
            for y in range(first, x):
                row[y] = down[x] - down[y]
            for y in range(x, last):
                row[y] = up[y] - up[x]
        else:
            base = problem.table_at[a] + (x - first) * (last - first)
            for y in range(first, last):
                row[y] = tables[base + y - first]


@kernel
def _sweep(grid: Ints, shape: Ints, axis: int, forwards: bool) -> None:
    """Run a minimum along one axis of a flat grid."""
    stride = 1
    for a in range(axis + 1, len(shape)):
        stride *= shape[a]
    block = stride * shape[axis]
    for base in range(0, len(grid), block):
        if forwards:
            for at in range(base + stride, base + block):
                if grid[at - stride] < grid[at]:
                    grid[at] = grid[at - stride]
        else:
            for at in range(base + block - stride - 1, base - 1, -1):
                if grid[at + stride] < grid[at]:
                    grid[at] = grid[at + stride]


@kernel
def exchange_by_sweeps(problem: CutProblem, status: Bytes, scratch: Scratch) -> int:
    """Decide undecided points by exchanges with decided ones, over the grid.

    In each of the 2^d directions from p to q the gain is g(q) - g(p) for one
    function g, so that running minima over the grid find every least gain.
    """
    position, cell, shape = problem.position, problem.cell, problem.shape
    outside, inside, g = scratch.outside, scratch.inside, scratch.values
    up, down = scratch.up, scratch.down
    n, axes = position.shape
    decided = 0
    for direction in range(1 << axes):
        outside[:] = FAR
        inside[:] = FAR
        for p in range(n):
            total = 0
            for a in range(axes):
                x = position[p, a]
                total += up[x] if direction >> a & 1 else -down[x]
            g[p] = total
            if status[p] == REJECTED:
                outside[cell[p]] = min(outside[cell[p]], total)
            elif status[p] == CHOSEN:
                inside[cell[p]] = min(inside[cell[p]], -total)
        for a in range(axes):
            higher = direction >> a & 1 == 1
            _sweep(outside, shape, a, not higher)
            _sweep(inside, shape, a, higher)
        for p in range(n):
            if status[p] != REJECTED and outside[cell[p]] - g[p] < 0:
                if status[p] == CHOSEN:
                    return CONTRADICTION
                status[p] = REJECTED
                decided += 1
            elif status[p] == UNDECIDED and inside[cell[p]] + g[p] < 0:
                status[p] = CHOSEN
                decided += 1
    return decided


@kernel
def exchange_pairwise(problem: CutProblem, status: Bytes, scratch: Scratch) -> int:
    """Decide undecided points by exchanges with all other points, pair by pair."""
    position, row = problem.position, scratch.along
    n, axes = position.shape
    decided = 0
    for p in range(n):
        if status[p] == REJECTED:
            continue
        _gains_from(problem, p, row, scratch)
        for q in range(n):
            if status[q] == CHOSEN or (status[q] == status[p]):
                continue
            gain = 0
            for a in range(axes):
                gain += row[position[q, a]]
            if gain >= 0:
                continue
            if status[p] == CHOSEN:
                if status[q] == REJECTED:
                    return CONTRADICTION
                status[q] = CHOSEN
            else:  # q is rejected
                status[p] = REJECTED
            decided += 1
            if status[p] == REJECTED:
                break
    return decided


@kernel
def count_pairs(
    problem: CutProblem, points: Ints, scratch: Scratch, needs: Ints, companions: Ints
) -> None:
    """Count how many others each point needs, and how many need it, pair by pair."""
    position = problem.position
    axes, free = position.shape[1], len(points)
    at = np.empty((axes, free), dtype=np.int64)
    for i in range(free):
        for a in range(axes):
            at[a, i] = position[points[i], a]
    row = scratch.along
    gains = scratch.values[:free]
    companions[:] = 0
    for i in range(free):
        _gains_from(problem, points[i], row, scratch)
        if axes == 2:
            for j in range(free):
                gains[j] = row[at[0, j]] + row[at[1, j]]
        elif axes == 3:
            for j in range(free):
                gains[j] = row[at[0, j]] + row[at[1, j]] + row[at[2, j]]
        else:
            gains[:] = 0
            for a in range(axes):
                for j in range(free):
                    gains[j] += row[at[a, j]]
        needed = 0
        for j in range(free):
            binds = gains[j] < 0
            needed += binds
            companions[j] += binds
        needs[i] = needed


@kernel
def fit_run(
    side: Ints, lowest: int, first: int, last: int, limit: int, run: Ints
) -> None:
    """Move a run of entries to those below a limit between ``first`` and ``last``.

    The entries fall up to ``lowest`` and rise from there.
    """
    if side[lowest] >= limit:
        run[0] = run[1] = lowest
        return
    start, stop = run[0], max(run[1], lowest + 1)
    while start > first and side[start - 1] < limit:
        start -= 1
    while side[start] >= limit:
        start += 1
    while stop < last and side[stop] < limit:
        stop += 1
    while side[stop - 1] >= limit:
        stop -= 1
    run[0], run[1] = start, stop


@kernel
def count_runs(
    problem: CutProblem, points: Ints, scratch: Scratch, needs: Ints, companions: Ints
) -> None:
    """Count the same on two chains, where gains fall and then rise along each axis.

    So of each row a point needs one run on either side of its column.
    """
    position, up, down = problem.position, scratch.up, scratch.down
    begin = problem.offset[1]
    rows, columns = begin - 1, problem.offset[2] - 1 - begin
    before = np.zeros((rows, columns + 1), dtype=np.int64)
    marks = np.zeros((rows, columns + 1), dtype=np.int64)
    for p in points:
        before[position[p, 0], position[p, 1] - begin + 1] += 1
    for y in range(rows):
        for x in range(columns):
            before[y, x + 1] += before[y, x]
    right, left = up[begin : begin + columns], -down[begin : begin + columns]
    runs = np.empty((2, 2), dtype=np.int64)
    for i in range(len(points)):
        y0, x0 = position[points[i], 0], position[points[i], 1] - begin
        lowest = x0 + np.argmin(right[x0:]), np.argmin(left[: max(x0, 1)])
        needed = 0
        for way in (1, -1):
            runs[0], runs[1] = lowest[0], lowest[1]
            y = y0 if way == 1 else y0 - 1
            while 0 <= y < rows:
                if before[y, columns] > 0:
                    less = up[y0] - up[y] if way == 1 else down[y] - down[y0]
                    for side in range(2 if x0 > 0 else 1):
                        run = runs[side]
                        if side == 0:
                            fit_run(
                                right, lowest[0], x0, columns, right[x0] + less, run
                            )
                        else:
                            fit_run(left, lowest[1], 0, x0, left[x0] + less, run)
                        needed += before[y, run[1]] - before[y, run[0]]
                        marks[y, run[0]] += 1
                        marks[y, run[1]] -= 1
                y += way
        needs[i] = needed
    for y in range(rows):
        for x in range(columns):
            marks[y, x + 1] += marks[y, x]
    for i in range(len(points)):
        companions[i] = marks[position[points[i], 0], position[points[i], 1] - begin]


@kernel
def count_companions(problem: CutProblem, status: Bytes, scratch: Scratch) -> int:
    """Reject points that need too many others; choose those that too many need.

    Returns -1 - p for a point p that does both.
    """
    k, offset, chain = problem.k, problem.offset, problem.chain
    free = 0
    total_chosen = 0
    for p in range(len(status)):
        if status[p] == UNDECIDED:
            scratch.undecided[free] = p
            free += 1
        total_chosen += status[p] == CHOSEN
    spare = total_chosen + free - k
    undecided, companions = scratch.undecided[:free], scratch.companions[:free]
    needs = np.empty(free, dtype=np.int64)
    plane = len(chain) == 2 and chain.all() and len(problem.links) > 0
    if plane and free > CROWDED * offset[2]:
        count_runs(problem, undecided, scratch, needs, companions)
    else:
        count_pairs(problem, undecided, scratch, needs, companions)
    decided = 0
    for i in range(free):
        if total_chosen + needs[i] + 1 > k:
            status[undecided[i]] = REJECTED
            decided += 1
    for i in range(free):
        if companions[i] + 1 > spare:
            if status[undecided[i]] == REJECTED:
                return int(-1 - undecided[i])
            status[undecided[i]] = CHOSEN
            decided += 1
    return decided


@kernel
def exchange(
    problem: CutProblem, status: Bytes, low: Ints, high: Ints, scratch: Scratch
) -> int:
    """Apply the exchange rules, the cheap ones first."""
    decided: int = take_twins_in_order(problem, status)
    if decided or problem.exchange == NO_EXCHANGE:
        return decided
    bound_gains(problem, low, high, scratch)
    if len(status) <= problem.most_companions:
        decided = count_companions(problem, status, scratch)
    elif problem.exchange == BY_SWEEPS:
        decided = exchange_by_sweeps(problem, status, scratch)
    else:
        decided = exchange_pairwise(problem, status, scratch)
    return decided
