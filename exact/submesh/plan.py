"""An order of single moves that turns where residents are into where they shall be."""

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
from ...solvers import Limit, clock
from ...solvers.interrupt import deferred

MOST_NODES = 100_000
"""Places that a search looks at unless set otherwise; about half a second."""
_FEW_NODES = 20_000
_FEW_MOVES = 8
_MORE_DETOURS = 3
_GRACE = 0.25
"""Seconds in which an order is looked for when the time is up; mostly enough."""
_EVERY = 64
"""Nodes after which the clock is looked at."""


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
    limit
        What ended the search before its last number of detours was looked at.
    """

    moves: tuple[tuple[int, Box], ...] | None
    detours: int = 0
    refuted: int = -1
    limit: Limit | None = None

    def __str__(self) -> str:
        """Describe in a few words what is known.

        >>> str(Plan(None, refuted=1))
        'impossible within 1 temporary places'
        >>> str(Plan(None, refuted=1, limit=Limit.TIME))
        'unknown within 2 temporary places; impossible within 1'
        """
        if self.moves is not None:
            return f"{len(self.moves)} moves, {self.detours} of them detours"
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
) -> Plan:
    """Put the moves of a placement into an order in which each has room.

    Every move is made into space that is free then, see ``submesh_plan.replay``; a
    resident may stop at a temporary place on its way. Only residents that end
    elsewhere are moved. The plan found has the fewest moves. At a limit, or at Ctrl-C,
    the result states within how many detours there is provably none.

    Guarantee: exact, with a proof where there is none, unless a limit ends it.
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
    time_limit
        Wall-clock seconds.
    few_stops
        Whether temporary places are only looked for against the ends of boxes where
        residents are or shall be. With more than one detour, this finds orders sooner,
        perhaps not the shortest, and proves nothing.

    Examples
    --------
    Two residents that change places want a temporary one:

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

        def ended() -> Limit | None:
            if pressed.is_set():
                return Limit.INTERRUPT
            return Limit.TIME if clock.now() - start >= time_limit else None

        search = _Planner(instance, placement, slide, ended, few_stops=few_stops)
        for allowed in range(detours + 1):
            try:
                found = search.run(allowed, node_limit)
            except _EndedError as error:
                if error.limit is Limit.NODES and few_stops:
                    short = error.limit
                    continue
                return Plan(None, 0, refuted, error.limit)
            if found is not None:
                return Plan(tuple(found), allowed, refuted)
            if allowed == refuted + 1 and (allowed < 2 or not few_stops):
                refuted = allowed
    return Plan(None, 0, refuted, short)


def in_order(
    instance: Submesh, placement: Placement, time_limit: float = inf
) -> Placement:
    """Put moves into an order in which they can be made, if a search finds one.

    First copying, then sliding, with one detour at most, and none where many move;
    then with more, from few temporary places. Else they stay as they are, also at
    Ctrl-C. A quarter of a second is taken in any case.
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
    """A limit was met in the middle of a search."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit.value)
        self.limit = limit


class _Planner:
    """Depth-first search over where the residents that move are.

    Attributes
    ----------
    movers
        Residents that end elsewhere.
    nodes
        Places looked at for the number of detours tried last.
    """

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
        ends = final_boxes(instance, placement)
        homes = [one.box for one in instance.residents]
        self.movers = [i for i, end in enumerate(ends) if end != homes[i]]
        self.homes = [homes[i] for i in self.movers]
        self.ends = [ends[i] for i in self.movers]
        self.still = [box for i, box in enumerate(homes) if box == ends[i]]
        self.still += [(*cell, *cell) for cell in instance.blocked]

    def run(self, allowed: int, node_limit: int) -> list[tuple[int, Box]] | None:
        """Find moves with so many detours at most; None if there are none.

        Raises
        ------
        _EndedError
            At a limit.
        """
        self.nodes = 0
        self.seen: dict[tuple[Box, ...], int] = {}
        self.node_limit = node_limit
        moves: list[tuple[int, Box]] = []
        return moves if self._go_on(self.homes, allowed, allowed, moves) else None

    def _go_on(
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
            if self._go_on(after, left - spent, allowed, moves):
                return True
            moves.pop()
        return False

    def _steps(
        self, now: list[Box], left: int, allowed: int
    ) -> Iterator[tuple[int, Box]]:
        """Yield moves to where residents shall be, then those to temporary places.

        Without detours left, the first of the former is as good as any: it only takes
        room that no other resident will ever need.
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
        self._look()
        return not any(
            overlap(self.instance, box, other)
            for n, other in enumerate(now)
            if n != m or not self.slide
        )

    def _look(self) -> None:
        """Count a place that is looked at."""
        if self.nodes >= self.node_limit:
            raise _EndedError(Limit.NODES)
        if self.nodes % _EVERY == 0 and (limit := self.ended()) is not None:
            raise _EndedError(limit)
        self.nodes += 1

    def _stops(self, m: int, allowed: int) -> list[Box]:
        """Return the temporary places of a resident, those that disturb least first."""
        if allowed == 1:
            return self._alone[m]
        return self._all(m, allowed, 1 if self.few_stops else allowed)

    @cached_property
    def _alone(self) -> list[list[Box]]:
        """For each resident, places that no other one beats.

        If no other resident stops anywhere, all that counts of a place is which homes
        and ends it overlaps; of places that overlap the same, or more, one is enough.
        """
        found = []
        for m in range(len(self.movers)):
            kept: list[tuple[frozenset[int], Box]] = []
            for box in self._all(m, 1, 1):
                self._look()
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

    def _all(self, m: int, allowed: int, stops: int) -> list[Box]:
        """List places against the ends of boxes, perhaps with temporary ones between.

        A temporary place can be pushed back until it meets the end of the mesh or of
        a box that is held at some time of the stay.
        """
        if (m, allowed) not in self._known:
            self._known[m, allowed] = self._listed(m, allowed, stops)
        return self._known[m, allowed]

    @cached_property
    def _known(self) -> dict[tuple[int, int], list[Box]]:
        return {}

    def _listed(self, m: int, allowed: int, stops: int) -> list[Box]:
        instance = self.instance
        one = instance.residents[self.movers[m]]
        boxes = [*self.homes, *self.ends, *self.still]
        useless = {self.ends[m]} if allowed > 1 else {self.ends[m], self.homes[m]}
        found = []
        for way in ways_of(instance.shape, sides(one.box), one.turns):
            axes = [
                self._along(axis, way[axis], boxes, stops) for axis in range(instance.d)
            ]
            for place in product(*axes):
                self._look()
                box = box_at(place, way)
                if box not in useless and not any(
                    overlap(instance, box, other) for other in self.still
                ):
                    found.append(box)
        return sorted(found, key=lambda box: (len(self._met(box)), box))

    def _along(
        self, axis: int, length: int, boxes: Sequence[Box], stops: int
    ) -> list[int]:
        d, side = self.instance.d, self.instance.shape[axis]
        marked = {0, *(box[d + axis] + 1 for box in boxes)}
        for _ in range(stops - 1):
            steps = {
                way[axis]
                for i in self.movers
                for way in ways_of(
                    self.instance.shape,
                    sides(self.instance.residents[i].box),
                    self.instance.residents[i].turns,
                )
            }
            more = {x + step for x in marked for step in steps}
            marked |= more if self.instance.torus else {x for x in more if x < side}
        if self.instance.torus:
            return sorted({x % side for x in marked})
        return sorted(x for x in marked if x + length <= side)
