"""Meshes and tori: grids with a processor at every cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod
from operator import iadd

import numpy as np

from ..errors import InputError
from ..fields import integers
from ..numbers import at_least
from ..plain import plain
from .cuts import Cuts, ring_cuts
from .topology import IntArray, Manhattan, Site, axes

MOST_PROCESSORS = 2**24
"""A mesh or torus lists its processors; with more of them memory would run out."""


@dataclass(frozen=True, slots=True, init=False)
class Grid:
    """Grid of the given sides; see `Mesh` and `Torus`."""

    shape: tuple[int, ...]

    def __init__(
        self, *sides: int | Sequence[int], shape: Sequence[int] | None = None
    ) -> None:
        object.__setattr__(self, "shape", grid_shape(sides, shape))

    scale = 1

    @property
    def dimension(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def locations(self) -> Iterator[Site]:
        """All cells, in lexicographic order."""
        return product(*map(range, self.shape))


def grid_shape(
    sides: Sequence[int | Sequence[int]], shape: Sequence[int] | None = None
) -> tuple[int, ...]:
    """Return the sides of a mesh or torus, given one by one or in one sequence.

    Raises InputError for a side below 1, and for too many processors.

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
        raise InputError("needs at least one side", "topology.shape")
    for i, side in enumerate(shape):
        at_least(side, 1, f"topology.shape[{i}]")
    if prod(shape) > MOST_PROCESSORS:
        raise InputError(
            "must have at most 2^24 processors", "topology.shape", list(shape)
        )
    return shape


class Mesh(Manhattan, Grid):
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
