"""The interface of networks: locations, distances and cuts.

The distances of meshes, tori, points and trees, and of some graphs, are weighted sums
of cuts (see ``cuts``), so models, bounds and searches need no code per network.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .cuts import Cuts

Site = tuple[int, ...]
"""Position of a processor: coordinates, or for trees and graphs the node number."""

IntArray = npt.NDArray[np.int64]


class Topology(Protocol):
    """A network: locations, their distances, and the cuts that sum to these."""

    @property
    def kind(self) -> str:
        """``mesh``, ``torus``, ``points``, ``tree`` or ``graph``, as in files."""
        ...

    @property
    def dimension(self) -> int:
        """Number of coordinates of a site."""
        ...

    @property
    def scale(self) -> int:
        """Distances are in units of 1/scale; 1 unless decimals were read."""
        ...

    def locations(self) -> Iterator[Site]:
        """All locations of processors, in lexicographic order, with repeats."""
        ...

    def distance(self, p: Site, q: Site) -> int:
        """Hops between two sites, from the definition."""
        ...

    def distances(self, p: IntArray, q: IntArray) -> IntArray:
        """Hops between rows of two site arrays (broadcast over leading axes)."""
        ...

    def spread(self, points: IntArray) -> int:
        """Return an upper bound on the distances of sites, shape (n, dimension)."""
        ...

    def cuts(self, points: IntArray) -> Cuts:
        """Return the cuts that separate the sites, shape (n, dimension)."""
        ...


def axes(p: IntArray, q: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the coordinates along each axis; numpy sums short rows slowly."""
    return ((p[..., a], q[..., a]) for a in range(p.shape[-1]))
