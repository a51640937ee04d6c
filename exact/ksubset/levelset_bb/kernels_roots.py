"""Kernels that bound and list intervals of the median row; see ``levelset_bb``."""

from __future__ import annotations

import numpy as np

from ....solvers.kernels import kernel
from .layout import FAR, Grid, Ints


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
