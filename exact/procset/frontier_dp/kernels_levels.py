"""Kernels that solve a large request level by level; see ``levels``.

Nodes are the entries of the layers of ``kernels_layers`` at which a group may still
be opened. `climb` finds multipliers, `fix` closes what they rule out, `finish` does
what is left by the program.
"""

from __future__ import annotations

from math import gcd

import numpy as np

from ....solvers.running.kernels import kernel
from .kernels_level_bounds import COLUMNS, SAFE, climb, fix, price_level, relax_level
from .layout import FAR, Flags, Goods, Ints, Nodes

FOUND, FAILED, FULL = 0, 1, 2
"""Whether an optimum was found; if not, the plain program is left to find it."""
_TRIES = 7
_FINE, _COARSE = 2**26, 2**30


@kernel
def _fill(
    rows: Ints,
    source: Ints,
    extra: int,
    begin: int,
    end: int,
    goods: Goods,
    take: Ints,
    leave: Ints,
    most: int,
    mask: int,
    roof: int,
) -> int:
    """Go through the items of an opened group; ``rows[i]`` is before the i-th.

    Returns how many items there were.
    """
    width = rows.shape[1]
    for t in range(width):
        rows[0, t] = FAR
    for t in range(len(source)):
        x = source[t]
        if x < FAR and x + extra < roof and ((x + extra) & mask) <= most:
            rows[0, t] = x + extra
    row = 0
    for i in range(begin, end):
        if goods.out[i]:
            continue
        stay, go, f = leave[i], take[i], goods.size[i]
        old, new = rows[row], rows[row + 1]
        for t in range(width):
            x = FAR
            if old[t] < FAR and (old[t] & mask) + stay <= most:
                x = old[t] + stay
            before = old[t - f] if t >= f else FAR
            if before + go < roof and (before & mask) + (go & mask) <= most:
                x = min(x, before + go)
            new[t] = x
        row += 1
    return row


