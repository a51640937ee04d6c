"""Grids without wrap-around links."""

from __future__ import annotations

from functools import reduce
from operator import iadd

import numpy as np

from .cuts import Cuts, interval_cuts
from .grid import Grid
from .topology import IntArray, Site, axes


class Mesh(Grid):
    """Grid of the given sides; hops are counted along its axes (L1).

    Parameters
    ----------
    sides
        Sides as arguments or as one sequence: ``Mesh(8, 8)``, ``Mesh((8, 8))``.
    shape
        Sides as a keyword argument.
    """

    __slots__ = ()
    kind = "mesh"

    def distance(self, p: Site, q: Site) -> int:
        """Sum of the differences of the coordinates."""
        return sum(abs(a - b) for a, b in zip(p, q, strict=True))

    def distances(self, p: IntArray, q: IntArray) -> IntArray:
        """L1 distances of rows."""
        return reduce(iadd, (np.abs(a - b) for a, b in axes(p, q)))

    def spread(self, points: IntArray) -> int:
        """Half the circumference of the bounding box."""
        return sum(int(axis.max()) - int(axis.min()) for axis in points.T)

    def cuts(self, points: IntArray) -> Cuts:
        """Return one cut per gap between consecutive occupied coordinates."""
        return interval_cuts(points)
