"""Boxes that a search has packed: their volume, their errors, and the placement."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from . import Box, Placement, Submesh, box_error, first_overlap, sides
from .packing import Packing, ways


def volume(packing: Packing) -> int:
    """Count the cells covered by items or blocked."""
    return sum(prod(one.size) for one in packing.items) + len(packing.blocked)


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

    >>> from closeknit.instances.submesh.packing import Item
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