# Over 120 lines: its parts share most local variables, which a split would pass on.
@kernel
def finish(
    nodes: Nodes,
    goods: Goods,
    scale: int,
    weights: Ints,
    caps: Ints,
    need: int,
    enough: int,
    most: int,
    bits: int,
    room: int,
    taken: Flags,
    opened: Flags,
) -> int:
    """Find the least choice within caps that adds at most so much to the last bound.

    Every choice adds at least ``enough`` to the bound, and may add at most ``most``,
    which the ``bits`` hold several times; there are at most ``room`` table entries.
    Items taken and nodes opened are flagged. Returns FOUND; FAILED if there is no such
    choice; FULL if tables do not fit.

    Values are the levels above, folded, times 2^bits, plus what is added. The folding
    is by caps: what passes a cap may pass for more of a level above, but then it is
    more than all caps together, and closed.
    """
    levels = len(nodes.digit)
    level = levels - 1
    group, skip, open_ = nodes.group, nodes.skip, nodes.open
    begin, size = goods.begin, goods.size
    end = len(group)
    mask = (np.int64(1) << bits) - 1
    above_all = np.int64(0)
    for x in range(level):
        above_all = above_all * (caps[x] + 1) + caps[x]
    roof = (above_all + 1) << bits
    goal = (above_all << bits) + enough
    price = np.empty(end, dtype=np.int64)
    own = np.empty(len(size), dtype=np.int64)
    value = np.empty(end + 1, dtype=np.int64)
    gain = price_level(nodes, goods, level, scale, weights, price, own)
    relax_level(nodes, price, gain, value)
    worth = weights[level]
    above = np.zeros(end, dtype=np.int64)
    item_above = np.zeros(len(size), dtype=np.int64)
    for x in range(level):
        for e in range(end):
            above[e] = above[e] * (caps[x] + 1) + min(caps[x], nodes.digit[x, e])
        for i in range(len(size)):
            item_above[i] = item_above[i] * (caps[x] + 1) + min(
                caps[x], goods.digit[x, i]
            )
    # what passes a cap by itself passes all of them: no product of it overflows
    for x in range(level):
        for e in range(end):
            if nodes.digit[x, e] > caps[x]:
                above[e] = above_all + 1
        for i in range(len(size)):
            if goods.digit[x, i] > caps[x]:
                item_above[i] = above_all + 1
    take = np.empty(len(size), dtype=np.int64)
    leave = np.empty(len(size), dtype=np.int64)
    for i in range(len(size)):
        more = own[i] - worth * size[i]
        take[i] = (item_above[i] << bits) + min(max(0, more), most + 1)
        leave[i] = max(0, -more)
    held = np.zeros(len(gain), dtype=np.int64)
    longest = 0
    for k in range(len(gain)):
        longest = max(longest, begin[k + 1] - begin[k])
        for i in range(begin[k], begin[k + 1]):
            if not goods.out[i]:
                held[k] += size[i]
    rest = np.zeros(end + 1, dtype=np.int64)
    # whether nothing more need be opened; else a choice that ends here is ruled out,
    # and no bound holds for it
    over = np.ones(end + 1, dtype=np.bool_)
    degree = np.zeros(end + 2, dtype=np.int64)
    for e in range(end - 1, -1, -1):
        rest[e] = rest[open_[e]] + held[group[e]]
        over[e] = skip[e] >= 0 and over[skip[e]]
        degree[open_[e] + 1] += 1
        if skip[e] >= 0:
            rest[e] = max(rest[e], rest[skip[e]])
            degree[skip[e] + 1] += 1
    for e in range(end + 1):
        degree[e + 1] += degree[e]
    before = np.empty(degree[end + 1], dtype=np.int64)
    place = degree[: end + 1].copy()
    for e in range(end):
        before[place[open_[e]]] = 2 * e + 1
        place[open_[e]] += 1
        if skip[e] >= 0:
            before[place[skip[e]]] = 2 * e
            place[skip[e]] += 1
    # tables of node e are 2 e, those after opening it 2 e + 1
    at = np.zeros(2 * end, dtype=np.int64)
    low = np.full(2 * end, FAR, dtype=np.int64)
    high = np.full(2 * end, -1, dtype=np.int64)
    pool = np.empty(room, dtype=np.int64)
    rows = np.empty((longest + 1, need), dtype=np.int64)
    used = 1
    pool[0] = at[0] = low[0] = high[0] = 0
    best, best_at = roof, 0
    best_node = best_item = -1
    for e in range(end):
        u, v = low[2 * e], high[2 * e]
        if e:
            for p in range(degree[e], degree[e + 1]):
                u, v = min(u, low[before[p]]), max(v, high[before[p]])
            u = max(u, need - rest[e])
            if u > v:
                continue
            if used + 2 * need > len(pool):
                return FULL
            for t in range(used, used + v - u + 1):
                pool[t] = FAR
            for p in range(degree[e], degree[e + 1]):
                b = before[p]
                more = 0
                if b % 2 == 0:
                    more = value[e] - value[b // 2]
                first = max(u, low[b])
                source, target = at[b] + first - low[b], used + first - u
                for t in range(high[b] - first + 1):
                    x = pool[source + t]
                    if x < FAR and (x & mask) + more <= most:
                        pool[target + t] = min(pool[target + t], x + more)
            source = used
            while u <= v and pool[source] == FAR:
                source += 1
                u += 1
            while v >= u and pool[source + v - u] == FAR:
                v -= 1
            at[2 * e], low[2 * e], high[2 * e] = source, u, v
            if u > v:
                continue
            used = source + v - u + 1
        k = group[e]
        extra = price[e] + gain[k] + value[open_[e]] - value[e]
        if extra > most:
            continue
        width = min(v + held[k], need - 1) - u + 1
        table = rows[:, :width]
        source_row = pool[at[2 * e] : at[2 * e] + v - u + 1]
        count = _fill(
            table, source_row, (above[e] << bits) + extra, begin[k], begin[k + 1],
            goods, take, leave, most, mask, roof,
        )  # fmt: skip
        ahead = value[open_[e]] + gain[k]
        row = 0
        for i in range(begin[k], begin[k + 1]):
            if goods.out[i]:
                continue
            start = max(u, need - size[i]) if over[open_[e]] else u + width
            for t in range(start, u + width):
                x = table[row, t - u]
                if x == FAR:
                    continue
                total = (x & mask) - ahead - worth * (need - t) + own[i]
                if total > most:
                    continue
                total += ((x >> bits) + item_above[i]) << bits
                if total < best:
                    best, best_at = total, t
                    best_node, best_item = e, i
            ahead -= min(0, own[i] - worth * size[i])
            row += 1
        if best == goal:
            break
        if used + width > len(pool):
            return FULL
        first, final = 0, width - 1
        while first <= final and table[count, first] == FAR:
            first += 1
        while final >= first and table[count, final] == FAR:
            final -= 1
        if first <= final and open_[e] < end:
            o = 2 * e + 1
            at[o], low[o], high[o] = used, u + first, u + final
            for t in range(first, final + 1):
                pool[used + t - first] = table[count, t]
            used += final - first + 1
    if best == roof:
        return FAILED
    # the way back
    e, t, stop, final_cost = best_node, best_at, best_item, FAR
    taken[best_item] = True
    while True:
        opened[e] = True
        k = group[e]
        u, v = low[2 * e], high[2 * e]
        width = min(v + held[k], need - 1) - u + 1
        table = rows[:, :width]
        extra = price[e] + gain[k] + value[open_[e]] - value[e]
        count = _fill(
            table, pool[at[2 * e] : at[2 * e] + v - u + 1], (above[e] << bits) + extra,
            begin[k], stop, goods, take, leave, most, mask, roof,
        )  # fmt: skip
        x = table[count, t - u] if final_cost == FAR else final_cost
        row = count
        for i in range(stop - 1, begin[k] - 1, -1):
            if goods.out[i]:
                continue
            row -= 1
            if table[row, t - u] < FAR and table[row, t - u] + leave[i] == x:
                x -= leave[i]
            else:
                taken[i] = True
                x -= take[i]
                t -= size[i]
        x -= (above[e] << bits) + extra
        while e:
            found = -1
            for p in range(degree[e], degree[e + 1]):
                b = before[p]
                if low[b] <= t <= high[b]:
                    more = 0
                    if b % 2 == 0:
                        more = value[e] - value[b // 2]
                    if pool[at[b] + t - low[b]] + more == x:
                        found = b
                        x -= more
                        break
            e = found // 2
            if found % 2:
                break
        else:
            break
        final_cost, stop = x, begin[group[e] + 1]
    return FOUND


# Over 120 lines: its parts share most local variables, which a split would pass on.
@kernel
def solve(
    begin: Ints,
    skip: Ints,
    take: Ints,
    cost: Ints,
    which: Ints,
    first: Ints,
    home: Ints,
    available: Flags,
    base: Ints,
    ahead: Ints,
    word: Ints,
    weight: Ints,
    radix: Ints,
    request: int,
    room: int,
) -> tuple[int, Ints, Ints]:
    """Solve a request level by level; see ``levels``.

    Parameters
    ----------
    begin, skip, take, cost
        Layers of groups, as in ``kernels_layers``.
    which, first
        Number of each group with available members; classes of group g are ``first[g]``
        to ``first[g + 1]``.
    base, ahead
        Of each word and class: what its own sets cost, and more for each member.
    word, weight, radix
        Of each level: its word, its weight there, and one more than its digits.

    Returns
    -------
    tuple
        FOUND or FAILED; the least cost, in words; the classes taken, 1 or 0.
    """
    levels, words = len(word), len(cost)
    groups = len(which)
    count = np.zeros(first[-1], dtype=np.int64)
    for i in range(len(home)):
        count[home[i]] += available[i]
    chosen = np.zeros(len(count), dtype=np.int64)
    total = np.zeros(words, dtype=np.int64)
    item_begin = np.zeros(groups + 1, dtype=np.int64)
    number, unit = 0, 0
    for k in range(groups):
        for c in range(first[which[k]], first[which[k] + 1]):
            if count[c]:
                number += 1
                unit = gcd(unit, count[c])
        item_begin[k + 1] = number
    goods = Goods(
        item_begin,
        np.empty(number, dtype=np.int64),
        np.empty((levels, number), dtype=np.int64),
        np.zeros(number, dtype=np.bool_),
    )
    class_of = np.empty(number, dtype=np.int64)
    at = 0
    for k in range(groups):
        for c in range(first[which[k]], first[which[k] + 1]):
            if count[c]:
                class_of[at] = c
                goods.size[at] = count[c] // unit
                for x in range(levels):
                    w = word[x]
                    folded = base[w, c] + ahead[w, c] * count[c]
                    goods.digit[x, at] = folded // weight[x] % radix[x]
                at += 1
    need = -(-request // unit)
    end = begin[groups]
    nodes = Nodes(
        np.empty(end, dtype=np.int64),
        np.arange(end),
        skip[:end].copy(),
        take[:end].copy(),
        np.empty((levels, end), dtype=np.int64),
    )
    for k in range(groups):
        nodes.group[begin[k] : begin[k + 1]] = k
    for x in range(levels):
        nodes.digit[x] = cost[word[x], :end] // weight[x] % radix[x]
    columns = np.zeros((levels + 1, COLUMNS), dtype=np.int64)
    columns[levels, 0] = goods.size.sum()
    columns[:levels, 0] = goods.digit.sum(axis=1)
    e = 0
    while e < end:
        columns[:levels, 0] += nodes.digit[:, e]
        e = nodes.open[e]
    known = 2
    for x in range(levels):
        if columns[x, 0] > SAFE // 8:
            return FAILED, total, chosen
    caps = np.zeros(levels, dtype=np.int64)
    for level in range(levels):
        last = level == levels - 1
        scale = max(1, min(_FINE, SAFE // 8 // max(1, columns[level, 0])))
        if last:
            about = float(columns[level, 0]) * need / columns[levels, 0]
            scale = max(1, min(scale, int(_COARSE / max(1.0, about))))
        lower, weights, after = climb(
            nodes, goods, level, scale, caps, need, columns, known, last
        )
        known = after
        if lower <= -FAR:
            return FAILED, total, chosen
        caps[level] = max(0, -(-lower // scale))
        gap = caps[level] * scale - lower
        if not last:
            fine, nodes = fix(nodes, goods, level, scale, weights, gap)
            if not fine:
                return FAILED, total, chosen
    span, spare = 1.0, 60
    for x in range(levels - 1):
        span *= caps[x] + 1
    while span > 1.0:
        span /= 2.0
        spare -= 1
    enough, step = gap, max(scale, weights[levels - 1] // 4)
    for _ in range(_TRIES):
        bits = 1
        while np.int64(1) << bits <= 4 * gap + 4:
            bits += 1
        if bits > spare:
            break
        left = Goods(goods.begin, goods.size, goods.digit, goods.out.copy())
        fine, few = fix(nodes, left, levels - 1, scale, weights, gap)
        if fine:
            taken = np.zeros(number, dtype=np.bool_)
            opened = np.zeros(len(few.group), dtype=np.bool_)
            end = finish(
                few,
                left,
                scale,
                weights,
                caps,
                need,
                enough,
                gap,
                bits,
                room,
                taken,
                opened,
            )
            if end == FULL:
                break
            if end == FOUND:
                for w in range(words):
                    for e in range(len(opened)):
                        if opened[e]:
                            total[w] += cost[w, few.origin[e]]
                for i in range(number):
                    if taken[i]:
                        c = class_of[i]
                        chosen[c] = 1
                        for w in range(words):
                            total[w] += base[w, c] + ahead[w, c] * count[c]
                return FOUND, total, chosen
        gap += step
        step *= 4
    return FAILED, total, chosen
