"""Kernels of the dynamic program over classes of processors; see ``frontier_dp``.

Three steps: `gather` finds what of a machine is available and what it shares; `grow`
lists for every class which shared sets in progress may be open already (layers of
entries, with where each leads if the class is skipped or taken); `sweep` computes the
least costs by entry and number of processors, and `trace` follows them back.
"""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .kernels_bounds import multiplier, plain, reduce_costs, remaining
from .kernels_layers import gather, grow
from .layout import (
    BUSY,
    CAREFUL,
    DONE,
    FAR,
    FULL,
    MOST_BITS,
    Arcs,
    Flags,
    Ints,
    Layers,
    Plan,
    Static,
    Tables,
)

WIDE, LARGE = -1, -2
"""Why `select` does not solve an instance."""
PLAIN = 20_000
"""Table entries below which no bound is computed first."""


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
def sweep(
    plan: Plan,
    layers: Layers,
    arcs: Arcs,
    tables: Tables,
    rest: Ints,
    stop: int,
    work: int,
) -> int:
    """Continue the program class after class; return why it stopped.

    The tables say how far it has come; ``rest`` is as `remaining` returns it, or as
    many as wanted if fewer than that are of interest too. It comes back before class
    ``stop``, and after so much ``work``, counted in table entries.
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
def _lower(target: Ints, source: Ints, extra: Ints) -> bool:
    """Lower a cost to another plus an extra one; False if it is as low already."""
    for w in range(len(target)):
        sum_ = source[w] + extra[w]
        if sum_ != target[w]:
            if sum_ > target[w]:
                return False
            break
    else:
        return False
    target[:] = source + extra
    return True


@kernel
def sweep_words(
    plan: Plan,
    layers: Layers,
    tables: Tables,
    need: int,
    rest: Ints,
    stop: int,
    work: int,
) -> int:
    """Continue as `sweep` does, with costs of several words and without bounds."""
    size, first = plan.size, layers.begin
    skip, take = layers.skip, layers.take
    cost = np.ascontiguousarray(layers.cost.T)
    pool, at, low, high = tables.pool, tables.at, tables.low, tables.high
    place, state, least = tables.place, tables.state, tables.least
    nothing = np.zeros(len(least), dtype=np.int64)
    k, used, done = state[0], state[1], 0
    answer = DONE
    while k < stop:
        f = size[k]
        a, b, end = first[k], first[k + 1], first[k + 2]
        floor = max(0, need - rest[k + 1])
        before = used
        for e in range(b, end):
            low[e], high[e] = FAR, -1
        for e in range(a, b):
            u, v = low[e], high[e]
            if u > v:
                continue
            if max(u, floor) <= v:
                low[skip[e]] = min(low[skip[e]], max(u, floor))
                high[skip[e]] = max(high[skip[e]], v)
            u, v = max(u + f, floor), min(v + f, need - 1)
            if u <= v:
                low[take[e]] = min(low[take[e]], u)
                high[take[e]] = max(high[take[e]], v)
        for d in range(b, end):
            if low[d] <= high[d]:
                at[d] = used
                used += high[d] - low[d] + 1
        if used > len(pool):
            answer, used = FULL, before
            break
        pool[before:used] = FAR
        for e in range(a, b):
            for t in range(low[e], high[e] + 1):
                source = pool[at[e] + t - low[e]]
                if source[0] == FAR:
                    continue
                if t >= floor:
                    d = skip[e]
                    _lower(pool[at[d] + t - low[d]], source, nothing)
                if t + f >= need:
                    if _lower(least, source, cost[e]):
                        place[0], place[1], place[2] = k, e, t
                elif t + f >= floor:
                    d = take[e]
                    _lower(pool[at[d] + t + f - low[d]], source, cost[e])
        done += used - before + (b - a)
        k += 1
        if done > work and k < stop:
            answer = BUSY
            break
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
    """Solve in one call a request of one word whose tables fit a pool.

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
    lower = 0
    arcs = plain(layers, need)
    if entries * need >= PLAIN and largest <= CAREFUL:
        value = np.empty(len(layers.mask), dtype=np.int64)
        count = np.empty(len(layers.mask), dtype=np.int64)
        worth, lower, upper, _ = multiplier(plan, layers, need, value, count)
        arcs = reduce_costs(plan, layers, need, worth, value, upper - lower, 1)
    tables = blank(entries, pool)
    if sweep(plan, layers, arcs, tables, rest, n, FAR) == FULL:
        return LARGE, nothing
    taken = np.zeros(n, dtype=np.bool_)
    place = tables.place.copy()
    taken[place[0]] = True
    go = arcs.go.reshape((1, len(arcs.go)))
    trace(plan, layers, arcs.stay, go, tables, 0, place, place[3:].copy(), taken)
    return lower + tables.least[0], pick(static, available, plan, taken, request)
