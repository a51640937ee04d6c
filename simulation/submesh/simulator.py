"""Submesh requests on a mesh: which are served when, and how well the mesh is used.

The model of section 4.1 of Morgenstern 1994: one dispatcher, all requests wait from
the beginning, the first of the queue is tried; if there is no place for it, it is
tried again after each release, and no request overtakes it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from ...heuristics.submesh.allocator import SubmeshAllocator
from ...instances import InputError
from ...instances.submesh import Box
from ..invariants import BoxWatch, checking
from .stream import BoxRequest

Judge = Callable[[Sequence[Box], tuple[int, ...]], bool | None]
"""Returns whether a size would fit after migration, given the boxes held, or None."""


class Fixed:
    """Tracks which box each active request occupies; no resident is ever moved.

    Parameters
    ----------
    allocator
        An empty allocator, which finds the places.

    Attributes
    ----------
    where
        The box of every resident whose place is known, by number.
    moved
        Number of residents moved.
    generous
        Whether there may be times at which no resident's place is known.
    """

    moved = 0
    generous = False

    def __init__(self, allocator: SubmeshAllocator) -> None:
        self.allocator = allocator
        self.shape = allocator.shape
        self.rotate = allocator.rotate
        self.torus = allocator.torus
        self.where: dict[int, Box] = {}

    @property
    def steps(self) -> int:
        """Steps spent on finding places so far; see `SubmeshAllocator.steps`."""
        return self.allocator.steps

    @property
    def free(self) -> int:
        """Number of processors that no job holds."""
        return self.allocator.free

    def find(self, size: tuple[int, ...]) -> Box | None:
        """Return a free place for a box, moving no resident, without taking it."""
        return self.allocator.find(size)

    def place(self, request: BoxRequest) -> bool:
        """Place a request if a box is free; return whether it was placed."""
        box = self.allocator.allocate(request.size)
        if box is None:
            return False
        self.where[request.number] = box
        return True

    def remove(self, number: int) -> None:
        """Release the box of a request."""
        self.allocator.release(self.where.pop(number))

    def boxes(self) -> list[Box]:
        """Return the boxes held now, in the order in which they were taken."""
        return self.allocator.held


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Measurements of a run; times are in the units of the residence times.

    A mean over no values is None: no attempt failed, or no failure was judged.

    Parameters
    ----------
    completion_time
        Time at which the last box is released.
    utilization_pct
        Processor-time held, relative to all processors until then, in per cent.
    external_fragmentation_pct
        Size of the request, in per cent of the mesh, averaged over the failures at
        which at least as many processors were free.
    migration_fragmentation_pct
        The same over the failures at which migration would have helped.
    mean_allocated
        Boxes held, averaged over attempts.
    steps_per_success, steps_per_failure, steps_per_attempt
        See `SubmeshAllocator.steps`.
    attempts, failures
        Number of attempts, and of those that failed.
    external_failures, migration_failures, undecided_failures
        Number of failures with enough processors free, of those that migration would
        have avoided, and of those for which that is unknown.
    mean_wait
        Time from the beginning to a start, averaged over requests.
    """

    completion_time: float
    utilization_pct: float
    external_fragmentation_pct: float | None
    migration_fragmentation_pct: float | None
    mean_allocated: float
    steps_per_success: float
    steps_per_failure: float | None
    steps_per_attempt: float
    mean_wait: float
    attempts: int
    failures: int
    external_failures: int
    migration_failures: int | None
    undecided_failures: int | None


