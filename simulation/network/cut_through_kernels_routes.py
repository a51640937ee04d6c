"""Kernels that route: which links the packet at the head of a queue may take."""

from __future__ import annotations

from ...solvers.kernels import kernel
from .cut_through_layout import (
    ADAPTIVE,
    BUBBLE,
    ESCAPE,
    FEEDS,
    FRESH,
    GOAL,
    LANE,
    LOWEST,
    MESSAGE,
    NEED,
    NUMBER,
    OPTIONS,
    OUT,
    OUT_END,
    PARITY,
    PORT,
    RADIX,
    SEED,
    SOURCE,
    TABLE,
    TARGET,
    TO,
    VERTEX,
    WANTED,
    Mail,
    Net,
    Routes,
)

_BITS = 2**31 - 1


@kernel
def mixed(x: int, y: int) -> int:
    """Return 31 bits that depend on all bits of both; no product exceeds 2^61."""
    h = (x ^ ((y & _BITS) * 668265263)) & _BITS
    h = ((h ^ (h >> 15)) * 739982445) & _BITS
    h = ((h ^ (h >> 12)) * 695872825) & _BITS
    return int(h ^ (h >> 15))


@kernel
def drawn(seed: int, message: int, number: int, place: int) -> int:
    """Return random bits of a packet at a place, whenever they are asked for."""
    return int(mixed(mixed(mixed(seed, message), number), place))


@kernel
def on_grid(net: Net, routes: Routes, mail: Mail) -> None:
    """Route fresh heads of a mesh or torus: minimal ways; dimension order to escape.

    Of two ways of equal length round a ring the parity of the sender decides.
    """
    queues = net.queues
    links = net.links
    options = net.options
    sides = routes.sides
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
                by = queues[q, FEEDS]
                within = by >= 0 and queues[q, LANE] == 0 and links[by, PORT] == port
                queues[q, NEED] = 1
                if sides[a, 1] and not within:
                    queues[q, NEED] = net.numbers[BUBBLE]
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
    power = routes.sides
    k = net.numbers[RADIX]
    width = power[len(power) - 2, 0]
    for j in range(net.tally[FRESH]):
        q = net.fresh[j]
        here = queues[q, VERTEX]
        target = mail.messages[queues[q, MESSAGE], TARGET]
        first = net.vertices[here, OUT]
        level = here // width
        above = (here % width) // power[level, 0]
        if above == target // power[level + 1, 0]:
            options[q, 0] = out[first + (target // power[level, 0]) % k]
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
    links = net.links
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
                if away[row, links[link, TO]] + links[link, PORT] != away[row, here]:
                    continue
                ties += 1
                if ties == 1:
                    best = link
                    if way == LOWEST:
                        break
                    bits = drawn(seed, queues[q, MESSAGE], queues[q, NUMBER], here)
                else:
                    bits = mixed(bits, ties)
                    if bits % ties == 0:
                        best = link
        net.options[q, 0] = best
        queues[q, OPTIONS] = 1
        queues[q, ESCAPE] = -1
        queues[q, WANTED] = queues[q, LANE] + 1 if queues[q, FEEDS] >= 0 else 0
