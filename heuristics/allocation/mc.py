"""MC: a submesh round the best free processor, then shells round it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from types import MappingProxyType
from typing import Literal

import numpy as np

from ...instances import IntArray, Topology
from .allocator import Allocation, Allocator
from .shells import FAR, Shells, grid_of, squarest

Ties = Literal["row", "column"]


class MC(Allocator):
    """Fill the requested submesh round the best centre, then shells round it.

    Every idle processor is tried as a centre. Shell 0 is the submesh round it, with
    sides in the requested order; shell s consists of the processors at distance s from
    it in the maximum norm. A candidate takes the first k idle processors by shell; its
    cost is the sum of their shell numbers, and the candidate of least cost is chosen.

    Within a shell the shorter sides come first, then the longer ones, then the corners;
    in more dimensions the processors that lie outside the previous shell on fewer axes
    come first, then those of smaller faces. A job without a shape gets the squarest box
    of k cells or more that fits the machine, in every orientation that fits (see
    ``shells.squarest``). Tasks are placed in the order of the processors' coordinates.

    Guarantee: none; ``mc1x1``, whose shell 0 is a single processor, has one.
    Time: O(n + f s 2^d d) for n processors, f of them idle, up to s shells, d axes.
    Ties: orientation, then centre, then within a side coordinates, each {ties}.
    Source: Mache et al. 1997, as in Bender et al. 2008, section 1; order within a
    shell: Mache et al. 1999, section 3.2.3.
    """

    WORDS = MappingProxyType(
        {
            "ties": {
                "row": "in lexicographic order",
                "column": "in lexicographic order read from the last axis to the first",
            }
        }
    )

    def __init__(
        self, topology: Topology, *, seed: int = 0, ties: Ties = "row"
    ) -> None:
        super().__init__(topology, seed=seed)
        self._turn = -1 if ties == "column" else 1

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        grid, rings = grid_of(self.topology).shape, grid_of(self.topology).rings
        numbers = np.flatnonzero(self.idle)
        if self._turn < 0:
            place = np.arange(self.idle.size).reshape(grid).T.ravel()
            numbers = place[self.idle[place]]
        free = np.stack(np.unravel_index(numbers, grid), axis=1)
        free = np.ascontiguousarray(free)  # else the kernel is compiled once more
        shells = Shells(self.idle.reshape(grid).astype(np.int64), rings=rings)
        best, centre, box = FAR, free[0], shells.side
        for sides in (shape,) if shape else self._boxes(k, grid):
            tried = shells.box(sides)
            best, where = shells.scan(tried, k, free, best)
            if where >= 0:
                centre, box = free[where], tried
        order = rank_cells(shells, box, centre, free)
        return Allocation.of(np.sort(numbers[order[:k]]))

    def _boxes(self, k: int, grid: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
        """Return the orientations of the squarest box that fit a grid, in order."""
        turned = (
            sides
            for sides in set(permutations(squarest(k, grid)))
            if all(a <= b for a, b in zip(sides, grid, strict=True))
        )
        return sorted(turned, key=lambda sides: sides[:: self._turn])


def rank_cells(
    shells: Shells, box: IntArray, centre: IntArray, free: IntArray
) -> IntArray:
    """Sort cells by shell, within it sides before corners, shorter sides first.

    Returns their indices; the sort is stable.
    """
    beyond = shells.beyond(box, centre, free)
    shell = beyond.max(axis=1)
    outside = beyond == shell[:, None]  # on which axes, of the previous shell
    extents = np.minimum(shells.side, box + 2 * np.maximum(shell - 1, 0)[:, None])
    face = np.where(outside, 1, extents).prod(axis=1)
    corner = outside.sum(axis=1)
    return np.lexsort((np.where(shell, face, 0), corner * (shell > 0), shell))
