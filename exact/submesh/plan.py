"""An order of single moves from the residents' present boxes to their final ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import inf

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
from ...instances.words import with_noun
from ...solvers import Limit
from ...solvers.running import clock
from ...solvers.running.interrupt import deferred

MOST_NODES = 100_000
"""Default limit on the places examined; about half a second."""
_FEW_NODES = 20_000
_FEW_MOVES = 8
_MORE_DETOURS = 3
_GRACE = 0.25
"""Seconds granted to find an order when the time limit is reached; mostly enough."""
_EVERY = 64
"""Nodes between two checks of the clock."""


@dataclass(frozen=True, slots=True)
class MovePlan:
    """Moves in order, or the number of detours proved insufficient.

    Parameters
    ----------
    moves
        Residents and their new boxes, in order, as few as possible; None if no order
        was found.
    detours
        Moves beyond one for each resident that ends elsewhere: to a temporary place,
        or again to its end.
    refuted
        Largest number of detours for which exhaustive search proved that there is no
        order; -1 if none.
    limit
        The limit that ended the search before its last number of detours was finished.
    """

    moves: tuple[tuple[int, Box], ...] | None
    detours: int = 0
    refuted: int = -1
    limit: Limit | None = None

    def __str__(self) -> str:
        """Describe the outcome in a few words.

        >>> str(MovePlan(None, refuted=1))
        'impossible within 1 temporary places'
        >>> str(MovePlan(None, refuted=1, limit=Limit.TIME))
        'unknown within 2 temporary places; impossible within 1'
        """
        if self.moves is not None:
            return (
                f"{with_noun(len(self.moves), 'move')}, {self.detours} of them detours"
            )
        if self.limit is None:
            return f"impossible within {self.refuted} temporary places"
        unknown = f"unknown within {self.refuted + 1} temporary places"
        if self.refuted < 0:
            return unknown
        return f"{unknown}; impossible within {self.refuted}"


def plan(
    instance: Submesh,
    placement: Placement,
    *,
    detours: int = 2,
    slide: bool = False,
    node_limit: int = MOST_NODES,
    time_limit: float = inf,
    few_stops: bool = False,
) -> MovePlan:
    """Put the moves of a placement into an order in which each has room.

    Every move is into space that is free at that time, see ``submesh_plan.replay``; a
    resident may stop at temporary places. Only residents that end elsewhere are moved.
    The plan found has the fewest moves. At a limit, or at Ctrl-C, the result states the
    number of detours proved insufficient.

    Guarantee: exact, with a proof where there is none, unless a limit ends it.
    Time: O(moves^2) without detours; with them, all states of moved residents and
        places against other boxes, at worst.

    Parameters
    ----------
    instance, placement
        Initial and final boxes; the given order of the moves does not matter.
    detours
        Limit on the moves to temporary places.
    slide
        Whether a resident's new box may overlap its old one.
    node_limit
        Limit on the places examined for each number of detours.
    time_limit
        Wall-clock seconds.
    few_stops
        Whether temporary places are restricted to those against the ends of initial or
        final boxes. With more than one detour, this finds orders sooner, perhaps not
        the shortest, and proves nothing.

    Examples
    --------
    Two residents that change places need a temporary one:

    >>> from closeknit.instances.submesh import Resident
    >>> two = Submesh(
    ...     "two", (4, 1), (Resident((0, 0, 0, 0)), Resident((1, 0, 1, 0))), (1, 1)
    ... )
    >>> swap = Placement((3, 0, 3, 0), ((0, (1, 0, 1, 0)), (1, (0, 0, 0, 0))))
    >>> print(plan(two, swap, detours=0))
    impossible within 0 temporary places
    >>> plan(two, swap).moves
    ((0, (2, 0, 2, 0)), (1, (0, 0, 0, 0)), (0, (1, 0, 1, 0)))
    """
    refuted = -1
    short: Limit | None = None
    start = clock.now()
    with deferred() as pressed:

        def limit_now() -> Limit | None:
            if pressed.is_set():
                return Limit.INTERRUPT
            return Limit.TIME if clock.now() - start >= time_limit else None

        search = _Planner(instance, placement, slide, limit_now, few_stops=few_stops)
        for allowed in range(detours + 1):
            try:
                found = search.run(allowed, node_limit)
            except _EndedError as error:
                if error.limit is Limit.NODES and few_stops:
                    short = error.limit
                    continue
                return MovePlan(None, 0, refuted, error.limit)
            if found is not None:
                return MovePlan(tuple(found), allowed, refuted)
            if allowed == refuted + 1 and (allowed < 2 or not few_stops):
                refuted = allowed
    return MovePlan(None, 0, refuted, short)


def in_order(
    instance: Submesh, placement: Placement, time_limit: float = inf
) -> Placement:
    """Put moves into an order in which they can be made, if a search finds one.

    First copying, then sliding, with at most one detour, and none if many move;
    then with more, from few temporary places. Otherwise the moves stay as they are,
    also at Ctrl-C. The search may take a quarter of a second in any case.
    """
    start = clock.now()
    many = len(placement.moves) > _FEW_MOVES
    for detours in (0,) if many else (1, _MORE_DETOURS):
        for slide in (False, True):
            left = time_limit - (clock.now() - start)
            found = plan(
                instance,
                placement,
                detours=detours,
                slide=slide,
                node_limit=_FEW_NODES,
                time_limit=max(left, _GRACE),
                few_stops=detours > 1,
            )
            if found.moves is not None:
                return Placement(placement.at, found.moves)
            if found.limit in (Limit.TIME, Limit.INTERRUPT):
                return placement
    return placement


class _EndedError(Exception):
    """A limit was reached within a search."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit.value)
        self.limit = limit


