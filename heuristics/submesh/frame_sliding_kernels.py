"""Kernels of the frame sliding methods; see ``frame_sliding``.

Boxes are rows of six: lowest corner, then highest; a mesh of two axes has a third of
one layer. The youngest comes last, and is looked at first. ``where`` is the frame at
which a search goes on. Kernels come back when they have looked at ``budget``
residents, so that a search can be ended in between.
"""

from __future__ import annotations

from ...instances import IntArray as Ints
from ...solvers.running.kernels import kernel

GOES_ON, FOUND, NOWHERE = 0, 1, 2
"""Why a search came back."""


@kernel
def _apart(low: int, last: int, begin: int, end: int, side: int, torus: bool) -> bool:
    """Whether two intervals of an axis have nothing in common."""
    if torus:
        return (begin - low) % side > last - low and (low - begin) % side > end - begin
    return begin > last or low > end


@kernel
def slide(
    boxes: Ints,
    count: int,
    shape: Ints,
    size: Ints,
    stride: Ints,
    torus: bool,
    where: Ints,
    budget: int,
) -> tuple[int, int]:
    """Look at frames, ``stride`` apart, from ``where`` on, until one is free.

    Returns why it came back, and how many residents were looked at. The frame that is
    free, or at which the search is to go on, stands in ``where``.
    """
    sx, sy, sz = size[0], size[1], size[2]
    mx, my, mz = shape[0], shape[1], shape[2]
    ends = shape - size if not torus else shape - 1
    i, j, k = where[0], where[1], where[2]
    steps = 0
    while k <= ends[2]:
        while j <= ends[1]:
            while i <= ends[0]:
                clear = True
                for n in range(count - 1, -1, -1):
                    steps += 1
                    if not (
                        _apart(i, i + sx - 1, boxes[n, 0], boxes[n, 3], mx, torus)
                        or _apart(j, j + sy - 1, boxes[n, 1], boxes[n, 4], my, torus)
                        or _apart(k, k + sz - 1, boxes[n, 2], boxes[n, 5], mz, torus)
                    ):
                        clear = False
                        break
                if clear:
                    where[0], where[1], where[2] = i, j, k
                    return FOUND, steps
                i += stride[0]
                if steps >= budget:
                    where[0], where[1], where[2] = i, j, k
                    return GOES_ON, steps
            i = 0
            j += stride[1]
        j = 0
        k += stride[2]
    return NOWHERE, steps


@kernel
def scan_adaptively(
    boxes: Ints,
    count: int,
    width: int,
    depth: int,
    x: int,
    y: int,
    where: Ints,
    budget: int,
) -> tuple[int, int]:
    """Look at all residents for each frame; go on behind the furthest in its way."""
    i, j = where[0], where[1]
    steps = 0
    while j <= depth - y:
        while i <= width - x:
            reach = -1
            for n in range(count - 1, -1, -1):
                if (
                    boxes[n, 0] < i + x
                    and boxes[n, 3] >= i
                    and boxes[n, 1] < j + y
                    and boxes[n, 4] >= j
                ):
                    reach = max(reach, boxes[n, 3] + 1)
            steps += count
            if reach < 0:
                where[0], where[1] = i, j
                return FOUND, steps
            i = reach
            if steps >= budget:
                where[0], where[1] = i, j
                return GOES_ON, steps
        i = 0
        j += 1
    return NOWHERE, steps


@kernel
def jump(
    boxes: Ints,
    count: int,
    width: int,
    depth: int,
    x: int,
    y: int,
    where: Ints,
    budget: int,
) -> tuple[int, int]:
    """Continue behind the first resident in the way, then below the least low one."""
    i, j, below = where[0], where[1], where[2]
    steps = 0
    while j <= depth - y:
        while i <= width - x:
            clear = True
            for n in range(count - 1, -1, -1):
                steps += 1
                if (
                    boxes[n, 0] < i + x
                    and boxes[n, 3] >= i
                    and boxes[n, 1] < j + y
                    and boxes[n, 4] >= j
                ):
                    clear = False
                    i = boxes[n, 3] + 1
                    below = min(below, boxes[n, 4] + 1)
                    break
            if clear:
                where[0], where[1] = i, j
                return FOUND, steps
            if steps >= budget:
                where[0], where[1], where[2] = i, j, below
                return GOES_ON, steps
        i = 0
        j = below
        below = depth
    return NOWHERE, steps
