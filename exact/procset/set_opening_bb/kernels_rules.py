"""Kernels that decide sets and propagate; see ``set_opening_bb``."""

from __future__ import annotations

from ....solvers.running.kernels import kernel
from .layout import (
    ALIVE,
    BEST,
    CLOSED,
    DEPTH,
    FRESH,
    OPEN,
    SPENT,
    TRAIL,
    UNDECIDED,
    SearchState,
    System,
)


@kernel
def _kill(system: System, state: SearchState, j: int) -> None:
    """Take the classes of a closed set out of those that can be taken."""
    order, place, tally = state.order, state.place, state.tally
    for at in range(system.set_at[j], system.set_at[j + 1]):
        k = system.set_class[at]
        here = place[k]
        if here < tally[ALIVE]:
            last = tally[ALIVE] - 1
            other = order[last]
            order[here], order[last] = other, k
            place[other], place[k] = here, last
            tally[ALIVE] = last


@kernel
def decide(system: System, state: SearchState, j: int, what: int) -> None:
    """Open or close a set."""
    state.status[j] = what
    state.trail[state.tally[TRAIL]] = j
    state.tally[TRAIL] += 1
    if what == OPEN:
        state.money[SPENT] += system.cost[j]
        state.opened[system.family[j]] += 1
    else:
        _kill(system, state, j)


@kernel
def undo(system: System, state: SearchState, trail: int, alive: int) -> None:
    """Take back decisions down to these lengths of the trail and of living classes."""
    while state.tally[TRAIL] > trail:
        state.tally[TRAIL] -= 1
        j = state.trail[state.tally[TRAIL]]
        if state.status[j] == OPEN:
            state.money[SPENT] -= system.cost[j]
            state.opened[system.family[j]] -= 1
        state.status[j] = UNDECIDED
    state.tally[ALIVE] = alive


@kernel
def reset(system: System, state: SearchState) -> None:
    """Take back all decisions."""
    undo(system, state, 0, len(system.size))
    state.tally[DEPTH] = 0
    state.tally[FRESH] = 1


@kernel
def count_capacities(system: System, state: SearchState) -> tuple[int, int]:
    """Count what each undecided set can still give; return total and what is ready."""
    cap, status, size = state.cap, state.status, system.size
    class_at, class_set = system.class_at, system.class_set
    cap[:] = 0
    total = 0
    ready = 0
    for i in range(state.tally[ALIVE]):
        k = state.order[i]
        f = size[k]
        total += f
        waits = False
        for at in range(class_at[k], class_at[k + 1]):
            j = class_set[at]
            if status[j] == UNDECIDED:
                cap[j] += f
                waits = True
        if not waits:
            ready += f
    return total, ready


@kernel
def _allowances(system: System, state: SearchState) -> bool:
    """Count how many more sets each family may open; False if none can be enough.

    A family may open what its shape leaves and what the money left buys of its
    cheapest sets, once every other family has opened what its shape demands.
    """
    families, cost, family = system.families, system.cost, system.family
    status, left = state.status, state.left
    room = state.money[BEST] - 1 - state.money[SPENT]
    left[:] = 0
    sets = len(cost)
    # sets are in order of cost inside every family: see `set_opening_bb`
    for j in range(sets):
        if status[j] == UNDECIDED:
            g = family[j]
            if left[g] < state.exact[g] - state.opened[g]:
                left[g] += 1
                room -= cost[j]
    if room < 0:
        return False
    for g in range(families):
        if left[g] < state.exact[g] - state.opened[g]:
            return False
    spare = state.score  # scratch
    spare[:families] = 0
    demanded = state.pair[0]  # scratch
    for g in range(families):
        demanded[g] = left[g]
    for j in range(sets):
        g = family[j]
        if status[j] == UNDECIDED:
            if demanded[g] > 0:
                demanded[g] -= 1
            elif spare[g] + cost[j] <= room:
                spare[g] += cost[j]
                left[g] += 1
    for g in range(families):
        left[g] = min(left[g], state.limit[g] - state.opened[g])
    return True


@kernel
def propagate(system: System, state: SearchState) -> int:
    """Decide what follows; return what is ready, or -1 if nothing cheaper is left."""
    request, cost, family = system.request, system.cost, system.family
    status, cap, left = state.status, state.cap, state.left
    while True:
        total, ready = count_capacities(system, state)
        if total < request or state.money[SPENT] >= state.money[BEST]:
            return -1
        if not _allowances(system, state):
            return -1
        room = state.money[BEST] - 1 - state.money[SPENT]
        changed = False
        for j in range(len(cost)):
            if status[j] != UNDECIDED:
                continue
            if total - cap[j] < request:
                if cost[j] > room or left[family[j]] < 1:
                    return -1
                decide(system, state, j, OPEN)
                changed = True
                break
            if cap[j] == 0:
                decide(system, state, j, CLOSED)
            elif cost[j] > room or left[family[j]] < 1:
                decide(system, state, j, CLOSED)
                changed = True
        if not changed:
            return int(ready)
