"""Kernels of the search for level sets in the plane; see ``levelset_bb``.

Rows and columns are numbered by the coordinates that occur. One file although it
is long: cached machine code is renewed by file, so callers and called stay together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.kernels import kernel

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

DONE, BUDGET = 0, 1
"""Why a search stopped: nothing open, node budget used."""
FAR = 2**62
MARGIN = 4
"""Columns on both sides of the median row's interval that are looked at."""
WAIT = 2
"""Passes before cells are weighed by secants, which is dear while many are allowed."""
PASSES = 6
"""Times that intervals of counts and rows to come sharpen each other, at most."""

# Fields of a frame of the stack.
LO, HI, LEFT, RIGHT, BELOW, ABOVE, MORE, LC, RC, COST, BOT, TOP = range(12)
SIDE, CELLS, CAP, NEED, SLACK, I_NOW, J_NOW = range(12, 19)
FIELDS = 19


class Grid(NamedTuple):
    """The free cells."""

    k: int
    y: Ints  # (rows,) coordinates
    x: Ints  # (columns,)
    free: Flags  # (rows, columns)
    ahead: Ints  # (rows, columns + 1) free cells of the row in columns before
    area: Ints  # (rows + 1, columns + 1) free cells in rows and columns before


class State(NamedTuple):
    """What a search leaves from one call to the next."""

    frame: Ints  # (depth, FIELDS)
    cell: Ints  # (depth, columns) free columns of the row to be added
    fine: Flags  # (depth, 2, columns + 1) numbers rejected on the left, the right
    lost: Ints  # (depth, 3, columns + 1) what rejecting on a side costs, and choosing
    low: Ints  # (depth, columns) least number of chosen points up to a column
    high: Ints  # (depth, columns) most
    level: Ints  # (rows,) level values of the rows added and the two next
    before: Ints  # (rows,) last free column before the interval of a row
    after: Ints  # (rows,) first free column after
    first: Ints  # (rows,) first column chosen
    last: Ints  # (rows,) last column chosen
    picked: Ints  # (2, rows) first and last of the best solution
    at: Ints  # depth, root, least and last number below the median row, number of more


