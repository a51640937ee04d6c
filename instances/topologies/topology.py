"""The interface of networks: locations, distances and cuts.

The distances of meshes, tori, points and trees, and of some graphs, are weighted sums
of cuts (see ``cuts``), so models, bounds and searches need no code per network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from numbers import Integral
from operator import iadd
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from .cuts import Cuts, interval_cuts

Site = tuple[int, ...]
"""Position of a processor: coordinates, or for trees and graphs the node number."""

IntArray = npt.NDArray[np.int64]


class Node(int):
    """A number that names a node of a tree or graph, and is no index of a processor."""

    __slots__ = ()


def is_name(thing: object) -> bool:
    """Whether something can be what users call a node, and is no index and no site."""
    try:
        hash(thing)
    except TypeError:
        return False
    if isinstance(thing, Node):
        return True
    is_site = isinstance(thing, tuple) and len(thing) == 1
    return not isinstance(thing, Integral) and not is_site


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


def checked_processors(processors: Sequence[int], nodes: int) -> tuple[int, ...]:
    """Return the processors, sorted; refuse unknown and repeated nodes."""
    where = "topology.processors"
    if not processors:
        raise InputError("needs at least one node", where)
    seen: set[int] = set()
    for i, v in enumerate(processors):
        if not 0 <= v < nodes:
            raise InputError("no such node", f"{where}[{i}]", v)
        if v in seen:
            raise InputError("listed twice", f"{where}[{i}]", v)
        seen.add(v)
    return tuple(sorted(seen))


class Manhattan:
    """L1 distances, counted along the axes, of points with integer coordinates."""

    __slots__ = ()

    def distance(self, p: Site, q: Site) -> int:
        """Sum of the differences of the coordinates, in units of 1/scale."""
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
