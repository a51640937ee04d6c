"""Grids without wrap-around links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from operator import iadd

import numpy as np

from .cuts import Cuts, interval_cuts
from .topology import IntArray, Site, axes, grid_shape


@dataclass(frozen=True, slots=True, init=False)
class Mesh:
    """Grid of the given sides; hops are counted along its axes (L1).

    Parameters
    ----------
    sides
        Sides as arguments or as one sequence: ``Mesh(8, 8)``, ``Mesh((8, 8))``.
    shape
        Sides as a keyword argument.
    """

    shape: tuple[int, ...]

    def __init__(
        self, *sides: int | Sequence[int], shape: Sequence[int] | None = None
    ) -> None:
        object.__setattr__(self, "shape", grid_shape(sides, shape))

    kind = "mesh"
    scale = 1

    @property
    def dimension(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def locations(self) -> Iterator[Site]:
        """All cells, in lexicographic order."""
        return product(*map(range, self.shape))

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
