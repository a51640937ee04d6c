"""Kernels of the branch and bound over cut counts; see ``cuts_bb``.

All is integer arithmetic in units of 1/denominator hops.
"""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .kernels_bounds import (
    bound_by_secants,
    close,
    decide_by_cost,
    price,
    weigh,
    widest_error,
)
from .kernels_counts import narrow_by_cost
from .kernels_exchange import exchange
from .layout import (
    BUDGET,
    DONE,
    FULL,
    Bytes,
    CutProblem,
    Flags,
    Ints,
    NodeStack,
    Scratch,
)

MOST_ROUNDS = 1
"""Exchanges at one node: the first ones decide most, the later cost as much."""
MOST_NARROWED = 2
"""Times that intervals shrink by cost between two exchanges, for the same reason."""


@kernel
def settle(
    problem: CutProblem,
    status: Bytes,
    low: Ints,
    high: Ints,
    best: int,
    best_picked: Flags,
    scratch: Scratch,
) -> tuple[bool, int, int]:
    """Propagate to a fixpoint; apply expensive rules a bounded number of times.

    Returns whether the node is still open, its bound, and the best cost known.
    """
    bound = 0
    rounds = 0
    narrowed = 0
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
        if problem.narrow and narrowed < MOST_NARROWED:
            narrowed += 1
            cut = narrow_by_cost(problem, status, low, high, threshold - bound, scratch)
            if cut < 0:
                return False, bound, best
            if cut > 0:
                continue
        narrowed = 0
        rounds += 1
        if rounds > MOST_ROUNDS:
            return True, bound, best
        decided = exchange(problem, status, low, high, scratch)
        if decided < 0:
            return False, bound, best
        if not decided:
            return True, bound, best


@kernel
def search(
    problem: CutProblem,
    stack: NodeStack,
    scratch: Scratch,
    top: int,
    best: int,
    best_picked: Flags,
    budget: int,
) -> tuple[int, int, int, int]:
    """Search depth first for solutions cheaper than ``best`` hops.

    Returns why it stopped, how many nodes are open, the best cost and how many
    nodes were settled. ``best_picked`` holds the best solution.
    """
    n, m = len(problem.position), len(problem.weight)
    status = np.empty(n, dtype=np.int8)
    low = np.empty(m, dtype=np.int64)
    high = np.empty(m, dtype=np.int64)
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
