"""Kernels that construct packings: by a skyline, point by point, by sequence pairs."""

from __future__ import annotations

import numpy as np

from ...solvers.running.kernels import kernel
from .packing_kernels import first_place


@kernel
def draw(state, most):  # type: ignore[no-untyped-def]
    """Return a number below ``most`` (xorshift); ``state`` holds one integer."""
    x = state[0]
    x ^= (x << 13) & 0x7FFFFFFFFFFFFFFF
    x ^= x >> 7
    x ^= (x << 17) & 0x7FFFFFFFFFFFFFFF
    state[0] = x
    return (x >> 11) % most


@kernel
def skyline(side, roof, wide, high, many, order, at, way, used, xs, ys):  # type: ignore[no-untyped-def]
    """Fill the lowest gap with what fits it best; return the area left over.

    Best: touches the walls of the gap in most ways (as wide as it, as high as either
    wall), then comes first in the order. What fits into no gap is left out: ``used``.
    """
    n = wide.shape[0]
    used[:] = False
    xs[0], xs[1], ys[0] = 0, side, 0
    count = 1
    left = 0
    for j in range(n):
        left += wide[j, 0] * high[j, 0]
    while True:
        s = 0
        for t in range(1, count):
            if ys[t] < ys[s]:
                s = t
        x, y = xs[s], ys[s]
        gap = xs[s + 1] - x
        lower = roof if s == 0 else ys[s - 1]
        upper = roof if s == count - 1 else ys[s + 1]
        best, best_way, score = -1, 0, -1
        for p in range(n):
            j = order[p]
            if used[j]:
                continue
            for o in range(many[j]):
                if wide[j, o] > gap or y + high[j, o] > roof:
                    continue
                now = 0
                if wide[j, o] == gap:
                    now += 2
                if y + high[j, o] == lower or y + high[j, o] == upper:
                    now += 1
                if now > score:
                    best, best_way, score = j, o, now
        if best < 0:
            level = min(lower, upper)
            if level >= roof and count == 1:
                return left
            ys[s] = level
        else:
            w, h = wide[best, best_way], high[best, best_way]
            used[best] = True
            left -= wide[best, 0] * high[best, 0]
            way[best] = best_way
            at[best, 1] = y
            if left == 0:
                at[best, 0] = x
                return 0
            # against the wall it is as high as, or else the higher one
            by_right = upper > lower and y + h != lower
            if y + h == upper and y + h != lower:
                by_right = True
            if w == gap:
                at[best, 0] = x
                ys[s] = y + h
            else:
                for t in range(count, s, -1):
                    xs[t + 1] = xs[t]
                    ys[t] = ys[t - 1]
                count += 1
                if by_right:
                    at[best, 0] = x + gap - w
                    xs[s + 1] = x + gap - w
                    ys[s + 1] = y + h
                else:
                    at[best, 0] = x
                    xs[s + 1] = x + w
                    ys[s] = y + h
        kept = 0  # join neighbours of one height
        for t in range(count):
            if kept > 0 and ys[t] == ys[kept - 1]:
                continue
            xs[kept] = xs[t]
            ys[kept] = ys[t]
            kept += 1
        xs[kept] = side
        count = kept
        lowest = ys[0]
        for t in range(1, count):
            lowest = min(lowest, ys[t])
        if lowest >= roof:
            return left


@kernel
def _put_elsewhere(order, i, j):  # type: ignore[no-untyped-def]
    """Put what is at place i at place j; those between move up or down."""
    kept = order[i]
    step = 1 if i < j else -1
    for t in range(i, j, step):
        order[t] = order[t + step]
    order[j] = kept


@kernel
def anneal_skyline(side, roof, wide, high, many, order, at, way, random, steps):  # type: ignore[no-untyped-def]
    """Exchange items in the order while less area is left over; 0 is a packing."""
    n = wide.shape[0]
    used = np.zeros(n, dtype=np.bool_)
    xs = np.zeros(n + 3, dtype=np.int64)
    ys = np.zeros(n + 3, dtype=np.int64)
    cost = skyline(side, roof, wide, high, many, order, at, way, used, xs, ys)
    if cost == 0:
        return cost
    slack = cost / 4.0 + 1.0
    for step in range(steps):
        i = draw(random, n)
        j = draw(random, n)
        if i == j:
            continue
        if step % 3 == 0:
            _put_elsewhere(order, i, j)
        else:
            order[i], order[j] = order[j], order[i]
        now = skyline(side, roof, wide, high, many, order, at, way, used, xs, ys)
        if now == 0:
            return now
        limit = slack * (steps - step) / steps * (draw(random, 1024) / 1024.0)
        if now - cost <= limit:
            cost = now
        elif step % 3 == 0:
            _put_elsewhere(order, j, i)
        else:
            order[i], order[j] = order[j], order[i]
    return cost


