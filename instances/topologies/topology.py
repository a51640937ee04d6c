"""What all networks have in common: places, distances and cuts.

The distances of a mesh, a torus, points and a tree are weighted sums of cuts (see
``cuts``), so that models, bounds and searches are written once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .cuts import Cuts

Site = tuple[int, ...]
"""Where a processor is: coordinates, or for a tree the number of its node."""

IntArray = npt.NDArray[np.int64]


class Topology(Protocol):
    """A network: its places, their distances and the cuts that make them up."""

    @property
    def kind(self) -> str:
        """``mesh``, ``torus``, ``points`` or ``tree``, as in the files."""
        ...

    @property
    def dimension(self) -> int:
        """Number of coordinates of a site."""
        ...

    @property
    def scale(self) -> int:
        """Distances are given in units of 1/scale; 1 unless decimals were read."""
        ...

    def locations(self) -> Iterator[Site]:
        """All places where a processor is, in lexicographic order, with repeats."""
        ...

    def distance(self, p: Site, q: Site) -> int:
        """Hops between two sites, from the definition."""
        ...

    def distances(self, p: IntArray, q: IntArray) -> IntArray:
        """Hops between rows of two site arrays (broadcast over leading axes)."""
        ...

    def spread(self, points: IntArray) -> int:
        """No two of these sites, shape (n, dimension), are further apart."""
        ...

    def cuts(self, points: IntArray) -> Cuts:
        """Return the cuts that separate some of these sites, shape (n, dimension)."""
        ...


def axes(p: IntArray, q: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the coordinates along each axis; a row of two is slow to add up."""
    return ((p[..., a], q[..., a]) for a in range(p.shape[-1]))