class Scratch(NamedTuple):
    """Room to work in."""

    up: Ints  # (columns,) F1 with the highest slopes, tilted
    down: Ints  # (columns,) F1 with the lowest slopes, tilted
    inside: Ints  # (2, columns) highest chosen cell of a column, tilted both ways
    outside: Ints  # (2, columns) lowest rejected cell
    ceiling: Ints  # (2, columns) what a chosen cell must not exceed
    floor: Ints  # (2, columns) below which a cell must be chosen
    room: Ints  # (2, columns) cells to come that may be chosen, summed up
    need: Ints  # (2, columns) cells to come that must be
    span: Ints  # (rows, 6) of the rows to come: allowed and forced ends, counts beyond
    weight: Ints  # (columns,) what a chosen cell adds by the secants
    price: Ints  # (rows,)
    margin: Ints  # (3,) last weight taken below and above, and the bound by secants
    limit: Ints  # (2, 2) what a chosen cell must not exceed, and not fall below
    values: Ints  # (cells,)
    ends: Ints  # (2, 6) what is known of the next row below and above


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
    dear, cheap = scratch.limit[side, 0], scratch.limit[side, 1]
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
        most_weight = dear - price[row]
        while a <= b and (ceiling[a] < tilt or weight[a] > most_weight):
            a += 1
        while a <= b and (ceiling[b] < tilt or weight[b] > most_weight):
            b -= 1
        tilt = high - step * y[row]
        least_weight = cheap - price[row]
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
def part(values: Ints, size: int, number: int) -> None:
    """Move the least ``number`` of the first ``size`` values to the front."""
    left, right = 0, size - 1
    while left < right and 0 < number < size:
        pivot = values[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if number - 1 <= j:
            right = j
        elif number - 1 >= i:
            left = i
        else:
            break
    return


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
        part(values, size, count)
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
        if below > 0:
            high_level = level[lo - 1]
            low_level = high_level - 2 * more * (y[lo] - y[lo - 1])
            extra, end = look_ahead(
                grid,
                0,
                lo - 1,
                frame[BOT],
                left,
                right,
                below,
                more,
                low_level,
                high_level,
                scratch,
            )
            if extra < 0:
                return -1
            bound += extra
            frame[BOT] = end
        if above > 0:
            high_level = level[hi + 1]
            low_level = high_level - 2 * more * (y[hi + 1] - y[hi])
            extra, end = look_ahead(
                grid,
                1,
                hi + 1,
                frame[TOP],
                left,
                right,
                above,
                more,
                low_level,
                high_level,
                scratch,
            )
            if extra < 0:
                return -1
            bound += extra
            frame[TOP] = end
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


@kernel
def holds(
    grid: Grid, scratch: Scratch, low: Ints, high: Ints, wl: int, wr: int
) -> bool:
    """Whether the margins can hold between the cells known inside and outside."""
    x, k = grid.x, grid.k
    up, down = scratch.up, scratch.down
    inside, outside = scratch.inside, scratch.outside
    f_up = 0
    f_down = 0
    near_minus = -FAR
    near_plus = -FAR
    for c in range(wl, wr + 1):
        up[c] = f_up - x[c]
        down[c] = f_down + x[c]
        if c < wr:
            gap = x[c + 1] - x[c]
            f_up += (2 * high[c] - k) * gap
            f_down += (2 * low[c] - k) * gap
        if inside[0, c] > -FAR:
            near_minus = max(near_minus, up[c] + inside[0, c])
            near_plus = max(near_plus, up[c] + inside[1, c])
        if outside[0, c] < FAR and (
            up[c] + outside[0, c] < near_minus or up[c] + outside[1, c] < near_plus
        ):
            return False
    near_minus = -FAR
    near_plus = -FAR
    for c in range(wr, wl - 1, -1):
        if inside[0, c] > -FAR:
            near_minus = max(near_minus, down[c] + inside[0, c])
            near_plus = max(near_plus, down[c] + inside[1, c])
        if outside[0, c] < FAR and (
            down[c] + outside[0, c] < near_minus or down[c] + outside[1, c] < near_plus
        ):
            return False
    return True


@kernel
def try_end(
    grid: Grid, state: State, scratch: Scratch, d: int, wl: int, wr: int, i: int
) -> bool:
    """Whether the next row can begin after its first ``i`` cells.

    With i < 0: whether it can end before its last -1 - i cells.
    """
    y, area, k = grid.y, grid.area, grid.k
    frame, cell, level = state.frame[d], state.cell[d], state.level
    lo, hi, left, right = frame[LO], frame[HI], frame[LEFT], frame[RIGHT]
    inside, outside = scratch.inside, scratch.outside
    low, high = state.low[d + 1], state.high[d + 1]
    for c in range(wl, wr + 1):
        low[c] = state.low[d, c]
        high[c] = state.high[d, c]
    r = hi + 1 if frame[SIDE] else lo - 1
    if i >= 0:
        first = cell[i]
        beyond = cell[i - 1] if i else -1
        count = frame[LC]
        for c in range(left, beyond + 1):
            count += area[hi + 1, c + 1] - area[hi + 1, c]
            count -= area[lo, c + 1] - area[lo, c]
            if count < low[c] or count > high[c]:
                return False
            low[c] = count
            high[c] = count
    else:
        j = -1 - i
        at = frame[CELLS] - 1 - j
        first = cell[at]
        beyond = cell[at + 1] if j else -1
        count = k - frame[RC]
        for c in range(right, beyond - 1 if j else right, -1):
            count -= area[hi + 1, c + 1] - area[hi + 1, c]
            count += area[lo, c + 1] - area[lo, c]
            if count < low[c - 1] or count > high[c - 1]:
                return False
            low[c - 1] = count
            high[c - 1] = count
    minus = level[r] - y[r]
    plus = level[r] + y[r]
    in_minus, in_plus = inside[0, first], inside[1, first]
    inside[0, first] = max(in_minus, minus)
    inside[1, first] = max(in_plus, plus)
    if beyond >= 0:
        out_minus, out_plus = outside[0, beyond], outside[1, beyond]
        outside[0, beyond] = min(out_minus, minus)
        outside[1, beyond] = min(out_plus, plus)
    fine: bool = holds(grid, scratch, low, high, wl, wr)
    inside[0, first] = in_minus
    inside[1, first] = in_plus
    if beyond >= 0:
        outside[0, beyond] = out_minus
        outside[1, beyond] = out_plus
    return fine


@kernel
def lose(
    grid: Grid,
    frame: Ints,
    cell: Ints,
    lost: Ints,
    slack: int,
    scratch: Scratch,
) -> None:
    """Price the ends of the next row: what the bound by secants rises at least.

    To reject a column rejects it in all rows to come.
    """
    free = grid.free
    lo, hi, left, right = frame[LO], frame[HI], frame[LEFT], frame[RIGHT]
    span, weight, prices = scratch.span, scratch.weight, scratch.price
    column = scratch.values
    for c in range(left, right + 1):
        column[c] = 0
    for side in range(2):
        if (frame[ABOVE] if side else frame[BELOW]) == 0:
            continue
        marginal = scratch.margin[side]
        if marginal == -FAR:
            continue
        step = 1 if side else -1
        row = hi + 1 if side else lo - 1
        end = frame[TOP] if side else frame[BOT]
        while True:
            a, b, fa, fb = span[row, 0], span[row, 1], span[row, 2], span[row, 3]
            most = marginal - prices[row]
            for c in range(a, b + 1):
                if free[row, c] and weight[c] < most and not fa <= c <= fb:
                    column[c] = min(slack, column[c] + most - weight[c])
            if row == end:
                break
            row += step
    cells = frame[CELLS]
    at = 0
    total = 0
    lost[0, 0] = 0
    for c in range(left, right + 1):
        total = min(slack, total + column[c])
        if at < cells and cell[at] == c:
            at += 1
            lost[0, at] = total
    at = 0
    total = 0
    lost[1, 0] = 0
    for c in range(right, left - 1, -1):
        total = min(slack, total + column[c])
        if at < cells and cell[cells - 1 - at] == c:
            at += 1
            lost[1, at] = total
    row = hi + 1 if frame[SIDE] else lo - 1
    fa, fb = span[row, 2], span[row, 3]
    most = scratch.margin[frame[SIDE]] - prices[row]
    lost[2, 0] = 0
    for at in range(cells):
        c = cell[at]
        more = 0
        if weight[c] > most and not fa <= c <= fb:
            more = slack if scratch.margin[frame[SIDE]] == -FAR else weight[c] - most
        lost[2, at + 1] = lost[2, at] + min(slack, more)


@kernel
def prepare(
    grid: Grid, state: State, scratch: Scratch, d: int, wl: int, wr: int, best: int
) -> None:
    """Set up the enumeration of the next row after ``evaluate``."""
    ahead, free = grid.ahead, grid.free
    frame, cell, level = state.frame[d], state.cell[d], state.level
    lo, hi, left, right = frame[LO], frame[HI], frame[LEFT], frame[RIGHT]
    below, above = frame[BELOW], frame[ABOVE]
    side = 1
    if below > 0 and (above == 0 or level[lo - 1] <= level[hi + 1]):
        side = 0
    r = hi + 1 if side else lo - 1
    frame[SIDE] = side
    cells = 0
    for c in range(left, right + 1):
        if free[r, c]:
            cell[cells] = c
            cells += 1
    ends = scratch.ends[side]
    frame[CELLS] = cells
    frame[CAP] = min(above if side else below, ends[4])
    cap = frame[CAP]
    fine, lost = state.fine[d], state.lost[d]
    fine[:, : cells + 1] = False
    slack = best - scratch.margin[2]
    frame[SLACK] = slack
    lose(grid, frame, cell, lost, slack, scratch)
    if ends[4] > 0:
        i_low = ahead[r, ends[0]] - ahead[r, left]
        j_low = ahead[r, right + 1] - ahead[r, ends[1] + 1]
        i_high = cells - 1 - j_low
        j_high = cells - 1 - i_low
        if ends[5] > 0:
            i_high = ahead[r, ends[2]] - ahead[r, left]
            j_high = ahead[r, right + 1] - ahead[r, ends[3] + 1]
        for i in range(i_low, i_high + 1):
            for j in range(max(j_low, cells - i - cap), min(j_high, cells - 1 - i) + 1):
                if cost_of(lost, cells, i, j) < slack:
                    fine[0, i] = True
                    fine[1, j] = True
        for i in range(i_low, i_high + 1):
            if fine[0, i]:
                fine[0, i] = try_end(grid, state, scratch, d, wl, wr, i)
        for j in range(j_low, j_high + 1):
            if fine[1, j]:
                fine[1, j] = try_end(grid, state, scratch, d, wl, wr, -1 - j)
    frame[NEED] = ends[5]
    frame[I_NOW] = 0
    frame[J_NOW] = -1


@kernel
def cost_of(lost: Ints, cells: int, i: int, j: int) -> int:
    """Price a row that begins after ``i`` of its cells and ends before ``j``."""
    return int(lost[0, i] + lost[1, j] + lost[2, cells - j] - lost[2, i])


@kernel
def next_choice(frame: Ints, fine: Flags, lost: Ints) -> bool:
    """Move on to the next pair of ends of the row to be added."""
    cells, cap, slack = frame[CELLS], frame[CAP], frame[SLACK]
    i, j = frame[I_NOW], frame[J_NOW]
    while i <= cells:
        j = max(j + 1, cells - i - cap)
        if j > cells - i:
            i += 1
            j = -1
        elif cost_of(lost, cells, i, j) >= slack:
            continue
        elif i + j == cells:
            if frame[NEED] == 0:
                frame[I_NOW] = i
                frame[J_NOW] = j
                return True
        elif fine[0, i] and fine[1, j]:
            frame[I_NOW] = i
            frame[J_NOW] = j
            return True
    frame[I_NOW] = i
    return False


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


@kernel
def search(
    grid: Grid, roots: Ints, state: State, best: int, budget: int
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
    scratch = Scratch(
        np.empty(columns, dtype=np.int64),
        np.empty(columns, dtype=np.int64),
        np.empty((2, columns), dtype=np.int64),
        np.empty((2, columns), dtype=np.int64),
        np.empty((2, columns), dtype=np.int64),
        np.empty((2, columns), dtype=np.int64),
        np.empty((2, columns), dtype=np.int64),
        np.empty((2, columns), dtype=np.int64),
        np.empty((rows, 6), dtype=np.int64),
        np.empty(columns, dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
        np.empty(3, dtype=np.int64),
        np.empty((2, 2), dtype=np.int64),
        np.empty(rows * columns, dtype=np.int64),
        np.empty((2, 6), dtype=np.int64),
    )
    beyond = np.empty(k + 1, dtype=np.int64)
    nodes = 0
    d = at[0]
    while at[1] < len(roots):
        bound, m, a, b = (
            roots[at[1], 0],
            roots[at[1], 1],
            roots[at[1], 2],
            roots[at[1], 3],
        )
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
