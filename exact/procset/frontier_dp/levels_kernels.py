"""Kernels that solve a large request level by level; see ``frontier_levels``.

Nodes are the entries of the layers of ``frontier_kernels`` at which a group may still
be opened. `climb` finds multipliers, `fix` closes what they rule out, `finish` does
what is left by the programme.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.kernels import kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

FAR = 2**62
"""Above every value."""
FOUND, FAILED, FULL = 0, 1, 2
"""Whether an optimum was found; if not, the plain programme is left to find it."""
_FINE, _COARSE = 2**26, 2**30
_SAFE = 2**57
_COLUMNS = 400
_ROUNDS = 70
_TRIES = 7


class Goods(NamedTuple):
    """Items of the groups: classes whose sets of several classes are the same.

    Parameters
    ----------
    begin
        Items of group k: ``begin[k]`` to ``begin[k + 1]``.
    size
        Of each: available processors, in units.
    digit
        Of each level and item: its own cost.
    out
        Of each: whether it is closed.
    """

    begin: Ints
    size: Ints
    digit: Ints
    out: Flags


class Nodes(NamedTuple):
    """Where a group may be opened, in the order of groups; the end comes last.

    Parameters
    ----------
    group, origin
        Of each node: its group, and the entry that it was.
    skip, open
        The node after skipping the group, after opening it; -1 if closed.
    digit
        Of each level and node: what opening costs.
    """

    group: Ints
    origin: Ints
    skip: Ints
    open: Ints
    digit: Ints


@kernel
def _master(fixed: Floats, slope: Floats, n: int, box: Floats) -> tuple[float, Floats]:
    """Maximise the least of n affine functions over multipliers from 0 to a box.

    The simplex method on the dual: the best mean of the solutions that the functions
    stand for, which keeps all limits on average.
    """
    d = len(box)
    basis = np.empty(d + 1, dtype=np.int64)
    inverse = np.zeros((d + 1, d + 1))
    x = np.zeros(d + 1)
    price = np.zeros(d + 1)
    inverse[d, d] = x[d] = 1.0
    basis[d], price[d] = 0, fixed[0]
    for i in range(d):
        sign = 1.0
        basis[i] = n + i
        if slope[i, 0] > 0:
            sign, basis[i], price[i] = -1.0, n + d + i, box[i]
        inverse[i, i] = sign
        inverse[i, d] = -sign * slope[i, 0]
        x[i] = -sign * slope[i, 0]
    dual = np.zeros(d + 1)
    column = np.zeros(d + 1)
    for _ in range(500):
        for i in range(d + 1):
            dual[i] = 0.0
            for r in range(d + 1):
                dual[i] += price[r] * inverse[r, i]
        enter, least = -1, -1e-9 * (1.0 + abs(dual[d]))
        for k in range(n):
            cost = fixed[k] - dual[d]
            for i in range(d):
                cost -= dual[i] * slope[i, k]
            if cost < least:
                enter, least = k, cost
        for i in range(d):
            if -dual[i] < least:
                enter, least = n + i, -dual[i]
            if box[i] + dual[i] < least:
                enter, least = n + d + i, box[i] + dual[i]
        if enter < 0:
            break
        own = 0.0
        for r in range(d + 1):
            if enter < n:
                column[r] = inverse[r, d]
                for i in range(d):
                    column[r] += inverse[r, i] * slope[i, enter]
                own = fixed[enter]
            elif enter < n + d:
                column[r] = inverse[r, enter - n]
            else:
                column[r] = -inverse[r, enter - n - d]
                own = box[enter - n - d]
        leave, ratio = -1, 0.0
        for r in range(d + 1):
            if column[r] > 1e-9:
                step = x[r] / column[r]
                if leave < 0 or step < ratio:
                    leave, ratio = r, step
        if leave < 0:
            break
        pivot = column[leave]
        for i in range(d + 1):
            inverse[leave, i] /= pivot
        x[leave] = ratio
        for r in range(d + 1):
            if r != leave and column[r] != 0.0:
                x[r] = max(0.0, x[r] - column[r] * ratio)
                for i in range(d + 1):
                    inverse[r, i] -= column[r] * inverse[leave, i]
        basis[leave], price[leave] = enter, own
    best = 0.0
    for r in range(d + 1):
        best += price[r] * x[r]
    weights = np.zeros(d)
    for i in range(d):
        weights[i] = min(max(0.0, -dual[i]), box[i])
    return best, weights


@kernel
def _price(
    nodes: Nodes,
    goods: Goods,
    level: int,
    scale: int,
    weights: Ints,
    price: Ints,
    own: Ints,
) -> Ints:
    """Price nodes and items at a level with multipliers; return what groups gain.

    ``weights`` are the multipliers of the levels above, then the worth of a unit.
    """
    digit, item, size, out = nodes.digit, goods.digit, goods.size, goods.out
    begin = goods.begin
    for e in range(len(price)):
        price[e] = scale * digit[level, e]
    for i in range(len(own)):
        own[i] = scale * item[level, i]
    for above in range(level):
        weight = weights[above]
        if weight:
            for e in range(len(price)):
                price[e] += weight * digit[above, e]
            for i in range(len(own)):
                own[i] += weight * item[above, i]
    worth = weights[level]
    gain = np.zeros(len(begin) - 1, dtype=np.int64)
    for k in range(len(gain)):
        for i in range(begin[k], begin[k + 1]):
            if not out[i]:
                gain[k] += min(0, own[i] - worth * size[i])
    return gain


@kernel
def _relax(nodes: Nodes, price: Ints, gain: Ints, value: Ints) -> int:
    """Find the least of cost less worth from every node on; return the first."""
    group, skip, open_ = nodes.group, nodes.skip, nodes.open
    end = len(price)
    value[end] = 0
    for e in range(end - 1, -1, -1):
        least = value[open_[e]] + price[e] + gain[group[e]]
        if skip[e] >= 0:
            least = min(least, value[skip[e]])
        value[e] = least
    return int(value[0])


@kernel
def _walk(
    nodes: Nodes,
    goods: Goods,
    price: Ints,
    gain: Ints,
    own: Ints,
    worth: int,
    value: Ints,
    column: Ints,
) -> None:
    """Add up digits and units of the choice that `_relax` makes."""
    group, skip, open_ = nodes.group, nodes.skip, nodes.open
    levels = len(nodes.digit)
    column[:] = 0
    e, end = 0, len(price)
    while e < end:
        k = group[e]
        opened = value[open_[e]] + price[e] + gain[k]
        if skip[e] >= 0 and value[skip[e]] <= opened:
            e = skip[e]
            continue
        for x in range(levels):
            column[x] += nodes.digit[x, e]
        for i in range(goods.begin[k], goods.begin[k + 1]):
            if not goods.out[i] and own[i] < worth * goods.size[i]:
                column[levels] += goods.size[i]
                for x in range(levels):
                    column[x] += goods.digit[x, i]
        e = open_[e]


@kernel
def climb(
    nodes: Nodes,
    goods: Goods,
    level: int,
    scale: int,
    caps: Ints,
    need: int,
    columns: Ints,
    known: int,
    last: bool,
) -> tuple[int, Ints, int]:
    """Find multipliers for the best bound of a level, levels above at their caps.

    Cutting planes: every choice met, whatever its multipliers, bounds the bound.

    Returns
    -------
    tuple
        The bound times ``scale``, the multipliers, and how many columns are known.
    """
    d = level + 1
    levels = len(nodes.digit)
    fixed = np.empty(_COLUMNS)
    slope = np.empty((d, _COLUMNS))
    box = np.empty(d)
    for i in range(d):
        total = columns[i if i < level else levels, 0]
        box[i] = min(1e6, _SAFE // scale // 8 // max(1, total))
    for c in range(known):
        fixed[c] = columns[level, c]
        for i in range(level):
            slope[i, c] = columns[i, c] - caps[i]
        slope[level, c] = need - columns[levels, c]
    price = np.empty(len(nodes.group), dtype=np.int64)
    own = np.empty(len(goods.size), dtype=np.int64)
    value = np.empty(len(price) + 1, dtype=np.int64)
    column = np.empty(levels + 1, dtype=np.int64)
    weights = np.zeros(d, dtype=np.int64)
    best = -FAR
    found = weights.copy()
    for _ in range(_ROUNDS):
        if known == _COLUMNS:
            break
        highest, floats = _master(fixed, slope, known, box)
        if best > -FAR:
            if last:
                if (highest * scale - best) * 4 <= scale:
                    break
            elif -(-best // scale) >= np.ceil(highest - 1e-6):
                break
        for i in range(d):
            weights[i] = np.int64(np.rint(floats[i] * scale))
        gain = _price(nodes, goods, level, scale, weights, price, own)
        bound = _relax(nodes, price, gain, value) + weights[level] * need
        for i in range(level):
            bound -= weights[i] * caps[i]
        if bound > best:
            best = bound
            found[:] = weights
        _walk(nodes, goods, price, gain, own, weights[level], value, column)
        if np.all(column == columns[:, known - 1]):
            break
        columns[:, known] = column
        fixed[known] = column[level]
        for i in range(level):
            slope[i, known] = column[i] - caps[i]
        slope[level, known] = need - column[levels]
        known += 1
    return best, found, known


@kernel
def fix(
    nodes: Nodes, goods: Goods, level: int, scale: int, weights: Ints, gap: int
) -> tuple[bool, Nodes]:
    """Close what adds more than a gap to the bound; False if nothing is left."""
    group, skip, open_ = nodes.group, nodes.skip, nodes.open
    end = len(group)
    price = np.empty(end, dtype=np.int64)
    own = np.empty(len(goods.size), dtype=np.int64)
    value = np.empty(end + 1, dtype=np.int64)
    gain = _price(nodes, goods, level, scale, weights, price, own)
    _relax(nodes, price, gain, value)
    least = np.full(end + 1, FAR, dtype=np.int64)
    least[0] = 0
    into = np.full(len(gain), FAR, dtype=np.int64)
    stays = np.zeros(end, dtype=np.bool_)
    opens = np.zeros(end, dtype=np.bool_)
    kept = 0
    for e in range(end):
        if least[e] > gap:
            continue
        if skip[e] >= 0:
            more = least[e] + value[skip[e]] - value[e]
            if more <= gap:
                stays[e] = True
                least[skip[e]] = min(least[skip[e]], more)
        k = group[e]
        more = least[e] + value[open_[e]] + price[e] + gain[k] - value[e]
        if more <= gap:
            opens[e] = True
            kept += 1
            into[k] = min(into[k], more)
            least[open_[e]] = min(least[open_[e]], more)
    worth = weights[level]
    for k in range(len(gain)):
        for i in range(goods.begin[k], goods.begin[k + 1]):
            more = max(0, own[i] - worth * goods.size[i])
            if into[k] == FAR or into[k] + more > gap:
                goods.out[i] = True
    number = np.full(end + 1, -1, dtype=np.int64)
    number[end] = kept
    fresh = Nodes(
        np.empty(kept, dtype=np.int64),
        np.empty(kept, dtype=np.int64),
        np.empty(kept, dtype=np.int64),
        np.empty(kept, dtype=np.int64),
        np.empty((len(nodes.digit), kept), dtype=np.int64),
    )
    at = kept
    for e in range(end - 1, -1, -1):
        after = number[skip[e]] if stays[e] else -1
        if not opens[e]:
            number[e] = after
            continue
        at -= 1
        number[e] = at
        fresh.group[at], fresh.origin[at] = group[e], nodes.origin[e]
        fresh.skip[at], fresh.open[at] = after, number[open_[e]]
        for x in range(len(nodes.digit)):
            fresh.digit[x, at] = nodes.digit[x, e]
    return kept > 0, fresh


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

    Parameters
    ----------
    nodes, goods, scale, weights
        What is left, and how the last level is bounded.
    caps
        Of each level above the last: its least.
    need
        Units wanted.
    enough, most
        What every choice adds to the bound at least, and what one may add.
    bits
        Bits that hold ``most`` several times.
    room
        Table entries, at most.
    taken, opened
        Items taken and nodes opened are flagged.

    Returns
    -------
    int
        FOUND; FAILED if there is no such choice; FULL if tables do not fit.

    Notes
    -----
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
    gain = _price(nodes, goods, level, scale, weights, price, own)
    _relax(nodes, price, gain, value)
    worth = weights[level]
    above = np.zeros(end, dtype=np.int64)
    dear = np.zeros(len(size), dtype=np.int64)
    for x in range(level):
        for e in range(end):
            above[e] = above[e] * (caps[x] + 1) + min(caps[x], nodes.digit[x, e])
        for i in range(len(size)):
            dear[i] = dear[i] * (caps[x] + 1) + min(caps[x], goods.digit[x, i])
    # what passes a cap by itself passes all of them: no product of it overflows
    for x in range(level):
        for e in range(end):
            if nodes.digit[x, e] > caps[x]:
                above[e] = above_all + 1
        for i in range(len(size)):
            if goods.digit[x, i] > caps[x]:
                dear[i] = above_all + 1
    take = np.empty(len(size), dtype=np.int64)
    leave = np.empty(len(size), dtype=np.int64)
    for i in range(len(size)):
        more = own[i] - worth * size[i]
        take[i] = (dear[i] << bits) + min(max(0, more), most + 1)
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
                total += ((x >> bits) + dear[i]) << bits
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
    """Solve a request level by level; see ``frontier_levels``.

    Parameters
    ----------
    begin, skip, take, cost
        Layers of groups, as in ``frontier_kernels``.
    which, first
        Number of each group with available members; classes of group g are
        ``first[g]`` to ``first[g + 1]``.
    home
        Of each processor: its class.
    available
        Of each processor: whether it is.
    base, ahead
        Of each word and class: what its own sets cost, and more for each member.
    word, weight, radix
        Of each level: its word, its weight there, and one more than its digits.
    request
        How many processors are wanted.
    room
        Table entries, at most.

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
                a, b = unit, count[c]
                while b:
                    a, b = b, a % b
                unit = a
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
        w = word[x]
        for e in range(end):
            nodes.digit[x, e] = cost[w, e] // weight[x] % radix[x]
    columns = np.zeros((levels + 1, _COLUMNS), dtype=np.int64)
    for k in range(groups):
        for i in range(item_begin[k], item_begin[k + 1]):
            columns[levels, 0] += goods.size[i]
            for x in range(levels):
                columns[x, 0] += goods.digit[x, i]
    e = 0
    while e < end:
        for x in range(levels):
            columns[x, 0] += nodes.digit[x, e]
        e = nodes.open[e]
    known = 2
    for x in range(levels):
        if columns[x, 0] > _SAFE // 8:
            return FAILED, total, chosen
    caps = np.zeros(levels, dtype=np.int64)
    for level in range(levels):
        last = level == levels - 1
        scale = max(1, min(_FINE, _SAFE // 8 // max(1, columns[level, 0])))
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
