"""Kernels that enumerate the ends of the next row; see ``levelset_bb``."""

from __future__ import annotations

from ....solvers.running.kernels import kernel
from .layout import (
    ABOVE,
    BELOW,
    BOT,
    CAP,
    CELLS,
    FAR,
    HI,
    I_NOW,
    J_NOW,
    LC,
    LEFT,
    LO,
    NEED,
    RC,
    RIGHT,
    SIDE,
    SLACK,
    TOP,
    Flags,
    Grid,
    Ints,
    Scratch,
    State,
)


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
