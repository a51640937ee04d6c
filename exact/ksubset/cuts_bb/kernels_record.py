"""The kernel that settles a node and notes every conclusion, for certificates.

An entry of the log is a rule, how many points it chooses and rejects, and these; of
NARROW how many intervals, 0, and each as cut, least and largest count.
"""

from __future__ import annotations

from ....solvers.running.kernels import kernel
from .kernels import MOST_NARROWED
from .kernels_bounds import bound_by_secants, close, decide_by_cost, weigh, widest_error
from .kernels_counts import narrow_by_cost
from .kernels_exchange import bound_gains, count_companions, take_twins_in_order
from .layout import (
    CHOSEN,
    NO_EXCHANGE,
    REJECTED,
    UNDECIDED,
    Bytes,
    CutProblem,
    Ints,
    Scratch,
)

COST, NARROW, TWINS, COMPANIONS = 0, 1, 2, 3
"""Rules in the log."""
COUNTS, BOUND, NARROWED, TWINS_END, COMPANIONS_END, SPLIT, ROOM, EXCHANGE = range(8)
"""Why a node ends; or that the log is full, or that exchanges come next."""


@kernel
def _note_points(rule: int, before: Bytes, status: Bytes, log: Ints, used: int) -> int:
    """Note what a rule decided; returns where the log ends."""
    at = used + 3
    for value in (CHOSEN, REJECTED):
        for p in range(len(status)):
            if status[p] == value and before[p] == UNDECIDED:
                log[at] = p
                at += 1
        if value == CHOSEN:
            log[used + 1] = at - used - 3
    log[used] = rule
    log[used + 2] = at - used - 3 - log[used + 1]
    return at


@kernel
def _note_intervals(
    low: Ints, high: Ints, old_low: Ints, old_high: Ints, log: Ints, used: int
) -> int:
    """Note the intervals that are narrower now; returns where the log ends."""
    at = used + 3
    for h in range(len(low)):
        if low[h] != old_low[h] or high[h] != old_high[h]:
            log[at], log[at + 1], log[at + 2] = h, low[h], high[h]
            at += 3
    log[used], log[used + 1], log[used + 2] = NARROW, (at - used - 3) // 3, 0
    return at


@kernel
def settle_noting(
    problem: CutProblem,
    status: Bytes,
    low: Ints,
    high: Ints,
    threshold: int,
    scratch: Scratch,
    log: Ints,
) -> tuple[int, int, int, int]:
    """Settle a node.

    Returns why it ends, with its bound, point, or cut and count, and how much of the
    log is used. It goes on where it was when called again with an empty log.
    """
    used = 0
    narrowed = 0
    while True:
        if not close(problem, status, low, high, scratch):
            return COUNTS, 0, 0, used
        constant = weigh(problem, low, high, scratch)
        bound, last, beyond = bound_by_secants(problem, status, constant, scratch)
        if bound >= threshold:
            return BOUND, int(bound), 0, used
        if used + 6 + len(status) + 3 * len(low) > len(log):
            return ROOM, 0, 0, used
        before = status.copy()
        if decide_by_cost(status, bound, last, beyond, threshold, scratch) > 0:
            used = _note_points(COST, before, status, log, used)
            continue
        if problem.narrow and narrowed < MOST_NARROWED:
            narrowed += 1
            old_low, old_high = low.copy(), high.copy()
            cut = narrow_by_cost(problem, status, low, high, threshold - bound, scratch)
            if cut < 0:
                return NARROWED, int(-1 - cut), 0, used
            if cut > 0:
                used = _note_intervals(low, high, old_low, old_high, log, used)
                continue
        narrowed = 0
        decided = take_twins_in_order(problem, status)
        if decided < 0:
            return TWINS_END, int(-1 - decided), 0, used
        if decided > 0:
            used = _note_points(TWINS, before, status, log, used)
            continue
        if len(status) <= problem.most_companions and problem.exchange != NO_EXCHANGE:
            bound_gains(problem, low, high, scratch)
            decided = count_companions(problem, status, scratch)
            if decided < 0:
                return COMPANIONS_END, int(-1 - decided), 0, used
            if decided > 0:
                used = _note_points(COMPANIONS, before, status, log, used)
                continue
        elif problem.exchange != NO_EXCHANGE:
            return EXCHANGE, 0, 0, used
        h, split = widest_error(problem, low, high, scratch)
        return SPLIT, h, int(split), used
