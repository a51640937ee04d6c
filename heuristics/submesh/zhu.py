"""First and best fit over an array of 0 and 1, after Zhu 1992.

The array has one element per processor, and is copied and traversed at every
allocation, whatever it contains: the baseline of the other allocators. Steps are
elements read. Best fit is published in one sentence only: the submesh lies in the
smallest region of free processors. Decisions that it leaves open: a region is connected
along the links of the mesh, and of the places in it (or in regions of equal size) the
first by rows is taken.
"""

from __future__ import annotations

from math import prod

import numpy as np
import numpy.typing as npt

from ...instances import IntArray as Ints
from ...instances.submesh import Box, box_at
from ...solvers.running.kernels import kernel
from .allocator import SubmeshAllocator

Bytes = npt.NDArray[np.uint8]


class ArrayFirstFit(SubmeshAllocator):
    """Walk through an array of 0 and 1, and take the first place in it.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY), always.
    Ties: the first by rows; as requested, then rotated.
    Source: Zhu 1992, as Morgenstern 1994, sections 1 and 4, describes it.
    """

    def _set_up(self) -> None:
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
        a, b, c, d = box
        self._array[b : d + 1, a : c + 1] = 1

    def _give(self, box: Box) -> None:
        a, b, c, d = box
        self._array[b : d + 1, a : c + 1] = 0


class ArrayBestFit(ArrayFirstFit):
    """Take a place in the smallest region of free processors that has one.

    Guarantee: exact if residents may not be moved; optimal whenever it finds a place.
    Time: O(XY), always.
    Ties: the first by rows; as requested, then rotated.
    Source: Zhu 1992, by its abstract; regions are taken to be connected along links.
    """

    def _set_up(self) -> None:
        super()._set_up()
        self._region = np.zeros(self._array.shape, dtype=np.int64)
        self._extent = np.zeros(prod(self.shape), dtype=np.int64)

    def _choose(self) -> tuple[int, int, int]:
        steps = int(regions(self._array, self._region, self._extent))
        i, j, more = base_in_smallest(self._covered, self._region, self._extent)
        return i, j, steps + more


@kernel
def cover(held: Bytes, covered: Bytes, x: int, y: int) -> int:
    """Copy the array and mark where no frame can begin; returns the elements read.

    A first walk, from right to left, marks what has a held processor among the x from
    there on; a second, from the bottom up, what has a mark among the y from there on.
    """
    depth, width = int(held.shape[0]), int(held.shape[1])
    for j in range(depth):
        gap = 0  # free processors from here to the right
        for i in range(width - 1, -1, -1):
            gap = 0 if held[j, i] else gap + 1
            covered[j, i] = gap < x
    for i in range(width):
        gap = 0
        for j in range(depth - 1, -1, -1):
            gap = 0 if covered[j, i] else gap + 1
            covered[j, i] = gap < y
    return 2 * width * depth


@kernel
def first_base(covered: Bytes) -> tuple[int, int, int]:
    """Return the first element that is not marked, by rows, and the elements read."""
    depth, width = covered.shape
    for j in range(depth):
        for i in range(width):
            if not covered[j, i]:
                return i, j, j * width + i + 1
    return -1, -1, width * depth


@kernel
def regions(held: Bytes, region: Ints, extent: Ints) -> int:
    """Tell the connected regions of free processors apart, and count what is in each.

    Two walks with a forest of numbers (union-find); ``extent`` has room for as many
    numbers as there are processors. Returns the elements read.
    """
    depth, width = int(held.shape[0]), int(held.shape[1])
    parent = np.arange(width * depth)
    for j in range(depth):
        for i in range(width):
            if held[j, i]:
                continue
            mine = j * width + i
            for back in (0, 1):
                if (i == 0) if back == 0 else (j == 0):
                    continue
                other = mine - 1 if back == 0 else mine - width
                if held[other // width, other % width]:
                    continue
                root = mine
                while parent[root] != root:
                    parent[root] = parent[parent[root]]
                    root = parent[root]
                while parent[other] != other:
                    parent[other] = parent[parent[other]]
                    other = parent[other]
                parent[max(root, other)] = min(root, other)
    extent[:] = 0
    for j in range(depth):
        for i in range(width):
            if not held[j, i]:
                root = j * width + i
                while parent[root] != root:
                    root = parent[root]
                region[j, i] = root
                extent[root] += 1
    return 2 * width * depth


@kernel
def base_in_smallest(
    covered: Bytes, region: Ints, extent: Ints
) -> tuple[int, int, int]:
    """Return the first unmarked element of the smallest region that has any."""
    depth, width = covered.shape
    best, best_i, best_j = width * depth + 1, -1, -1
    for j in range(depth):
        for i in range(width):
            if not covered[j, i] and extent[region[j, i]] < best:
                best, best_i, best_j = extent[region[j, i]], i, j
    return best_i, best_j, width * depth
