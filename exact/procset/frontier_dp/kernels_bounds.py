"""Kernels that bound the dynamic program by what a unit is worth."""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .layout import CAREFUL, FAR, Arcs, Flags, Ints, Layers, Plan


@kernel
def relax(plan: Plan, layers: Layers, worth: int, value: Ints, count: Ints) -> None:
    """Find the least cost, less ``worth`` for every unit taken, from every entry on.

    ``count`` is how many units that takes; the most if several.
    """
    size, first, skip, take = plan.size, layers.begin, layers.skip, layers.take
    cost = layers.cost[0]
    n = len(size)
    value[first[n]] = count[first[n]] = 0
    for k in range(n - 1, -1, -1):
        gain = worth * size[k]
        for e in range(first[k], first[k + 1]):
            without, within = skip[e], take[e]
            a, b = value[without], value[within] + cost[e] - gain
            x, y = count[without], count[within] + size[k]
            if b < a or (b == a and y > x):
                a, x = b, y
            value[e], count[e] = a, x


@kernel
def multiplier(
    plan: Plan, layers: Layers, need: int, value: Ints, count: Ints
) -> tuple[int, int, int, int]:
    """Find the worth of a unit for the best bound, the bound, and a sufficient cost.

    Last comes the worth at which the choice of that cost is made, -1 if all is taken.

    The bound is concave and piecewise linear in the worth: the next one to try is
    where the lines of two choices meet, of which one has enough units.
    """
    units = plan.size.sum()
    enough = plan.private[0].sum() + plan.price[0].sum()
    upper, generous, total = enough, -1, units
    less, few, best, bound = 0, 0, 0, 0
    while units > few:
        worth = (enough - less) // (units - few)
        if worth > CAREFUL // total:
            break
        relax(plan, layers, worth, value, count)
        low, reached = value[0], count[0]
        if low + worth * need > bound:
            bound, best = low + worth * need, worth
        price = low + worth * reached
        if reached >= need:
            if price < upper:
                upper, generous = price, worth
            if reached >= units:
                break
            enough, units = price, reached
        else:
            if reached <= few:
                break
            less, few = price, reached
    relax(plan, layers, best, value, count)
    return best, bound, upper, generous


@kernel
def reduce_costs(
    plan: Plan,
    layers: Layers,
    need: int,
    worth: int,
    value: Ints,
    gap: int,
    scale: int,
) -> Arcs:
    """Price every step by how much it adds to the bound, in one word.

    The bound of an entry and t units is its cost plus ``value + worth (need - t)``. No
    step lowers it. What adds more than ``gap`` is closed. What is added counts
    ``scale`` times, and below it comes the second word, if there is one.
    """
    size, first = plan.size, layers.begin
    stay = np.empty(len(layers.mask), dtype=np.int64)
    go = np.empty(len(layers.mask), dtype=np.int64)
    two = len(layers.cost) > 1
    for k in range(len(size)):
        for e in range(first[k], first[k + 1]):
            more = value[layers.skip[e]] - value[e]
            stay[e] = more * scale if more <= gap else FAR
            more = (
                layers.cost[0, e] + value[layers.take[e]] - worth * size[k] - value[e]
            )
            go[e] = more * scale if more <= gap else FAR
            if two and more <= gap:
                go[e] += layers.cost[1, e]
    most = gap * scale + scale - 1 if gap < FAR else FAR
    return Arcs(stay, go, value, worth, need, gap, scale, most)


@kernel
def plain(layers: Layers, need: int) -> Arcs:
    """Price every step by its cost, in one word, and leave nothing out."""
    nothing = np.zeros(len(layers.mask), dtype=np.int64)
    return Arcs(nothing, layers.cost[0], nothing, 0, need, FAR, 1, FAR)


@kernel
def remaining(plan: Plan) -> Ints:
    """Return how many units the classes from each on have."""
    rest = np.zeros(len(plan.size) + 1, dtype=np.int64)
    rest[:-1] = np.cumsum(plan.size[::-1])[::-1]
    return rest


@kernel
def walk(plan: Plan, layers: Layers, worth: int, taken: Flags) -> None:
    """Take the classes that `relax` takes when a unit is worth so much."""
    value = np.empty(len(layers.mask), dtype=np.int64)
    count = np.empty(len(layers.mask), dtype=np.int64)
    relax(plan, layers, worth, value, count)
    e = 0
    for k in range(len(plan.size)):
        without, within = layers.skip[e], layers.take[e]
        a, b = value[without], value[within] + layers.cost[0, e] - worth * plan.size[k]
        more = count[within] + plan.size[k] > count[without]
        taken[k] = b < a or (b == a and more)
        e = within if taken[k] else without
