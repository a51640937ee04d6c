"""Kernels of the bound by secants, and of intervals of counts; see ``cuts_bb``."""

from __future__ import annotations

from ....heuristics.ksubset.ranking.selection_kernels import select
from ....solvers.running.kernels import kernel
from .layout import (
    CHOSEN,
    CONTRADICTION,
    FAR,
    REJECTED,
    UNDECIDED,
    Bytes,
    CutProblem,
    Flags,
    Ints,
    Scratch,
)


@kernel
def weigh(problem: CutProblem, low: Ints, high: Ints, scratch: Scratch) -> int:
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
def price(problem: CutProblem, picked: Flags, along: Ints) -> int:
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
def bound_by_secants(
    problem: CutProblem, status: Bytes, constant: int, scratch: Scratch
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
def widest_error(
    problem: CutProblem, low: Ints, high: Ints, scratch: Scratch
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
def count(problem: CutProblem, status: Bytes, scratch: Scratch) -> None:
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
def tighten(problem: CutProblem, low: Ints, high: Ints, scratch: Scratch) -> bool:
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
    problem: CutProblem, status: Bytes, low: Ints, high: Ints, scratch: Scratch
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
def _decide_runs(problem: CutProblem, status: Bytes, full: Ints, empty: Ints) -> int:
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
    problem: CutProblem, status: Bytes, low: Ints, high: Ints, scratch: Scratch
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
