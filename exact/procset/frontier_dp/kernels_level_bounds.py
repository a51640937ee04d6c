"""Kernels that find multipliers for the bound of a level; see ``levels``."""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .layout import FAR, Floats, Goods, Ints, Nodes

SAFE = 2**57
"""Scaled sums stay below this."""
COLUMNS = 400
"""Affine functions kept for the master problem."""
_ROUNDS = 70
"""Solutions of the master problem, at most."""


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
def price_level(
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
def relax_level(nodes: Nodes, price: Ints, gain: Ints, value: Ints) -> int:
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
    """Add up digits and units of the choice that `relax_level` makes."""
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
    Returns the bound times ``scale``, the multipliers, and how many columns are known.
    """
    d = level + 1
    levels = len(nodes.digit)
    fixed = np.empty(COLUMNS)
    slope = np.empty((d, COLUMNS))
    box = np.empty(d)
    for i in range(d):
        total = columns[i if i < level else levels, 0]
        box[i] = min(1e6, SAFE // scale // 8 // max(1, total))
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
        if known == COLUMNS:
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
        gain = price_level(nodes, goods, level, scale, weights, price, own)
        bound = relax_level(nodes, price, gain, value) + weights[level] * need
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
    gain = price_level(nodes, goods, level, scale, weights, price, own)
    relax_level(nodes, price, gain, value)
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
