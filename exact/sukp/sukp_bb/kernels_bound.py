"""Kernels of the bound by shares of the branch and bound; see ``search``.

The bound shares every living item's profit out among its open elements. With b_e
what element e got, excluding R costs at least the sum of b_e over R, whatever the
shares; a multiplier prices the weight R must have. All numbers are int64: shares
are scaled profits that never sum to more than the profit, the multiplier is any
integer, so every bound holds exactly, however shares and multiplier come about.

They come about by pouring: each item in turn pours its profit out where it stands
lowest, by weight. Shares whose levels, b_e by weight, are as even as they can be are
best for every multiplier at once, and so for what R needs.
"""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel, uncounted
from .kernels_rules import lose
from .layout import (
    COST,
    DECIDED,
    IN,
    MULTIPLIER_BITS,
    NEED,
    OUT,
    FlatInstance,
    Ints,
    Lists,
    Node,
    Workspace,
)

EXCEEDED = -1
"""The bound passes the limit."""
_STEPS = 20
"""Steps that look for the best multiplier, at most."""
_FINE = 12
"""Bits of it that are looked for."""


@uncounted
@kernel
def to_shares(cost: int, shift: int) -> int:
    """Return a cost in units of shares, rounded up."""
    if shift >= 0:
        return cost << shift
    return -((-cost) >> -shift)


@uncounted
@kernel
def from_shares(value: int, shift: int) -> int:
    """Return the least whole cost that a bound in finest units proves."""
    if shift >= 0:
        return -((-value) >> (shift + MULTIPLIER_BITS))
    return (value >> MULTIPLIER_BITS) << -shift


@uncounted
@kernel
def too_heavy(problem: FlatInstance, mass: int, size: int, free: int) -> bool:
    """Return whether elements of this mass weigh more than R can spare."""
    return (mass - (size if problem.drop > 0 else 0)) << problem.drop > free


@uncounted
@kernel
def in_order(
    problem: FlatInstance,
    node: Node,
    room: Workspace,
    lists: Lists,
    source: int,
    level: int,
    decided: int,
) -> int:
    """Order what lives in a list, and take off the loads what lost items gave.

    Items of elements that were kept since ``decided`` decisions come first: what they
    gave these is missing in the loads until they are poured again. Not so in place,
    where the order must stay. Returns the number of items.
    """
    owner, begin, alive = lists.owner, lists.begin, node.alive
    load, order, first = lists.load[level], room.order, room.first
    for j in range(len(first)):
        first[j] = source == level
    for i in range(decided, node.tally[DECIDED]):
        e = node.trail[i]
        if e < len(problem.weight) and node.state[e] == OUT:
            for u in range(problem.element[e], problem.element[e + 1]):
                first[problem.among[u]] = True
    start, stop = lists.first[source], lists.first[source + 1]
    count = np.uint64(0)
    for i in range(start, stop):
        j = owner[i]
        order[count] = i
        count += np.uint64(alive[j] and first[j])
        if not alive[j]:
            for t in range(begin[i], begin[i + 1]):
                load[lists.at[t]] -= lists.part[t]
    for i in range(start, stop):
        j = owner[i]
        order[count] = i
        count += np.uint64(alive[j] and not first[j])
    return int(count)


