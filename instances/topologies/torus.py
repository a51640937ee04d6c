"""Grids with wrap-around links."""

from __future__ import annotations

from functools import reduce
from operator import iadd

import numpy as np

from .cuts import Cuts, ring_cuts
from .grid import Grid
from .topology import IntArray, Site, axes


class Torus(Grid):
    """Grid of the given sides with wrap-around links on every axis.

    Parameters
    ----------
    sides
        Sides as arguments or as one sequence: ``Torus(8, 8)``, ``Torus((8, 8))``.
    shape
        Sides as a keyword argument.
    """

    __slots__ = ()
    kind = "torus"

    def distance(self, p: Site, q: Site) -> int:
        """Sum over the axes of the shorter way round."""
        return sum(
            min(abs(a - b), side - abs(a - b))
            for a, b, side in zip(p, q, self.shape, strict=True)
        )

    def distances(self, p: IntArray, q: IntArray) -> IntArray:
        """Wrap-around L1 distances of rows."""
        steps = (np.abs(a - b) for a, b in axes(p, q))
        ways = zip(steps, self.shape, strict=True)
        return reduce(iadd, (np.minimum(step, side - step) for step, side in ways))

    def spread(self, points: IntArray) -> int:
        """Return the diameter of the whole torus."""
        return sum(side // 2 for side in self.shape)

    def cuts(self, points: IntArray) -> Cuts:
        """Half rings: weight 1 on an even ring, 1/2 on an odd one."""
        return ring_cuts(points, self.shape)
