"""An order of single moves that turns where residents are into where they shall be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from ...instances import Submesh
from ...instances.submesh import (
    Box,
    Placement,
    box_at,
    final_boxes,
    overlap,
    sides,
    ways_of,
)

MOST_NODES = 100_000
"""Places that a search looks at unless told otherwise; about half a second."""
_FEW_NODES = 20_000
_FEW_MOVES = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """Moves in order, or how far it is known that there are none.

    Parameters
    ----------
    moves
        Residents and their new boxes, in order; None if no order was found. There are
        as few as can be.
    detours
        Moves beyond one for each resident that ends elsewhere: to a temporary place,
        or once more to its end.
    refuted
        No order has so many detours, or fewer: proved by looking at all of them. -1
        if nothing is proved.
    """

    moves: tuple[tuple[int, Box], ...] | None
    detours: int = 0
    refuted: int = -1


def plan(
    instance: Submesh,
    placement: Placement,
    *,
    detours: int = 2,
    slide: bool = False,
    node_limit: int = MOST_NODES,
) -> Plan:
    """Put the moves of a placement into an order in which each has room.

    Every move is made into space that is free then, see ``submesh_plan.replay``; a
    resident may stop at a temporary place on its way. Only residents that end
    elsewhere are moved. The plan found has the fewest moves.

    Guarantee: exact, with a proof where there is none, unless the nodes run out.
    Time: O(moves^2) without detours; with them, all states of moved residents and
    places against other boxes, at worst.

    Parameters
    ----------
    instance, placement
        From where to where; the order of the moves given does not matter.
    detours
        Moves to temporary places, at most.
    slide
        Whether a resident's new box may overlap its old one.
    node_limit
        Places to be looked at for each number of detours.

    Examples
    --------
    Two residents that change places want a temporary one:

    >>> from closeknit.instances.submesh import Resident
    >>> two = Submesh(
    ...     "two", (4, 1), (Resident((0, 0, 0, 0)), Resident((1, 0, 1, 0))), (1, 1)
    ... )
    >>> swap = Placement((3, 0, 3, 0), ((0, (1, 0, 1, 0)), (1, (0, 0, 0, 0))))
    >>> plan(two, swap, detours=0)
    Plan(moves=None, detours=0, refuted=0)
    >>> plan(two, swap).moves
    ((0, (2, 0, 2, 0)), (1, (0, 0, 0, 0)), (0, (1, 0, 1, 0)))
    """
    search = _Planner(instance, placement, slide)
    refuted = -1
    for allowed in range(detours + 1):
        found = search.run(allowed, node_limit)
        if found is not None:
            return Plan(tuple(found), allowed, refuted)
        if search.nodes >= node_limit:
            break
        refuted = allowed
    return Plan(None, 0, refuted)


def in_order(instance: Submesh, placement: Placement) -> Placement:
    """Put moves into an order in which they can be made, if a short search finds one.

    First copying, then sliding, with one detour at most, and none where many move;
    else they stay as they are.
    """
    for slide in (False, True):
        found = plan(
            instance,
            placement,
            detours=int(len(placement.moves) <= _FEW_MOVES),
            slide=slide,
            node_limit=_FEW_NODES,
        )
        if found.moves is not None:
            return Placement(placement.at, found.moves)
    return placement


class _Planner:
    """Depth-first search over where the residents that move are.

    Attributes
    ----------
    movers
        Residents that end elsewhere.
    nodes
        Places looked at for the number of detours tried last.
    """

    def __init__(self, instance: Submesh, placement: Placement, slide: bool) -> None:
        self.instance = instance
        self.slide = slide
        ends = final_boxes(instance, placement)
        homes = [one.box for one in instance.residents]
        self.movers = [i for i, end in enumerate(ends) if end != homes[i]]
        self.homes = [homes[i] for i in self.movers]
        self.ends = [ends[i] for i in self.movers]
        self.still = [box for i, box in enumerate(homes) if box == ends[i]]
        self.still += [(*cell, *cell) for cell in instance.blocked]
        self.nodes = 0
        self.seen: dict[tuple[Box, ...], int] = {}

    def run(self, allowed: int, node_limit: int) -> list[tuple[int, Box]] | None:
        """Find moves with so many detours at most; None if there are none.

        Also None when `nodes` has reached the limit.
        """
        self.nodes = 0
        self.seen = {}
        self.node_limit = node_limit
        moves: list[tuple[int, Box]] = []
        return moves if self._go_on(self.homes, allowed, allowed, moves) else None

    def _go_on(
        self, now: list[Box], left: int, allowed: int, moves: list[tuple[int, Box]]
    ) -> bool:
        if now == self.ends:
            return True
        key = tuple(now)
        if self.nodes >= self.node_limit or self.seen.get(key, -1) >= left:
            return False
        self.seen[key] = left
        for m, box in self._steps(now, left, allowed):
            moves.append((self.movers[m], box))
            after = [*now[:m], box, *now[m + 1 :]]
            spent = (box != self.ends[m]) + (now[m] == self.ends[m])
            if self._go_on(after, left - spent, allowed, moves):
                return True
            moves.pop()
        return False

    def _steps(
        self, now: list[Box], left: int, allowed: int
    ) -> Iterator[tuple[int, Box]]:
        """Yield moves to where residents shall be, then those to temporary places.

        Without detours left, the first of the former is as good as any: it only takes
        room that nobody else will ever want.
        """
        ready = [
            m
            for m, end in enumerate(self.ends)
            if now[m] != end and self._is_free(end, m, now)
        ]
        if ready and not left:
            yield ready[0], self.ends[ready[0]]
            return
        for m in ready:
            yield m, self.ends[m]
        for m in range(len(now)):
            if left > (now[m] == self.ends[m]):
                for box in self._stops(m, allowed):
                    if box != now[m] and self._is_free(box, m, now):
                        yield m, box

    def _is_free(self, box: Box, m: int, now: Sequence[Box]) -> bool:
        self.nodes += 1
        return not any(
            overlap(self.instance, box, other)
            for n, other in enumerate(now)
            if n != m or not self.slide
        )

    def _stops(self, m: int, allowed: int) -> list[Box]:
        """Return the temporary places of a resident, those that disturb least first."""
        if allowed == 1:
            return self._alone[m]
        return self._all(m, allowed)

    @cached_property
    def _alone(self) -> list[list[Box]]:
        """For each resident, places that no other one beats.

        If nobody else stops anywhere, all that counts of a place is which homes and
        ends it overlaps; of places that overlap the same, or more, one is enough.
        """
        found = []
        for m in range(len(self.movers)):
            kept: list[tuple[frozenset[int], Box]] = []
            for box in self._all(m, 1):
                met = self._met(box)
                if not any(other <= met for other, _ in kept):
                    kept.append((met, box))
            found.append([box for _, box in kept])
        return found

    def _met(self, box: Box) -> frozenset[int]:
        both = [*self.homes, *self.ends]
        return frozenset(
            n for n, other in enumerate(both) if overlap(self.instance, box, other)
        )

    def _all(self, m: int, allowed: int) -> list[Box]:
        """List places against the ends of boxes, perhaps with temporary ones between.

        A temporary place can be pushed back until it meets the end of the mesh or of
        a box that is held at some time of the stay.
        """
        if (m, allowed) not in self._known:
            self._known[m, allowed] = self._listed(m, allowed)
        return self._known[m, allowed]

    @cached_property
    def _known(self) -> dict[tuple[int, int], list[Box]]:
        return {}

    def _listed(self, m: int, allowed: int) -> list[Box]:
        instance = self.instance
        one = instance.residents[self.movers[m]]
        boxes = [*self.homes, *self.ends, *self.still]
        useless = {self.ends[m]} if allowed > 1 else {self.ends[m], self.homes[m]}
        found = []
        for way in ways_of(instance.shape, sides(one.box), one.turns):
            axes = [
                self._along(axis, way[axis], boxes, allowed)
                for axis in range(instance.d)
            ]
            for place in product(*axes):
                box = box_at(place, way)
                if box not in useless and not any(
                    overlap(instance, box, other) for other in self.still
                ):
                    found.append(box)
        return sorted(found, key=lambda box: (len(self._met(box)), box))

    def _along(
        self, axis: int, length: int, boxes: Sequence[Box], allowed: int
    ) -> list[int]:
        d, side = self.instance.d, self.instance.shape[axis]
        marked = {0, *(box[d + axis] + 1 for box in boxes)}
        for _ in range(allowed - 1):
            steps = {
                way[axis]
                for i in self.movers
                for way in ways_of(
                    self.instance.shape,
                    sides(self.instance.residents[i].box),
                    self.instance.residents[i].turns,
                )
            }
            marked |= {x + step for x in marked for step in steps}
        if self.instance.torus:
            return sorted({x % side for x in marked})
        return sorted(x for x in marked if x + length <= side)
