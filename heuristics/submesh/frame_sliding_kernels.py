"""Kernels of the frame sliding methods; see ``frame_sliding``.

Boxes are rows of six: lowest corner, then highest; a mesh of two axes has a third of
one layer. ``where`` is the frame at which a search goes on. Kernels come back when
they have looked at ``budget`` residents, so that a search can be ended in between.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Ints = npt.NDArray[np.int64]

GOES_ON, FOUND, NOWHERE = 0, 1, 2
"""Why a search came back."""


@njit(cache=True)
def _apart(low: int, last: int, begin: int, end: int, side: int, torus: bool) -> bool:
    """Whether two intervals of an axis have nothing in common."""
    if torus:
        return (begin - low) % side > last - low and (low - begin) % side > end - begin
    return begin > last or low > end


@njit(cache=True)
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

    Returns
    -------
    why, steps
        Why it came back, and how many residents were looked at. The frame that is
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
                for n in range(count):
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
