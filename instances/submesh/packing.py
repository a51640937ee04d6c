"""Orthogonal packing: boxes to place into a mesh without overlaps.

A submesh request with migration is a packing problem: the request and the movable
residents are items to place, the other residents are items with a given place.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import InputError
from . import Box, Submesh, sides, ways_of


@dataclass(frozen=True, slots=True)
class Item:
    """A box to place."""

    size: tuple[int, ...]
    """Its sides."""
    turns: bool = False
    """Whether it may be turned."""
    at: Box | None = None
    """Its given place; None if it may be anywhere."""


@dataclass(frozen=True, slots=True)
class Packing:
    """Boxes to place into a mesh or torus.

    Raises InputError if a side is below 1, or an item has another number of axes.
    """

    name: str
    """Name for messages."""
    shape: tuple[int, ...]
    """Sides of the mesh: two or three."""
    items: tuple[Item, ...]
    """The boxes."""
    blocked: tuple[tuple[int, ...], ...] = ()
    """Cells that no item may cover."""
    torus: bool = False
    """Whether boxes may wrap round every axis."""

    def __post_init__(self) -> None:
        if len(self.shape) not in (2, 3) or min(self.shape) < 1:
            raise InputError(
                "must have two or three sides, each at least 1",
                "mesh",
                list(self.shape),
            )
        for i, one in enumerate(self.items):
            if len(one.size) != self.d or min(one.size) < 1:
                raise InputError(
                    f"must have {self.d} sides, each at least 1",
                    f"items[{i}]",
                    list(one.size),
                )

    @property
    def d(self) -> int:
        """Number of axes."""
        return len(self.shape)


def ways(packing: Packing, item: Item) -> list[tuple[int, ...]]:
    """List the rotations of an item that fit into the mesh.

    >>> ways(Packing("one", (5, 3), ()), Item((2, 4), turns=True))
    [(4, 2)]
    """
    return list(ways_of(packing.shape, item.size, item.turns and not item.at))


def packing_of(instance: Submesh) -> Packing:
    """Return the packing of an instance: the residents in order, then the request.

    >>> from closeknit.instances.submesh import Resident
    >>> one = Submesh("one", (4, 4), (Resident((0, 0, 1, 1)),), (4, 2))
    >>> [item.size for item in packing_of(one).items]
    [(2, 2), (4, 2)]
    """
    items = [
        Item(
            sides(one.box),
            one.turns,
            one.box if one.fixed or not instance.migrate else None,
        )
        for one in instance.residents
    ]
    items.append(Item(instance.request, instance.rotate))
    return Packing(
        instance.name, instance.shape, tuple(items), instance.blocked, instance.torus
    )
