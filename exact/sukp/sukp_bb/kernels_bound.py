"""Kernels of the bound by shares of the branch and bound; see ``search``.

The bound shares every living item's profit out among its open elements. With b_e
what element e got, excluding R costs at least the sum of b_e over R, whatever the
shares; a multiplier prices the weight R must have. All numbers are int64: shares
are scaled profits that never sum to more than the profit, the multiplier is any
integer, so every bound holds exactly, however the ascent comes by it.
"""

from __future__ import annotations

import numpy as np

from ....solvers.kernels import kernel
from .layout import (
    COST,
    FAR,
    IN,
    MOST_MULTIPLIED,
    MULTIPLIER,
    MULTIPLIER_BITS,
    NEED,
    OPEN,
    OUT,
    Indices,
    Ints,
    Node,
    Problem,
    Room,
)

_PATIENCE = 6
"""Steps without success after which the ascent halves its steps."""
_MOST_DAMPED = 12
EXCEEDED = -1
"""The bound passes the limit."""


@kernel
def scaled(cost: int, shift: int) -> int:
    """Return a cost in units of shares, rounded up."""
    if shift >= 0:
        return cost << shift
    return -((-cost) >> -shift)


@kernel
def unscaled(value: int, shift: int) -> int:
    """Return the least whole cost that a bound in finest units proves."""
    if shift >= 0:
        return -((-value) >> (shift + MULTIPLIER_BITS))
    return (value >> MULTIPLIER_BITS) << -shift


@kernel
def sort_by(order: Indices, count: int, key: Ints) -> None:
    """Sort by insertion: the order hardly changes from one step to the next."""
    for i in range(1, count):
        e = order[i]
        value = key[e]
        j = i
        while j > 0 and key[order[j - 1]] > value:
            order[j] = order[j - 1]
            j -= 1
        order[j] = e


@kernel
def select(order: Indices, key: Ints, fewest: int, most: int) -> tuple[int, int]:
    """Return the least sum of fewest to most of the sorted keys, and how many."""
    total = 0
    for i in range(fewest):
        total += key[order[i]]
    count = fewest
    while count < most and key[order[count]] < 0:
        total += key[order[count]]
        count += 1
    return total, count


@kernel
def edge_of(
    order: Indices, key: Ints, opens: int, took: int, fewest: int, most: int
) -> int:
    """Return what is to be taken off the sorted keys so that the signs select."""
    if took == fewest and key[order[took - 1]] > 0:
        return int(key[order[took - 1]])
    if took == most and took < opens and key[order[took]] < 0:
        return int(key[order[took]])
    return 0


@kernel
def probe(
    problem: Problem,
    node: Node,
    room: Room,
    opens: int,
    gap: int,
    multiplier: int,
    edge: int,
) -> int:
    """Keep every open element whose exclusion would pass the limit at once.

    With e in R its items are lost whole, and what they gave to the other elements
    is taken back: a bound below the node with e, without any ascent. Returns the
    number of elements found; they are noted as pending.
    """
    share, element, among = problem.share, problem.element, problem.among
    key, begin, grant, at, part = room.key, room.begin, room.grant, room.at, room.part
    alive, local, opened, heavy = node.alive, room.local, room.opened, room.heavy
    waiting = 0
    for i in range(opens):
        e = opened[i]
        whole = 0
        for t in range(element[e], element[e + 1]):
            if alive[among[t]]:
                whole += share[among[t]]
        rise = (whole << MULTIPLIER_BITS) - multiplier * heavy[i] - edge
        rise -= min(0, key[i] - edge)
        if rise <= gap:
            continue
        for t in range(element[e], element[e + 1]):
            j = among[t]
            if alive[j]:
                for u in range(begin[local[j]], begin[local[j] + 1]):
                    grant[at[u]] += part[u]
        grant[i] = 0
        for a in range(opens):
            if grant[a] > 0:
                over = key[a] - edge
                rise -= min(0, over) - min(0, over - (grant[a] << MULTIPLIER_BITS))
                grant[a] = 0
        if rise > gap:
            node.pending[waiting] = e
            node.verdict[waiting] = OUT
            waiting += 1
    return waiting


@kernel
def share_out(problem: Problem, node: Node, room: Room, opens: int) -> tuple[int, int]:
    """List living items and their edges with the node's shares; return the numbers.

    What kept elements had of an item goes to its open ones evenly.
    """
    item, member, share = problem.item, problem.member, problem.share
    state, alive, shares = node.state, node.alive, node.shares
    begin, rest, part, at, load = room.begin, room.rest, room.part, room.at, room.load
    place, edge, local = room.place, room.edge, room.local
    edges = items = 0
    for j in range(len(alive)):
        if not alive[j]:
            continue
        first = edges
        spare = share[j]
        for t in range(item[j], item[j + 1]):
            e = member[t]
            if state[e] == OPEN:
                at[edges] = place[e]
                edge[edges] = t
                part[edges] = shares[t]
                spare -= shares[t]
                edges += 1
        if edges > first:
            begin[items] = first
            local[j] = items
            rest[items] = spare
            items += 1
    begin[items] = edges
    order, heavy, opened, mass = room.order, room.heavy, room.opened, problem.mass
    for i in range(opens):
        order[i] = i
        heavy[i] = mass[opened[i]]
        load[i] = 0
    for i in range(items):
        size = np.int64(begin[i + 1] - begin[i])
        gift = rest[i] // size
        rest[i] -= gift * size
        for t in range(begin[i], begin[i + 1]):
            part[t] += gift
            load[at[t]] += part[t]
    return items, edges


