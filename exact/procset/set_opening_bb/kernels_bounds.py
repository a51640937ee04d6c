"""Kernels that bound reach and cost; see ``set_opening_bb``."""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .layout import ALIVE, CLOSED, OPEN, UNDECIDED, Ints, SearchState, System


@kernel
def sum_of_largest(values: Ints, n: int, most: int) -> int:
    """Add up the largest of the first n values; leaves them partly sorted."""
    total = 0
    if n <= most:
        for i in range(n):
            total += values[i]
        return total
    for i in range(most):
        top = i
        for m in range(i + 1, n):
            if values[m] > values[top]:
                top = m
        if values[top] <= 0:
            break
        values[i], values[top] = values[top], values[i]
        total += values[i]
    return total


@kernel
def reaches_request(system: System, state: SearchState) -> bool:
    """Bound what each set can give; return whether that is enough.

    Of a set j, another family can give at most the largest of its pieces of j, as
    many as it may open. A piece holds at most one lot of classes with equal sets for
    each choice of sets from the families that remain.
    """
    request, families = system.request, system.families
    status, family, left = state.status, system.family, state.left
    class_at, class_set = system.class_at, system.class_set
    size, bulk = system.size, system.bulk
    family_at = system.family_at
    reach, pair, order = state.reach, state.pair, state.order
    sets = len(system.cost)
    pair[:] = 0
    alive = state.tally[ALIVE]
    largest = 1
    # pair[j, l]: what class sizes j and l have in common; column sets + g: members of
    # j that no set of family g holds
    free = state.score
    free[:families] = 0
    for i in range(alive):
        k = order[i]
        f = size[k]
        largest = max(largest, bulk[k])
        begin, end = class_at[k], class_at[k + 1]
        for a in range(begin, end):
            j = class_set[a]
            for b in range(begin, end):
                pair[j, class_set[b]] += f
        if end - begin < families:
            for g in range(families):
                lies = False
                for a in range(begin, end):
                    lies |= family[class_set[a]] == g
                if not lies:
                    free[g] += f
                    for a in range(begin, end):
                        pair[class_set[a], sets + g] += f
    wide = 1
    for g in range(families):
        wide = min(wide * (state.opened[g] + left[g] + (free[g] > 0)), 2**31)
    scratch = state.cap
    for j in range(sets):
        if status[j] == CLOSED:
            continue
        mine = family[j]
        best = pair[j, j]
        for g in range(families):
            if g == mine:
                continue
            across = (state.opened[g] + left[g] + (free[g] > 0)) * (
                state.opened[mine] + left[mine] + (free[mine] > 0)
            )
            thick = largest * (wide // max(across, 1)) if wide < 2**31 else 2**62
            got = min(pair[j, sets + g], thick)
            n = 0
            for other in range(family_at[g], family_at[g + 1]):
                piece = min(pair[j, other], thick)
                if piece > 0:
                    if status[other] == OPEN:
                        got += piece
                    else:
                        scratch[n] = piece
                        n += 1
            got += sum_of_largest(scratch, n, left[g])
            best = min(best, got)
        reach[j] = best
    for g in range(families):
        got = free[g]
        n = 0
        begin, end = family_at[g], family_at[g + 1]
        for j in range(begin, end):
            if status[j] == OPEN:
                got += reach[j]
            elif status[j] == UNDECIDED:
                scratch[n] = reach[j]
                n += 1
        if got + sum_of_largest(scratch, n, left[g]) < request:
            return False
    return True


@kernel
def density_bound(system: System, state: SearchState, reaches: bool) -> int:
    """Bound the cost by what each processor pays at least.

    Exactly the request is chosen, all that is ready and free of charge among it. The
    others that are chosen in set j number at most q_j, so each bears c_j / q_j of
    its cost, and the cheapest of them make the bound.
    """
    status, size, private = state.status, system.size, system.private
    class_at, class_set, cost = system.class_at, system.class_set, system.cost
    score, order, cap = state.score, state.order, state.cap
    scale = system.scale
    alive = state.tally[ALIVE]
    need = system.request
    cap[:] = 0
    for i in range(alive):
        k = order[i]
        waits = False
        for at in range(class_at[k], class_at[k + 1]):
            j = class_set[at]
            if status[j] == UNDECIDED:
                waits = True
                cap[j] += size[k]
        if not waits and private[k] == 0:
            need -= size[k]
    if need <= 0:
        return 0
    for j in range(len(cost)):
        if status[j] == UNDECIDED and cap[j] > 0:
            most = min(cap[j], need)
            if reaches:
                most = max(min(most, state.reach[j]), 1)
            cap[j] = scale * cost[j] // most
    n = 0
    items = np.empty(alive, np.int64)
    for i in range(alive):
        k = order[i]
        total = scale * private[k] // min(size[k], need)
        waits = private[k] > 0
        for at in range(class_at[k], class_at[k + 1]):
            j = class_set[at]
            if status[j] == UNDECIDED:
                total += cap[j]
                waits = True
        if waits:
            score[n] = total
            items[n] = k
            n += 1
    total = 0
    for at in np.argsort(score[:n]):
        f = min(size[items[at]], need)
        total += f * score[at]
        need -= f
        if need == 0:
            break
    return int(-(-total // scale))
