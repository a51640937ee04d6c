"""Kernels that spread messages: which share of a message each link carries."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.kernels import kernel
from .cut_through_layout import (
    ADAPTIVE,
    FAT_TREE,
    GRID,
    KIND,
    LOWEST,
    OUT,
    OUT_END,
    PARITY,
    PORT,
    RADIX,
    TABLE,
    TO,
    VALIANT,
    Ints,
    Net,
    Routes,
)

Floats = npt.NDArray[np.float64]


@kernel
def spread_on_grid(
    p: int, q: int, net: Net, routes: Routes, mass: Floats, cells: Ints, share: Floats
) -> None:
    """Split equally among the minimal directions at every cell, or go axis by axis."""
    sides = routes.sides
    axes = len(sides)
    away = np.zeros(axes, np.int64)
    ports = np.zeros(axes, np.int64)
    total = 1
    for a in range(axes):
        step = routes.at[q, a] - routes.at[p, a]
        up = step > 0
        if sides[a, 1]:
            step %= sides[a, 0]
            tie = 2 * step == sides[a, 0]
            up = 2 * step < sides[a, 0] or (tie and net.vertices[p, PARITY] == 0)
            step = step if up else sides[a, 0] - step
        away[a] = abs(step)
        ports[a] = 2 * a if up else 2 * a + 1
        total *= away[a] + 1
    if not net.numbers[ADAPTIVE]:
        here = p
        for a in range(axes):
            for _ in range(away[a]):
                link = routes.out[net.vertices[here, OUT] + ports[a]]
                share[link] += 1.0
                here = routes.ends[link, TO]
        return
    mass[:total] = 0.0
    mass[0] = 1.0
    cells[0] = p
    for i in range(total - 1):
        ways = 0
        rest = i
        for a in range(axes):
            ways += rest % (away[a] + 1) < away[a]
            rest //= away[a] + 1
        part = mass[i] / ways
        rest = i
        stride = 1
        for a in range(axes):
            if rest % (away[a] + 1) < away[a]:
                link = routes.out[net.vertices[cells[i], OUT] + ports[a]]
                share[link] += part
                mass[i + stride] += part
                cells[i + stride] = routes.ends[link, TO]
            rest //= away[a] + 1
            stride *= away[a] + 1


@kernel
def spread_on_tree(p: int, q: int, net: Net, routes: Routes, share: Floats) -> None:
    """Split equally among all ways up to the lowest common ancestors, then go down."""
    k = net.numbers[RADIX]
    at = routes.at
    out = routes.out
    width = len(net.vertices) // (at.shape[1] - 1)
    top = 0
    while at[p, top + 1] != at[q, top + 1]:
        top += 1
    block = 1
    for level in range(top):
        for w in range(at[p, level + 1] * block, (at[p, level + 1] + 1) * block):
            first = net.vertices[level * width + w, OUT]
            for port in range(k, 2 * k):
                share[out[first + port]] += 1.0 / (block * k)
        block *= k
    for level in range(top, -1, -1):
        for w in range(at[q, level + 1] * block, (at[q, level + 1] + 1) * block):
            first = net.vertices[level * width + w, OUT]
            port = at[q, level] - k * at[q, level + 1]
            share[out[first + port]] += 1.0 / block
        block //= k


@kernel
def spread_on_graph(
    begin: int,
    goal: int,
    whole: float,
    net: Net,
    routes: Routes,
    mass: Floats,
    cells: Ints,
    share: Floats,
) -> None:
    """Split equally among the shortest paths at every vertex, or take the first one."""
    row = routes.row[goal]
    away = routes.away
    ends = routes.ends
    way = net.numbers[ADAPTIVE]
    if way == TABLE:
        here = begin
        while here != goal:
            link = routes.out[net.vertices[here, OUT] + away[row, here]]
            share[link] += whole
            here = ends[link, TO]
        return
    cells[0] = begin
    mass[begin] = whole
    count = 1
    while count:
        far = 0  # the vertex farthest from the goal: all that comes to it is there
        for i in range(count):
            if away[row, cells[i]] > away[row, cells[far]]:
                far = i
        here = cells[far]
        count -= 1
        cells[far] = cells[count]
        amount = mass[here]
        mass[here] = 0.0
        if here == goal:
            continue
        ways = 0
        for i in range(net.vertices[here, OUT], net.vertices[here, OUT_END]):
            link = routes.out[i]
            ways += away[row, ends[link, TO]] + ends[link, PORT] == away[row, here]
        if way == LOWEST:
            ways = 1
        for i in range(net.vertices[here, OUT], net.vertices[here, OUT_END]):
            link = routes.out[i]
            other = ends[link, TO]
            if away[row, other] + ends[link, PORT] == away[row, here]:
                share[link] += amount / ways
                if mass[other] == 0.0:
                    cells[count] = other
                    count += 1
                mass[other] += amount / ways
                if way == LOWEST:
                    break


@kernel
def spread(
    pairs: Ints,
    begin: int,
    net: Net,
    routes: Routes,
    first: Ints,
    links: Ints,
    shares: Floats,
) -> int:
    """Write the links and shares of pairs of processors, one after the other.

    Parameters
    ----------
    pairs
        Two different processors each, shape (m, 2).
    begin
        First pair to write.
    net, routes
        The network.
    first
        Where the entries of each pair begin, shape (m + 1,); the first is given.
    links, shares
        Receive the entries; the last is the way out of the sender.

    Returns
    -------
    int
        The first pair for which there was no room.
    """
    share = np.zeros(len(net.links))
    mass = np.zeros(len(net.vertices) + 1)
    cells = np.zeros(len(net.vertices) + 1, np.int64)
    kind = net.numbers[KIND]
    for i in range(begin, len(pairs)):
        p = pairs[i, 0]
        q = pairs[i, 1]
        share[:] = 0.0
        if kind == GRID:
            spread_on_grid(p, q, net, routes, mass, cells, share)
        elif kind == FAT_TREE:
            spread_on_tree(p, q, net, routes, share)
        else:
            u = routes.home[p]
            v = routes.home[q]
            if net.numbers[ADAPTIVE] == VALIANT:
                part = 1.0 / len(routes.middles)
                for w in routes.middles:
                    if w != u:
                        spread_on_graph(u, w, part, net, routes, mass, cells, share)
                    if w != v:
                        spread_on_graph(w, v, part, net, routes, mass, cells, share)
            else:
                spread_on_graph(u, v, 1.0, net, routes, mass, cells, share)
        used = 1
        for link in range(len(share)):
            used += share[link] > 0.0
        at = first[i]
        if at + used > len(links):
            return i
        for link in range(len(share)):
            if share[link] > 0.0:
                links[at] = link
                shares[at] = share[link]
                at += 1
        links[at] = len(share) + p
        shares[at] = 1.0
        first[i + 1] = at + 1
    return len(pairs)
