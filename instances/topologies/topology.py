"""The interface of networks: locations, distances and cuts.

The distances of meshes, tori, points and trees, and of some graphs, are weighted sums
of cuts (see ``cuts``), so models, bounds and searches need no code per network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..fields import integers
from ..plain import plain
from .cuts import Cuts

Site = tuple[int, ...]
"""Position of a processor: coordinates, or for trees and graphs the node number."""

IntArray = npt.NDArray[np.int64]

MOST_PROCESSORS = 2**24
"""Maximal number of processors of a mesh or torus, which are listed in memory."""


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


def grid_shape(
    sides: Sequence[int | Sequence[int]], shape: Sequence[int] | None = None
) -> tuple[int, ...]:
    """Return the sides of a mesh or torus, given as arguments or as one sequence.

    Raises
    ------
    InputError
        If a side is below 1, or there are too many processors.

    Examples
    --------
    >>> grid_shape((8, 4)), grid_shape(([8, 4],))
    ((8, 4), (8, 4))
    """
    given = plain(sides if shape is None else shape)
    if isinstance(given, list) and len(given) == 1 and isinstance(given[0], list):
        given = given[0]
    shape = integers(given, "topology.shape")
    if not shape:
        raise InputError("needs at least one side", field="topology.shape")
    for i, side in enumerate(shape):
        if side < 1:
            raise InputError(
                "must be at least 1", field=f"topology.shape[{i}]", value=side
            )
    if prod(shape) > MOST_PROCESSORS:
        raise InputError(
            "must have at most 2^24 processors",
            field="topology.shape",
            value=list(shape),
        )
    return shape


def axes(p: IntArray, q: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the coordinates along each axis; numpy sums short rows slowly."""
    return ((p[..., a], q[..., a]) for a in range(p.shape[-1]))