class Tally:
    """Accumulates `Measures` during a run."""

    def __init__(self, occupancy: Fixed, judge: Judge | None = None) -> None:
        self.occupancy = occupancy
        self.watch = BoxWatch(occupancy) if checking() else None
        self.size = prod(occupancy.shape)
        self.free = self.size
        self.held = 0
        self.judge = judge
        self.served = self.failures = 0
        self.steps = [0, 0]
        self.allocated = 0
        self.external = [0, 0]
        self.migration = [0, 0]
        self.undecided = 0
        self.work = self.wait = self.end = 0.0

    def attempt(self, request: BoxRequest, clock: float) -> bool:
        """Try to place a request, and record the outcome."""
        occupancy = self.occupancy
        before = occupancy.steps
        done = occupancy.place(request)
        self.steps[done] += occupancy.steps - before
        self.allocated += self.held
        wanted = prod(request.size)
        if done:
            self.served += 1
            self.held += 1
            self.free -= wanted
            self.work += wanted * request.seconds
            self.wait += clock
            self.end = max(self.end, clock + request.seconds)
            if self.watch is not None:
                self.watch.started(request.number, request.size)
            return True
        if self.watch is not None:
            self.watch.look()
        self.failures += 1
        if wanted <= self.free:
            self.external[0] += 1
            self.external[1] += wanted
            if self.judge is not None:
                helps = self.judge(occupancy.boxes(), request.size)
                self.undecided += helps is None
                if helps:
                    self.migration[0] += 1
                    self.migration[1] += wanted
        return False

    def release(self, request: BoxRequest) -> None:
        """Release the box of a request."""
        self.occupancy.remove(request.number)
        self.held -= 1
        self.free += prod(request.size)
        if self.watch is not None:
            self.watch.left(request.number)

    def measures(self) -> Measures:
        """Return the measurements, when all requests have left."""
        if self.watch is not None:
            self.watch.over()
        attempts = self.served + self.failures
        judged = self.judge is not None
        return Measures(
            completion_time=self.end,
            utilization_pct=100 * self.work / (self.size * self.end),
            external_fragmentation_pct=self._share(self.external),
            migration_fragmentation_pct=self._share(self.migration) if judged else None,
            mean_allocated=self.allocated / attempts,
            steps_per_success=self.steps[1] / self.served,
            steps_per_failure=(
                self.steps[0] / self.failures if self.failures else None
            ),
            steps_per_attempt=sum(self.steps) / attempts,
            mean_wait=self.wait / self.served,
            attempts=attempts,
            failures=self.failures,
            external_failures=self.external[0],
            migration_failures=self.migration[0] if judged else None,
            undecided_failures=self.undecided if judged else None,
        )

    def _share(self, counted: Sequence[int]) -> float | None:
        failures, processors = counted
        return 100 * processors / (self.size * failures) if failures else None


def first_come(
    requests: Sequence[BoxRequest],
    occupancy: Fixed,
    *,
    judge: Judge | None = None,
    on_start: Callable[[BoxRequest, float], None] = lambda request, clock: None,
) -> Measures:
    """Serve a queue, first come first served, until all requests have left.

    Of several boxes that are released at the same time, those of lower number go
    first; the queue is tried when all of them are released.

    Parameters
    ----------
    requests, occupancy
        In the order in which they are served, at least one; an empty mesh.
    judge
        Called at every failure with enough processors free; returns whether migration
        would help. None: failures are not judged.
    on_start
        Called at every start, with the time.

    Raises
    ------
    InputError
        For a request that finds no place in the empty mesh.

    Notes
    -----
    Time: O(n log n) and at most two attempts for each of n requests.
    """
    tally = Tally(occupancy, judge)
    running: list[tuple[float, int, BoxRequest]] = []
    clock = 0.0
    for request in requests:
        while not tally.attempt(request, clock):
            if not running:
                raise no_place(request, occupancy)
            clock = release_next(running, tally)
        on_start(request, clock)
        heapq.heappush(running, (clock + request.seconds, request.number, request))
    while running:
        release_next(running, tally)
    return tally.measures()


def release_next(running: list[tuple[float, int, BoxRequest]], tally: Tally) -> float:
    """Release the boxes that are due next; return the time."""
    clock = running[0][0]
    while running and running[0][0] == clock:
        _, _, request = heapq.heappop(running)
        tally.release(request)
    return clock


def no_place(request: BoxRequest, occupancy: Fixed) -> InputError:
    """Return the error for a request that can never be served."""
    shape = "x".join(map(str, occupancy.shape))
    return InputError(
        f"finds no place in the empty {shape} mesh",
        f"request {request.number}",
        list(request.size),
    )
