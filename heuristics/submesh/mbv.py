"""Maximum boundary value: the free frame that touches most."""

from __future__ import annotations

import numpy as np

from ...instances import IntArray as Ints
from ...instances.submesh import Box, box_at
from ...solvers.running.kernels import kernel
from .frame_sliding import FrameSliding
from .frame_sliding_kernels import GOES_ON, NOWHERE

_ROWS = 64
"""Rows between two checks of the clock."""
ROW, BELOW, BEST, AT_I, AT_J = 0, 1, 2, 3, 4
"""What a search keeps between two calls: the next row, and the best frame so far."""


class MaximumBoundaryValue(FrameSliding):
    """Take the free place that touches most: residents and edges of the mesh.

    MBV over the free frames that FS_f visits.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(Y * residents**2), by examining only places where the value can be greatest.
    Ties: the first by rows; as requested, then rotated.
    Source: Sharma and Pradhan 1993; Morgenstern 1994, section 2.3.
    """

    def _search(self, size: tuple[int, ...]) -> Box | None:
        x, y = size
        width, depth = self.shape
        state = np.array([0, depth, -1, -1, -1], dtype=np.int64)
        near = np.empty((self._count, 4), dtype=np.int64)
        number = np.empty(self._count, dtype=np.int64)
        boxes, count = self._boxes, self._count
        self._run(
            lambda: find_best(
                boxes, count, width, depth, x, y, state, near, number, _ROWS
            )
        )
        if state[BEST] < 0:
            return None
        return box_at(state[[AT_I, AT_J]].tolist(), size)


@kernel
def _overlap_length(low: int, high: int, begin: int, end: int) -> int:
    """Length of what two intervals have in common."""
    return max(0, min(high, end) - max(low, begin) + 1)


@kernel
def boundary_value(
    near: Ints, count: int, width: int, depth: int, i: int, j: int, x: int, y: int
) -> int:
    """Add up what a free frame touches: sides of residents and edges of the mesh.

    Each processor at the rim counts its allocated neighbours and the edges it lies
    on; added up, that is the length along which the four sides touch something.
    """
    value = (y if i == 0 else 0) + (y if i + x == width else 0)
    value += (x if j == 0 else 0) + (x if j + y == depth else 0)
    for n in range(count):
        a, b, c, d = near[n, 0], near[n, 1], near[n, 2], near[n, 3]
        if c == i - 1 or a == i + x:
            value += _overlap_length(b, d, j, j + y - 1)
        if d == j - 1 or b == j + y:
            value += _overlap_length(a, c, i, i + x - 1)
    return value


@kernel
def find_best(
    boxes: Ints,
    count: int,
    width: int,
    depth: int,
    x: int,
    y: int,
    state: Ints,
    near: Ints,
    number: Ints,
    rows: int,
) -> tuple[int, int]:
    """Value the free frames of the next ``rows`` rows, and keep the best.

    Along a run of free frames of one row the value is linear but where a side comes
    upon a corner of a resident, and at both ends; it is enough to look there. Steps
    are those of looking at every frame: all residents, or up to the first in the way.

    The best frame stands in ``state``. Returns `GOES_ON` or `NOWHERE`, and the steps.
    """
    steps = 0
    j, below = state[ROW], state[BELOW]
    best, best_i, best_j = state[BEST], state[AT_I], state[AT_J]
    looked = 0
    while j <= depth - y and looked < rows:
        looked += 1
        m = 0  # residents of the rows of the frame and of the two next to it
        for n in range(count - 1, -1, -1):
            if boxes[n, 1] <= j + y and boxes[n, 4] >= j - 1:
                near[m, 0], near[m, 1] = boxes[n, 0], boxes[n, 1]
                near[m, 2], near[m, 3] = boxes[n, 3], boxes[n, 4]
                number[m] = count - n
                m += 1
        i = 0
        any_free = False
        while i <= width - x:
            last = width - x
            blocked = False
            for n in range(m):
                if near[n, 1] < j + y and near[n, 3] >= j and near[n, 2] >= i:
                    if near[n, 0] < i + x:
                        steps += number[n]
                        below = min(below, near[n, 3] + 1)
                        i = near[n, 2] + 1
                        blocked = True
                        break
                    last = min(last, near[n, 0] - x)
            if blocked:
                continue
            any_free = True
            steps += (last - i + 1) * count
            row_best, row_i = -1, i
            for n in range(-1, m):
                for k in range(4):
                    if n < 0:
                        at = (i, i + 1, last - 1, last)[k]
                    else:
                        a, c = near[n, 0], near[n, 2]
                        at = (a, c + 1, a - x, c + 1 - x)[k]
                    if i <= at <= last:
                        value = boundary_value(near, m, width, depth, at, j, x, y)
                        if value > row_best or (value == row_best and at < row_i):
                            row_best, row_i = value, at
            if row_best > best:
                best, best_i, best_j = row_best, row_i, j
            i = last + 1
        j = j + 1 if any_free else below
        below = depth
    state[ROW], state[BELOW] = j, below
    state[BEST], state[AT_I], state[AT_J] = best, best_i, best_j
    return (NOWHERE if j > depth - y else GOES_ON), steps
