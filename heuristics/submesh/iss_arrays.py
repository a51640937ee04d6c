"""Interval set scans with their linked lists in arrays, for speed.

Results and steps equal those of linked lists of objects (tests compare the two).
"""

from __future__ import annotations

import numpy as np

from ...instances.submesh import Box, box_at
from .allocator import SubmeshAllocator
from .iss_kernels import forget, note, sweep, sweep_from_both

_FEW = 64


class ArrayScan(SubmeshAllocator):
    """Scan rows as sets of intervals, and take the first free place.

    ISS.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY); in proportion to the intervals in all the windows of y rows.
    Ties: the first by rows; as requested, then rotated.
    Source: Morgenstern and Fouque 1994; Morgenstern 1994, section 3.1.
    """

    _four = False

    def _set_up(self) -> None:
        longest = max(self.shape)
        self._heads = np.zeros((4, longest), dtype=np.int64)
        self._pool = np.zeros((3, _FEW), dtype=np.int64)
        self._scan = np.zeros((4, longest + 3), dtype=np.int64)
        self._other = np.zeros_like(self._scan)
        self._tally = np.zeros(1, dtype=np.int64)

    def _search(self, size: tuple[int, ...]) -> Box | None:
        self._tally[0] = 0
        place = self._place(*size)
        self.steps += int(self._tally[0])
        return None if place[0] < 0 else box_at(place, size)

    def _place(self, x: int, y: int) -> tuple[int, int]:
        width, depth = self.shape
        found: tuple[int, int] = sweep(
            self._heads[0],
            self._heads[1],
            self._pool,
            self._scan,
            width,
            depth,
            x,
            y,
            self._tally,
        )
        return found

    def _take(self, box: Box) -> None:
        self._grow()
        given = np.array(box, dtype=np.int64)
        self.steps += int(note(self._heads, self._pool, given, self._four))

    def _give(self, box: Box) -> None:
        self._grow()
        given = np.array(box, dtype=np.int64)
        self.steps += int(forget(self._heads, self._pool, given, self._four))

    def _grow(self) -> None:
        """Reserve the four nodes that one call may need."""
        if self._pool[0, 0] + 5 > self._pool.shape[1]:
            self._pool = np.hstack([self._pool, np.zeros_like(self._pool)])


class ArrayFourWayScan(ArrayScan):
    """Scan intervals from two edges in turn: the longer side comes close to an edge.

    4ISS.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY), as iss.
    Ties: from the top or the left before the bottom or the right, then the first along
    the line; as requested, then rotated.
    Source: Morgenstern 1994, section 3.2.
    """

    _four = True

    def _place(self, x: int, y: int) -> tuple[int, int]:
        width, depth = self.shape
        rows = x >= y
        base, reverse = self._heads[:2] if rows else self._heads[2:]
        i, j = sweep_from_both(
            base,
            reverse,
            self._pool,
            self._scan,
            self._other,
            width if rows else depth,
            depth if rows else width,
            x if rows else y,
            y if rows else x,
            self._tally,
        )
        return (i, j) if rows else (j, i)
