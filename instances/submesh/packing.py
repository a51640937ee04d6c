"""Orthogonal packing: boxes to place into a mesh without overlaps.

A submesh request with migration is a packing problem: the request and the movable
residents are items to place, the other residents are items with a given place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ..errors import InputError
from . import Box, Placement, Submesh, box_error, first_overlap, sides, ways_of


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


def volume(packing: Packing) -> int:
    """Count the cells covered by items or blocked."""
    return sum(prod(one.size) for one in packing.items) + len(packing.blocked)


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


def placement_from(instance: Submesh, boxes: Sequence[Box]) -> Placement:
    """Return the placement with the given boxes of the residents and the request."""
    moves = tuple(
        (i, box)
        for i, (one, box) in enumerate(zip(instance.residents, boxes[:-1], strict=True))
        if box != one.box
    )
    return Placement(boxes[-1], moves)


def check_packed(packing: Packing, boxes: Sequence[Box]) -> list[str]:
    """List the errors of the boxes of the items, from the definition.

    >>> two = Packing("two", (4, 2), (Item((2, 2)), Item((2, 2))))
    >>> check_packed(two, [(0, 0, 1, 1), (1, 0, 2, 1)])
    ['items[1] overlaps items[0]']
    """
    if len(boxes) != len(packing.items):
        return [f"{len(boxes)} boxes for {len(packing.items)} items"]
    empty = Submesh(
        packing.name,
        packing.shape,
        (),
        (1,) * packing.d,
        torus=packing.torus,
        blocked=packing.blocked,
    )
    for i, (item, box) in enumerate(zip(packing.items, boxes, strict=True)):
        if wrong := box_error(empty, box):
            return [f"items[{i}] {wrong}"]
        if sides(box) not in ways(packing, item):
            return [f"items[{i}] is given {sides(box)}, not {item.size}"]
        if item.at is not None and box != item.at:
            return [f"items[{i}] is fixed at {item.at}"]
    named = {f"items[{i}]": box for i, box in enumerate(boxes)}
    if clash := first_overlap(empty, named):
        return [f"{clash[1]} overlaps {clash[0]}"]
    return []