@uncounted
@kernel
def pour(
    problem: FlatInstance,
    node: Node,
    room: Workspace,
    lists: Lists,
    source: int,
    level: int,
    free: int,
    decided: int,
) -> None:
    """Pour all items of a level's list out again; list what is left of it at a level.

    That is the same level or the next. Those are left that live and have open elements.
    An item that weighs more than R can spare, ``free``, is lost. Since ``decided``
    decisions the list was not poured.
    """
    begin, at, part = lists.begin, lists.at, lists.part
    heavy, load, before = room.heavy, lists.load[level], lists.load[source]
    for e in range(len(load)):
        load[e] = before[e]
    listed = in_order(problem, node, room, lists, source, level, decided)
    count = np.uint64(lists.first[level])
    edge = np.uint64(begin[count])  # unsigned: see `Indices`
    for q in range(listed):
        i = room.order[q]
        j = lists.owner[i]
        first = edge
        mass = water = np.int64(0)
        for t in range(begin[i], begin[i + 1]):
            a = at[t]
            h, now = heavy[a], load[a] - part[t]
            load[a] = now
            at[edge] = a
            edge += np.uint64(h > 0)
            mass += h
            water += now if h > 0 else 0
        if too_heavy(problem, mass, np.int64(edge - first), free):
            lose(problem, node, j)
            edge = first
            continue
        if edge == first:
            continue
        pot = problem.share[j]
        height = float(pot + water) / float(mass)
        below = lake = np.int64(0)
        for t in range(first, edge):
            a = at[t]
            h, now = heavy[a], load[a]
            low = float(now) <= height * float(h)
            below += h if low else 0
            lake += now if low else 0
            part[t] = now  # and no vectors: these loops are short
        if below > 0:  # without the elements above the level, which so falls
            height = float(pot + lake) / float(below)
        for t in range(first, edge):
            a, now = at[t], part[t]
            gift = np.int64(height * float(heavy[a])) - now
            gift = min(max(gift, 0), pot)
            part[t] = gift
            load[a] = now + gift
            pot -= gift
        lists.owner[count] = j
        begin[count] = first
        room.mass[j] = mass
        count += np.uint64(1)
    begin[count] = edge
    lists.first[level + 1] = count


@uncounted
@kernel
def multiplier_for(room: Workspace, opens: int, wanted: int, total: int) -> int:
    """Return the level up to which elements weigh what is wanted, or one close by."""
    level, heft = room.level, room.heft
    low = high = level[0]
    for i in range(opens):
        low = min(low, level[i])
        high = max(high, level[i])
    below, above = np.int64(0), np.int64(total)
    for step in range(_STEPS):
        if above - below <= heft[0] or high - low <= high >> _FINE:
            break
        middle = (low + high) >> 1
        if step & 1 == 0:
            part = float(wanted - below) / float(above - below)
            middle = low + np.int64(part * float(high - low))
        weight = np.int64(0)
        for i in range(opens):
            weight += heft[i] if level[i] <= middle else 0
        if weight >= wanted:
            high, above = middle, weight
        else:
            low, below = middle, weight
    best = 0
    for i in range(opens):
        best = max(best, level[i] if level[i] <= high else 0)
    return best


@uncounted
@kernel
def bound_by_shares(
    problem: FlatInstance,
    node: Node,
    room: Workspace,
    load: Ints,
    opens: int,
    best: int,
) -> tuple[int, int]:
    """Bound the cost below a node, or decide elements.

    Returns the bound, and the number of pending decisions or `EXCEEDED`.
    """
    cost = node.tally[COST]
    if cost >= best:
        return cost, EXCEEDED
    opened, key, heavy = room.opened, room.key, room.heavy
    limit = to_shares(best - cost - 1, problem.shift) << MULTIPLIER_BITS
    wanted = -((-node.tally[NEED]) >> problem.drop)
    total = np.int64(0)
    for i in range(opens):
        e = opened[i]
        total += heavy[e]
        room.heft[i] = heavy[e]
        fine = float(load[e]) / float(heavy[e]) * float(1 << MULTIPLIER_BITS)
        room.level[i] = np.int64(fine)
    multiplier = min(multiplier_for(room, opens, wanted, total), problem.highest)
    value = multiplier * wanted
    for i in range(opens):
        e = opened[i]
        key[i] = (load[e] << MULTIPLIER_BITS) - multiplier * heavy[e]
        value += min(key[i], 0)
    waiting = 0
    if value > limit:
        waiting = EXCEEDED
    else:
        for i in range(opens):  # taken though left, or left though taken
            if abs(key[i]) > limit - value:
                node.pending[waiting] = opened[i]
                node.verdict[waiting] = OUT if key[i] > 0 else IN
                waiting += 1
    return cost + from_shares(value, problem.shift), waiting
