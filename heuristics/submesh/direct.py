"""A free box among boxes, moving none: exact, over the places that matter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...instances.submesh import Box, box_at, corner, sides


def free_box(
    shape: Sequence[int], held: Sequence[Box], size: Sequence[int], torus: bool = False
) -> Box | None:
    """Return a free box of this size, or None: there is none.

    A free box can be pushed back along each axis until it meets the end of a held one
    or of the mesh; so only such places are looked at, the last axis first.

    Time: O(n^(d + 1)) for n boxes held in d axes, in a kernel.

    >>> free_box((4, 2), [(0, 0, 1, 1)], (2, 2))
    (2, 0, 3, 1)
    """
    from .packing_kernels import direct

    d = len(shape)
    low, length = in_three(held, d)
    flat = (1,) * (3 - d)
    found = direct(
        np.array((*shape, *flat), dtype=np.int64),
        low,
        length,
        np.array((*size, *flat), dtype=np.int64),
        torus,
    )
    if found[0] < 0:
        return None
    return box_at([int(x) for x in found[:d]], size)


def in_three(
    boxes: Sequence[Box], d: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return lowest corners and sides of boxes, n x 3 each: what is flat is 1 high."""
    low = np.zeros((len(boxes), 3), dtype=np.int64)
    length = np.ones((len(boxes), 3), dtype=np.int64)
    for i, box in enumerate(boxes):
        low[i, :d] = corner(box)
        length[i, :d] = sides(box)
    return low, length
