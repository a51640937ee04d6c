"""Kernels that bound a node of the search for level sets; see ``levelset_bb``."""

from __future__ import annotations

from ....heuristics.ksubset.ranking.selection_kernels import select
from ....solvers.running.kernels import kernel
from .layout import (
    ABOVE,
    BELOW,
    BOT,
    COST,
    FAR,
    HI,
    LC,
    LEFT,
    LO,
    MORE,
    RIGHT,
    TOP,
    Grid,
    Ints,
    Scratch,
    State,
)

WAIT = 2
"""Passes before cells are weighed by secants, expensive while many are allowed."""
PASSES = 6
"""Times that intervals of counts and rows to come sharpen each other, at most."""


@kernel
def look_ahead(
    grid: Grid,
    side: int,
    start: int,
    end: int,
    left: int,
    right: int,
    count: int,
    less: int,
    low: int,
    high: int,
    scratch: Scratch,
) -> tuple[int, int]:
    """Bound the rows to come on one side, ``start`` to ``end``.

    Fills room, need and the view of the next row. Returns a lower bound on the
    cost of the gaps beyond the next row, -1 if the points do not fit in, and the
    last row that may hold a point.
    """
    y, ahead, free, k = grid.y, grid.ahead, grid.free, grid.k
    ceiling, floor = scratch.ceiling[side], scratch.floor[1 - side]
    room, need = scratch.room[side], scratch.need[side]
    ends, span = scratch.ends[side], scratch.span
    weight, price = scratch.weight, scratch.price
    heaviest, lightest = scratch.limit[side, 0], scratch.limit[side, 1]
    step = 1 if side else -1
    for c in range(left, right + 1):
        room[c] = 0
        need[c] = 0
    a, b = left, right
    fa, fb = left, right
    most = count  # points left before the row
    least = count - less
    cost = 0
    row = start
    last = start - step
    while True:
        if row == end + step:
            if least > 0:
                return -1, last
            break
        tilt = low + step * y[row]
        most_weight = heaviest - price[row]
        while a <= b and (ceiling[a] < tilt or weight[a] > most_weight):
            a += 1
        while a <= b and (ceiling[b] < tilt or weight[b] > most_weight):
            b -= 1
        tilt = high - step * y[row]
        least_weight = lightest - price[row]
        while fa <= fb and floor[fa] <= tilt:
            if a <= fa <= b and weight[fa] <= least_weight:
                break
            fa += 1
        while fa <= fb and floor[fb] <= tilt:
            if a <= fb <= b and weight[fb] <= least_weight:
                break
            fb -= 1
        fits = ahead[row, b + 1] - ahead[row, a] if a <= b else 0
        must = ahead[row, fb + 1] - ahead[row, fa] if fa <= fb else 0
        if must > 0 and (fa < a or fb > b):
            # forced cells beyond what is allowed
            if a > b:
                return -1, last
            if fa < a and ahead[row, a] > ahead[row, fa]:
                return -1, last
            if fb > b and ahead[row, fb + 1] > ahead[row, b + 1]:
                return -1, last
        if row == start:
            ends[0] = a
            ends[1] = b
            ends[2] = fa
            ends[3] = fb
            ends[4] = fits
            ends[5] = must
        if must > most:
            return -1, last
        if a > b:
            if least > 0:
                return -1, last
            break
        last = row
        span[row, 0] = a
        span[row, 1] = b
        span[row, 2] = fa
        span[row, 3] = fb
        for c in range(a, b + 1):
            room[c] += free[row, c]
        for c in range(fa, fb + 1):
            need[c] += free[row, c]
        most -= must
        least = max(0, least - fits)
        span[row, 4] = least
        span[row, 5] = most
        if most == 0:
            break
        if row + step == -1 or row + step == len(y):
            if least > 0:
                return -1, last
            break
        gap = abs(y[row + step] - y[row])
        cost += least * (k - least) * gap
        low += (k - 2 * most) * gap
        high += (k - 2 * least) * gap
        row += step
    return cost, last


