"""Boxes of processors: corners, sides and rotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

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


def rows(
    shape: Sequence[int], box: Box, ends: Sequence[int] | None = None
) -> Iterator[slice]:
    """Yield the processors of a box, in runs of numbers in row-major order.

    With ``ends`` at or beyond the sides, those of a mesh that goes on so far, in which
    a torus repeats itself.

    >>> [(run.start, run.stop) for run in rows((4, 4), (3, 1, 4, 2))]
    [(1, 3), (13, 15)]
    """
    ends = ends or shape
    d = len(shape)
    axes = []
    for low, high, side, end in zip(box[:d], box[d:], shape, ends, strict=True):
        starts = range(low - side, end, side)
        some = ((max(0, x), min(end, x + high - low + 1)) for x in starts)
        axes.append([(first, last) for first, last in some if first < last])
    *outer, along = axes
    *others, width = ends
    for line in product(
        *(sorted(x for r in axis for x in range(*r)) for axis in outer)
    ):
        number = 0
        for x, end in zip(line, others, strict=True):
            number = number * end + x
        for first, last in along:
            yield slice(number * width + first, number * width + last)


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