class _Planner:
    """Depth-first search over the boxes of the residents that move, ``movers``."""

    def __init__(
        self,
        instance: Submesh,
        placement: Placement,
        slide: bool,
        ended: Callable[[], Limit | None],
        *,
        few_stops: bool = False,
    ) -> None:
        self.instance = instance
        self.slide = slide
        self.ended = ended
        self.few_stops = few_stops
        self._known: dict[tuple[int, int], list[Box]] = {}
        ends = final_boxes(instance, placement)
        homes = [one.box for one in instance.residents]
        self.movers = [i for i, end in enumerate(ends) if end != homes[i]]
        self.homes = [homes[i] for i in self.movers]
        self.ends = [ends[i] for i in self.movers]
        self.still = [box for i, box in enumerate(homes) if box == ends[i]]
        self.still += [(*cell, *cell) for cell in instance.blocked]

    def run(self, allowed: int, node_limit: int) -> list[tuple[int, Box]] | None:
        """Find moves with at most ``allowed`` detours; None if there are none."""
        self.nodes = 0
        self.seen: dict[tuple[Box, ...], int] = {}
        self.node_limit = node_limit
        moves: list[tuple[int, Box]] = []
        return moves if self._extend(self.homes, allowed, allowed, moves) else None

    def _extend(
        self, now: list[Box], left: int, allowed: int, moves: list[tuple[int, Box]]
    ) -> bool:
        if now == self.ends:
            return True
        key = tuple(now)
        if self.seen.get(key, -1) >= left:
            return False
        self.seen[key] = left
        for m, box in self._steps(now, left, allowed):
            moves.append((self.movers[m], box))
            after = [*now[:m], box, *now[m + 1 :]]
            spent = (box != self.ends[m]) + (now[m] == self.ends[m])
            if self._extend(after, left - spent, allowed, moves):
                return True
            moves.pop()
        return False

    def _steps(
        self, now: list[Box], left: int, allowed: int
    ) -> Iterator[tuple[int, Box]]:
        """Yield moves to final boxes, then those to temporary places.

        Without detours left, the first of the former suffices: it only takes space
        that no other resident will ever need.
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
        self._count_place()
        return not any(
            overlap(self.instance, box, other)
            for n, other in enumerate(now)
            if n != m or not self.slide
        )

    def _count_place(self) -> None:
        """Count a place as examined."""
        if self.nodes >= self.node_limit:
            raise _EndedError(Limit.NODES)
        if self.nodes % _EVERY == 0 and (limit := self.ended()) is not None:
            raise _EndedError(limit)
        self.nodes += 1

    def _stops(self, m: int, allowed: int) -> list[Box]:
        """Return a resident's temporary places, those with fewest conflicts first."""
        if allowed == 1:
            return self._undominated_places[m]
        return self._all(m, allowed, 1 if self.few_stops else allowed)

    @cached_property
    def _undominated_places(self) -> list[list[Box]]:
        """For each resident, list the temporary places that no other one dominates.

        If no other resident makes a detour, only the initial and final boxes that a
        place overlaps matter; places that overlap a superset are redundant.
        """
        found = []
        for m in range(len(self.movers)):
            kept: list[tuple[frozenset[int], Box]] = []
            for box in self._all(m, 1, 1):
                self._count_place()
                met = self._boxes_overlapping(box)
                if not any(other <= met for other, _ in kept):
                    kept.append((met, box))
            found.append([box for _, box in kept])
        return found

    def _boxes_overlapping(self, box: Box) -> frozenset[int]:
        both = [*self.homes, *self.ends]
        return frozenset(
            n for n, other in enumerate(both) if overlap(self.instance, box, other)
        )

    def _all(self, m: int, allowed: int, stops: int) -> list[Box]:
        """List places against the ends of boxes, including temporary ones.

        A temporary place can be pushed back until it meets the end of the mesh or of
        a box that is occupied at some time during the stay.
        """
        if (m, allowed) in self._known:
            return self._known[m, allowed]
        instance = self.instance
        boxes = [*self.homes, *self.ends, *self.still]
        useless = {self.ends[m]} if allowed > 1 else {self.ends[m], self.homes[m]}
        found = []
        for way in self._ways(self.movers[m]):
            axes = [
                self._along(axis, way[axis], boxes, stops) for axis in range(instance.d)
            ]
            for place in product(*axes):
                self._count_place()
                box = box_at(place, way)
                if box not in useless and not any(
                    overlap(instance, box, other) for other in self.still
                ):
                    found.append(box)
        found.sort(key=lambda box: (len(self._boxes_overlapping(box)), box))
        self._known[m, allowed] = found
        return found

    def _ways(self, i: int) -> tuple[tuple[int, ...], ...]:
        """List the sides of a resident as it may be turned."""
        one = self.instance.residents[i]
        return ways_of(self.instance.shape, sides(one.box), one.turns)

    def _along(
        self, axis: int, length: int, boxes: Sequence[Box], stops: int
    ) -> list[int]:
        d, side = self.instance.d, self.instance.shape[axis]
        marked = {0, *(box[d + axis] + 1 for box in boxes)}
        for _ in range(stops - 1):
            steps = {way[axis] for i in self.movers for way in self._ways(i)}
            more = {x + step for x in marked for step in steps}
            marked |= more if self.instance.torus else {x for x in more if x < side}
        if self.instance.torus:
            return sorted({x % side for x in marked})
        return sorted(x for x in marked if x + length <= side)
