"""Kernels of the search by exchanges for processors that load links little."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel, uncounted

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Wires(NamedTuple):
    """A table of loads, and what links cost."""

    first: Ints  # where the links of each pair begin
    link: Ints
    amount: Ints
    row: Ints  # of the first processor of a pair
    column: Ints  # of the second
    before: Floats  # (links,) use by others, in parts of the capacity
    unit: Floats  # (links,) what one amount adds to that
    power: int
    used: bool  # whether only links that the job uses count, in full


class Pairs(NamedTuple):
    """What tasks send: senders, receivers, amounts; and the pairs of every task."""

    source: Ints
    target: Ints
    amount: Ints
    first: Ints
    pair: Ints
    alike: bool  # whether all tasks are


@uncounted
@kernel
def draw(state: Ints, below: int) -> int:
    """Return a number below another; 31 bits, a congruence modulo 2^31 - 1."""
    state[0] = state[0] * 48271 % 2147483647
    return int(state[0] % below)


@uncounted
@kernel
def price(wires: Wires, e: int, load: int) -> float:
    """Return what a link costs with a load."""
    before = wires.before[e]
    after = before + wires.unit[e] * load
    if wires.used:
        return float(after**wires.power if load > 0 else 0.0)
    return float(after**wires.power - before**wires.power)


@uncounted
@kernel
def shift(
    wires: Wires,
    pairs: Pairs,
    places: Ints,
    begin: int,
    end: int,
    sign: int,
    delta: Ints,
) -> None:
    """Add or take what a range of tasks sends and receives, to what links gain."""
    for task in range(begin, end):
        for at in range(pairs.first[task], pairs.first[task + 1]):
            p = pairs.pair[at]
            s, t = pairs.source[p], pairs.target[p]
            if begin <= min(s, t) and max(s, t) < end and task != s:
                continue  # with both ends in the range, once
            row = wires.row[places[s]] + wires.column[places[t]]
            amount = sign * pairs.amount[p]
            for i in range(wires.first[row], wires.first[row + 1]):
                delta[wires.link[i]] += amount * wires.amount[i]


@uncounted
@kernel
def place(places: Ints, slot: int, node: int, alike: bool) -> tuple[int, int]:
    """Put another processor in the place of one; return the tasks that move.

    Unless all tasks are alike, they stay in the order of the processors' numbers.
    """
    begin = end = slot
    if not alike:
        while end + 1 < len(places) and places[end + 1] < node:
            places[end] = places[end + 1]
            end += 1
        while begin > 0 and places[begin - 1] > node:
            places[begin] = places[begin - 1]
            begin -= 1
    places[end if end > slot else begin] = node
    return begin, end + 1


@kernel
def total(wires: Wires, load: Ints) -> float:
    """Return what all links cost with their loads."""
    cost = 0.0
    for e in range(len(load)):
        cost += price(wires, e, load[e])
    return cost


@kernel
def anneal(
    wires: Wires,
    pairs: Pairs,
    places: Ints,
    others: Ints,
    load: Ints,
    best: Ints,
    steps: int,
    hot: float,
    cold: float,
    state: Ints,
) -> None:
    """Exchange processors, sometimes for worse ones; keep the best in ``best``.

    ``load`` is what links carry at first. Temperatures are in parts of the first cost
    and fall evenly.
    """
    links = len(load)
    delta, moved = np.zeros(links, np.int64), places.copy()
    paid, due = np.zeros(links), np.zeros(links)
    for e in range(links):
        paid[e] = price(wires, e, load[e])
    least = cost = total(wires, load)
    best[:] = places
    small = 1e-9 * cost  # differences below come from rounding
    heat, cooling = hot * cost, (cold / hot) ** (1.0 / max(1, steps))
    for _ in range(steps):
        slot, other = draw(state, len(places)), draw(state, len(others))
        moved[:] = places
        begin, end = place(moved, slot, others[other], pairs.alike)
        shift(wires, pairs, places, begin, end, -1, delta)
        shift(wires, pairs, moved, begin, end, 1, delta)
        change = 0.0
        for e in range(links):
            if delta[e]:
                due[e] = price(wires, e, load[e] + delta[e])
                change += due[e] - paid[e]
        chance = 1.0
        if change > 0:
            chance = np.exp(-change / heat) if heat > 0 else 0.0
        accepted = change <= 0 or draw(state, 2**30) < chance * 2**30
        if accepted:
            others[other] = places[slot]
            places[:] = moved
            cost += change
            if cost < least - small:
                least = cost
                best[:] = places
        for e in range(links):
            if delta[e]:
                if accepted:
                    load[e] += delta[e]
                    paid[e] = due[e]
                delta[e] = 0
        heat *= cooling
