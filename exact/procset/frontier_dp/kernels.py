"""Kernels of the dynamic programme over classes of processors; see ``frontier_dp``.

Three steps: `gather` finds what of a machine is available and what it shares; `grow`
lists for every class which shared sets in progress may be open already (layers of
entries, with where each leads if the class is skipped or taken); `sweep` computes the
least costs by entry and number of processors, and `trace` follows them back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.kernels import kernel

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FAR = 2**62
"""Above every folded cost."""
MOST_BITS = 60
"""Shared sets in progress at once, at most: each has a bit of an int64."""
DONE, FULL, BUSY = 0, 1, 2
"""Why `sweep` came back: at the end, its pool is full, its work is used up."""
WIDE, LARGE = -1, -2
"""Why `select` does not solve an instance."""
_DIRECT = 14
PLAIN = 20_000
"""Table entries below which no bound is computed first."""
BAND = 64
"""Part of the gap between bounds within which a solution is looked for first."""
CAREFUL = 2**60
"""No sum of folded costs, and no worth of all units, passes this while bounding."""


class Static(NamedTuple):
    """A machine, prepared: classes of processors in the order of the programme.

    Parameters
    ----------
    home
        Of each processor: its class.
    first, members
        Processors of class c: ``members[first[c]:first[c + 1]]``, ascending.
    begin, sets
        Sets of class c: ``sets[begin[c]:begin[c + 1]]``.
    base
        Of each word and set: the folded cost.
    ahead
        Of each word and set: what it costs more for each available member.
    """

    home: Ints
    first: Ints
    members: Ints
    begin: Ints
    sets: Ints
    base: Ints
    ahead: Ints


class Plan(NamedTuple):
    """What is available: classes in order, and the sets they share.

    Parameters
    ----------
    which
        Of each class: its number in the machine.
    size
        Of each class: available processors, in units of ``unit``.
    private
        Of each word and class: the cost of its private sets.
    begin, shared
        Shared sets of class k: ``shared[begin[k]:begin[k + 1]]``.
    price
        Of each word and shared set: its cost.
    bit
        Of each shared set: its bit in masks, or -1 if there are too many.
    mine, over
        Of each class: bits of its shared sets, and of those that end with it.
    unit
        Greatest common divisor of all sizes, in processors.
    bits
        Bits in use at once, at most: sets in progress, those that just end included.
    width
        Most shared sets in progress between two classes.
    """

    which: Ints
    size: Ints
    private: Ints
    begin: Ints
    shared: Ints
    price: Ints
    bit: Ints
    mine: Ints
    over: Ints
    unit: int
    bits: int
    width: int


class Layers(NamedTuple):
    """Entries: sets of shared sets in progress that may be open before a class.

    Parameters
    ----------
    begin
        Entries before class k: ``begin[k]`` to ``begin[k + 1]``.
    mask
        Of each entry: bits of the open sets.
    skip, take
        Of each entry: the entry of the next layer.
    cost
        Of each word and entry: what taking the class costs.
    """

    begin: Ints
    mask: Ints
    skip: Ints
    take: Ints
    cost: Ints


class Arcs(NamedTuple):
    """What the steps from an entry cost in a sweep; see `reduced`.

    Parameters
    ----------
    stay, go
        Of each entry: what skipping and taking the class costs.
    value, worth, need
        The last step, from t units, costs ``cost - value - worth (need - t)``,
    gap
        where it is no more than this,
    scale
        times this, and the second word.
    most
        Above it, sums are of no interest; FAR if all are.
    """

    stay: Ints
    go: Ints
    value: Ints
    worth: int
    need: int
    gap: int
    scale: int
    most: int


class Tables(NamedTuple):
    """Least costs by entry and number of processors, as far as they are kept.

    ``pool[at[e] + t - low[e]]``, a cost in words, is that of entry e and t units,
    low[e] <= t <= high[e]. ``least`` is the least cost of all that reaches the request,
    ``place`` the class, entry and units from which it does, and the cost there;
    ``state`` the next class and the pool's use.
    """

    pool: Ints
    at: Ints
    low: Ints
    high: Ints
    least: Ints
    place: Ints
    state: Ints


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
    which = np.empty(found, dtype=np.int64)
    size = np.empty(found, dtype=np.int64)
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
        a, b = unit, count[c]
        while b:
            a, b = b, a % b
        unit = a
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
def widths(static: Static) -> Ints:
    """Count the sets in progress after each class, all processors being available.

    Sets are taken as they are: those of the same members count apart.
    """
    n_classes = len(static.first) - 1
    n_sets = static.base.shape[1]
    first = np.full(n_sets, -1, dtype=np.int64)
    last = np.full(n_sets, -1, dtype=np.int64)
    for c in range(n_classes):
        for x in range(static.begin[c], static.begin[c + 1]):
            s = static.sets[x]
            if first[s] < 0:
                first[s] = c
            last[s] = c
    width = np.zeros(n_classes + 1, dtype=np.int64)
    for s in range(n_sets):
        if first[s] >= 0:
            width[first[s]] += 1
            width[last[s]] -= 1
    for c in range(1, n_classes):
        width[c] += width[c - 1]
    return width[:n_classes]


@kernel
def _find(table: Ints, keys: Ints, key: int, least: int, shift: int) -> int:
    """Return where a key is in a hash table, or the empty place for it.

    Entries below ``least`` are those of layers before, and count as empty.
    """
    spot = key if shift == 0 else (key * np.int64(-7046029254386353131)) >> shift
    spot &= len(table) - 1
    while table[spot] >= least and keys[table[spot]] != key:
        spot = (spot + 1) & (len(table) - 1)
    return int(spot)


@kernel
def grow(plan: Plan, most: int) -> tuple[bool, Layers]:
    """List the entries of all layers; False if there are more than ``most``."""
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
        if room < b + 2 * (b - a):
            if b + 2 * (b - a) > most:
                return False, Layers(first, mask, skip, take, cost)
            room = min(most, 2 * (b + 2 * (b - a)))
            mask = _longer(mask, room)
            skip = _longer(skip, room)
            take = _longer(take, room)
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
def _longer(array: Ints, length: int) -> Ints:
    longer = np.zeros(length, dtype=np.int64)
    longer[: len(array)] = array
    return longer


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
    """Find what a unit is worth for the best bound; the bound; a cost that suffices.

    Last comes the worth at which the choice of that cost is made, -1 if all is taken.

    The bound is concave and piecewise linear in the worth: the next one to try is
    where the lines of two choices meet, of which one has enough units.
    """
    enough, units = 0, 0
    for k in range(len(plan.size)):
        units += plan.size[k]
        enough += plan.private[0, k]
    for g in range(plan.price.shape[1]):
        enough += plan.price[0, g]
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
def blank(entries: int, pool: Ints) -> Tables:
    """Make tables over a pool of shape (room, words), at the beginning."""
    words = pool.shape[1]
    tables = Tables(
        pool,
        np.zeros(entries, dtype=np.int64),
        np.full(entries, FAR, dtype=np.int64),
        np.full(entries, -1, dtype=np.int64),
        np.full(words, FAR, dtype=np.int64),
        np.full(4, -1, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )
    restart(tables)
    return tables


@kernel
def restart(tables: Tables) -> None:
    """Go back to the beginning: no class looked at, no processor taken."""
    tables.low[:] = FAR
    tables.high[:] = -1
    tables.pool[0] = 0
    tables.at[0] = tables.low[0] = tables.high[0] = 0
    tables.least[:] = FAR
    tables.place[:] = -1
    tables.state[0], tables.state[1] = 0, 1


@kernel
def reduced(
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
def sweep(
    plan: Plan,
    layers: Layers,
    arcs: Arcs,
    tables: Tables,
    rest: Ints,
    stop: int,
    work: int,
) -> int:
    """Go on with the programme, class after class; return why it came back.

    Parameters
    ----------
    plan, layers, arcs, tables
        Of one instance; the tables say how far it has come.
    rest
        ``rest[k]``: units of the classes from k on; as many as wanted if fewer than
        that are of interest too.
    stop
        Class before which to stop.
    work
        Table entries after which to come back.
    """
    size, first, skip, take = plan.size, layers.begin, layers.skip, layers.take
    stay, go, value, need = arcs.stay, arcs.go, arcs.value, arcs.need
    worth, gap, scale, most = arcs.worth, arcs.gap, arcs.scale, arcs.most
    cost, second = layers.cost[0], layers.cost[-1]
    two, bounded = len(layers.cost) > 1, most < FAR
    pool, at, low, high = tables.pool.reshape(-1), tables.at, tables.low, tables.high
    place, state = tables.place, tables.state
    k, used, done = state[0], state[1], 0
    least = tables.least[0]
    answer = DONE
    while k < stop:
        f = size[k]
        a, b, end = first[k], first[k + 1], first[k + 2]
        floor = max(0, need - rest[k + 1])
        before = used
        cut = min(most, least) if bounded else FAR - 1
        for e in range(b, end):
            low[e], high[e] = FAR, -1
        for e in range(a, b):
            u, v = low[e], high[e]
            if u > v:
                continue
            d = skip[e]
            u1 = max(u, floor)
            if u1 <= v and stay[e] <= cut:
                low[d] = min(low[d], u1)
                high[d] = max(high[d], v)
            d = take[e]
            u2, v2 = max(u + f, floor), min(v + f, need - 1)
            if u2 <= v2 and go[e] <= cut:
                low[d] = min(low[d], u2)
                high[d] = max(high[d], v2)
        for d in range(b, end):
            if low[d] <= high[d]:
                at[d] = used
                used += high[d] - low[d] + 1
        if used > len(pool):
            answer, used = FULL, before
            break
        pool[before:used] = FAR
        for e in range(a, b):
            u, v = low[e], high[e]
            if u > v:
                continue
            source = at[e] - u
            d, extra = skip[e], stay[e]
            u1 = max(u, floor)
            if u1 <= v and extra <= cut:
                target = at[d] - low[d]
                x, y = pool[source + u1 : source + v + 1], pool[target + u1 :]
                for i in range(len(x)):
                    y[i] = min(y[i], x[i] + extra)
            d, extra = take[e], go[e]
            u2, v2 = max(u + f, floor), min(v + f, need - 1)
            if u2 <= v2 and extra <= cut:
                target = at[d] - low[d]
                x, y = pool[source + u2 - f : source + v2 - f + 1], pool[target + u2 :]
                for i in range(len(x)):
                    y[i] = min(y[i], x[i] + extra)
            for t in range(max(u, need - f), v + 1):
                last = cost[e] - value[e] - worth * (need - t)
                if last > gap:
                    continue
                last *= scale
                if two:
                    last += second[e]
                total = pool[source + t] + last
                if total < least:
                    least = total
                    place[0], place[1], place[2] = k, e, t
                    place[3] = pool[source + t]
        if bounded:
            cut = min(most, least)
            used = before
            for d in range(b, end):
                u, v = low[d], high[d]
                if u > v:
                    continue
                source = at[d] - u
                while u <= v and pool[source + u] > cut:
                    u += 1
                while v >= u and pool[source + v] > cut:
                    v -= 1
                at[d], low[d], high[d] = source + u, u, v
                used = max(used, source + v + 1) if u <= v else used
        done += used - before + (b - a)
        k += 1
        if done > work and k < stop:
            answer = BUSY
            break
    tables.least[0] = least
    state[0], state[1] = k, used
    return answer


@kernel
def trace(
    plan: Plan,
    layers: Layers,
    stay: Ints,
    go: Ints,
    tables: Tables,
    start: int,
    place: Ints,
    value: Ints,
    taken: Flags,
) -> None:
    """Follow the least cost back to class ``start``, whose tables are the first kept.

    ``place`` is class, entry and units, and ``value`` the cost there, in words; both
    are moved to ``start``. ``go`` has a row for each word, ``stay`` is of the first.
    """
    size, first, skip, take = plan.size, layers.begin, layers.skip, layers.take
    pool, at, low, high = tables.pool, tables.at, tables.low, tables.high
    k, e, t = place[0], place[1], place[2]
    words = len(value)
    while k > start:
        k -= 1
        f = size[k]
        for d in range(first[k], first[k + 1]):
            u, v = low[d], high[d]
            if skip[d] == e and u <= t <= v:
                same = pool[at[d] + t - u, 0] + stay[d] == value[0]
                for w in range(1, words):
                    same &= pool[at[d] + t - u, w] == value[w]
                if same:
                    e = d
                    value[0] -= stay[d]
                    break
            if take[d] == e and u <= t - f <= v:
                same = True
                for w in range(words):
                    same &= pool[at[d] + t - f - u, w] + go[w, d] == value[w]
                if same:
                    e, t = d, t - f
                    value -= go[:, d]
                    taken[k] = True
                    break
    place[0], place[1], place[2] = k, e, t


@kernel
def remaining(plan: Plan) -> Ints:
    """Return how many units the classes from each on have."""
    rest = np.zeros(len(plan.size) + 1, dtype=np.int64)
    for k in range(len(plan.size) - 1, -1, -1):
        rest[k] = rest[k + 1] + plan.size[k]
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


@kernel
def pick(
    static: Static, available: Flags, plan: Plan, taken: Flags, request: int
) -> Ints:
    """Return exactly the request out of the classes taken, in their order."""
    chosen = np.empty(request, dtype=np.int64)
    count = 0
    for k in range(len(taken)):
        if taken[k]:
            c = plan.which[k]
            for x in range(static.first[c], static.first[c + 1]):
                i = static.members[x]
                if count < request and available[i]:
                    chosen[count] = i
                    count += 1
    chosen.sort()
    return chosen


@kernel
def select(
    static: Static, available: Flags, request: int, most: int, pool: Ints, largest: int
) -> tuple[int, Ints]:
    """Solve at one go, where tables fit a pool, of one word.

    ``largest`` is the folded cost of all sets. Returns the least cost and the
    processors; WIDE if there are more than ``most`` entries, LARGE if the tables do not
    fit.
    """
    nothing = np.empty(0, dtype=np.int64)
    plan = gather(static, available)
    if plan.bits > MOST_BITS:
        return WIDE, nothing
    fine, layers = grow(plan, most)
    if not fine:
        return WIDE, nothing
    need = -(-request // plan.unit)
    rest = remaining(plan)
    n = len(plan.size)
    entries = layers.begin[n + 1]
    lower, upper, step = 0, FAR, 0
    arcs = plain(layers, need)
    if entries * need >= PLAIN and largest <= CAREFUL:
        value = np.empty(len(layers.mask), dtype=np.int64)
        count = np.empty(len(layers.mask), dtype=np.int64)
        worth, lower, upper, _ = multiplier(plan, layers, need, value, count)
        step = (upper - lower) // BAND
        arcs = reduced(plan, layers, need, worth, value, step, 1)
    tables = blank(entries, pool)
    while True:
        end = sweep(plan, layers, arcs, tables, rest, n, FAR)
        if end == FULL:
            return LARGE, nothing
        least = tables.least[0]
        if least <= arcs.most:
            break
        step = 4 * step + 1
        gap = least if least < upper - lower else min(arcs.gap + step, upper - lower)
        arcs = reduced(plan, layers, need, arcs.worth, arcs.value, gap, 1)
        restart(tables)
    taken = np.zeros(n, dtype=np.bool_)
    place = tables.place.copy()
    taken[place[0]] = True
    go = arcs.go.reshape((1, len(arcs.go)))
    trace(plan, layers, arcs.stay, go, tables, 0, place, place[3:].copy(), taken)
    return lower + least, pick(static, available, plan, taken, request)