@kernel
def pair_excess(first, where, wide, high, way, side, roof, at):  # type: ignore[no-untyped-def]
    """Pack by a sequence pair; return by how much it is too wide and too high.

    Item i is to the left of j if it comes first in both sequences, below it if it
    comes later in one and first in the other.
    """
    n = first.shape[0]
    right = 0
    top = 0
    for q in range(n):
        j = first[q]
        x = 0
        y = 0
        for p in range(q):
            i = first[p]
            if where[i] < where[j]:
                x = max(x, at[i, 0] + wide[i, way[i]])
            else:
                y = max(y, at[i, 1] + high[i, way[i]])
        at[j, 0] = x
        at[j, 1] = y
        right = max(right, x + wide[j, way[j]])
        top = max(top, y + high[j, way[j]])
    return max(0.0, (right - side) / side) + max(0.0, (top - roof) / roof)


@kernel
def anneal_pairs(side, roof, wide, high, many, first, where, at, way, random, steps):  # type: ignore[no-untyped-def]
    """Exchange items in one or both sequences, turn them; 0 is a packing."""
    n = first.shape[0]
    cost = pair_excess(first, where, wide, high, way, side, roof, at)
    heat = 0.1
    cooling = np.exp(np.log(0.02) / max(steps, 1))
    for _ in range(steps):
        if cost == 0.0:
            break
        kind = draw(random, 8)
        p = draw(random, n)
        q = draw(random, n)
        i = first[p]
        j = first[q]
        if kind == 0 and many[i] > 1:
            way[i] = 1 - way[i]
        else:
            if kind < 5:
                first[p], first[q] = j, i
            if kind >= 3:
                where[i], where[j] = where[j], where[i]
        now = pair_excess(first, where, wide, high, way, side, roof, at)
        chance = draw(random, 1 << 20) / (1 << 20)
        if now <= cost or chance < np.exp((cost - now) / heat):
            cost = now
        elif kind == 0 and many[i] > 1:
            way[i] = 1 - way[i]
        else:
            if kind < 5:
                first[p], first[q] = i, j
            if kind >= 3:
                where[i], where[j] = where[j], where[i]
        heat *= cooling
    if cost == 0.0:
        pair_excess(first, where, wide, high, way, side, roof, at)
    return cost


@kernel
def fill(shape, torus, low, length, fixed, sizes, many, order):  # type: ignore[no-untyped-def]
    """Put each item into the first free place; return the volume left over.

    The first rows of ``low`` and ``length`` are fixed; item j is row ``fixed`` + j in
    the end.
    """
    n = order.shape[0]
    count = fixed
    rows = np.empty((fixed + n, 3), dtype=np.int64)
    spans = np.empty((fixed + n, 3), dtype=np.int64)
    rows[:fixed] = low[:fixed]
    spans[:fixed] = length[:fixed]
    left = 0
    place = np.zeros(3, dtype=np.int64)
    for p in range(n):
        j = order[p]
        done = False
        for o in range(many[j]):
            size = sizes[j, o]
            if first_place(shape, rows, spans, count, size, torus, place):
                rows[count] = low[fixed + j] = place
                spans[count] = length[fixed + j] = size
                count += 1
                done = True
                break
        if not done:
            left += sizes[j, 0, 0] * sizes[j, 0, 1] * sizes[j, 0, 2]
    return left


@kernel
def anneal_fill(shape, torus, low, length, fixed, sizes, many, order, random, steps):  # type: ignore[no-untyped-def]
    """Exchange items in the order of `fill` if no more is left; 0 is a packing."""
    n = order.shape[0]
    cost = fill(shape, torus, low, length, fixed, sizes, many, order)
    for _ in range(steps):
        if cost == 0:
            break
        i = draw(random, n)
        j = draw(random, n)
        order[i], order[j] = order[j], order[i]
        now = fill(shape, torus, low, length, fixed, sizes, many, order)
        if now <= cost:
            cost = now
        else:
            order[i], order[j] = order[j], order[i]
    return cost
