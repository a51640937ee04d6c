"""First and best fit over an array of 0 and 1, after Zhu 1992.

The array has one element per processor, and is copied and traversed at every
allocation, whatever it contains: the baseline of the other allocators. Steps are
elements read. Best fit is published in one sentence only: the submesh lies in the
smallest region of free processors. Decisions that it leaves open: a region is connected
along the links of the mesh, and of the places in it (or in regions of equal size) the
first by rows is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ...instances.submesh import Box, box_at
from .allocator import SubmeshAllocator
from .zhu_kernels import base_in_smallest, cover, first_base, mark, regions


class ArrayFirstFit(SubmeshAllocator):
    """Walk through an array of 0 and 1, and take the first place in it.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY), always.
    Ties: the first by rows; as requested, then rotated.
    Source: Zhu 1992, as Morgenstern 1994, sections 1 and 4, describes it.
    """

    def __init__(
        self, shape: Sequence[int], *, rotate: bool = False, torus: bool = False
    ) -> None:
        super().__init__(shape, rotate=rotate, torus=torus)
        width, depth = self.shape
        self._array = np.zeros((depth, width), dtype=np.uint8)
        self._covered = np.zeros_like(self._array)

    def _search(self, size: tuple[int, ...]) -> Box | None:
        self.steps += cover(self._array, self._covered, *size)
        i, j, steps = self._choose()
        self.steps += steps
        return None if i < 0 else box_at((i, j), size)

    def _choose(self) -> tuple[int, int, int]:
        found: tuple[int, int, int] = first_base(self._covered)
        return found

    def _take(self, box: Box) -> None:
        mark(self._array, *box, 1)

    def _give(self, box: Box) -> None:
        mark(self._array, *box, 0)


class ArrayBestFit(ArrayFirstFit):
    """Take a place in the smallest region of free processors that has one.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY), always.
    Ties: the first by rows; as requested, then rotated.
    Source: Zhu 1992, by its abstract; regions are taken to be connected along links.
    """

    def __init__(
        self, shape: Sequence[int], *, rotate: bool = False, torus: bool = False
    ) -> None:
        super().__init__(shape, rotate=rotate, torus=torus)
        self._region = np.zeros(self._array.shape, dtype=np.int64)
        self._extent = np.zeros(prod(self.shape), dtype=np.int64)

    def _choose(self) -> tuple[int, int, int]:
        steps = int(regions(self._array, self._region, self._extent))
        i, j, more = base_in_smallest(self._covered, self._region, self._extent)
        return i, j, steps + more
