"""Grids with a processor at every cell: meshes, tori, and what lies between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from ..errors import InputError
from ..reading import fields
from ..reading.json_types import to_json_types
from ..reading.numbers import at_least
from .topology import BY_SIDES, AlongAxes, Site, reads

MOST_PROCESSORS = 2**24
"""A mesh or torus lists its processors; with more of them memory would run out."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Grid(AlongAxes):
    """Grid with a processor at every cell, whose axes are lines or rings.

    A cylinder, for instance, or most partitions of machines that are tori. With lines
    only it is what `Mesh` returns, with rings only what `Torus` returns.

    Parameters
    ----------
    shape
        Sides.
    rings
        For each axis, whether its ends are linked: a ring has the length of its axis.

    Examples
    --------
    >>> Grid((4, 3), rings=(True, False)).distance((0, 0), (3, 2))
    3
    >>> Grid((4, 3), rings=(True, True)) == Torus(4, 3)
    True
    """

    shape: tuple[int, ...]
    rings: tuple[bool, ...]
    ring_lengths: tuple[int, ...] = field(compare=False)
    """The length of the ring on each axis, 0 for a line."""

    def __init__(self, shape: Sequence[int], rings: Sequence[bool]) -> None:
        where = "topology.rings"
        object.__setattr__(self, "shape", grid_shape((shape,)))
        given = fields.lists(to_json_types(rings), where)
        if len(given) != len(self.shape):
            problem = f"must have {len(self.shape)} entries, one per axis"
            raise InputError(problem, where, len(given))
        for i, ring in enumerate(given):
            if type(ring) is not bool:
                raise InputError("must be true or false", f"{where}[{i}]", ring)
        object.__setattr__(self, "rings", tuple(given))
        sides = zip(self.shape, given, strict=True)
        lengths = tuple(side if ring else 0 for side, ring in sides)
        object.__setattr__(self, "ring_lengths", lengths)

    @property
    def kind(self) -> str:
        """``mesh`` without rings, ``torus`` with rings only, else ``grid``."""
        if not any(self.rings):
            return "mesh"
        return "torus" if all(self.rings) else "grid"

    @property
    def _is_mixed(self) -> bool:
        return any(self.rings) and not all(self.rings)

    @property
    def dimension(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def grid(self) -> Grid:
        """The grid itself."""
        return self

    @property
    def size(self) -> tuple[int, ...]:
        """The sides."""
        return self.shape

    @property
    def processors_in_all(self) -> int:
        """Number of processors, free or busy."""
        return prod(self.shape)

    def locations(self) -> Iterator[Site]:
        """All cells, in lexicographic order."""
        return product(*map(range, self.shape))

    def document(self) -> dict[str, Any]:
        """Return the object ``topology`` of a file."""
        rings = {"rings": list(self.rings)} if self._is_mixed else {}
        return {"kind": self.kind, "shape": list(self.shape), **rings}

    def refuse_strangers(self, sites: Sequence[Site], field: str) -> None:
        """Raise InputError for a cell outside the grid, and for one listed twice."""
        previous: Site | None = None
        for i, site in enumerate(sites):
            at = f"{field}[{i}]"
            if len(site) != self.dimension:
                problem = f"must have {self.dimension} coordinates"
                raise InputError(problem, at, list(site))
            for x, side in zip(site, self.shape, strict=True):
                if not 0 <= x < side:
                    raise InputError(f"lies outside the {self.kind}", at, list(site))
            if site == previous:
                raise InputError("listed twice", at, list(site))
            previous = site


@reads("mesh", "torus", "grid")
def _parse(value: dict[str, Any]) -> Grid:
    """Build a mesh, torus or grid from the object ``topology`` of a file."""
    mixed = value["kind"] == "grid"
    needed = ("shape", "rings") if mixed else ("shape",)
    fields.only(value, ("kind", *needed), needed, "topology")
    shape = fields.integers(value["shape"], "topology.shape")
    if mixed:
        return Grid(shape, value["rings"])
    return Mesh(shape) if value["kind"] == "mesh" else Torus(shape)


def Mesh(*sides: int | Sequence[int], shape: Sequence[int] | None = None) -> Grid:
    """Return a grid whose axes are lines; hops are counted along them (L1).

    Parameters
    ----------
    sides
        Sides as arguments or as one sequence: ``Mesh(8, 8)``, ``Mesh((8, 8))``.
    shape
        Sides as a keyword argument.
    """
    sides_of = grid_shape(sides, shape)
    return Grid(sides_of, (False,) * len(sides_of))


def Torus(*sides: int | Sequence[int], shape: Sequence[int] | None = None) -> Grid:
    """Return a grid with wrap-around links on every axis.

    Parameters
    ----------
    sides
        Sides as arguments or as one sequence: ``Torus(8, 8)``, ``Torus((8, 8))``.
    shape
        Sides as a keyword argument.
    """
    sides_of = grid_shape(sides, shape)
    return Grid(sides_of, (True,) * len(sides_of))


BY_SIDES.update(mesh=Mesh, torus=Torus)


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
    given = to_json_types(sides if shape is None else shape)
    if isinstance(given, list) and len(given) == 1 and isinstance(given[0], list):
        given = given[0]
    shape = fields.integers(given, "topology.shape")
    if not shape:
        raise InputError("needs at least one side", "topology.shape")
    for i, side in enumerate(shape):
        at_least(side, 1, f"topology.shape[{i}]")
    if prod(shape) > MOST_PROCESSORS:
        raise InputError(
            "must have at most 2^24 processors", "topology.shape", list(shape)
        )
    return shape
