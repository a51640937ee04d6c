"""Hilbert's curve on a box of any sides, visiting every cell once.

A walk starts in one corner of its box and ends in another: from start to end it crosses
some of the sides, and not the others. Colour the cells like a chessboard: every step
changes the colour, so that in a box with an even side a walk of unit steps crosses an
odd number of even sides; if all sides are odd, it may cross any. The box is cut into
smaller boxes that can be crossed in this way, and whose walks join corner to corner:

- *halves*: cut across a side that is crossed;
- *arch*: up in one half, over the top, down in the other half. This is Hilbert's own
  construction, where the top is halved next;
- *gallery*: the same in three dimensions, in five parts.

As the walk may end in any corner, parity never forces a longer step: every two
consecutive cells are neighbours, on boxes of any sides. On a square or cube whose side
is a power of two all parts end as squares or cubes: the classic curve.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain, combinations, product
from typing import NamedTuple

import numpy as np

from ...instances import IntArray

Sides = tuple[int, ...]
Axes = frozenset[int]

_OFF_CENTRE = 2
"""How far from the middle of a side it may be cut; parity requires 1."""


class _Part(NamedTuple):
    """A box within a box, and which of its sides are crossed in it."""

    low: Sides
    sides: Sides
    crosses: Axes


_Way = tuple[_Part, ...]


def hilbert(shape: Sides) -> IntArray:
    """Return all cells of a box along the curve.

    It starts at the origin and crosses the longest side, the first of several; where
    parity forbids that, the longest side that it may cross. O(n log n) for n cells.

    Examples
    --------
    >>> hilbert((2, 3)).tolist()
    [[0, 0], [0, 1], [0, 2], [1, 2], [1, 1], [1, 0]]
    """
    axes = sorted(range(len(shape)), key=lambda axis: -shape[axis])
    ends = (_thick(shape, crosses) for crosses in _subsets(axes))
    return _walk(shape, next(end for end in ends if can_cross(shape, end)), {})


def _walk(
    sides: Sides, crosses: Axes, known: dict[tuple[Sides, Axes], IntArray]
) -> IntArray:
    """Walk through a box from the origin to the other end of the sides crossed."""
    if (sides, crosses) in known:
        return known[sides, crosses]
    if sum(side > 1 for side in sides) <= 1:
        cells = np.zeros((max(sides), len(sides)), dtype=np.int64)
        cells[:, np.argmax(sides)] = np.arange(max(sides))
        return cells
    parts = _way(sides, crosses)
    assert parts is not None
    walked: list[IntArray] = []
    last = np.zeros(len(sides), dtype=np.int64)
    for part in parts:
        cells = _walk(part.sides, part.crosses, known)
        low = np.array(part.low, dtype=np.int64)
        farthest = np.array(part.sides, dtype=np.int64) - 1
        at_end = np.minimum(last - low, farthest) > 0  # of each side, on entry
        walked.append(low + np.where(at_end, farthest - cells, cells))
        last = walked[-1][-1]
    known[sides, crosses] = np.concatenate(walked)
    return known[sides, crosses]


@cache
def _way(sides: Sides, crosses: Axes) -> _Way | None:
    """Return the best way to cut whose parts can all be crossed; None if none can."""
    for parts in _ways(sides, crosses):
        parts = tuple(
            part._replace(crosses=_thick(part.sides, part.crosses)) for part in parts
        )
        if all(can_cross(part.sides, part.crosses) for part in parts):
            return parts
    return None


def can_cross(sides: Sides, crosses: Axes) -> bool:
    """Return whether parity and a way to cut allow crossing these sides."""
    if max(sides) == 1:
        return True
    even = {axis for axis, side in enumerate(sides) if side % 2 == 0}
    if not crosses or (even and len(even & crosses) % 2 == 0):
        return False
    return sum(side > 1 for side in sides) == 1 or _way(sides, crosses) is not None


def _ways(sides: Sides, crosses: Axes) -> Iterator[_Way]:
    """Yield the ways to cut a box, best first.

    If a crossed side is half as long again as any other, halves, as an arch would be
    flat; otherwise a gallery if three sides have about equal length; otherwise an arch
    towards the longest side.
    """
    axes = sorted(range(len(sides)), key=lambda axis: -sides[axis])
    along = next(axis for axis in axes if axis in crosses)
    others = [axis for axis in axes if axis not in crosses and sides[axis] > 1]
    turns = [_arches(sides, crosses, along, up) for up in others]
    if len(others) > 1:
        up, aside = others[:2]
        galleries = _galleries(sides, crosses, along, up, aside)
        flat = 3 * sides[aside] < 2 * min(sides[along], sides[up])
        turns.insert(len(turns) if flat else 0, galleries)
    longest = max(side for axis, side in enumerate(sides) if axis != along)
    halves = chain.from_iterable(
        _halves(sides, crosses, axis) for axis in axes if axis in crosses
    )
    order = (halves, *turns) if 2 * sides[along] > 3 * longest else (*turns, halves)
    return chain.from_iterable(order)


def _halves(sides: Sides, crosses: Axes, along: int) -> Iterator[_Way]:
    rest = [axis for axis in range(len(sides)) if axis != along]
    for cut, aside in product(_middles(sides[along]), _subsets(rest)):
        yield (
            _part(sides, {along: (0, cut)}, aside | {along}),
            _part(sides, {along: (cut, sides[along])}, (aside ^ crosses) | {along}),
        )


def _arches(sides: Sides, crosses: Axes, along: int, up: int) -> Iterator[_Way]:
    rest = [axis for axis in range(len(sides)) if axis not in (along, up)]
    cuts = sorted(
        product(_middles(sides[along]), _middles(sides[up])),
        key=lambda cut: abs(2 * cut[0] - sides[along]) + abs(2 * cut[1] - sides[up]),
    )
    for (cut, top), first, second in product(cuts, _subsets(rest), _subsets(rest)):
        third = first ^ second ^ (crosses - {along})
        yield (
            _part(sides, {along: (0, cut), up: (0, top)}, first | {up}),
            _part(sides, {up: (top, sides[up])}, second | {along}),
            _part(sides, {along: (cut, sides[along]), up: (0, top)}, third | {up}),
        )


def _galleries(
    sides: Sides, crosses: Axes, along: int, up: int, aside: int
) -> Iterator[_Way]:
    """Yield the galleries that cross no more sides than necessary."""
    if crosses != {along}:
        return
    far, high, wide = sides[along], sides[up], sides[aside]
    cuts = sorted(
        product(_middles(far), _middles(high), _middles(wide)),
        key=lambda cut: sum(
            abs(2 * c - s) for c, s in zip(cut, (far, high, wide), strict=True)
        ),
    )
    for cut, top, side in cuts:
        low: dict[int, tuple[int, int]] = {up: (0, top), aside: (0, side)}
        yield (
            _part(sides, {along: (0, cut), **low}, {up}),
            _part(sides, {along: (0, cut), up: (top, high)}, {aside}),
            _part(sides, {up: (0, top), aside: (side, wide)}, {along}),
            _part(sides, {along: (cut, far), up: (top, high)}, {aside}),
            _part(sides, {along: (cut, far), **low}, {up}),
        )


def _part(
    sides: Sides, cut: dict[int, tuple[int, int]], crosses: Iterable[int]
) -> _Part:
    """Return a part of a box: some sides cut to a range, the others whole."""
    ranges = [cut.get(axis, (0, side)) for axis, side in enumerate(sides)]
    return _Part(
        tuple(low for low, _ in ranges),
        tuple(high - low for low, high in ranges),
        frozenset(crosses),
    )


def _middles(side: int) -> list[int]:
    """Return where to cut a side in two: near the middle, the nearest first."""
    near = range(side // 2 - _OFF_CENTRE, side // 2 + _OFF_CENTRE + 2)
    cuts = [cut for cut in near if 0 < cut < side]
    return sorted(cuts, key=lambda cut: abs(2 * cut - side))


def _subsets(axes: list[int]) -> list[Axes]:
    """Return all subsets, smallest first; of one size, those with the first axes."""
    return [
        frozenset(some)
        for size in range(len(axes) + 1)
        for some in combinations(axes, size)
    ]


def _thick(sides: Sides, crosses: Axes) -> Axes:
    """Leave out sides of one cell, whose two ends are the same."""
    return frozenset(axis for axis in crosses if sides[axis] > 1)
