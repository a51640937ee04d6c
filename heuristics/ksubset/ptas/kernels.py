"""Cut vectors and transportation problems of the improved PTAS; see ``ptas``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....instances import IntArray as Ints
from ....solvers.running.kernels import kernel

FAR = 2**62
LATER = 2**62 + 1
"""What `flow` returns when its work is used up before it has an answer."""
LEFT, TOTAL = 0, 1


class Flow(NamedTuple):
    """The flow so far, kept when a transportation problem is put off."""

    sent: Ints  # (coordinates of the first axis, strips)
    got: Ints  # (coordinates of the second axis, strips)
    supply: Ints  # (strips,) what each has left to send
    demand: Ints  # (strips,) what each still wants
    used: Ints  # (sites,) processors chosen
    tally: Ints  # units left, 0 before a problem begins; cost so far


class Cells(NamedTuple):
    """The processors to choose from, and the strips; the same for all cuts."""

    xs: Ints  # distinct coordinates, ascending
    ys: Ints
    tail: Ints  # (sites,) index of the first coordinate of each site with processors
    head: Ints  # (sites,) of the second
    room: Ints  # (sites,) free processors
    sizes: Ints  # (strips,) see `axis_bound`, the same for both axes
    slope: Ints  # (strips,)
    cuts_x: Ints  # cut vectors, by bound, ascending
    bounds_x: Ints
    cuts_y: Ints
    bounds_y: Ints


@kernel
def axis_bound(
    value: Ints, before: Ints, sizes: Ints, slope: Ints, cut: Ints, last: int
) -> int:
    """Bound what an axis costs by itself when its strips lie between given cuts.

    Each strip takes what is cheapest for it, as if it did not share its ends with its
    neighbours: the greatest coordinates where its slope is negative, else the least.

    Only strips up to ``last`` count; `FAR` where one has too few processors. Of the
    distinct coordinates, ascending, ``before`` has the free processors at all before
    each, and at all; strip i takes ``sizes[i]`` at a cost of ``slope[i]`` times the
    coordinate, and ends at ``cut[i]``, where the next begins.
    """
    total = 0
    for i in range(last + 1):
        low = cut[i - 1] if i else 0
        high = cut[i] if i < len(sizes) - 1 else len(value) - 1
        if before[high + 1] - before[low] < sizes[i]:
            return FAR
        left = sizes[i]
        v = high if slope[i] < 0 else low
        while left > 0:
            some = min(left, before[v + 1] - before[v])
            total += slope[i] * some * value[v]
            left -= some
            v += -1 if slope[i] < 0 else 1
    return total


@kernel
def _shares(cut: Ints, values: int, strips: int, low: Ints, high: Ints) -> None:
    """Write the first and the last strip that each coordinate belongs to."""
    for v in range(values):
        low[v], high[v] = strips - 1, strips - 1
        for i in range(strips - 1):
            if v <= cut[i]:
                low[v] = i
                break
        for i in range(low[v], strips - 1):
            if v < cut[i]:
                high[v] = i
                break


# Over 120 lines: its parts share most local variables, which a split would pass on.
@kernel
def flow(
    cells: Cells, cut_x: Ints, cut_y: Ints, best: int, state: Flow, work: Ints
) -> int:
    """Choose processors of least cost for given cuts: a transportation problem.

    Strip i of the first axis sends sizes[i] units to its coordinates at slope[i] times
    the coordinate each, these by free processors to coordinates of the second axis,
    and those to its strips likewise. A coordinate at a cut belongs to the strips of
    both sides. Successive shortest paths, by relaxing forwards and backwards until
    nothing changes; paths never get shorter, so the cost of the rest is bounded.

    The least cost is `FAR` if it is not below ``best`` or there is none, and `LATER` if
    ``work`` is used up, the sites and coordinates that may still be looked at: then it
    is to be called again with the same ``state``.
    """
    xs, ys, sizes, slope = cells.xs, cells.ys, cells.sizes, cells.slope
    tail, head, room = cells.tail, cells.head, cells.room
    m, nx, ny, sites = len(sizes), len(xs), len(ys), len(tail)
    low_x = np.empty(nx, dtype=np.int64)
    high_x = np.empty(nx, dtype=np.int64)
    low_y = np.empty(ny, dtype=np.int64)
    high_y = np.empty(ny, dtype=np.int64)
    _shares(cut_x, nx, m, low_x, high_x)
    _shares(cut_y, ny, m, low_y, high_y)
    sent, got, used = state.sent, state.got, state.used
    supply, demand, tally = state.supply, state.demand, state.tally
    if not tally[LEFT]:
        sent[:] = 0
        got[:] = 0
        used[:] = 0
        supply[:] = sizes
        demand[:] = sizes
        tally[LEFT], tally[TOTAL] = sizes.sum(), 0
    at_i = np.empty(m, dtype=np.int64)
    at_x = np.empty(nx, dtype=np.int64)
    at_y = np.empty(ny, dtype=np.int64)
    at_j = np.empty(m, dtype=np.int64)
    from_i = np.empty(m, dtype=np.int64)  # the coordinate a path came back from
    from_x = np.empty(nx, dtype=np.int64)  # a strip, or -1 - a site
    from_y = np.empty(ny, dtype=np.int64)  # a site, or -1 - a strip
    from_j = np.empty(m, dtype=np.int64)  # a coordinate
    while tally[LEFT]:
        if work[0] <= 0:
            return LATER
        for i in range(m):
            at_i[i] = 0 if supply[i] else FAR
            from_i[i] = -1
            at_j[i] = FAR
            from_j[i] = -1
        at_x[:] = FAR
        at_y[:] = FAR
        changed = True
        while changed:
            work[0] -= 2 * (nx + ny + sites)
            changed = False
            for v in range(nx):
                for i in range(low_x[v], high_x[v] + 1):
                    if at_i[i] < FAR:
                        far = at_i[i] + slope[i] * xs[v]
                        if far < at_x[v]:
                            at_x[v], from_x[v] = far, i
                            changed = True
            for a in range(sites):
                if used[a] < room[a] and at_x[tail[a]] < at_y[head[a]]:
                    at_y[head[a]], from_y[head[a]] = at_x[tail[a]], a
                    changed = True
            for w in range(ny):
                if at_y[w] < FAR:
                    for j in range(low_y[w], high_y[w] + 1):
                        far = at_y[w] + slope[j] * ys[w]
                        if far < at_j[j]:
                            at_j[j], from_j[j] = far, w
                            changed = True
            if not changed:
                break
            changed = False
            for w in range(ny):
                for j in range(low_y[w], high_y[w] + 1):
                    if got[w, j] and at_j[j] < FAR:
                        far = at_j[j] - slope[j] * ys[w]
                        if far < at_y[w]:
                            at_y[w], from_y[w] = far, -1 - j
                            changed = True
            for a in range(sites):
                if used[a] and at_y[head[a]] < at_x[tail[a]]:
                    at_x[tail[a]], from_x[tail[a]] = at_y[head[a]], -1 - a
                    changed = True
            for v in range(nx):
                if at_x[v] < FAR:
                    for i in range(low_x[v], high_x[v] + 1):
                        if sent[v, i]:
                            far = at_x[v] - slope[i] * xs[v]
                            if far < at_i[i]:
                                at_i[i], from_i[i] = far, v
                                changed = True
        end, length = -1, FAR
        for j in range(m):
            if demand[j] and at_j[j] < length:
                end, length = j, at_j[j]
        if end < 0 or tally[TOTAL] + tally[LEFT] * length >= best:
            tally[LEFT] = 0
            return FAR
        # walk back; a path uses each site once, so one unit is sent
        demand[end] -= 1
        w = from_j[end]
        got[w, end] += 1
        while True:
            # reach coordinate w of the second axis
            if from_y[w] < 0:
                j = -1 - from_y[w]
                got[w, j] -= 1
                w = from_j[j]
                got[w, j] += 1
                continue
            a = from_y[w]
            used[a] += 1
            v = tail[a]
            stop = False
            while True:
                # reach coordinate v of the first axis
                if from_x[v] < 0:
                    a = -1 - from_x[v]
                    used[a] -= 1
                    w = head[a]
                    break
                i = from_x[v]
                sent[v, i] += 1
                if from_i[i] < 0:
                    supply[i] -= 1
                    stop = True
                    break
                v = from_i[i]
                sent[v, i] -= 1
            if stop:
                break
        tally[TOTAL] += length
        tally[LEFT] -= 1
    total: int = tally[TOTAL]
    return total


@kernel
def cut_vectors(
    value: Ints, before: Ints, sizes: Ints, slope: Ints, most: int
) -> tuple[Ints, Ints]:
    """List the cut vectors of an axis that can be met, with their bounds.

    Arguments are those of `axis_bound`; beyond ``most`` it gives up and returns none.
    """
    m, n = len(sizes), len(value)
    cut = np.zeros(max(m - 1, 1), dtype=np.int64)
    found = np.empty((1024, max(m - 1, 1)), dtype=np.int64)
    bounds = np.empty(1024, dtype=np.int64)
    count = 0
    while True:
        bound = axis_bound(value, before, sizes, slope, cut, m - 1)
        if bound < FAR:
            if count == most:
                return found[:0], bounds[:0]
            if count == len(found):
                more = np.empty((2 * count, found.shape[1]), dtype=np.int64)
                more[:count] = found
                found = more
                longer = np.empty(2 * count, dtype=np.int64)
                longer[:count] = bounds
                bounds = longer
            found[count], bounds[count] = cut, bound
            count += 1
        # the next one in lexicographic order, never descending
        i = m - 2
        while i >= 0 and cut[i] == n - 1:
            i -= 1
        if i < 0:
            return found[:count], bounds[:count]
        cut[i] += 1
        for j in range(i + 1, m - 1):
            cut[j] = cut[i]


@kernel
def scan(
    cells: Cells,
    best: int,
    start: Ints,
    pairs: int,
    state: Flow,
    chosen: Ints,
    work: int,
) -> tuple[int, int]:
    """Solve the pairs of cut vectors from a place on, as many as asked.

    The place ``start``, an index for each axis, is moved on, and a choice that costs
    less than ``best`` is written into ``chosen``. After about so much ``work`` the rest
    is put off, the problem at the place in ``state``. Returns the least cost, and how
    many transportation problems were solved.
    """
    bounds_x, bounds_y = cells.bounds_x, cells.bounds_y
    solved = 0
    rest = np.array([work])
    i, j = start
    while i < len(bounds_x):
        if j == len(bounds_y) or bounds_x[i] + bounds_y[j] >= best:
            i, j = i + 1, 0
            if i < len(bounds_x) and bounds_x[i] + bounds_y[0] >= best:
                i = len(bounds_x)
            continue
        if solved == pairs:
            break
        found = flow(cells, cells.cuts_x[i], cells.cuts_y[j], best, state, rest)
        if found == LATER:
            break
        solved += 1
        if found < best:
            best = found
            chosen[:] = state.used
        j += 1
    start[0], start[1] = i, j
    return best, solved
