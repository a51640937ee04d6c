"""Which of the places nearest an edge leaves most to those who come later."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...instances import IntArray as Ints
from ...solvers.running.kernels import kernel


class SnugWorkspace(NamedTuple):
    """Working memory for boxes of up to ``count`` coordinates on an axis."""

    xs: Ints  # (count,)
    ys: Ints  # (count,)
    heights: Ints  # (count,)
    starts: Ints  # (count,)
    wide: Ints  # (count²,)
    high: Ints  # (count²,)
    taken: npt.NDArray[np.bool_]  # (count, count)


@kernel
def room_for(count: int) -> SnugWorkspace:
    """Allocate working memory."""
    return SnugWorkspace(
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.empty(count * count, np.int64),
        np.empty(count * count, np.int64),
        np.empty((count, count), np.bool_),
    )


@kernel
def snuggest(
    boxes: Ints,
    n: int,
    size: Ints,
    shape: Ints,
    caps: Ints,
    distance: int,
    few: int,
    weight: float,
) -> tuple[int, int]:
    """Choose among the free places whose rows are this far from an edge.

    With up to ``few`` boxes, departures are looked ahead to, and their mean counts
    ``weight`` times as much as the state right now; with more, the place that touches
    most is taken. Returns its lowest corner.

    Of ``boxes``, one per row (a, b, c, d), with room for one more, n are held. Requests
    are expected to have sides of up to ``caps``. Some place is free ``distance`` rows
    from the top or the bottom.
    """
    x, y = size[0], size[1]
    width, depth = shape[0], shape[1]
    ahead = n + 1 <= few
    room = room_for(2 * n + 4 if ahead else 0)
    best = -1.0
    best_i, best_j = -1, -1
    edges = 1 if distance == depth - y - distance else 2
    for edge in range(edges):
        j = distance if edge == 0 else depth - y - distance
        lefts, rights = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
        m = 0
        for k in range(n):
            if boxes[k, 1] < j + y and boxes[k, 3] >= j:
                lefts[m], rights[m] = boxes[k, 0], boxes[k, 2]
                m += 1
        lefts[m], rights[m] = width, width
        m += 1
        begin = 0
        for k in np.argsort(lefts[:m]):
            gap = lefts[k] - begin
            if gap >= x:
                for right in range(1 if gap == x else 2):
                    i = lefts[k] - x if right else begin
                    boxes[n, 0], boxes[n, 1] = i, j
                    boxes[n, 2], boxes[n, 3] = i + x - 1, j + y - 1
                    if ahead:
                        value = _outlook(boxes, n + 1, shape, caps, weight, room)
                    else:
                        value = float(_measure_contact(boxes, n, shape))
                    if value > best:
                        best, best_i, best_j = value, i, j
            begin = max(begin, rights[k] + 1)
    return best_i, best_j


@kernel
def _outlook(
    boxes: Ints, n: int, shape: Ints, caps: Ints, weight: float, room: SnugWorkspace
) -> float:
    """Count the sizes that fit now, and on average after one departure."""
    total = 0.0
    for gone in range(n):
        total += sizes_that_fit(boxes, n, gone, shape, caps, room)
    now: float = sizes_that_fit(boxes, n, -1, shape, caps, room)
    value: float = now + weight * total / n
    return value


@kernel
def sizes_that_fit(
    boxes: Ints, n: int, gone: int, shape: Ints, caps: Ints, room: SnugWorkspace
) -> float:
    """Count the sizes up to the caps that have a free place, one box being gone.

    The free rectangles with a resident or the edge above, left and right are those of
    a histogram, row by row of the grid of all sides; a size fits if it fits in one of
    them: the area below the staircase of their widths and heights.
    """
    xs, ys, taken = room.xs, room.ys, room.taken
    heights, starts, wide, high = room.heights, room.starts, room.wide, room.high
    nx = _coordinates(boxes, n, gone, 0, shape[0], xs)
    ny = _coordinates(boxes, n, gone, 1, shape[1], ys)
    for r in range(ny):
        for c in range(nx):
            taken[r, c] = False
    for k in range(n):
        if k == gone:
            continue
        left = np.searchsorted(xs[: nx + 1], boxes[k, 0])
        right = np.searchsorted(xs[: nx + 1], boxes[k, 2] + 1)
        top = np.searchsorted(ys[: ny + 1], boxes[k, 1])
        below = np.searchsorted(ys[: ny + 1], boxes[k, 3] + 1)
        for r in range(top, below):
            for c in range(left, right):
                taken[r, c] = True
    front = 0
    stack = np.empty(nx + 1, np.int64)
    for c in range(nx):
        heights[c] = 0
    for r in range(ny):
        rise = ys[r + 1] - ys[r]
        for c in range(nx):
            heights[c] = 0 if taken[r, c] else heights[c] + rise
        above = 0
        for c in range(nx + 1):
            here = heights[c] if c < nx else 0
            begin = c
            while above > 0 and stack[above - 1] >= here:
                above -= 1
                begin = starts[above]
                if stack[above] > here:
                    w = min(xs[c] - xs[begin], caps[0])
                    h = min(stack[above], caps[1])
                    front = _add(wide, high, front, w, h)
            if here > 0:
                starts[above] = begin
                stack[above] = here
                above += 1
    area = 0.0
    reached = 0
    for k in range(front):
        area += float(wide[k]) * float(high[k] - reached)
        reached = high[k]
    return area


@kernel
def _coordinates(
    boxes: Ints, n: int, gone: int, axis: int, side: int, into: Ints
) -> int:
    """List the coordinates at which something begins or ends; return how many gaps."""
    m = 2
    into[0], into[1] = 0, side
    for k in range(n):
        if k != gone:
            into[m], into[m + 1] = boxes[k, axis], boxes[k, axis + 2] + 1
            m += 2
    into[:m].sort()
    kept = 1
    for k in range(1, m):
        if into[k] != into[kept - 1]:
            into[kept] = into[k]
            kept += 1
    return kept - 1


@kernel
def _add(wide: Ints, high: Ints, front: int, w: int, h: int) -> int:
    """Put a size into the staircase: widths descending, heights ascending."""
    place = 0
    while place < front and wide[place] > w:
        if high[place] >= h:
            return front
        place += 1
    if place < front and wide[place] == w and high[place] >= h:
        return front
    last = place
    while last < front and high[last] <= h:
        last += 1
    shift = 1 - (last - place)
    if shift > 0:
        for k in range(front, place, -1):
            wide[k], high[k] = wide[k - 1], high[k - 1]
    elif shift < 0:
        for k in range(last, front):
            wide[k + shift], high[k + shift] = wide[k], high[k]
    wide[place], high[place] = w, h
    return front + shift


@kernel
def _measure_contact(boxes: Ints, n: int, shape: Ints) -> int:
    """Measure how much of the outline of box n lies on edges and on other boxes."""
    a, b, c, d = boxes[n, 0], boxes[n, 1], boxes[n, 2], boxes[n, 3]
    x, y = c - a + 1, d - b + 1
    total: int = y * (int(a == 0) + int(c == shape[0] - 1))
    total += x * (int(b == 0) + int(d == shape[1] - 1))
    for k in range(n):
        if boxes[k, 2] == a - 1 or boxes[k, 0] == c + 1:
            total += max(0, min(d, boxes[k, 3]) - max(b, boxes[k, 1]) + 1)
        if boxes[k, 3] == b - 1 or boxes[k, 1] == d + 1:
            total += max(0, min(c, boxes[k, 2]) - max(a, boxes[k, 0]) + 1)
    return total
