"""Kernels that route: which links the packet at the head of a queue may take."""

from __future__ import annotations

from ...solvers.kernels import kernel
from .cut_through_layout import (
    ABOVE,
    ADAPTIVE,
    BUBBLE,
    ESCAPE,
    FEEDS,
    FRESH,
    GOAL,
    LEVEL,
    LOWEST,
    MESSAGE,
    NEED,
    OPTIONS,
    OUT,
    OUT_END,
    PARITY,
    PORT,
    RADIX,
    SEED,
    SOURCE,
    STATE,
    TABLE,
    TARGET,
    TO,
    VERTEX,
    WANTED,
    Mail,
    Net,
    Routes,
)

BITS = 2**31 - 1
PER_MESSAGE = 668265263
"""What a message with the next number adds to the seed of its draws."""


@kernel
def drawn(seed: int, message: int, state: int, place: int) -> int:
    """Return 31 random bits of a packet at a place, whenever they are asked for.

    No product exceeds 2^61, so that machine code and source agree.
    """
    h = seed + message * PER_MESSAGE + state * 374761393 + place * 739982445
    h = ((h & BITS) * 805459861) & BITS
    h = ((h ^ (h >> 15)) * 739982445) & BITS
    h = ((h ^ (h >> 12)) * 695872825) & BITS
    return int(h ^ (h >> 15))


@kernel
def redrawn(bits: int) -> int:
    """Return the next random bits after some."""
    return int((bits * 1103515245 + 12345) & BITS)


@kernel
def on_grid(net: Net, routes: Routes, mail: Mail) -> None:
    """Route fresh heads of a mesh or torus: minimal ways; dimension order to escape.

    Of two ways of equal length round a ring the parity of the sender decides.
    """
    queues = net.queues
    options = net.options
    sides = routes.sides
    ends = routes.ends
    at = routes.at
    adaptive = net.numbers[ADAPTIVE]
    for j in range(net.tally[FRESH]):
        q = net.fresh[j]
        here = queues[q, VERTEX]
        goal = queues[q, GOAL]
        source = mail.messages[queues[q, MESSAGE], SOURCE]
        parity = net.vertices[source, PARITY]
        first = net.vertices[here, OUT]
        count = 0
        escape = -1
        for a in range(len(sides)):
            step = at[goal, a] - at[here, a]
            if step == 0:
                continue
            up = step > 0
            if sides[a, 1]:
                if step < 0:
                    step += sides[a, 0]
                twice = 2 * step
                up = twice < sides[a, 0] or (twice == sides[a, 0] and parity == 0)
            port = 2 * a if up else 2 * a + 1
            link = routes.out[first + port]
            if escape < 0:
                escape = link
                need = net.numbers[BUBBLE] if sides[a, 1] else 1
                if routes.lane[q] == 0 and ends[queues[q, FEEDS], PORT] == port:
                    need = 1  # it stays within its ring
                queues[q, NEED] = need
            if adaptive:
                options[q, count] = link
                count += 1
        queues[q, OPTIONS] = count
        queues[q, WANTED] = 1
        queues[q, ESCAPE] = escape


@kernel
def on_tree(net: Net, routes: Routes, mail: Mail) -> None:
    """Route fresh heads of a k-ary n-tree: up by any port to an ancestor, then down."""
    queues = net.queues
    options = net.options
    out = routes.out
    vertices = net.vertices
    at = routes.at
    k = net.numbers[RADIX]
    for j in range(net.tally[FRESH]):
        q = net.fresh[j]
        here = queues[q, VERTEX]
        target = mail.messages[queues[q, MESSAGE], TARGET]
        first = vertices[here, OUT]
        level = vertices[here, LEVEL]
        if vertices[here, ABOVE] == at[target, level + 1]:
            port = at[target, level] - k * at[target, level + 1]
            options[q, 0] = out[first + port]
            queues[q, OPTIONS] = 1
        else:
            for port in range(k):
                options[q, port] = out[first + k + port]
            queues[q, OPTIONS] = k
        queues[q, WANTED] = 0
        queues[q, ESCAPE] = -1


@kernel
def on_graph(net: Net, routes: Routes) -> None:
    """Route fresh heads of a graph: a shortest path, on the channel of the hop."""
    queues = net.queues
    ends = routes.ends
    out = routes.out
    away = routes.away
    seed = net.numbers[SEED]
    way = net.numbers[ADAPTIVE]
    for j in range(net.tally[FRESH]):
        q = net.fresh[j]
        here = queues[q, VERTEX]
        row = routes.row[queues[q, GOAL]]
        first = net.vertices[here, OUT]
        best = -1
        if way == TABLE:
            best = out[first + away[row, here]]
        else:
            ties = 0
            bits = 0
            for i in range(first, net.vertices[here, OUT_END]):
                link = out[i]
                if away[row, ends[link, TO]] + ends[link, PORT] != away[row, here]:
                    continue
                ties += 1
                if ties == 1:
                    best = link
                    if way == LOWEST:
                        break
                    bits = drawn(seed, queues[q, MESSAGE], queues[q, STATE], here)
                else:
                    bits = redrawn(bits)
                    if (bits >> 15) * ties < 2**16:  # with probability 1 / ties
                        best = link
        net.options[q, 0] = best
        queues[q, OPTIONS] = 1
        queues[q, ESCAPE] = -1
        queues[q, WANTED] = routes.lane[q] + 1
