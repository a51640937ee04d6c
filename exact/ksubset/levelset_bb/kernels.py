"""Kernels of the search for level sets in the plane; see ``levelset_bb``.

Rows and columns are numbered by the coordinates that occur.
"""

from __future__ import annotations

import numpy as np

from ....solvers.running.kernels import kernel
from .kernels_bounds import evaluate
from .kernels_rows import next_choice, prepare
from .layout import (
    ABOVE,
    BELOW,
    BOT,
    BUDGET,
    CELLS,
    COST,
    DONE,
    FAR,
    HI,
    I_NOW,
    J_NOW,
    LC,
    LEFT,
    LO,
    MARGIN,
    MORE,
    RC,
    RIGHT,
    SIDE,
    TOP,
    Grid,
    Ints,
    Scratch,
    State,
)


@kernel
def root_bound(
    grid: Grid, r: int, a: int, b: int, beyond: Ints, best: int
) -> tuple[int, int, int]:
    """Bound the sets whose median row has the interval a..b.

    Returns the bound and the range of numbers below the median row.
    """
    y, x, ahead, area, k = grid.y, grid.x, grid.ahead, grid.area, grid.k
    rows, columns = len(y), len(x)
    left = a - 1
    while left >= 0 and not grid.free[r, left]:
        left -= 1
    right = b + 1
    while right < columns and not grid.free[r, right]:
        right += 1
    left += 1
    right -= 1
    inside = ahead[r, b + 1] - ahead[r, a]
    half = (k + 1) // 2
    room_below = area[r, right + 1] - area[r, left]
    room_above = (
        area[rows, right + 1]
        - area[rows, left]
        - area[r + 1, right + 1]
        + area[r + 1, left]
    )
    fewest = max(0, half - inside, k - inside - room_above)
    most = min(half - 1, k - inside, room_below)
    if fewest > most:
        return FAR, 0, -1
    cost = 0
    rest = k - inside
    for c in range(left, right):
        base = ahead[r, c + 1] - ahead[r, left]
        cells = area[rows, c + 1] - area[rows, left]
        low = max(base, k - (area[rows, right + 1] - area[rows, left] - cells))
        high = min(base + rest, cells)
        cost += (x[c + 1] - x[c]) * min(low * (k - low), high * (k - high))
    if cost >= best:
        return FAR, 0, -1
    # the rows beyond as full as can be, for every number of points
    least = FAR
    for count in range(fewest, most + 1):
        total = 0
        todo = count
        at = r
        while todo > 0:
            total += todo * (k - todo) * (y[at] - y[at - 1])
            at -= 1
            todo -= ahead[at, right + 1] - ahead[at, left]
        todo = k - inside - count
        at = r
        while todo > 0 and total < least:
            total += todo * (k - todo) * (y[at + 1] - y[at])
            at += 1
            todo -= ahead[at, right + 1] - ahead[at, left]
        beyond[count] = total
        least = min(least, total)
    return cost + least, fewest, most


@kernel
def list_roots(grid: Grid, r: int, best: int, roots: Ints) -> int:
    """List (bound, row, first, last) of the runs of median row ``r`` below ``best``.

    Returns how many there are; only as many are written as there is room for.
    """
    free, ahead, k = grid.free, grid.ahead, grid.k
    columns = len(grid.x)
    beyond = np.empty(k + 1, dtype=np.int64)
    found = 0
    for a in range(columns):
        if not free[r, a]:
            continue
        for b in range(a, columns):
            if not free[r, b]:
                continue
            if ahead[r, b + 1] - ahead[r, a] > k:
                break
            bound = root_bound(grid, r, a, b, beyond, best)[0]
            if bound >= best:
                continue
            if found < len(roots):
                roots[found, 0] = bound
                roots[found, 1] = r
                roots[found, 2] = a
                roots[found, 3] = b
            found += 1
    return found


