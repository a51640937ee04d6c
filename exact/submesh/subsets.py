"""Which residents have to move: sets by increasing number, then area."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod

import numpy as np

from ...instances import Submesh
from ...instances.submesh import Box, Placement, box_at, sides, ways_of
from .direct import in_three
from .subset_kernels import OPEN, YES, fit

MOST_SETS = 20_000
"""Number of sets of one size up to which they are listed."""
MOST_ITEMS = 6
"""Limit on the boxes placed by the search, including the request."""
MOST_WORK = 3_000_000
"""Places examined in all before the model takes over; about 1 s."""
_FIRST_WORK = 1_000_000
"""Places between two checks of the clock; doubles after each."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether a request fits when some residents may be moved, and how."""

    fits: bool | None  # None if the search stopped early
    placement: Placement | None = None


class Subsets:
    """The sets of residents whose removal lets the request in, and whether they fit.

    ``work`` is the number of places examined so far.
    """

    def __init__(self, instance: Submesh) -> None:
        self.instance = instance
        self.movable = [
            i
            for i, one in enumerate(instance.residents)
            if instance.migrate and not one.fixed
        ]
        self.areas = [prod(sides(one.box)) for one in instance.residents]
        self.in_the_way = self._in_the_way()
        self.work = 0

    def _in_the_way(self) -> list[int]:
        """List the minimal sets of residents that overlap some place, as bits.

        A place for the request can be pushed back until it meets the end of the mesh
        or of a resident that stays, without overlapping others.
        """
        instance = self.instance
        boxes = [one.box for one in instance.residents]
        boxes += [(*cell, *cell) for cell in instance.blocked]
        fixed = ~sum(1 << i for i in self.movable)
        d = instance.d
        met: set[int] = set()
        for way in ways_of(instance.shape, instance.request, instance.rotate):
            axes: list[list[int]] = []
            for a, side in enumerate(instance.shape):
                masks = []
                for x in sorted({0, *((box[d + a] + 1) % side for box in boxes)}):
                    if not instance.torus and x + way[a] > side:
                        continue
                    masks.append(self._along(boxes, a, x, way[a]))
                axes.append(masks)
            for together in product(*axes):
                mask = -1
                for each in together:
                    mask &= each
                if not mask & fixed:
                    met.add(mask)
        least: list[int] = []
        for mask in sorted(met, key=int.bit_count):
            if not any(other & mask == other for other in least):
                least.append(mask)
        return least

    def _along(self, boxes: Sequence[Box], axis: int, x: int, length: int) -> int:
        """Return as bits the boxes that overlap an interval of an axis."""
        d, side = self.instance.d, self.instance.shape[axis]
        mask = 0
        for i, box in enumerate(boxes):
            low, end = box[axis], box[d + axis] + 1
            if self.instance.torus:
                meets = (low - x) % side < length or (x - low) % side < end - low
            else:
                meets = low < x + length and x < end
            mask |= meets << i
        return mask

    @property
    def fewest(self) -> int | None:
        """Return how many residents must move at least; None if no place exists."""
        return min((mask.bit_count() for mask in self.in_the_way), default=None)

    def list_sets(self, size: int) -> list[tuple[int, ...]] | None:
        """List the sets of a size that can free some place, by increasing area.

        Returns None if there are too many sets of this size.
        """
        if comb(len(self.movable), size) > MOST_SETS or size >= MOST_ITEMS:
            return None
        masks = [mask for mask in self.in_the_way if mask.bit_count() <= size]
        found = [moved for moved in self._of_size(size) if _covers(moved, masks)]
        return sorted(found, key=lambda moved: (self.area(moved), moved))

    def _of_size(self, size: int) -> Iterator[tuple[int, ...]]:
        return combinations(self.movable, size)

    def area(self, moved: Sequence[int]) -> int:
        """Return the number of processors that these residents hold."""
        return sum(self.areas[i] for i in moved)

    def fit(
        self, moved: Sequence[int], stop: Callable[[], bool] = lambda: False
    ) -> Fit:
        """Decide whether the request fits when exactly these residents may be moved.

        Stops undecided after `MOST_WORK`, over all sets, or when `stop` returns True.

        Guarantee: exact, unless it stops early.
        Time: O(places of all items) to the power of their number, at worst.
        """
        instance = self.instance
        stay = [
            one.box for i, one in enumerate(instance.residents) if i not in set(moved)
        ]
        stay += [(*cell, *cell) for cell in instance.blocked]
        shape = instance.shape
        ways = [ways_of(shape, instance.request, instance.rotate)]
        for i in moved:
            one = instance.residents[i]
            ways.append(ways_of(shape, sides(one.box), one.turns))
        thin = (1,) * (3 - instance.d)
        sizes = np.ones((len(ways), 6, 3), dtype=np.int64)
        for n, several in enumerate(ways):
            for w, way in enumerate(several):
                sizes[n, w] = (*way, *thin)
        low, side = in_three(stay, instance.d)
        left = max(0, MOST_WORK - self.work)
        most = min(left, _FIRST_WORK)
        while True:
            state, chosen, work = fit(
                np.array((*shape, *thin), dtype=np.int64),
                instance.torus,
                low,
                side,
                sizes,
                np.array([len(several) for several in ways], dtype=np.int64),
                most,
            )
            if state != OPEN or most == left or stop():
                break
            most = min(left, 2 * most)
        self.work += int(work)
        if state != YES:
            return Fit(None if state == OPEN else False)
        boxes = [
            box_at(place[: instance.d], several[place[3]])
            for place, several in zip(chosen.tolist(), ways, strict=True)
        ]
        pairs = zip(moved, boxes[1:], strict=True)
        return Fit(
            True,
            Placement(
                boxes[0],
                tuple((i, box) for i, box in pairs if box != instance.residents[i].box),
            ),
        )


def _covers(moved: Sequence[int], masks: Sequence[int]) -> bool:
    whole = sum(1 << i for i in moved)
    return any(mask & ~whole == 0 for mask in masks)
