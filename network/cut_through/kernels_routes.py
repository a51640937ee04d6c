"""Kernels that route: which links the packet at the head of a queue may take."""

from __future__ import annotations

from ...solvers.running.kernels import kernel
from .layout import (
    ABOVE,
    AGENDA,
    AGENDA_COUNT,
    AGENDA_END,
    AGENDA_FIRST,
    AT,
    AXES,
    AXIS_SIZE,
    BIT,
    BITS_AT,
    BUBBLE,
    CHANGED_COUNT,
    CHANGED_LIST,
    CHANGES,
    COLUMNS,
    ESCAPE,
    EVENT_SIZE,
    FRESH_COUNT,
    FRESH_LIST,
    GOAL,
    HEAD,
    INPUTS,
    LEVEL,
    LINK_SIZE,
    LIST,
    LOW,
    MESSAGE,
    NEED,
    NUMBER,
    OPEN_NOW,
    OPTIONS,
    OUTPUT,
    OWN_LIST,
    PHITS,
    PORT,
    PORTS,
    RADIX,
    RING,
    SAME_RING,
    SEED,
    SHIFT,
    SINCE,
    STATE,
    TABLE,
    TO,
    VALIANT,
    VERTEX,
    VERTICES,
    WAITING,
    WAY,
    Net,
    Routes,
    U,
)

PER_MESSAGE = 668265263
"""What a message with the next number adds to the seed of its draws."""


@kernel
def draw_number(seed: int, message: int, state: int, place: int) -> int:
    """Return 31 random bits of a packet at a place, whenever they are asked for.

    No product exceeds 2^61, so that machine code and source agree.
    """
    h = int(seed) + int(message) * PER_MESSAGE + int(state) * 374761393
    h += int(place) * 739982445
    h = ((h & LOW) * 805459861) & LOW
    h = ((h ^ (h >> 15)) * 739982445) & LOW
    h = ((h ^ (h >> 12)) * 695872825) & LOW
    return int(h ^ (h >> 15))


@kernel
def redrawn(bits: int) -> int:
    """Return the next random bits after some."""
    return int((bits * 1103515245 + 12345) & LOW)


@kernel
def schedule(net: Net, what: int, link: int, now: int) -> None:
    """Note what happens PHITS cycles from now."""
    place = net[AGENDA_FIRST] + EVENT_SIZE * net[AGENDA_COUNT]
    if place >= net[AGENDA_END]:
        place -= net[AGENDA_END] - net[AGENDA]
    net[U(place)] = (now + net[PHITS]) & LOW
    net[U(place + 1)] = what
    net[U(place + 2)] = link
    net[AGENDA_COUNT] += 1


@kernel
def line_up(net: Net, q: int, vertex: int, bits: int, now: int) -> None:
    """Have the head of a queue wait for links; arbitrate if one of them is free."""
    net[U(net[U(q + BITS_AT)])] = bits
    net[U(q + SINCE)] = now & LOW
    free = bits & net[U(vertex + OPEN_NOW)]
    if free:
        if net[U(vertex + CHANGES)] == 0:
            net[U(net[CHANGED_LIST] + net[CHANGED_COUNT])] = vertex
            net[CHANGED_COUNT] += 1
        net[U(vertex + CHANGES)] |= free


@kernel
def on_grid(net: Net, now: int) -> None:
    """Route fresh heads of a mesh or torus: minimal ways; dimension order to escape.

    Of two ways of equal length round a ring the parity of the sender decides.
    """
    fresh = net[FRESH_LIST]
    count = net[FRESH_COUNT]
    table = net[AT]
    axes = net[COLUMNS]
    adaptive = net[WAY]
    size = net[LINK_SIZE]
    bubble = net[BUBBLE]
    net[FRESH_COUNT] = 0
    for j in range(count):
        q = net[U(fresh + j)]
        here = net[U(q + VERTEX)]
        goal = net[U(net[U(q + HEAD)] + GOAL)]
        odd = goal & 1
        shift = net[U(q + SHIFT)]
        there = table + (goal >> 1) * axes
        at = table + net[U(here + NUMBER)] * axes
        if there == at:
            schedule(net, q, 0, now)
            continue
        options = 0
        escape = 0
        bits = 0
        for a in range(axes):
            axis = net[AXES] + AXIS_SIZE * a
            port = (
                net[U(net[U(axis + PORTS + odd)] + net[U(there + a)] - net[U(at + a)])]
                - 1
            )
            if port < 0:
                continue
            link = net[U(here + OUTPUT)] + size * port
            if escape == 0:
                escape = link
                bits = net[U(link + BIT)]
                stays = net[U(q + SAME_RING)] == port
                net[U(q + NEED)] = bubble if net[U(axis + RING)] and not stays else 1
            if adaptive:
                bits |= net[U(link + BIT)] << shift
                net[U(q + OWN_LIST + options)] = link
                options += 1
        net[U(q + OPTIONS)] = options
        net[U(q + ESCAPE)] = escape
        line_up(net, q, here, bits, now)