@kernel
def bound_by_secants(
    grid: Grid, frame: Ints, low: Ints, high: Ints, best: int, scratch: Scratch
) -> int:
    """Bound by the cheapest cells to come, weighed by the secants of all counts."""
    y, x, free, area, k = grid.y, grid.x, grid.free, grid.area, grid.k
    lo, hi, left, right = frame[LO], frame[HI], frame[LEFT], frame[RIGHT]
    span, weight, values = scratch.span, scratch.weight, scratch.values
    prices, limit = scratch.price, scratch.limit
    more = frame[MORE]
    total = 0 if more else frame[COST]
    weight[right] = 0
    for c in range(right - 1, left - 1, -1):
        gap = x[c + 1] - x[c]
        slope = (k - low[c] - high[c]) * gap
        base = frame[LC] + (
            area[hi + 1, c + 1] - area[hi + 1, left] - area[lo, c + 1] + area[lo, left]
        )
        total += slope * base + low[c] * high[c] * gap
        weight[c] = weight[c + 1] + slope
    size = 0
    last = -FAR
    count = frame[BELOW] + frame[ABOVE] - more
    for side in range(2):
        most = frame[ABOVE] if side else frame[BELOW]
        step = 1 if side else -1
        row = hi + 1 if side else lo - 1
        end = frame[TOP] if side else frame[BOT]
        price = 0
        if not more:
            size = 0
            last = -FAR
            count = most
        if most > 0 and more > 0:
            gap = abs(y[row] - y[row - step])
            price = (k - 2 * most + more) * gap
            total += most * (most - more) * gap
        while most > 0 and step * (end - row) >= 0:
            a, b, fa, fb = span[row, 0], span[row, 1], span[row, 2], span[row, 3]
            prices[row] = price
            for c in range(a, b + 1):
                if free[row, c]:
                    if fa <= c <= fb:
                        total += weight[c] + price
                        last = max(last, weight[c] + price)
                        count -= 1
                    else:
                        values[size] = weight[c] + price
                        size += 1
            if row == end:
                break
            least, most = span[row, 4], span[row, 5]
            gap = abs(y[row + step] - y[row])
            price += (k - least - most) * gap
            total += least * most * gap
            row += step
        if more and not side:
            continue
        if 0 < count < size:
            select(values[:size], count - 1)
        marginal = -FAR
        for i in range(count):
            total += values[i]
            marginal = max(marginal, values[i])
        last = max(last, marginal)
        scratch.margin[side] = marginal
        beyond = FAR
        for i in range(count, size):
            beyond = min(beyond, values[i])
        limit[side, 0] = last
        limit[side, 1] = beyond
    if more:
        limit[0, 0] = limit[1, 0]
        limit[0, 1] = limit[1, 1]
    scratch.margin[2] = total
    slack = best - total
    for side in range(2):
        limit[side, 0] += slack - 1
        if limit[side, 1] < FAR:
            limit[side, 1] -= slack
    return int(total)


