"""Boxes of processors: corners, sides and rotations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

Box = tuple[int, ...]
"""Lowest corner, then highest corner, inclusive. On a torus the highest one may lie
beyond the side: the box then wraps round."""


def corner(box: Box) -> tuple[int, ...]:
    """Return the lowest corner of a box.

    >>> corner((0, 2, 3, 4)), sides((0, 2, 3, 4))
    ((0, 2), (4, 3))
    """
    return box[: len(box) // 2]


def sides(box: Box) -> tuple[int, ...]:
    """Return the sides of a box."""
    d = len(box) // 2
    return tuple(box[d + a] - box[a] + 1 for a in range(d))


def box_at(place: Sequence[int], size: Sequence[int]) -> Box:
    """Return the box of a given size at a lowest corner.

    >>> box_at((0, 2), (4, 3))
    (0, 2, 3, 4)
    """
    high = (p + s - 1 for p, s in zip(place, size, strict=True))
    return (*place, *high)


def cells(shape: Sequence[int], box: Box) -> tuple[npt.NDArray[np.int64], ...]:
    """Return the processors of a box as an index; it may wrap round a torus."""
    lies = zip(corner(box), sides(box), shape, strict=True)
    return np.ix_(*(np.arange(low, low + length) % n for low, length, n in lies))


def ways_of(
    shape: Sequence[int], size: Sequence[int], turns: bool
) -> tuple[tuple[int, ...], ...]:
    """List the rotations of a box that fit into the mesh.

    >>> ways_of((4, 3), (4, 2), True), ways_of((4, 4), (4, 2), True)
    (((4, 2),), ((4, 2), (2, 4)))
    """
    ways = permutations(size) if turns else [size]
    return tuple(
        tuple(way)
        for way in dict.fromkeys(map(tuple, ways))
        if all(s <= side for s, side in zip(way, shape, strict=True))
    )