# Over 120 lines: its parts share most local variables, which a split would pass on.
@kernel
def search(
    grid: Grid, roots: Ints, state: State, scratch: Scratch, best: int, budget: int
) -> tuple[int, int, int]:
    """Search on for sets cheaper than ``best``.

    Returns why it stopped, the best cost and the number of nodes.
    """
    k, y, x = grid.k, grid.y, grid.x
    free, ahead, area = grid.free, grid.ahead, grid.area
    rows, columns = len(y), len(x)
    frames, cells, at = state.frame, state.cell, state.at
    low, high = state.low, state.high
    level, before, after = state.level, state.before, state.after
    first, last = state.first, state.last
    beyond = np.empty(k + 1, dtype=np.int64)
    nodes = 0
    d = at[0]
    while at[1] < len(roots):
        root = roots[at[1]]
        bound, m, a, b = root[0], root[1], root[2], root[3]
        if bound >= best:
            at[1] = len(roots)
            break
        left = a - 1
        while left >= 0 and not free[m, left]:
            left -= 1
        right = b + 1
        while right < columns and not free[m, right]:
            right += 1
        wl = max(0, left + 1 - MARGIN)
        wr = min(columns - 1, right - 1 + MARGIN)
        if d < 0:
            # the next number of points below the median row
            if nodes >= budget:
                at[0] = d
                return BUDGET, best, nodes
            if at[2] < 0:
                _, at[2], at[3] = root_bound(grid, m, a, b, beyond, FAR)
                at[4] = at[3] - at[2]
            if at[2] > at[3]:
                at[1] += 1
                at[2] = -1
                continue
            nodes += 1
            inside = ahead[m, b + 1] - ahead[m, a]
            more = min(at[4], at[3] - at[2])
            below = at[2] + more
            above = k - inside - at[2]
            level[m] = 0
            before[m] = left
            after[m] = right
            first[m] = a
            last[m] = b
            cost = 0
            other = 0
            if m > 0:
                gap = y[m] - y[m - 1]
                cost += below * (k - below) * gap
                other += (below - more) * (k - below + more) * gap
                level[m - 1] = (k - 2 * (below - more)) * gap
            if m + 1 < rows:
                gap = y[m + 1] - y[m]
                cost += (above - more) * (k - above + more) * gap
                other += above * (k - above) * gap
                level[m + 1] = (k - 2 * (above - more)) * gap
            cost = min(cost, other)
            if below + above == 0:
                at[2] += 1
                for c in range(a, b):
                    count = ahead[m, c + 1] - ahead[m, a]
                    cost += count * (k - count) * (x[c + 1] - x[c])
                if cost < best:
                    best = cost
                    state.picked[0, :] = 0
                    state.picked[1, :] = -1
                    state.picked[0, m] = a
                    state.picked[1, m] = b
                continue
            frame = frames[0]
            frame[LO] = m
            frame[HI] = m
            frame[LEFT] = left + 1
            frame[RIGHT] = right - 1
            frame[BELOW] = below
            frame[ABOVE] = above
            frame[MORE] = more
            frame[LC] = 0
            frame[RC] = 0
            frame[COST] = cost
            frame[BOT] = 0
            frame[TOP] = rows - 1
            for c in range(wl, wr + 1):
                low[0, c] = 0 if c < right - 1 else k
                high[0, c] = k if c > left else 0
                if right - 1 > c > left:
                    low[0, c] = 0
            bound = evaluate(grid, state, scratch, 0, wl, wr, best)
            if not 0 <= bound < best:
                at[2] += more + 1
                at[4] = more
            elif more:
                at[4] = more // 3
            else:
                at[2] += 1
                prepare(grid, state, scratch, 0, wl, wr, best)
                d = 0
            continue
        # the next row on top of depth d
        if nodes >= budget:
            at[0] = d
            return BUDGET, best, nodes
        frame = frames[d]
        if not next_choice(frame, state.fine[d], state.lost[d]):
            d -= 1
            continue
        nodes += 1
        lo, hi, left, right = frame[LO], frame[HI], frame[LEFT], frame[RIGHT]
        below, above = frame[BELOW], frame[ABOVE]
        side = frame[SIDE]
        r = hi + 1 if side else lo - 1
        i, j, total = frame[I_NOW], frame[J_NOW], frame[CELLS]
        cell = cells[d]
        taken = total - i - j
        new_left = cell[i - 1] + 1 if i else left
        new_right = cell[total - j] - 1 if j else right
        first[r] = cell[i] if taken else 1
        last[r] = cell[total - j - 1] if taken else 0
        if i:
            before[r] = cell[i - 1]
        else:
            c = left - 1
            while c >= wl and not free[r, c]:
                c -= 1
            before[r] = c if c >= wl else -1
        if j:
            after[r] = cell[total - j]
        else:
            c = right + 1
            while c <= wr and not free[r, c]:
                c += 1
            after[r] = c if c <= wr else columns
        cost = frame[COST]
        if side:
            above -= taken
            if r + 1 < rows:
                gap = y[r + 1] - y[r]
                cost += above * (k - above) * gap
                level[r + 1] = level[r] + (k - 2 * above) * gap
            elif above > 0:
                continue
        else:
            below -= taken
            if r > 0:
                gap = y[r] - y[r - 1]
                cost += below * (k - below) * gap
                level[r - 1] = level[r] + (k - 2 * below) * gap
            elif below > 0:
                continue
        if below + above == 0:
            count = frame[LC]
            for c in range(left, right):
                count += (
                    area[hi + 1, c + 1]
                    - area[hi + 1, c]
                    - area[lo, c + 1]
                    + area[lo, c]
                )
                if first[r] <= c <= last[r]:
                    count += free[r, c]
                cost += count * (k - count) * (x[c + 1] - x[c])
            if cost < best:
                best = cost
                state.picked[0, :] = 0
                state.picked[1, :] = -1
                for row in range(min(lo, r), max(hi, r) + 1):
                    state.picked[0, row] = first[row]
                    state.picked[1, row] = last[row]
            continue
        if new_left > new_right or cost >= best:
            continue
        lc, rc = frame[LC], frame[RC]
        child = frames[d + 1]
        for c in range(wl, wr + 1):
            low[d + 1, c] = low[d, c]
            high[d + 1, c] = high[d, c]
        for c in range(left, new_left):
            lc += area[hi + 1, c + 1] - area[hi + 1, c] - area[lo, c + 1] + area[lo, c]
            if lc < low[d, c] or lc > high[d, c]:
                cost = best
                break
            low[d + 1, c] = lc
            high[d + 1, c] = lc
            cost += lc * (k - lc) * (x[c + 1] - x[c])
        for c in range(right, new_right, -1):
            rc += area[hi + 1, c + 1] - area[hi + 1, c] - area[lo, c + 1] + area[lo, c]
            if k - rc < low[d, c - 1] or k - rc > high[d, c - 1]:
                cost = best
                break
            low[d + 1, c - 1] = k - rc
            high[d + 1, c - 1] = k - rc
            cost += rc * (k - rc) * (x[c] - x[c - 1])
        if cost >= best or 2 * lc >= k or 2 * rc >= k:
            continue
        child[LO] = min(lo, r)
        child[HI] = max(hi, r)
        child[LEFT] = new_left
        child[RIGHT] = new_right
        child[BELOW] = below
        child[ABOVE] = above
        child[MORE] = 0
        child[LC] = lc
        child[RC] = rc
        child[COST] = cost
        child[BOT] = frame[BOT]
        child[TOP] = frame[TOP]
        bound = evaluate(grid, state, scratch, d + 1, wl, wr, best)
        if 0 <= bound < best:
            d += 1
            prepare(grid, state, scratch, d, wl, wr, best)
    at[0] = -1
    return DONE, best, nodes