# Over 120 lines: its parts share most local variables, which a split would pass on.
@kernel
def evaluate(
    grid: Grid, state: State, scratch: Scratch, d: int, wl: int, wr: int, best: int
) -> int:
    """Propagate at depth ``d``; return a lower bound, -1 if nothing is left."""
    y, x, free, area, k = grid.y, grid.x, grid.free, grid.area, grid.k
    rows = len(y)
    frame = state.frame[d]
    low, high = state.low[d], state.high[d]
    level, before, after = state.level, state.before, state.after
    first, last = state.first, state.last
    lo, hi, left, right = frame[LO], frame[HI], frame[LEFT], frame[RIGHT]
    below, above, lc = frame[BELOW], frame[ABOVE], frame[LC]
    more = frame[MORE]
    up, down = scratch.up, scratch.down
    inside, outside = scratch.inside, scratch.outside
    ceiling, floor = scratch.ceiling, scratch.floor
    room, need = scratch.room, scratch.need

    # cells inside and outside, by column
    for c in range(wl, wr + 1):
        inside[0, c] = -FAR
        inside[1, c] = -FAR
        outside[0, c] = FAR
        outside[1, c] = FAR
    for r in range(lo, hi + 1):
        minus = level[r] - y[r]
        plus = level[r] + y[r]
        c = first[r]
        if c <= last[r]:
            inside[0, c] = max(inside[0, c], minus)
            inside[1, c] = max(inside[1, c], plus)
            c = last[r]
            inside[0, c] = max(inside[0, c], minus)
            inside[1, c] = max(inside[1, c], plus)
        c = before[r]
        if c >= wl:
            outside[0, c] = min(outside[0, c], minus)
            outside[1, c] = min(outside[1, c], plus)
        c = after[r]
        if c <= wr:
            outside[0, c] = min(outside[0, c], minus)
            outside[1, c] = min(outside[1, c], plus)
    for side in range(2):
        r = hi + 1 if side else lo - 1
        if r < 0 or r >= rows:
            continue
        minus = level[r] - y[r]
        plus = level[r] + y[r]
        c = left - 1
        while c >= wl and not free[r, c]:
            c -= 1
        if c >= wl:
            outside[0, c] = min(outside[0, c], minus)
            outside[1, c] = min(outside[1, c], plus)
        c = right + 1
        while c <= wr and not free[r, c]:
            c += 1
        if c <= wr:
            outside[0, c] = min(outside[0, c], minus)
            outside[1, c] = min(outside[1, c], plus)
        if (above if side else below) == 0:
            for c in range(left, right + 1):
                if free[r, c]:
                    outside[0, c] = min(outside[0, c], minus)
                    outside[1, c] = min(outside[1, c], plus)

    scratch.limit[:, 0] = FAR
    scratch.limit[:, 1] = -FAR
    for c in range(left, right + 1):
        scratch.weight[c] = 0
    bound = 0
    for turn in range(PASSES):
        # F1 with extreme slopes, tilted
        f_up = 0
        f_down = 0
        for c in range(wl, wr + 1):
            up[c] = f_up - x[c]
            down[c] = f_down + x[c]
            if c < wr:
                gap = x[c + 1] - x[c]
                f_up += (2 * high[c] - k) * gap
                f_down += (2 * low[c] - k) * gap
        for s in range(2):
            near = -FAR
            far = FAR
            for c in range(wl, wr + 1):
                if inside[s, c] > -FAR:
                    near = max(near, up[c] + inside[s, c])
                if outside[s, c] < FAR:
                    far = min(far, down[c] + outside[s, c])
                floor[s, c] = near - up[c] if near > -FAR else -FAR
                ceiling[s, c] = far - down[c] if far < FAR else FAR
            near = -FAR
            far = FAR
            for c in range(wr, wl - 1, -1):
                if inside[s, c] > -FAR:
                    near = max(near, down[c] + inside[s, c])
                if outside[s, c] < FAR:
                    far = min(far, up[c] + outside[s, c])
                if near > -FAR:
                    floor[s, c] = max(floor[s, c], near - down[c])
                if far < FAR:
                    ceiling[s, c] = min(ceiling[s, c], far - up[c])
                if outside[s, c] < floor[s, c]:
                    return -1
        bound = frame[COST]
        for side in range(2):
            count = above if side else below
            if count == 0:
                continue
            last_row, r = (hi, hi + 1) if side else (lo, lo - 1)
            low_level = level[r] - 2 * more * abs(y[r] - y[last_row])
            reach = TOP if side else BOT
            extra, frame[reach] = look_ahead(
                grid,
                side,
                r,
                frame[reach],
                left,
                right,
                count,
                more,
                low_level,
                level[r],
                scratch,
            )
            if extra < 0:
                return -1
            bound += extra
        if bound >= best:
            return -1
        # counts up to every column
        rooms = 0
        needs = 0
        rooms_up = 0
        needs_up = 0
        for c in range(left, right + 1):
            if below > 0:
                rooms += room[0, c]
                needs += need[0, c]
                room[0, c] = rooms
                need[0, c] = needs
            if above > 0:
                rooms_up += room[1, c]
                needs_up += need[1, c]
                room[1, c] = rooms_up
                need[1, c] = needs_up
        moved = False
        for c in range(left, right):
            base = lc + (
                area[hi + 1, c + 1]
                - area[hi + 1, left]
                - area[lo, c + 1]
                + area[lo, left]
            )
            least = base
            most = base
            if below > 0:
                least += max(need[0, c], below - more - rooms + room[0, c])
                most += min(room[0, c], below - needs + need[0, c])
            if above > 0:
                least += max(need[1, c], above - more - rooms_up + room[1, c])
                most += min(room[1, c], above - needs_up + need[1, c])
            if more > 0:
                rest = below + above - more
                least_right = 0
                most_right = 0
                if below > 0:
                    least_right += needs - need[0, c]
                    most_right += rooms - room[0, c]
                if above > 0:
                    least_right += needs_up - need[1, c]
                    most_right += rooms_up - room[1, c]
                least = max(least, base + rest - most_right)
                most = min(most, base + rest - least_right)
            if least > low[c]:
                low[c] = least
                moved = True
            if most < high[c]:
                high[c] = most
                moved = True
            if low[c] > high[c]:
                return -1
            bound += (x[c + 1] - x[c]) * min(
                low[c] * (k - low[c]), high[c] * (k - high[c])
            )
        if bound >= best:
            return -1
        if turn >= WAIT or not moved:
            bound = max(bound, bound_by_secants(grid, frame, low, high, best, scratch))
            if bound >= best:
                return -1
        if not moved:
            break
    return bound
