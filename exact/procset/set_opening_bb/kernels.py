"""Kernels of the branch and bound over which sets are open; see ``set_opening_bb``.

Integers are int64. Where costs do not fit, the same file is loaded once more with
compilation switched off and arrays of Python integers: nothing here relies on a
width. Classes that can still be taken stand first in ``order``.
"""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .kernels_bounds import density_bound, reaches_request
from .kernels_leaves import keep_best, solve_last_one, solve_last_two
from .kernels_rules import count_capacities, decide, propagate, undo
from .layout import (
    ALIVE,
    BEST,
    CLOSED,
    DEPTH,
    FRESH,
    NODES,
    OPEN,
    SPENT,
    TRAIL,
    UNDECIDED,
    Ints,
    SearchState,
    System,
)

WIDEST_MATRIX = 64
"""Rows up to which two families are settled by going through those of one."""


@kernel
def _look(system: System, state: SearchState) -> int:
    """Look at the present node: return the set to branch on, or -1 if settled."""
    rules = system.rules
    ready = propagate(system, state)
    if ready < 0:
        return -1
    if ready >= system.request and not system.has_private:
        keep_best(state, state.money[SPENT])
        return -1
    if rules.reach and not reaches_request(system, state):
        return -1
    floor = state.money[SPENT]
    counted = system.even and state.rank[system.families] == 1
    if rules.density and not counted:
        floor += density_bound(system, state, rules.reach)
        if floor >= state.money[BEST]:
            return -1
    count_capacities(system, state)
    status, family, cap = state.status, system.family, state.cap
    sets = len(system.cost)
    many = state.score
    many[: system.families] = 0
    for j in range(sets):
        if status[j] == UNDECIDED and cap[j] > 0:
            many[family[j]] += 1
    undecided = 0
    a, b = -1, -1
    for at in range(system.families):
        g = state.rank[at]
        if many[g] > 0:
            undecided += 1
            if undecided == 1:
                a = g
            elif undecided == 2:
                b = g
    if undecided == 0 or (undecided == 1 and rules.table):
        solve_last_one(system, state)
        return -1
    if (
        undecided == 2
        and rules.matrix
        and not system.has_private
        and many[a] <= WIDEST_MATRIX
    ):
        solve_last_two(system, state, a, b)
        return -1
    depth = state.tally[DEPTH]
    state.floor[depth] = floor if depth == 0 else max(floor, state.floor[depth - 1])
    best = -1
    for j in range(sets):
        if status[j] == UNDECIDED and (
            family[j] == a or state.rank[system.families] == 0
        ):
            if best < 0:
                best = j
            elif rules.reach and state.reach[j] != state.reach[best]:
                if state.reach[j] > state.reach[best]:
                    best = j
            elif cap[j] > cap[best]:
                best = j
    return best


@kernel
def floor(state: SearchState) -> int:
    """Return the least bound of the open nodes."""
    if state.tally[FRESH] and state.tally[DEPTH] == 0:
        return 0
    least = state.money[BEST]
    for depth in range(state.tally[DEPTH]):
        if depth == state.tally[DEPTH] - 1 or state.frame[depth, 1] == 0:
            least = min(least, state.floor[depth])
    return int(least)


@kernel
def search(system: System, state: SearchState, budget: int) -> bool:
    """Search some more nodes; return whether the search is finished."""
    tally, frame = state.tally, state.frame
    until = tally[NODES] + budget
    while tally[NODES] < until:
        if tally[FRESH]:
            tally[NODES] += 1
            j = _look(system, state)
            if j < 0:
                tally[FRESH] = 0
                continue
            frame[tally[DEPTH], 0] = j
            frame[tally[DEPTH], 1] = 0
            frame[tally[DEPTH], 2] = tally[TRAIL]
            frame[tally[DEPTH], 3] = tally[ALIVE]
            tally[DEPTH] += 1
            decide(system, state, j, OPEN)
            continue
        if tally[DEPTH] == 0:
            return True
        top = tally[DEPTH] - 1
        undo(system, state, frame[top, 2], frame[top, 3])
        if frame[top, 1] == 1:
            tally[DEPTH] = top
            continue
        frame[top, 1] = 1
        decide(system, state, frame[top, 0], CLOSED)
        tally[FRESH] = 1
    return False


@kernel
def grow(system: System, price: Ints, first: int, fade: float, out: Ints) -> bool:
    """Open sets one by one, those that bring most classes nearer, from one class on.

    A class that waits for m more sets counts fade^m of its size. At the end sets
    are closed again where enough is left without. Returns whether enough was found.
    """
    size, class_at, class_set = system.size, system.class_at, system.class_set
    out[:] = 0
    for at in range(class_at[first], class_at[first + 1]):
        out[class_set[at]] = 1
    sets = len(out)
    gain = np.zeros(sets)
    while True:
        gain[:] = 0
        ready = 0
        for k in range(len(size)):
            waits = 0
            for at in range(class_at[k], class_at[k + 1]):
                waits += 1 - out[class_set[at]]
            if waits == 0:
                ready += size[k]
                continue
            worth = size[k] * fade**waits
            for at in range(class_at[k], class_at[k + 1]):
                if not out[class_set[at]]:
                    gain[class_set[at]] += worth
        if ready >= system.request:
            break
        best = -1
        for j in range(sets):
            if gain[j] > 0 and (
                best < 0 or gain[j] * price[best] > gain[best] * price[j]
            ):
                best = j
        if best < 0:
            return False
        out[best] = 1
    waiting = np.zeros(len(size), np.int64)
    for k in range(len(size)):
        for at in range(class_at[k], class_at[k + 1]):
            waiting[k] += 1 - out[class_set[at]]
    for j in range(sets - 1, -1, -1):
        if out[j] == 0:
            continue
        lost = 0
        for at in range(system.set_at[j], system.set_at[j + 1]):
            k = system.set_class[at]
            if waiting[k] == 0:
                lost += size[k]
        if ready - lost >= system.request:
            ready -= lost
            out[j] = 0
            for at in range(system.set_at[j], system.set_at[j + 1]):
                waiting[system.set_class[at]] += 1
    return True
