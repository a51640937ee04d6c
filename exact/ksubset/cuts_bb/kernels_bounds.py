"""Kernels of the bound by secants; see ``cuts_bb``."""

from __future__ import annotations

from ....heuristics.ksubset.selection_kernels import select
from ....solvers.kernels import kernel
from .layout import (
    CHOSEN,
    FAR,
    REJECTED,
    UNDECIDED,
    Bytes,
    Flags,
    Ints,
    Problem,
    Scratch,
)


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
