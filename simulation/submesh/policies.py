"""Dispatchers that allow overtaking: EASY backfilling, in the order of the queue.

If the first of the queue finds no place, it has a reservation: the earliest time at
which it would find one if no other request were admitted, at a given place. Those
behind it may start if they find a place now, and either end before or lie outside that
place. With first come first served order this is EASY; with the queue sorted by
residence time it is shortest first with reservations.

Residence times are known to the dispatcher, as they are in EASY.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from enum import Enum

from ...instances.submesh import Box
from ...methods.allocators.submesh import ALLOCATORS
from .simulator import Fixed, Measures, Tally, first_come, no_place, release_next
from .stream import BoxRequest

DEPTH = 50
"""Default number of requests behind the first that are tried at an event."""


class Policy(Enum):
    """Which request is served next."""

    FCFS = "fcfs"
    """The first of the queue, always."""
    EASY = "easy"
    """Others too, if they do not delay the first."""
    SHORTEST = "shortest"
    """The same, the queue sorted by residence time."""


def serve(
    requests: Sequence[BoxRequest],
    occupancy: Fixed,
    policy: Policy,
    *,
    depth: int = DEPTH,
    on_start: Callable[[BoxRequest, float], None] = lambda request, clock: None,
) -> Measures:
    """Serve a queue under a policy, until all requests have left.

    Parameters
    ----------
    requests
        The requests, all waiting from the beginning.
    occupancy
        An empty occupancy. Once residents have been moved since the reservation was
        made, requests that would stay beyond it are not admitted: the first of the
        queue is then placed at that time by moving residents back.
    policy
        The policy; ``FCFS`` is `first_come`.
    depth
        Limit on the requests behind the first that are tried at an event.
    on_start
        Called at every start, with the time.

    Raises
    ------
    InputError
        For a request that finds no place in the empty mesh.
    """
    if policy is Policy.FCFS:
        return first_come(requests, occupancy, on_start=on_start)
    waiting = list(requests)
    if policy is Policy.SHORTEST:
        waiting.sort(key=lambda request: (request.seconds, request.number))
    tally = Tally(occupancy)
    running: list[tuple[float, int, BoxRequest]] = []
    clock = 0.0

    def start(request: BoxRequest) -> None:
        on_start(request, clock)
        heapq.heappush(running, (clock + request.seconds, request.number, request))

    while waiting:
        first = waiting[0]
        if tally.attempt(first, clock):
            start(waiting.pop(0))
            continue
        if not running:
            raise no_place(first, occupancy)
        then, place = _reservation(first, occupancy, running)
        _backfill(waiting, occupancy, clock, then, place, depth, tally, start)
        clock = release_next(running, tally)
    while running:
        release_next(running, tally)
    return tally.measures()


def _reservation(
    first: BoxRequest,
    occupancy: Fixed,
    running: Sequence[tuple[float, int, BoxRequest]],
) -> tuple[float, Box]:
    """Find when the first of the queue would find a place, and which.

    Residents stay where they are; the place is found by first fit, also rotated if
    the occupancy allows it.
    """
    where = occupancy.where
    scratch = ALLOCATORS["iss"](occupancy.shape, rotate=occupancy.rotate)
    leaving = sorted(running)
    for _, number, _ in leaving:
        scratch.hold(where[number])
    for end, number, _ in leaving:
        scratch.release(where[number])
        if (box := scratch.find(first.size)) is not None:
            return end, box
    raise no_place(first, occupancy)


def _backfill(
    waiting: list[BoxRequest],
    occupancy: Fixed,
    clock: float,
    then: float,
    place: Box,
    depth: int,
    tally: Tally,
    start: Callable[[BoxRequest], None],
) -> None:
    """Start requests that do not delay the first."""
    moved = occupancy.moved
    failed: list[tuple[int, ...]] = [waiting[0].size]
    for request in waiting[1 : depth + 1]:
        # where a smaller size found no place, a larger one finds none
        if any(
            all(a <= b for a, b in zip(size, request.size, strict=True))
            for size in failed
        ):
            continue
        if clock + request.seconds <= then:
            if tally.attempt(request, clock):
                waiting.remove(request)
                start(request)
            else:
                failed.append(request.size)
            continue
        box = occupancy.find(request.size) if occupancy.moved == moved else None
        if box is None:
            continue
        if any(p > b or a > q for a, b, p, q in _spans(place, box)):
            done = tally.attempt(request, clock)
            assert done
            waiting.remove(request)
            start(request)


def _spans(one: Box, other: Box) -> list[tuple[int, int, int, int]]:
    d = len(one) // 2
    return [(one[a], one[d + a], other[a], other[d + a]) for a in range(d)]
