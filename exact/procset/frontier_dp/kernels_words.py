"""The sweep of ``kernels`` over costs of several words: slower, any size."""

from __future__ import annotations

import numpy as np

from ....solvers.kernels import kernel
from .layout import BUSY, DONE, FAR, FULL, Ints, Layers, Plan, Tables


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
    """Go on with the program as `kernels.sweep` does, without bounds."""
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
