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

from ....solvers.kernels import kernel
from .kernels_rules import lose
from .layout import (
    COST,
    IN,
    MOST_MULTIPLIED,
    MULTIPLIER_BITS,
    NEED,
    OPEN,
    OUT,
    Node,
    Problem,
    Room,
)

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
def share_out(
    problem: Problem, node: Node, room: Room, opens: int, free: int
) -> tuple[int, int]:
    """List living items and their edges with the node's shares; return the numbers.

    What kept elements had of an item goes to its open ones evenly. An item that weighs
    more than R can spare is lost.
    """
    item, member, share, weight = (
        problem.item,
        problem.member,
        problem.share,
        problem.weight,
    )
    state, alive, shares = node.state, node.alive, node.shares
    begin, rest, part, at, load = room.begin, room.rest, room.part, room.at, room.load
    place, edge, heavy, opened = room.place, room.edge, room.heavy, room.opened
    for i in range(opens):
        heavy[i] = problem.mass[opened[i]]
        load[i] = 0
    edges = items = 0
    for j in range(len(alive)):
        if not alive[j]:
            continue
        first = edges
        spare = share[j]
        heft = np.int64(0)
        for t in range(item[j], item[j + 1]):
            e = member[t]
            if state[e] == OPEN:
                heft += weight[e]
                at[edges] = place[e]
                edge[edges] = t
                part[edges] = shares[t]
                spare -= shares[t]
                edges += 1
        if heft > free:
            lose(problem, node, j)
            edges = first
        elif edges > first:
            gift = spare // (edges - first)
            for t in range(first, edges):
                part[t] += gift
                load[at[t]] += part[t]
            begin[items] = first
            room.owner[items] = j
            room.heft[items] = heft
            rest[items] = spare - gift * (edges - first)
            items += 1
    begin[items] = edges
    return items, edges


@kernel
def pour(room: Room, items: int) -> None:
    """Share each item's profit out anew, to its elements of lowest level."""
    begin, at, part = room.begin, room.at, room.part
    load, rest, heavy = room.load, room.rest, room.heavy
    for i in range(items):
        first, last = begin[i], begin[i + 1]
        pot = rest[i]
        mass = water = np.int64(0)
        for t in range(first, last):
            a = at[t]
            load[a] -= part[t]
            pot += part[t]
            mass += heavy[a]
            water += load[a]
        level = float(pot + water) / float(mass)
        for _ in range(1):  # without the elements above the level, which so falls
            below = water = np.int64(0)
            for t in range(first, last):
                a = at[t]
                if float(load[a]) <= level * float(heavy[a]):
                    below += heavy[a]
                    water += load[a]
            if below == 0 or below >= mass:
                break
            mass = below
            level = float(pot + water) / float(mass)
        for t in range(first, last):
            a = at[t]
            gift = np.int64(level * float(heavy[a])) - load[a]
            gift = min(max(gift, 0), pot)
            part[t] = gift
            load[a] += gift
            pot -= gift
        rest[i] = pot


@kernel
def level_for(room: Room, opens: int, wanted: int) -> float:
    """Return the level up to which elements weigh what is wanted."""
    order, heavy, load, level = room.order, room.heavy, room.load, room.level
    for i in range(opens):
        level[i] = float(load[i]) / float(heavy[i])
        order[i] = i
    first, last = 0, opens  # what is looked for is among these
    missing = np.int64(wanted)
    while last - first > 1:
        x, y, z = (
            level[order[first]],
            level[order[(first + last) >> 1]],
            level[order[last - 1]],
        )
        pivot = max(min(x, y), min(max(x, y), z))
        lower = same = np.int64(0)
        left, right, i = first, last, first
        while i < right:  # lower, equal, not yet seen, higher
            a = order[i]
            if level[a] < pivot:
                order[i], order[left] = order[left], a
                left += 1
                i += 1
                lower += heavy[a]
            elif level[a] > pivot:
                right -= 1
                order[i], order[right] = order[right], a
            else:
                i += 1
                same += heavy[a]
        if lower >= missing:
            last = left
        elif lower + same >= missing or right == last:
            return float(pivot)
        else:
            missing -= lower + same
            first = right
    return float(level[order[first]])


@kernel
def bound_by_shares(
    problem: Problem,
    node: Node,
    room: Room,
    opens: int,
    free: int,
    best: int,
    sweeps: int,
) -> tuple[int, int, int]:
    """Bound the cost below a node, or decide elements.

    Returns the bound; the number of pending decisions, or `EXCEEDED`; and the number of
    items listed.
    """
    items, edges = share_out(problem, node, room, opens, free)
    cost = node.tally[COST]
    if cost >= best:
        return cost, EXCEEDED, items
    key, heavy, load = room.key, room.heavy, room.load
    limit = scaled(best - cost - 1, problem.shift) << MULTIPLIER_BITS
    wanted = -((-node.tally[NEED]) >> problem.drop)
    highest = MOST_MULTIPLIED // max(problem.mass.sum(), 1)
    for _ in range(sweeps):
        pour(room, items)
    fine = level_for(room, opens, wanted) * float(1 << MULTIPLIER_BITS)
    multiplier = min(np.int64(fine), highest)
    value = multiplier * wanted
    for i in range(opens):
        key[i] = (load[i] << MULTIPLIER_BITS) - multiplier * heavy[i]
        value += min(key[i], 0)
    waiting = 0
    if value > limit:
        waiting = EXCEEDED
    else:
        for i in range(opens):  # taken though left, or left though taken
            if abs(key[i]) > limit - value:
                node.pending[waiting] = room.opened[i]
                node.verdict[waiting] = OUT if key[i] > 0 else IN
                waiting += 1
    shares, edge, part = node.shares, room.edge, room.part
    for t in range(edges):
        shares[edge[t]] = part[t]
    return cost + unscaled(value, problem.shift), waiting, items
