"""Kernels that lay out a machine: its classes, and layers of entries."""

from __future__ import annotations

from math import gcd

import numpy as np

from ....solvers.running.kernels import kernel
from .layout import MOST_BITS, Flags, Ints, Layers, Plan, Static

_DIRECT = 14
"""Bits in use up to which entries are found in an array instead of a hash table."""
_WIDE = 1 << 11
"""Entries of a layer above which those of the layers to come are estimated."""


@kernel
def gather(static: Static, available: Flags) -> Plan:
    """Put the available part of a machine together.

    Sets with the same available members become one. They are found by refining: with
    every class, those of one label that contain it are given a new label together.
    """
    home, first = static.home, static.first
    start, sets = static.begin, static.sets
    words, n_sets = static.base.shape
    n_classes = len(first) - 1
    count = np.zeros(n_classes, dtype=np.int64)
    for i in range(len(home)):
        count[home[i]] += available[i]
    found = 0
    for c in range(n_classes):
        found += count[c] > 0
    which, size = np.empty(found, dtype=np.int64), np.empty(found, dtype=np.int64)
    label = np.zeros(n_sets, dtype=np.int64)
    inside = np.zeros(n_sets, dtype=np.int64)
    fresh = np.empty(len(sets) + 1, dtype=np.int64)
    seen = np.full(len(sets) + 1, -1, dtype=np.int64)
    begins = np.empty(len(sets) + 1, dtype=np.int64)
    ends = np.empty(len(sets) + 1, dtype=np.int64)
    labels, k, unit = 1, 0, 0
    for c in range(n_classes):
        if count[c] == 0:
            continue
        which[k], size[k] = c, count[c]
        unit = gcd(unit, count[c])
        for x in range(start[c], start[c + 1]):
            s = sets[x]
            inside[s] += count[c]
            old = label[s]
            if seen[old] != k:
                seen[old] = k
                fresh[old] = labels
                begins[labels] = begins[old] if old else k
                ends[labels] = k
                labels += 1
            label[s] = fresh[old]
        k += 1
    unit = max(unit, 1)
    for k in range(found):
        size[k] //= unit
    number = np.full(labels, -1, dtype=np.int64)
    private = np.zeros((words, found), dtype=np.int64)
    shares = 0
    for s in range(n_sets):
        old = label[s]
        if old and begins[old] < ends[old] and number[old] < 0:
            number[old] = shares
            shares += 1
    price = np.zeros((words, shares), dtype=np.int64)
    last = np.empty(shares, dtype=np.int64)
    for s in range(n_sets):
        old = label[s]
        if not old:
            continue
        for w in range(words):
            cost = static.base[w, s] + static.ahead[w, s] * inside[s]
            if number[old] < 0:
                private[w, begins[old]] += cost
            else:
                price[w, number[old]] += cost
        if number[old] >= 0:
            last[number[old]] = ends[old]
    begin = np.zeros(found + 1, dtype=np.int64)
    shared = np.empty(len(sets), dtype=np.int64)
    bit = np.full(shares, -1, dtype=np.int64)
    mine = np.zeros(found, dtype=np.int64)
    over = np.zeros(found, dtype=np.int64)
    met = np.full(shares, -1, dtype=np.int64)
    taken = np.int64(0)
    open_now, bits, width, total = 0, 0, 0, 0
    for k in range(found):
        c = which[k]
        ending = 0
        for x in range(start[c], start[c + 1]):
            g = number[label[sets[x]]]
            if g < 0 or met[g] == k:
                continue
            if met[g] < 0:
                open_now += 1
                if open_now <= MOST_BITS:
                    free = np.int64(0)
                    while taken >> free & 1:
                        free += 1
                    bit[g] = free
                    taken |= np.int64(1) << free
            met[g] = k
            shared[total] = g
            total += 1
            if bit[g] >= 0:
                mine[k] |= np.int64(1) << bit[g]
            if last[g] == k:
                ending += 1
                if bit[g] >= 0:
                    over[k] |= np.int64(1) << bit[g]
        bits = max(bits, open_now)
        open_now -= ending
        width = max(width, open_now)
        taken &= ~over[k]
        begin[k + 1] = total
    return Plan(
        which,
        size,
        private,
        begin,
        shared[:total],
        price,
        bit,
        mine,
        over,
        unit,
        bits,
        width,
    )


