"""Shells: the rings of processors round a box, and the centre where they cost least.

Shell 0 is a box round a centre, which begins (side - 1) // 2 before it on every axis;
shell s consists of the processors at distance s from the box in the maximum norm, the
shorter way round on a torus. Shells do not depend on which processors are idle, and are
cut off where a mesh ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np

from ...instances import Grid, IntArray, Topology
from . import shells_kernels as kernels

FAR = 2**62
"""Above the cost of any candidate."""


class Shells:
    """The processors in the shells round the cells of a grid.

    ``weights`` has for each cell the number of its processors that may be taken;
    ``rings`` states for each axis of the grid whether it is a ring.
    """

    def __init__(self, weights: IntArray, *, rings: Sequence[bool]) -> None:
        self.side = np.array(weights.shape, dtype=np.int64)
        self._rings = np.array(rings, dtype=np.int64)
        for axis in np.flatnonzero(self._rings).tolist():
            weights = np.concatenate([weights, weights], axis=axis)
        sums = np.zeros(np.array(weights.shape) + 1, dtype=np.int64)
        inner = sums[(slice(1, None),) * weights.ndim]
        inner[...] = weights
        for axis in range(weights.ndim):
            np.cumsum(inner, axis=axis, out=inner)
        self._stride = np.array(sums.strides, dtype=np.int64) // sums.itemsize
        self._sums = sums.ravel()

    def box(self, sides: Sequence[int]) -> IntArray:
        """Return the sides of a box, cut off where a longer side changes nothing."""
        most = np.where(self._rings, self.side, 2 * self.side + 1)
        cut = [min(x, int(top)) for x, top in zip(sides, most, strict=True)]
        return np.array(cut, dtype=np.int64)

    def scan(
        self, box: IntArray, k: int, centres: IntArray, best: int = FAR
    ) -> tuple[int, int]:
        """Find the centre whose first k processors cost least.

        Returns the sum of their shell numbers and the index of the first such centre;
        ``best`` and -1 if there is none below ``best``.
        """
        total, where = kernels.scan(
            self._sums, self._stride, self.side, self._rings, box, k, centres, best
        )
        return int(total), int(where)

    def beyond(self, box: IntArray, centre: IntArray, cells: IntArray) -> IntArray:
        """Return the distances of cells from the box round a centre on every axis."""
        start = centre - (box - 1) // 2
        passed = (cells - start) % self.side
        past = np.where(
            self._rings,
            np.minimum(passed - box + 1, self.side - passed),
            np.maximum(start - cells, cells - start - box + 1),
        )
        beyond: IntArray = np.maximum(past, 0)
        return beyond


@lru_cache(maxsize=1024)
def squarest(k: int, grid: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sides of the squarest box of at least k cells that fits a grid.

    It has the least sum of sides; of these boxes, the one whose sides are most equal,
    that is, with the most cells; of these, the first in lexicographic order.

    The grid has at least k cells.

    Examples
    --------
    >>> squarest(8, (8, 8)), squarest(10, (8, 8)), squarest(11, (2, 8))
    ((3, 3), (3, 4), (2, 6))
    >>> squarest(20, (5, 4, 3))
    (3, 3, 3)
    """
    best = (sum(grid), -prod(grid), grid)

    def extend(sides: tuple[int, ...], cells: int) -> None:
        nonlocal best
        left = len(grid) - len(sides)
        if left == 1:
            last = -(-k // cells)
            if last <= grid[-1]:
                whole = (*sides, last)
                best = min(best, (sum(whole), -cells * last, whole))
            return
        for a in range(1, grid[len(sides)] + 1):
            if sum(sides) + a + left - 1 > best[0]:
                return
            extend((*sides, a), cells * a)

    extend((), 1)
    return best[2]


def grid_of(topology: Topology) -> Grid:
    """Return the grid that an allocator was given."""
    assert topology.grid
    return topology.grid
