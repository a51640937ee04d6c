"""Kernels of the choice by links on trees; see ``tree``.

A cost is two integers, ``high * 2^60 + low`` with low below 2^60, since fourth powers
of loads pass 2^63.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
WORD = 60
MASK = 2**WORD - 1
HALF = 2**30 - 1
FAR = 2**61
"""High part of the cost of what cannot be; with another cost added it fits, too."""
AT, PLACE = 0, 1
"""In the state of a run: the domain to close next, and where its merge goes on."""


class Rates(NamedTuple):
    """What a link costs, by the number of chosen nodes below it."""

    k: int
    power: int  # 0: hops, of what is not busier than ``most``; else 2 or 4
    most: int
    load: int  # of one pair of nodes, before scaling
    scale: Ints  # (domains,) factor of the link above
    busy: Ints  # (2, domains) background, before scaling
    weight: Ints  # (domains,) half hops of the edge above


class LinkTables(NamedTuple):
    """Tables of all domains, one behind the other."""

    begin: Ints  # (domains + 1,)
    have: Ints  # (domains,) length so far
    high: Ints
    low: Ints
    chosen_at: Ints  # (domains,) where the choices of the merge of a domain begin
    choice: Ints  # of every number in the parent the part in the domain
    limit: Ints  # (2, k + 1) of so many nodes: what costs more is in no best choice


@kernel
def count_few(rates: Rates, few: Ints) -> None:
    """Find the most nodes, up to half of k, that links let be below themselves.

    At least k less so many may be there, too.
    """
    k, half = rates.k, rates.k // 2
    for v in range(1, len(few)):
        busy = max(rates.busy[0, v], rates.busy[1, v])
        room = (rates.most // rates.scale[v] - busy) // rates.load
        square = k * k - 4.0 * room
        few[v] = half
        if square > 0:
            a = min(half, max(0, int((k - np.sqrt(square)) / 2)))
            while a < half and (a + 1) * (k - a - 1) <= room:
                a += 1
            while a > 0 and a * (k - a) > room:
                a -= 1
            few[v] = a


@kernel
def fill_up(
    parent: Ints, own: Ints, rates: Rates, few: Ints, light: Ints, gain: Ints
) -> int:
    """Return how many nodes fit if no link that they use is used beyond ``most``.

    Below a link there are few, or nearly all; the latter can only be at one domain next
    to its siblings. Three arrays are scratch.
    """
    k = rates.k
    count_few(rates, few)
    light[:] = own
    gain[:] = -1
    for v in range(len(parent) - 1, 0, -1):
        most, inside = -1, min(light[v], few[v])
        for total in (light[v], light[v] + gain[v]):
            if min(total, k) >= k - few[v]:
                most = max(most, min(total, k))
        up = parent[v]
        light[up] += inside
        if most >= 0:
            gain[up] = max(gain[up], most - inside)
    return int(min(k, light[0] + max(0, gain[0])))


@kernel
def add_up(parent: Ints, numbers: Ints) -> None:
    """Replace numbers at domains by sums over what is below."""
    for v in range(len(parent) - 1, 0, -1):
        numbers[parent[v]] += numbers[v]


@kernel
def add_down(parent: Ints, numbers: Floats) -> None:
    """Replace numbers at domains by sums over what is above."""
    for v in range(1, len(parent)):
        numbers[v] += numbers[parent[v]]


@kernel
def places(parent: Ints, length: Ints, have: Ints, k: int, chosen_at: Ints) -> int:
    """Find where the choices of each domain begin; return how many there are."""
    grown, choices = have.copy(), 0
    for v in range(len(parent) - 1, 0, -1):
        p = parent[v]
        grown[p] = min(grown[p] + length[v] - 1, k + 1)
        chosen_at[v] = choices
        choices += grown[p]
    return choices


@kernel
def power_high(y: int, power: int) -> int:
    """Return the high part of a power of a number below 2^30."""
    if power == 2:
        return 0
    square = y * y
    a, b = square >> 30, square & HALF
    middle = 2 * a * b
    low = b * b + ((middle & HALF) << 30)
    return int(a * a + (middle >> 30) + (low >> WORD))


@kernel
def power_low(y: int, power: int) -> int:
    """Return the low part of it."""
    if power == 2:
        return int(y * y)
    square = y * y
    a, b = square >> 30, square & HALF
    return int((b * b + ((2 * a * b & HALF) << 30)) & MASK)


@kernel
def close(rates: Rates, v: int, high: Ints, low: Ints) -> None:
    """Add what the link above a domain costs."""
    k, power, scale = rates.k, rates.power, rates.scale[v]
    for c in range(1, len(high)):
        if high[c] >= FAR or c == k:
            continue
        pairs = c * (k - c)
        up, down = rates.busy[0, v], rates.busy[1, v]
        load = rates.load * pairs
        if not power:
            if scale * (max(up, down) + load) > rates.most:
                high[c] = FAR
            else:
                low[c] += rates.weight[v] * pairs
        else:
            for busy in (up, down):
                before, after = scale * busy, scale * (busy + load)
                high[c] += power_high(after, power) - power_high(before, power)
                low[c] += power_low(after, power) - power_low(before, power)
        high[c] += low[c] >> WORD
        low[c] &= MASK


@kernel
def useful(high: Ints, low: Ints, limit: Ints) -> int:
    """Leave out what is in no best choice; return the length without the end."""
    last = 0
    for c in range(len(high)):
        if limit[0, c] - high[c] + ((limit[1, c] - low[c]) >> WORD) < 0:
            high[c] = FAR
        if high[c] < FAR:
            last = c
    return last + 1


@kernel
def merge(
    high: Ints,
    low: Ints,
    more_high: int,
    more_low: int,
    least_high: Ints,
    least_low: Ints,
    choice: Ints,
    part: int,
) -> None:
    """Lower costs to those of a table and more; note where that is so.

    Without branches, so that several entries are done at once.
    """
    for i in range(len(high)):
        lower = low[i] + more_low
        upper = high[i] + more_high + (lower >> WORD)
        lower &= MASK
        less = (upper < least_high[i]) | (
            (upper == least_high[i]) & (lower < least_low[i])
        )
        least_high[i] = upper if less else least_high[i]
        least_low[i] = lower if less else least_low[i]
        choice[i] = part if less else choice[i]


@kernel
def fill(
    parent: Ints, rates: Rates, tables: LinkTables, spare: Ints, state: Ints, work: int
) -> bool:
    """Close domains from the last one up while work is left; True at the end.

    ``spare`` has two rows for the table of the parent, merged with that of a domain.
    """
    k = rates.k
    while state[AT] > 0:
        v = state[AT]
        p, size = parent[v], tables.have[v]
        at, up = tables.begin[v], tables.begin[p]
        high, low = tables.high[at : at + size], tables.low[at : at + size]
        first = tables.have[p]
        end = min(first + size - 1, k + 1)
        if state[PLACE] < 0:
            if work <= 0:
                return False
            close(rates, v, high, low)
            size = tables.have[v] = useful(high, low, tables.limit)
            high, low = high[:size], low[:size]
            end = min(first + size - 1, k + 1)
            spare[0, :end] = FAR
            spare[1, :end] = 0
            state[PLACE] = 0
            work -= size
        choice = tables.choice[tables.chosen_at[v] : tables.chosen_at[v] + end]
        while state[PLACE] < len(high):
            j = state[PLACE]
            if work <= 0:
                return False
            state[PLACE] += 1
            if high[j] >= FAR:
                continue
            size = min(first, end - j)
            merge(
                tables.high[up : up + size],
                tables.low[up : up + size],
                high[j],
                low[j],
                spare[0, j : j + size],
                spare[1, j : j + size],
                choice[j : j + size],
                j,
            )
            work -= size
        tables.high[up : up + end] = spare[0, :end]
        tables.low[up : up + end] = spare[1, :end]
        tables.have[p] = useful(
            tables.high[up : up + end], tables.low[up : up + end], tables.limit
        )
        state[AT] -= 1
        state[PLACE] = -1
    return True


@kernel
def trace(parent: Ints, tables: LinkTables, k: int, taken: Ints) -> None:
    """Split k nodes; leave in ``taken`` those at the domains themselves."""
    taken[:] = 0
    taken[0] = k
    for v in range(1, len(parent)):  # the first domain was merged last
        p = parent[v]
        taken[v] = tables.choice[tables.chosen_at[v] + taken[p]]
        taken[p] -= taken[v]
