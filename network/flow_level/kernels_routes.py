"""Kernels that spread messages: which share of a message each link carries."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel
from ..cut_through.layout import (
    FAT_TREE,
    GRID,
    PORT,
    TABLE,
    TO,
    VALIANT,
    Ints,
    Routes,
)

Floats = npt.NDArray[np.float64]


@kernel
def spread_on_grid(
    p: int, q: int, routes: Routes, mass: Floats, cells: Ints, share: Floats
) -> None:
    """Split equally among the minimal directions at every cell, or go axis by axis."""
    sides = routes.sides
    axes = len(sides)
    odd = routes.at[p].sum() % 2
    away = np.zeros(axes, np.int64)
    ports = np.zeros(axes, np.int64)
    total = 1
    for a in range(axes):
        step = routes.at[q, a] - routes.at[p, a]
        up = step > 0
        if sides[a, 1]:
            step %= sides[a, 0]
            tie = 2 * step == sides[a, 0]
            up = 2 * step < sides[a, 0] or (tie and odd == 0)
            step = step if up else sides[a, 0] - step
        away[a] = abs(step)
        ports[a] = 2 * a if up else 2 * a + 1
        total *= away[a] + 1
    if not routes.way:
        here = p
        for a in range(axes):
            for _ in range(away[a]):
                link = routes.out[routes.first[here] + ports[a]]
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
                link = routes.out[routes.first[cells[i]] + ports[a]]
                share[link] += part
                mass[i + stride] += part
                cells[i + stride] = routes.ends[link, TO]
            rest //= away[a] + 1
            stride *= away[a] + 1


@kernel
def spread_on_tree(p: int, q: int, routes: Routes, share: Floats) -> None:
    """Split equally among all ways up to the lowest common ancestors, then go down."""
    k = routes.radix
    at = routes.at
    out = routes.out
    width = (len(routes.first) - 1) // (at.shape[1] - 1)
    top = 0
    while at[p, top + 1] != at[q, top + 1]:
        top += 1
    block = 1
    for level in range(top):
        for w in range(at[p, level + 1] * block, (at[p, level + 1] + 1) * block):
            first = routes.first[level * width + w]
            for port in range(k, 2 * k):
                share[out[first + port]] += 1.0 / (block * k)
        block *= k
    for level in range(top, -1, -1):
        for w in range(at[q, level + 1] * block, (at[q, level + 1] + 1) * block):
            first = routes.first[level * width + w]
            port = at[q, level] - k * at[q, level + 1]
            share[out[first + port]] += 1.0 / block
        block //= k


@kernel
def spread_on_graph(
    begin: int,
    goal: int,
    whole: float,
    routes: Routes,
    mass: Floats,
    cells: Ints,
    share: Floats,
) -> None:
    """Split equally among the shortest paths at every vertex, or take the first one."""
    row = routes.row[goal]
    away = routes.away
    ends = routes.ends
    way = routes.way
    if way == TABLE:
        here = begin
        while here != goal:
            link = routes.out[routes.first[here] + away[row, here]]
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
        for i in range(routes.first[here], routes.first[here + 1]):
            link = routes.out[i]
            ways += away[row, ends[link, TO]] + ends[link, PORT] == away[row, here]
        for i in range(routes.first[here], routes.first[here + 1]):
            link = routes.out[i]
            other = ends[link, TO]
            if away[row, other] + ends[link, PORT] == away[row, here]:
                share[link] += amount / ways
                if mass[other] == 0.0:
                    cells[count] = other
                    count += 1
                mass[other] += amount / ways


@kernel
def spread(
    pairs: Ints,
    begin: int,
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
    routes
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
    share = np.zeros(len(routes.ends))
    mass = np.zeros(len(routes.first))
    cells = np.zeros(len(routes.first), np.int64)
    kind = routes.kind
    for i in range(begin, len(pairs)):
        p = pairs[i, 0]
        q = pairs[i, 1]
        share[:] = 0.0
        if kind == GRID:
            spread_on_grid(p, q, routes, mass, cells, share)
        elif kind == FAT_TREE:
            spread_on_tree(p, q, routes, share)
        else:
            u = routes.home[p]
            v = routes.home[q]
            if routes.way == VALIANT:
                part = 1.0 / len(routes.middles)
                for w in routes.middles:
                    if w != u:
                        spread_on_graph(u, w, part, routes, mass, cells, share)
                    if w != v:
                        spread_on_graph(w, v, part, routes, mass, cells, share)
            else:
                spread_on_graph(u, v, 1.0, routes, mass, cells, share)
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