@kernel
def _find(table: Ints, keys: Ints, key: int, least: int, shift: int) -> int:
    """Return where a key is in a hash table, or the empty place for it.

    Entries below ``least`` are those of layers before, and count as empty.
    """
    spot = key
    if shift:
        word = np.uint64(key) * np.uint64(11400714819323198485)
        spot = int(np.int64(word)) >> shift
    spot &= len(table) - 1
    while table[spot] >= least and keys[table[spot]] != key:
        spot = (spot + 1) & (len(table) - 1)
    return int(spot)


@kernel
def grow(plan: Plan, most: int) -> tuple[bool, Layers]:
    """List the entries of all layers; False if they seem to be more than ``most``."""
    size, begin, shared = plan.size, plan.begin, plan.shared
    mine, over, bit, price = plan.mine, plan.over, plan.bit, plan.price[0]
    private = plan.private[0]
    n = len(size)
    room = min(most, 64 * n + 64)
    first = np.zeros(n + 2, dtype=np.int64)
    mask = np.zeros(room, dtype=np.int64)
    skip = np.empty(room, dtype=np.int64)
    take = np.empty(room, dtype=np.int64)
    cost = np.empty((plan.private.shape[0], room), dtype=np.int64)
    first[1] = 1
    if plan.bits <= _DIRECT:
        shift, slots = 0, 1 << plan.bits
    else:
        shift, slots = 20, 1 << 16
    table = np.full(slots, -1, dtype=np.int64)
    for k in range(n):
        a, b = first[k], first[k + 1]
        # Half of the layers to come are taken to be as wide as a wide one.
        if b - a > _WIDE and b + (b - a) * (n - k) // 2 > most:
            return False, Layers(first, mask, skip, take, cost)
        if room < b + 2 * (b - a):
            if b + 2 * (b - a) > most:
                return False, Layers(first, mask, skip, take, cost)
            room = min(most, 2 * (b + 2 * (b - a)))
            more = np.zeros(room - len(mask), dtype=np.int64)
            mask = np.append(mask, more)
            skip = np.append(skip, more)
            take = np.append(take, more)
            wider = np.empty((len(cost), room), dtype=np.int64)
            wider[0, :b] = cost[0, :b]
            cost = wider
        if shift and len(table) < 4 * (b - a):
            table = np.full(8 * len(table), -1, dtype=np.int64)
        keep, end = ~over[k], b
        for e in range(a, b):
            m = mask[e]
            target = m & keep
            spot = _find(table, mask, target, b, shift)
            if table[spot] < b:
                table[spot], mask[end] = end, target
                end += 1
            skip[e] = table[spot]
            target = (m | mine[k]) & keep
            spot = _find(table, mask, target, b, shift)
            if table[spot] < b:
                table[spot], mask[end] = end, target
                end += 1
            take[e] = table[spot]
            extra = private[k]
            for x in range(begin[k], begin[k + 1]):
                if not m >> bit[shared[x]] & 1:
                    extra += price[shared[x]]
            cost[0, e] = extra
        first[k + 2] = end
    return True, Layers(first, mask, skip, take, cost)


@kernel
def price_words(plan: Plan, layers: Layers) -> None:
    """Compute the costs of the other words, which `grow` leaves out."""
    for w in range(1, len(layers.cost)):
        for k in range(len(plan.size)):
            for e in range(layers.begin[k], layers.begin[k + 1]):
                extra = plan.private[w, k]
                for x in range(plan.begin[k], plan.begin[k + 1]):
                    g = plan.shared[x]
                    if not layers.mask[e] >> plan.bit[g] & 1:
                        extra += plan.price[w, g]
                layers.cost[w, e] = extra
