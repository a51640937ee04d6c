"""Placements, the solutions of submesh requests: checking and pricing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import prod

from ..errors import InputError
from .boxes import Box, corner, sides
from .instance import Submesh, box_error, first_overlap


@dataclass(frozen=True, slots=True)
class Placement:
    """A solution: the box of the request, and the moves of residents.

    Parameters
    ----------
    at
        Box of the request.
    moves
        Indices of residents and their new boxes, in order. A resident may move more
        than once; its last box counts.
    """

    at: Box
    moves: tuple[tuple[int, Box], ...] = ()

    def flat(self) -> tuple[int, ...]:
        """Return the placement as integers: ``at``, then each resident and its box."""
        return (*self.at, *(x for i, box in self.moves for x in (i, *box)))


def placement_of(instance: Submesh, chosen: Sequence[int]) -> Placement:
    """Return the placement of a tuple of integers, the inverse of `Placement.flat`.

    Raises
    ------
    InputError
        If their number is not that of a placement.

    Examples
    --------
    >>> from closeknit.instances.submesh import Resident
    >>> one = Submesh("one", (4, 4), (Resident((0, 0, 1, 1)),), (4, 2))
    >>> placement_of(one, (0, 0, 3, 1, 0, 0, 2, 1, 3)).moves
    ((0, (0, 2, 1, 3)),)
    """
    width = 2 * instance.d
    rest = tuple(chosen[width:])
    if len(chosen) < width or len(rest) % (width + 1):
        raise InputError("is not a placement", "selection", list(chosen))
    moves = tuple(
        (rest[i], rest[i + 1 : i + 1 + width]) for i in range(0, len(rest), width + 1)
    )
    return Placement(tuple(chosen[:width]), moves)


def final_boxes(instance: Submesh, placement: Placement) -> list[Box]:
    """Return the box of every resident after all moves."""
    boxes = [one.box for one in instance.residents]
    for i, box in placement.moves:
        boxes[i] = box
    return boxes


def check(instance: Submesh, chosen: Sequence[int] | Collection[int]) -> list[str]:
    """List the errors of a placement: shapes, places, overlaps after all moves.

    The order of the moves is not checked, see ``instances.submesh.plan``.

    >>> from closeknit.instances.submesh import Resident
    >>> one = Submesh("one", (4, 4), (Resident((0, 0, 1, 1)),), (4, 2))
    >>> check(one, (0, 0, 3, 1))
    ['the request overlaps residents[0]']
    """
    try:
        placement = placement_of(instance, tuple(chosen))
    except InputError as error:
        return [str(error)]
    wrong = _of_request(instance, placement.at)
    for i, box in placement.moves:
        wrong += _of_move(instance, i, box)
    if wrong:
        return wrong
    boxes = {
        f"residents[{i}]": box for i, box in enumerate(final_boxes(instance, placement))
    }
    boxes["the request"] = placement.at
    if clash := first_overlap(instance, boxes):
        return [f"{clash[1]} overlaps {clash[0]}"]
    return []


def _of_request(instance: Submesh, box: Box) -> list[str]:
    if wrong := box_error(instance, box):
        return [f"the request {wrong}"]
    if not _fits(sides(box), instance.request, instance.rotate):
        return [f"the request is given {sides(box)}, not {instance.request}"]
    return []


def _of_move(instance: Submesh, i: int, box: Box) -> list[str]:
    if not 0 <= i < len(instance.residents):
        return [f"there is no resident {i}"]
    one = instance.residents[i]
    if not instance.migrate:
        return [f"residents[{i}] is moved, but nothing may be"]
    if one.fixed:
        return [f"residents[{i}] is moved, but is fixed"]
    if wrong := box_error(instance, box):
        return [f"the new box of residents[{i}] {wrong}"]
    if not _fits(sides(box), sides(one.box), one.turns):
        return [f"residents[{i}] is given {sides(box)}, not {sides(one.box)}"]
    return []


def _fits(given: tuple[int, ...], wanted: tuple[int, ...], turns: bool) -> bool:
    return given == wanted or (turns and given in permutations(wanted))


def cost(instance: Submesh, chosen: Sequence[int] | Collection[int]) -> tuple[int, ...]:
    """Return the number of displaced residents, their area, and their distance.

    Compared lexicographically. The distance is the sum of the shortest paths of the
    lowest corners. A resident that ends in its original box costs nothing.

    >>> from closeknit.instances.submesh import Resident
    >>> one = Submesh("one", (4, 4), (Resident((0, 0, 1, 1)),), (4, 2))
    >>> cost(one, (0, 0, 3, 1, 0, 0, 2, 1, 3))
    (1, 4, 2)
    """
    placement = placement_of(instance, tuple(chosen))
    moved = area = distance = 0
    for one, box in zip(
        instance.residents, final_boxes(instance, placement), strict=True
    ):
        if box == one.box:
            continue
        moved += 1
        area += prod(sides(box))
        for x, y, side in zip(
            corner(one.box), corner(box), instance.shape, strict=True
        ):
            step = abs(x - y)
            distance += min(step, side - step) if instance.torus else step
    return moved, area, distance
