"""Kernels of the branch and bound over cut counts; see ``cuts_bb``.

All is integer arithmetic in units of 1/denominator hops. One file although it is
long: cached machine code is renewed by file, so callers and called stay together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.kernels import kernel

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]

UNDECIDED, CHOSEN, REJECTED = 0, 1, 2
"""What is known of a point."""
NO_EXCHANGE, PAIRWISE, BY_SWEEPS = 0, 1, 2
"""How exchanges with decided points are found."""
DONE, BUDGET, FULL, SHRUNK = 0, 1, 2, 3
"""Why a search stopped: nothing open, node budget used, stack full, or the last open
node has come down to so few points that it is worth a problem of its own."""
CONTRADICTION = -1
"""Returned by a rule that found the node empty; else it counts its decisions."""
FAR = 2**62
MOST_ROUNDS = 3
"""Exchanges at one node: the first ones decide most, the later cost as much."""


class Problem(NamedTuple):
    """What never changes. Positions of all axes are numbered through.

    Axis a owns the positions ``offset[a]`` to ``offset[a + 1] - 1``, the last of
    which is no position but the end of the prefix sums.
    """

    k: int
    denominator: int
    weight: Ints  # (m,) of the cuts
    axis: Ints  # (m,)
    start: Ints  # (m,) first position inside
    stop: Ints  # (m,) first position beyond
    links: Ints  # (·, 2) cuts whose counts bound each other
    position: Ints  # (n, axes)
    offset: Ints  # (axes + 1,)
    twin: Ints  # (n,) equal for coinciding points, which are neighbours
    chain: Flags  # (axes,) whether all cuts of an axis start at its first position
    table_at: Ints  # (axes + 1,) where the gains of an axis without chain begin
    exchange: int
    cell: Ints  # (n,) of the grid of all positions, for sweeps
    shape: Ints  # (axes,) of that grid
    most_companions: int  # number of points up to which companions are counted
    costs: bool  # whether reduced costs decide points


class Scratch(NamedTuple):
    """Room to work in, filled anew at every node."""

    chosen: Ints  # (positions,) chosen points below a position of its axis
    possible: Ints  # (positions,) points below that are not rejected
    along: Ints  # (positions,)
    full: Ints  # (positions,)
    empty: Ints  # (positions,)
    up: Ints  # (positions,) prefix sums of the gains on a chain
    down: Ints  # (positions,)
    tables: Ints  # gains between positions of axes without chain
    weight: Ints  # (n,) of the points
    values: Ints  # (n,)
    undecided: Ints  # (n,)
    companions: Ints  # (n,)
    picked: Flags  # (n,) the points of the bound
    outside: Ints  # (cells,)
    inside: Ints  # (cells,)


class Stack(NamedTuple):
    """Open nodes, the next one last."""

    status: Bytes  # (capacity, n)
    low: Ints  # (capacity, m)
    high: Ints  # (capacity, m)
    bound: Ints  # (capacity,) in hops


@kernel
def count(problem: Problem, status: Bytes, scratch: Scratch) -> None:
    """Count chosen and possible points below every position of every axis."""
    chosen, possible = scratch.chosen, scratch.possible
    position, offset = problem.position, problem.offset
    chosen[:] = 0
    possible[:] = 0
    n, axes = position.shape
    for p in range(n):
        if status[p] == REJECTED:
            continue
        for a in range(axes):
            possible[position[p, a] + 1] += 1
            if status[p] == CHOSEN:
                chosen[position[p, a] + 1] += 1
    for a in range(axes):
        for at in range(offset[a] + 1, offset[a + 1]):
            chosen[at] += chosen[at - 1]
            possible[at] += possible[at - 1]


@kernel
def tighten(problem: Problem, low: Ints, high: Ints, scratch: Scratch) -> bool:
    """Shrink the intervals of the counts; False if one becomes empty."""
    k, start, stop, links = problem.k, problem.start, problem.stop, problem.links
    chosen, possible = scratch.chosen, scratch.possible
    end = problem.offset[1] - 1
    if chosen[end] > k or possible[end] < k:
        return False
    for h in range(len(start)):
        must = chosen[stop[h]] - chosen[start[h]]
        may = possible[stop[h]] - possible[start[h]]
        low[h] = max(low[h], must, k - (possible[end] - may))
        high[h] = min(high[h], may, k - (chosen[end] - must))
        if low[h] > high[h]:
            return False
    moved = True
    while moved:
        moved = False
        for step in range(2 * len(links)):  # forwards, then backwards
            i = step if step < len(links) else 2 * len(links) - 1 - step
            g, h = links[i, 0], links[i, 1]
            s = max(start[g], start[h])
            e = max(s, min(stop[g], stop[h]))
            must = chosen[e] - chosen[s]
            may = possible[e] - possible[s]
            # what lies in h and not in g, and the other way round
            must_h = chosen[stop[h]] - chosen[start[h]] - must
            may_h = possible[stop[h]] - possible[start[h]] - may
            must_g = chosen[stop[g]] - chosen[start[g]] - must
            may_g = possible[stop[g]] - possible[start[g]] - may
            least, most = must_h - may_g, may_h - must_g
            if low[h] < low[g] + least:
                low[h] = low[g] + least
                moved = True
            if high[h] > high[g] + most:
                high[h] = high[g] + most
                moved = True
            if low[g] < low[h] - most:
                low[g] = low[h] - most
                moved = True
            if high[g] > high[h] - least:
                high[g] = high[h] - least
                moved = True
            if low[h] > high[h] or low[g] > high[g]:
                return False
    return True


@kernel
def decide_by_counts(
    problem: Problem, status: Bytes, low: Ints, high: Ints, scratch: Scratch
) -> int:
    """Decide the points of runs of positions that must be full or empty."""
    start, stop, links = problem.start, problem.stop, problem.links
    chosen, possible = scratch.chosen, scratch.possible
    full, empty = scratch.full, scratch.empty
    full[:] = 0
    empty[:] = 0
    found = False
    for h in range(len(start)):
        must = chosen[stop[h]] - chosen[start[h]]
        may = possible[stop[h]] - possible[start[h]]
        if must == may:
            continue
        if high[h] == must:
            empty[start[h]] += 1
            empty[stop[h]] -= 1
            found = True
        elif low[h] == may:
            full[start[h]] += 1
            full[stop[h]] -= 1
            found = True
    for i in range(len(links)):
        g, h = links[i, 0], links[i, 1]
        s1, e1, s2, e2 = start[g], stop[g], start[h], stop[h]
        if s1 < s2 or e1 > e2:
            continue
        # g lies in h: the runs on both sides of g
        must = chosen[e2] - chosen[e1] + chosen[s1] - chosen[s2]
        may = possible[e2] - possible[e1] + possible[s1] - possible[s2]
        if must == may:
            continue
        if high[h] - low[g] == must:
            empty[e1] += 1
            empty[e2] -= 1
            empty[s2] += 1
            empty[s1] -= 1
            found = True
        elif low[h] - high[g] == may:
            full[e1] += 1
            full[e2] -= 1
            full[s2] += 1
            full[s1] -= 1
            found = True
    return _decide_runs(problem, status, full, empty) if found else 0


@kernel
def _decide_runs(problem: Problem, status: Bytes, full: Ints, empty: Ints) -> int:
    """Sum up difference arrays; decide what lies in a full or an empty run."""
    for at in range(1, len(full)):
        full[at] += full[at - 1]
        empty[at] += empty[at - 1]
    decided = 0
    position = problem.position
    n, axes = position.shape
    for p in range(n):
        if status[p] != UNDECIDED:
            continue
        in_full = False
        in_empty = False
        for a in range(axes):
            in_full |= full[position[p, a]] > 0
            in_empty |= empty[position[p, a]] > 0
        if in_full and in_empty:
            return CONTRADICTION
        if in_full:
            status[p] = CHOSEN
            decided += 1
        elif in_empty:
            status[p] = REJECTED
            decided += 1
    return decided


@kernel
def close(
    problem: Problem, status: Bytes, low: Ints, high: Ints, scratch: Scratch
) -> bool:
    """Draw all conclusions from counts; False if they contradict each other."""
    while True:
        count(problem, status, scratch)
        if not tighten(problem, low, high, scratch):
            return False
        decided = decide_by_counts(problem, status, low, high, scratch)
        if decided < 0:
            return False
        if decided == 0:
            return True


@kernel
def weigh(problem: Problem, low: Ints, high: Ints, scratch: Scratch) -> int:
    """Weigh every point by the secants of its cuts; return the constant."""
    along, position, weight = scratch.along, problem.position, scratch.weight
    k, w, start, stop = problem.k, problem.weight, problem.start, problem.stop
    along[:] = 0
    constant = 0
    for h in range(len(w)):
        slope = w[h] * (k - low[h] - high[h])
        constant += w[h] * low[h] * high[h]
        along[start[h]] += slope
        along[stop[h]] -= slope
    for at in range(1, len(along)):
        along[at] += along[at - 1]
    n, axes = position.shape
    for p in range(n):
        total = 0
        for a in range(axes):
            total += along[position[p, a]]
        weight[p] = total
    return constant


@kernel
def price(problem: Problem, picked: Flags, along: Ints) -> int:
    """Cost of the picked points; leaves their counts below positions in ``along``."""
    k, position = problem.k, problem.position
    w, start, stop = problem.weight, problem.start, problem.stop
    along[:] = 0
    n, axes = position.shape
    for p in range(n):
        if picked[p]:
            for a in range(axes):
                along[position[p, a] + 1] += 1
    for at in range(1, len(along)):
        along[at] += along[at - 1]
    total = 0
    for h in range(len(w)):
        c = along[stop[h]] - along[start[h]]
        total += w[h] * c * (k - c)
    return total


@kernel
def select(values: Ints, rank: int) -> int:
    """Value of a rank, counted from 0; ``values`` is rearranged."""
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
    return int(values[rank])


@kernel
def bound_by_secants(
    problem: Problem, status: Bytes, constant: int, scratch: Scratch
) -> tuple[int, int, int]:
    """Bound the node; marks the points of the bound in ``picked``.

    Returns the bound, the weight of the last undecided point taken and of the
    lightest one not taken (∓FAR where there is none).
    """
    weight, values, picked = scratch.weight, scratch.values, scratch.picked
    total = constant
    missing = problem.k
    free = 0
    for p in range(len(status)):
        picked[p] = status[p] == CHOSEN
        if status[p] == CHOSEN:
            total += weight[p]
            missing -= 1
        elif status[p] == UNDECIDED:
            values[free] = weight[p]
            free += 1
    last = select(values[:free], missing - 1) if missing else -FAR
    lighter = 0
    for i in range(free):
        lighter += values[i] < last
    at_last = missing - lighter
    beyond = FAR
    for p in range(len(status)):
        if status[p] != UNDECIDED:
            continue
        if weight[p] < last or (weight[p] == last and at_last > 0):
            at_last -= weight[p] == last
            picked[p] = True
            total += weight[p]
        else:
            beyond = min(beyond, weight[p])
    return total, last, beyond


@kernel
def decide_by_cost(
    status: Bytes, bound: int, last: int, beyond: int, threshold: int, scratch: Scratch
) -> int:
    """Decide points whose exchange at the margin lifts the bound to the threshold."""
    weight, picked = scratch.weight, scratch.picked
    decided = 0
    for p in range(len(status)):
        if status[p] != UNDECIDED:
            continue
        if picked[p]:
            if beyond < FAR and bound - weight[p] + beyond >= threshold:
                status[p] = CHOSEN
                decided += 1
        elif last > -FAR and bound + weight[p] - last >= threshold:
            status[p] = REJECTED
            decided += 1
    return decided


@kernel
def take_twins_in_order(problem: Problem, status: Bytes) -> int:
    """Of coinciding points take the first ones first."""
    twin = problem.twin
    decided = 0
    for p in range(1, len(status)):
        if twin[p] == twin[p - 1] and status[p - 1] == REJECTED:
            if status[p] == CHOSEN:
                return CONTRADICTION
            decided += status[p] == UNDECIDED
            status[p] = REJECTED
    for p in range(len(status) - 1, 0, -1):
        if twin[p] == twin[p - 1] and status[p] == CHOSEN:
            decided += status[p - 1] == UNDECIDED
            status[p - 1] = CHOSEN
    return decided


@kernel
def bound_gains(problem: Problem, low: Ints, high: Ints, scratch: Scratch) -> None:
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
def _gains_from(problem: Problem, p: int, row: Ints, scratch: Scratch) -> None:
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
def exchange_by_sweeps(problem: Problem, status: Bytes, scratch: Scratch) -> int:
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
def exchange_pairwise(problem: Problem, status: Bytes, scratch: Scratch) -> int:
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
def count_companions(problem: Problem, status: Bytes, scratch: Scratch) -> int:
    """Reject points that need too many others; choose those that too many need."""
    undecided, companions = scratch.undecided, scratch.companions
    position, k = problem.position, problem.k
    axes = position.shape[1]
    free = 0
    total_chosen = 0
    for p in range(len(status)):
        if status[p] == UNDECIDED:
            undecided[free] = p
            companions[free] = 0
            free += 1
        total_chosen += status[p] == CHOSEN
    spare = total_chosen + free - k
    at = np.empty((axes, free), dtype=np.int64)
    for i in range(free):
        for a in range(axes):
            at[a, i] = position[undecided[i], a]
    row = scratch.along
    gains = scratch.values[:free]
    decided = 0
    for i in range(free):
        _gains_from(problem, undecided[i], row, scratch)
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
        if total_chosen + needed + 1 > k:
            status[undecided[i]] = REJECTED
            decided += 1
    for j in range(free):
        if companions[j] + 1 > spare:
            if status[undecided[j]] == REJECTED:
                return CONTRADICTION
            status[undecided[j]] = CHOSEN
            decided += 1
    return decided


@kernel
def exchange(
    problem: Problem, status: Bytes, low: Ints, high: Ints, scratch: Scratch
) -> int:
    """Apply the exchange rules, the cheap ones first."""
    decided: int = take_twins_in_order(problem, status)
    if decided or problem.exchange == NO_EXCHANGE:
        return decided
    bound_gains(problem, low, high, scratch)
    if problem.exchange == BY_SWEEPS:
        decided = exchange_by_sweeps(problem, status, scratch)
    else:
        decided = exchange_pairwise(problem, status, scratch)
    if decided == 0 and len(status) <= problem.most_companions:
        decided = count_companions(problem, status, scratch)
    return decided


@kernel
def settle(
    problem: Problem,
    status: Bytes,
    low: Ints,
    high: Ints,
    best: int,
    best_picked: Flags,
    scratch: Scratch,
) -> tuple[bool, int, int]:
    """Apply all rules until none decides anything, the dear ones a few times.

    Returns whether the node is still open, its bound, and the best cost known.
    """
    bound = 0
    rounds = 0
    while True:
        if not close(problem, status, low, high, scratch):
            return False, bound, best
        constant = weigh(problem, low, high, scratch)
        bound, last, beyond = bound_by_secants(problem, status, constant, scratch)
        cost = price(problem, scratch.picked, scratch.along) // problem.denominator
        if cost < best:
            best = cost
            best_picked[:] = scratch.picked
        threshold = (best - 1) * problem.denominator + 1
        if bound >= threshold:
            return False, bound, best
        if problem.costs and (
            decide_by_cost(status, bound, last, beyond, threshold, scratch) > 0
        ):
            continue
        rounds += 1
        if rounds > MOST_ROUNDS:
            return True, bound, best
        decided = exchange(problem, status, low, high, scratch)
        if decided < 0:
            return False, bound, best
        if not decided:
            return True, bound, best


@kernel
def widest_error(
    problem: Problem, low: Ints, high: Ints, scratch: Scratch
) -> tuple[int, int]:
    """Find the cut whose secant is furthest below the cost of the bound's points.

    Returns the cut, -1 if all secants are exact there, and its count.
    """
    along = scratch.along
    w, start, stop = problem.weight, problem.start, problem.stop
    price(problem, scratch.picked, along)
    widest, branch, split = 0, -1, 0
    for h in range(len(low)):
        c = along[stop[h]] - along[start[h]]
        error = w[h] * (c - low[h]) * (high[h] - c)
        if error > widest:
            widest, branch, split = error, h, c
    return branch, split


@kernel
def extent(problem: Problem, status: Bytes, low: Ints, high: Ints) -> int:
    """Count the points in the bounding box of those that are not rejected.

    Writes the first and last position of the box on every axis.
    """
    position = problem.position
    n, axes = position.shape
    low[:] = FAR
    high[:] = -FAR
    for p in range(n):
        if status[p] != REJECTED:
            for a in range(axes):
                low[a] = min(low[a], position[p, a])
                high[a] = max(high[a], position[p, a])
    kept = 0
    for p in range(n):
        inside = True
        for a in range(axes):
            inside &= low[a] <= position[p, a] <= high[a]
        kept += inside
    return kept


@kernel
def room_for(problem: Problem) -> Scratch:
    """Make room to work in."""
    n = len(problem.position)
    size = problem.offset[-1]
    cells = 1
    if problem.exchange == BY_SWEEPS:
        for a in range(len(problem.shape)):
            cells *= problem.shape[a]
    return Scratch(
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(problem.table_at[-1], dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.bool_),
        np.empty(cells, dtype=np.int64),
        np.empty(cells, dtype=np.int64),
    )


@kernel
def search(
    problem: Problem,
    stack: Stack,
    top: int,
    best: int,
    best_picked: Flags,
    budget: int,
    shrink_from: int,
) -> tuple[int, int, int, int]:
    """Search depth first for solutions cheaper than ``best`` hops.

    Returns why it stopped, how many nodes are open, the best cost and how many
    nodes were settled. ``best_picked`` holds the best solution.
    """
    n, m = len(problem.position), len(problem.weight)
    scratch = room_for(problem)
    status = np.empty(n, dtype=np.int8)
    low = np.empty(m, dtype=np.int64)
    high = np.empty(m, dtype=np.int64)
    first = np.empty(problem.position.shape[1], dtype=np.int64)
    last = np.empty(problem.position.shape[1], dtype=np.int64)
    nodes = 0
    while top > 0:
        if nodes >= budget:
            return BUDGET, top, int(best), nodes
        if top + 1 >= len(stack.bound):
            return FULL, top, int(best), nodes
        top -= 1
        if stack.bound[top] >= best:
            continue
        nodes += 1
        known = stack.bound[top]
        status[:] = stack.status[top]
        low[:] = stack.low[top]
        high[:] = stack.high[top]
        still_open, bound, best = settle(
            problem, status, low, high, best, best_picked, scratch
        )
        if not still_open:
            continue
        proved = max(known, -(-bound // problem.denominator))
        if n >= shrink_from and 2 * extent(problem, status, first, last) < n:
            stack.status[top] = status
            stack.low[top] = low
            stack.high[top] = high
            stack.bound[top] = proved
            return SHRUNK, top + 1, int(best), nodes
        branch, split = widest_error(problem, low, high, scratch)
        if branch < 0:
            continue  # the bound is the cost of its points: nothing cheaper here
        lower_first = split - low[branch] >= high[branch] - split
        for turn in range(2):
            stack.status[top] = status
            stack.low[top] = low
            stack.high[top] = high
            stack.bound[top] = proved
            if (turn == 1) == lower_first:
                stack.high[top, branch] = split
            else:
                stack.low[top, branch] = split + 1
            top += 1
    return DONE, top, best, nodes
