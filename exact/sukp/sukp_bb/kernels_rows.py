"""Kernels that find the rows of a proof for the set-union knapsack; see ``record``.

With x_e for "e is in R", a row states that the sum of row[e] x_e is at most a limit.
Rows at hand propagate as they do in a checker of proofs. Shares of profits are floats
here: what counts is the row that `kernels_combine` makes of them.
"""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .kernels import best_branch
from .kernels_combine import combine, drop, round_off, thin_out
from .kernels_rules import list_open
from .layout import (
    IN,
    OPEN,
    OUT,
    Bytes,
    FlatInstance,
    Indices,
    Ints,
    Workspace,
    room_for,
)
from .rows_layout import LOSSES, Desk, Draft, Floats, Living, Pool

CLOSED, FIXED, BRANCH, LOST, REACHED = -1, -2, -3, -4, -5
"""Answers of `draft_row`: the new row contradicts the decisions; it implies further
ones; there is none; what is lost costs too much, or a row at hand is contradicted; R
weighs enough and costs less than the best."""
_SWEEPS = 3
"""Sweeps over the items; more save hardly a row."""
_MANY = 3
"""Elements that one row is tried to keep out of R; with 8 there are more rows."""
_TRIES, _PATIENCE = 8, 2
"""Attempts at such a row; after these an element is given up each time, and shares
are more accurate."""
_MARGIN = 1.1
"""What an element is to get, as a multiple of what it seems to need."""


@kernel
def propagate(pool: Pool, state: Bytes) -> bool:
    """Decide what the rows at hand imply; return False if one is contradicted."""
    m = len(state)
    changed = True
    while changed:
        changed = False
        for i in range(pool.length[0]):
            row = pool.coefficient[pool.live[i]]
            gap = pool.most[pool.live[i]]
            for e in range(m):
                if state[e] == IN or (state[e] == OPEN and row[e] < 0):
                    gap -= row[e]
            if gap < 0:
                return False
            for e in range(m):
                if state[e] == OPEN and abs(row[e]) > gap:
                    state[e] = OUT if row[e] > 0 else IN
                    changed = True
    return True


@kernel
def settle(
    problem: FlatInstance, desk: Desk, pool: Pool, draft: Draft, worth: Ints, best: int
) -> int:
    """Draw the conclusions that need no new row; return the cost so far.

    That is ``best`` if there is nothing cheaper. Computes the profit of each
    element's living items.
    """
    state, alive, item, member = desk.state, desk.alive, problem.item, problem.member
    while True:
        if not propagate(pool, state):
            return best
        cost = 0
        changed = False
        for e in range(len(state)):
            worth[e] = 0
            if state[e] != IN:
                continue
            for t in range(problem.element[e], problem.element[e + 1]):
                j = problem.among[t]
                if not alive[j]:
                    continue
                alive[j] = False
                desk.charge[e] += problem.profit[j]
                for u in range(item[j], item[j + 1]):
                    if member[u] == e:
                        draft.lost[draft.tally[LOSSES]] = u
                        draft.tally[LOSSES] += 1
            cost += desk.charge[e]
        if cost >= best:
            return best
        for j in range(len(alive)):
            if not alive[j]:
                continue
            dear = cost + problem.profit[j] >= best
            for t in range(item[j], item[j + 1]):
                worth[member[t]] += problem.profit[j]
                if dear and state[member[t]] == OPEN:
                    state[member[t]] = OUT
                    changed = True
        if not changed:
            return cost


@kernel
def gather(problem: FlatInstance, desk: Desk, room: Workspace) -> Living:
    """List the open elements of living items, and add up what they weigh."""
    n, edges = len(desk.alive), len(problem.member)
    begin, edge = np.zeros(n + 1, np.uint32), np.empty(edges, np.uint32)
    member, heft = np.empty(edges, np.uint32), np.empty(edges, np.float64)
    share, profit = np.empty(edges, np.float64), np.empty(n, np.float64)
    owner = np.empty(n, np.uint32)
    items = count = 0
    for j in range(n):
        if not desk.alive[j]:
            continue
        room.mass[j] = 0
        for t in range(problem.item[j], problem.item[j + 1]):
            if desk.state[problem.member[t]] == OPEN:
                edge[count], member[count] = t, problem.member[t]
                heft[count] = problem.weight[problem.member[t]]
                room.mass[j] += problem.mass[problem.member[t]]
                share[count] = desk.share[t]
                count += 1
        if count > begin[items]:
            owner[items], profit[items] = j, problem.profit[j]
            items += 1
            begin[items] = count
    begin, owner = begin[: items + 1], owner[:items]
    return Living(begin, owner, profit, edge, member, heft, share)


@kernel
def pour(living: Living, load: Floats, near: Indices) -> None:
    """Share every living item's profit out again, to the least loaded for their weight.

    Loads per weight become as equal as they can: then shares are best for any
    multiplier.
    """
    begin, member, heft, share = living.begin, living.member, living.heft, living.share
    for j in range(len(begin) - 1):
        total, weight, size = living.profit[j], 0.0, 0
        for t in range(begin[j], begin[j + 1]):
            e = member[t]
            load[e] -= share[t]
            share[t] = 0.0
            total += load[e]
            weight += heft[t]
            near[size] = t
            size += 1
        # Those above the level of the others get nothing, which lowers that level.
        level = 0.0
        while size > 0:
            level = total / weight
            left = 0
            for i in range(size):
                t = near[i]
                own = load[member[t]]
                if own < level * heft[t]:
                    near[left] = t
                    left += 1
                else:
                    total -= own
                    weight -= heft[t]
            if left == size:
                break
            size = left
        for i in range(size):
            t = near[i]
            share[t] = level * heft[t] - load[member[t]]
            load[member[t]] += share[t]


