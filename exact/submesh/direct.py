"""An exact search for a free box without moving any other, over candidate places."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from ...instances.arrays import cells
from ...instances.submesh import Box, box_at, corner, sides
from .packing_kernels import direct

Flags = NDArray[np.bool_]
_EACH, _FEW = 8, 10**6
"""Cost of examining a box, in processors of a running sum, and the work, about a
millisecond, below which the choice between the two does not matter."""


def free_box(
    shape: Sequence[int], held: Sequence[Box], size: Sequence[int], torus: bool = False
) -> Box | None:
    """Return a free box of this size, or None if there is none.

    A free box can be pushed back along each axis until it meets the end of a held one
    or of the mesh. So only such places are examined, the last axis first; or, with
    many boxes held, all places by running sums, in the same order.

    Time: O(n^(d + 1)) for n boxes held in d axes, in a kernel, or O(n + d p) for p
    processors.

    >>> free_box((4, 2), [(0, 0, 1, 1)], (2, 2))
    (2, 0, 3, 1)
    """
    d = len(shape)
    if len(held) ** (d + 1) > _EACH * prod(shape) + _FEW:
        return first_free(mark_held(shape, held), size, torus)
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
    return box_at(found[:d].tolist(), size)


def mark_held(shape: Sequence[int], held: Sequence[Box]) -> Flags:
    """Mark every processor that is held."""
    taken = np.zeros(shape, dtype=bool)
    for box in held:
        taken[cells(shape, box)] = True
    return taken


def first_free(taken: Flags, size: Sequence[int], torus: bool) -> Box | None:
    """Return the first free box of this size, the last axis first, or None.

    Held processors in every box are counted by running sums, one axis at a time.

    Time: O(d p) for p processors.
    """
    if any(s > side for s, side in zip(size, taken.shape, strict=True)):
        return None
    for axis, s in enumerate(size):
        if torus:
            wrapped = np.take(taken, range(s - 1), axis=axis)
            taken = np.concatenate([taken, wrapped], axis=axis)
        sums = np.cumsum(np.moveaxis(taken, axis, 0), axis=0, dtype=np.int32)
        sums[s:] -= sums[:-s].copy()
        taken = np.moveaxis(sums[s - 1 :] > 0, 0, axis)
    free = ~taken.T
    first = int(free.argmax())
    if not free.flat[first]:
        return None
    place = np.unravel_index(first, free.shape)[::-1]
    return box_at([int(x) for x in place], size)


def in_three(
    boxes: Sequence[Box], d: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return lowest corners and sides of boxes, n x 3 each; missing sides are 1."""
    low = np.zeros((len(boxes), 3), dtype=np.int64)
    length = np.ones((len(boxes), 3), dtype=np.int64)
    for i, box in enumerate(boxes):
        low[i, :d] = corner(box)
        length[i, :d] = sides(box)
    return low, length


def in_two_ways(
    sizes: Sequence[Sequence[Sequence[int]]], axis: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return sides of items along an axis and across it, in both ways; and the ways."""
    both = np.array([[several[0], several[-1]] for several in sizes], dtype=np.int64)
    many = np.array([len(several) for several in sizes], dtype=np.int64)
    return both[:, :, axis].copy(), both[:, :, 1 - axis].copy(), many