@kernel
def on_tree(net: Net, now: int) -> None:
    """Route fresh heads of a k-ary n-tree: up by any port to an ancestor, then down."""
    fresh = net[FRESH_LIST]
    count = net[FRESH_COUNT]
    table = net[AT]
    columns = net[COLUMNS]
    k = net[RADIX]
    size = net[LINK_SIZE]
    net[FRESH_COUNT] = 0
    for j in range(count):
        q = net[U(fresh + j)]
        here = net[U(q + VERTEX)]
        target = table + (net[U(net[U(q + HEAD)] + GOAL)] >> 1) * columns
        level = net[U(here + LEVEL)]
        above = net[U(target + level + 1)]
        if net[U(here + ABOVE)] == above:
            port = net[U(target + level)] - k * above
            link = net[U(here + OUTPUT)] + size * port
            bits = net[U(link + BIT)]
            net[U(q + OWN_LIST)] = link
            net[U(q + LIST)] = q + OWN_LIST
            net[U(q + OPTIONS)] = 1
        else:
            ups = here + WAITING + net[U(here + INPUTS)]
            bits = net[U(ups)]
            net[U(q + LIST)] = ups + 1
            net[U(q + OPTIONS)] = k
        line_up(net, q, here, bits, now)


@kernel
def on_graph(net: Net, routes: Routes, now: int) -> None:
    """Route fresh heads of a graph: a shortest path, on the channel of the hop."""
    first = routes.first
    ends = routes.ends
    row_of = routes.row
    away = routes.away
    middles = routes.middles
    fresh = net[FRESH_LIST]
    count = net[FRESH_COUNT]
    seed = net[SEED]
    way = net[WAY]
    size = net[LINK_SIZE]
    net[FRESH_COUNT] = 0
    for j in range(count):
        q = net[U(fresh + j)]
        vertex = net[U(q + VERTEX)]
        here = net[U(vertex + NUMBER)]
        packet = net[U(q + HEAD)]
        goal = net[U(packet + GOAL)] >> 1
        state = net[U(packet + STATE)]
        if way == VALIANT and state & 1 == 0:
            bits = draw_number(seed, net[U(packet + MESSAGE)], state, net[VERTICES])
            middle = middles[bits % len(middles)]
            if middle == here:
                state += 1
                net[U(packet + STATE)] = state
            else:
                goal = middle
        if goal == here:
            schedule(net, q, 0, now)
            continue
        row = row_of[goal]
        if way == TABLE:
            port = away[row, here]
        else:
            port = 0
            ties = 0
            bits = 0
            for i in range(first[here], first[here + 1]):
                if away[row, ends[i, TO]] + ends[i, PORT] != away[row, here]:
                    continue
                ties += 1
                if ties == 1:
                    port = i - first[here]
                    continue
                if ties == 2:
                    bits = draw_number(seed, net[U(packet + MESSAGE)], state, here)
                bits = redrawn(bits)
                if (bits >> 15) * ties < 2**16:  # with probability 1 / ties
                    port = i - first[here]
        link = net[U(vertex + OUTPUT)] + size * port
        net[U(q + OWN_LIST)] = link
        net[U(q + OPTIONS)] = 1
        line_up(net, q, vertex, net[U(link + BIT)] << net[U(q + SHIFT)], now)