@kernel
def weigh(
    problem: FlatInstance, desk: Desk, load: Floats, order: Indices, need: int
) -> tuple[float, float]:
    """Return a lower bound on further losses, and the best multiplier."""
    weight, state = problem.weight, desk.state
    count = 0
    for i in range(len(order)):  # open elements come first
        e = order[i]
        if state[e] != OPEN:
            continue
        order[i] = order[count]
        k = count
        while k > 0 and load[order[k - 1]] * weight[e] > load[e] * weight[order[k - 1]]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = e
        count += 1
    value = ratio = 0.0
    heft = at = 0
    while at < count and heft < need:
        e = order[at]
        value += load[e]
        heft += weight[e]
        ratio = load[e] / weight[e]
        at += 1
    return value - ratio * (heft - need), ratio


@kernel
def keep_out(
    problem: FlatInstance,
    desk: Desk,
    draft: Draft,
    living: Living,
    load: Floats,
    near: Indices,
    worth: Ints,
    need: int,
    lacking: float,
    ratio: float,
    limit: float,
) -> float:
    """Share so that a row keeps some elements out of R; return the multiplier.

    The row of the best shares lacks something until it is contradicted. An element that
    gets so much beyond the price of its weight is out of R: it is taken off
    its load meanwhile, so that shares flow to it. They then lack elsewhere, so
    that there is more to get, until it is as much or the element is given up.
    """
    weight, m = problem.weight, len(problem.weight)
    extra = np.zeros(m, dtype=np.float64)
    wanted = 0
    for _ in range(_MANY):
        found, most = -1, -1.0
        for e in range(m):
            possible = worth[e] - ratio * weight[e] > lacking and extra[e] == 0.0
            value = float(worth[e]) * weight[e]
            if desk.state[e] == OPEN and possible and value > most:
                found, most = e, value
        if found >= 0:
            extra[found] = 1.0
            wanted += 1
    for trial in range(_TRIES):
        if wanted == 0:
            break
        for e in range(m):
            if extra[e] > 0.0:
                extra[e] = lacking * _MARGIN + 1.0
                load[e] -= extra[e]
        pour(living, load, near)
        if trial >= _PATIENCE:
            pour(living, load, near)
        for e in range(m):
            load[e] += extra[e]
        value, ratio = weigh(problem, desk, load, draft.order, need)
        lacking = limit - value
        worst, least = -1, lacking
        for e in range(m):
            if extra[e] > 0.0 and load[e] - ratio * weight[e] <= least:
                worst, least = e, load[e] - ratio * weight[e]
        if worst < 0:
            break
        if trial >= _PATIENCE:
            extra[worst] = 0.0
            wanted -= 1
    return ratio


@kernel
def draft_row(
    problem: FlatInstance, desk: Desk, pool: Pool, draft: Draft, best: int, unit: int
) -> tuple[int, int]:
    """Find a row that closes the node or decides something, or where to branch.

    Returns the kind of answer, and the element or item for a branch.
    """
    m = len(problem.weight)
    worth = np.zeros(m, dtype=np.int64)
    load = np.zeros(m, dtype=np.float64)
    near = np.empty(m, dtype=np.uint32)
    tally, state = draft.tally, desk.state
    tally[:] = 0
    cost = settle(problem, desk, pool, draft, worth, best)
    if cost == best:
        return LOST, 0
    need = problem.need
    for e in range(m):
        if state[e] == IN:
            need -= problem.weight[e]
    if need <= 0:
        return REACHED, 0
    room = room_for(problem)
    living = gather(problem, desk, room)
    for t in range(living.begin[-1]):
        load[living.member[t]] += living.share[t]
    value = ratio = 0.0
    for _ in range(_SWEEPS):
        pour(living, load, near)
        value, ratio = weigh(problem, desk, load, draft.order, need)
        if cost + value >= best:
            break
    limit = float(best - 1 - cost)
    opens, _, _ = list_open(problem, state, room)
    opened, gap = room.opened[:opens], max(1, best - cost - int(value))
    branch = best_branch(problem, room, opened, living.owner, worth, need, gap)
    item = value <= limit and branch >= m
    if value <= limit and not item:
        ratio = keep_out(
            problem,
            desk,
            draft,
            living,
            load,
            near,
            worth,
            need,
            limit - value,
            ratio,
            limit,
        )
    desk.share[:] = 0.0
    for t in range(living.begin[-1]):
        desk.share[living.edge[t]] = living.share[t]
    if item:  # no element is so easily kept out of R that it would help as much
        return BRANCH, branch
    round_off(problem, desk, draft, unit)
    surplus = combine(problem, desk, draft, ratio, best)
    decided = 0
    for e in range(m):
        decided += state[e] == OPEN and abs(draft.row[e]) > -surplus
    if decided == 0:
        return BRANCH, branch
    thin_out(problem, draft)
    drop(problem, draft, state, surplus)
    return CLOSED if surplus > 0 else FIXED, 0