@kernel
def fix(
    node: Node,
    room: Room,
    opens: int,
    took: int,
    fewest: int,
    most: int,
    value: int,
    limit: int,
) -> int:
    """Decide the elements whose exchange lifts the bound past the limit.

    Returns their number; they are noted as pending.
    """
    order, key, opened = room.order, room.key, room.opened
    pending, verdict = node.pending, node.verdict
    waiting = 0
    edge_in = key[order[took - 1]]
    swap_in = took == most or edge_in >= 0
    follow = FAR
    if took < opens:
        follow = key[order[took]]
    if took > fewest:
        follow = min(follow, 0)
    for i in range(took):
        e = order[i]
        if follow == FAR or value - key[e] + follow > limit:
            pending[waiting] = opened[e]
            verdict[waiting] = IN
            waiting += 1
    leave = edge_in if swap_in else 0
    for i in range(took, opens):
        e = order[i]
        if value - leave + key[e] > limit:
            pending[waiting] = opened[e]
            verdict[waiting] = OUT
            waiting += 1
    return waiting


@kernel
def shift_shares(room: Room, opens: int, items: int, took: int, wish: int) -> bool:
    """Shift shares from elements left to elements taken; False if there are none.

    Taken are the first ``took`` in order; all shifts together should be about ``wish``.
    """
    begin, at, part, chosen = room.begin, room.at, room.part, room.chosen
    order, load, rest = room.order, room.load, room.rest
    for i in range(opens):
        chosen[order[i]] = i < took
    norm = 0
    for i in range(items):
        taken = others = 0
        for t in range(begin[i], begin[i + 1]):
            if chosen[at[t]]:
                taken += 1
            elif part[t] > 0:
                others += 1
        if taken > 0:
            norm += others
    if norm == 0:
        return False
    step = max(wish // norm, 1)
    for i in range(items):
        first, last = begin[i], begin[i + 1]
        taken = 0
        for t in range(first, last):
            taken += chosen[at[t]]
        if taken == 0 or taken == last - first:
            continue
        pot = rest[i]
        for t in range(first, last):
            a = at[t]
            if not chosen[a]:
                gift = min(part[t], step)
                part[t] -= gift
                load[a] -= gift
                pot += gift
        gift = pot // taken
        rest[i] = pot - gift * taken
        for t in range(first, last):
            a = at[t]
            if chosen[a]:
                part[t] += gift
                load[a] += gift
    return True


@kernel
def ascend(
    problem: Problem,
    node: Node,
    room: Room,
    opens: int,
    items: int,
    fewest: int,
    most: int,
    limit: int,
    left: int,
) -> tuple[int, int, int]:
    """Improve shares and multiplier until something is decided or steps are over.

    Starts after `share_out`; R may still get ``fewest`` to ``most`` open elements. A
    bound above the limit, in finest units, closes the node. Returns the best bound; the
    number of pending decisions or `EXCEEDED`; and how many steps are left.
    """
    order, key, heavy, load = room.order, room.key, room.heavy, room.load
    wanted = -((-node.tally[NEED]) >> problem.drop)
    highest = MOST_MULTIPLIED // max(problem.mass.sum(), 1)
    multiplier = min(max(node.tally[MULTIPLIER], 0), highest)
    value_best = -FAR
    damping = stalled = waiting = 0
    while left > 0:
        left -= 1
        value_before = value_best
        value = 0
        took = fewest
        for trial in range(3):
            for i in range(opens):
                key[i] = (load[i] << MULTIPLIER_BITS) - multiplier * heavy[i]
            sort_by(order, opens, key)
            total, took = select(order, key, fewest, most)
            value = multiplier * wanted + total
            value_best = max(value_best, value)
            if value > limit:
                waiting = EXCEEDED
                break
            waiting = fix(node, room, opens, took, fewest, most, value, limit)
            if waiting > 0:
                break
            slope = wanted
            for i in range(took):
                slope -= heavy[order[i]]
            if slope == 0 or trial == 2:
                break
            widest = max(multiplier >> (3 + damping), 1)
            change = ((limit - value) >> 2) // abs(slope)
            change = min(max(change, 1), widest)
            if slope < 0:
                change = -change
            multiplier = min(max(multiplier + change, 0), highest)
        if waiting != 0:
            break
        if left == 0:
            edge = edge_of(order, key, opens, took, fewest, most)
            waiting = probe(problem, node, room, opens, limit - value, multiplier, edge)
            if waiting > 0:
                break
        # the limit may be far above what can be reached: go less far
        stalled = 0 if value_best > value_before else stalled + 1
        if stalled == _PATIENCE:
            stalled = 0
            damping = min(damping + 1, _MOST_DAMPED)
        wish = max((limit - value) >> (MULTIPLIER_BITS + damping), 1)
        if not shift_shares(room, opens, items, took, wish):
            break
    node.tally[MULTIPLIER] = multiplier
    return value_best, waiting, left


@kernel
def bound_by_shares(
    problem: Problem,
    node: Node,
    room: Room,
    opens: int,
    fewest: int,
    most: int,
    best: int,
    left: int,
) -> tuple[int, int, int]:
    """Bound the cost below a node: share out, `ascend`, keep the shares found.

    Returns the same as `ascend`, but the bound as a cost.
    """
    cost = node.tally[COST]
    limit = scaled(best - cost - 1, problem.shift) << MULTIPLIER_BITS
    items, edges = share_out(problem, node, room, opens)
    value, waiting, left = ascend(
        problem, node, room, opens, items, fewest, most, limit, left
    )
    shares, edge, part = node.shares, room.edge, room.part
    for t in range(edges):
        shares[edge[t]] = part[t]
    return cost + unscaled(value, problem.shift), waiting, left
