"""A stream of jobs on a machine: which jobs start when, and on which processors.

At equal times jobs end before others are submitted, which precedes starts. Jobs are
submitted one by one: one with run time 0 that starts at once has ended before the
next that is submitted at that time.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from ...heuristics.allocation.allocator import Allocation, Flags
from ...instances import InputError
from ..invariants import ProcessorWatch, checking
from .jobs import StreamJob


class StartPolicy(Enum):
    """Which of the waiting jobs may start."""

    FCFS = "fcfs"
    """Only the first in the queue."""
    EASY = "easy"
    """Others too, if by the estimates they do not delay the first."""


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """A job's start."""

    job: StreamJob
    time: int  # seconds since the start of the stream
    idle: Flags  # whether each processor was idle just before; a copy
    grant: Allocation  # the processors allocated to the job


@dataclass(frozen=True, slots=True, eq=False)
class JobEnd:
    """A job's end; its processors have been released."""

    job: StreamJob
    time: int
    grant: Allocation


Event = Start | JobEnd


class Serves(Protocol):
    """The protocol of a machine that runs a stream, as every `Allocator` has it."""

    idle: Flags
    """Whether each processor is idle."""
    free: int
    """Number of idle processors."""

    def allocate(
        self, k: int, shape: tuple[int, ...] | None = None
    ) -> Allocation | None:
        """Allocate processors to a job; None if it cannot be served now."""

    def release(self, grant: Allocation) -> None:
        """Release an allocation."""

    def state(self) -> Hashable:
        """Return everything that future allocations depend on."""


class Ends(ABC):
    """States when running jobs end: by run times, or by what the jobs do."""

    @abstractmethod
    def begin(self, place: int, job: StreamJob, grant: Allocation, now: int) -> None:
        """Take note of a start; ``place`` is the position in the stream."""

    @abstractmethod
    def until(self, time: int | None) -> tuple[int, list[int]] | None:
        """Return the next time at which jobs end, and their places, ascending.

        Parameters
        ----------
        time
            Last one to look at; None for no limit.

        Returns
        -------
        tuple or None
            None if no running job ends by then.
        """


class RunTimes(Ends):
    """Jobs end after the run times that they were given."""

    def __init__(self) -> None:
        self._ends: list[tuple[int, int]] = []

    def begin(self, place: int, job: StreamJob, grant: Allocation, now: int) -> None:
        """Take note of a start; see `Ends`."""
        heapq.heappush(self._ends, (now + job.seconds, place))

    def until(self, time: int | None) -> tuple[int, list[int]] | None:
        """Return the next time at which jobs end, and their places; see `Ends`."""
        ends = self._ends
        if not ends or (time is not None and ends[0][0] > time):
            return None
        now = ends[0][0]
        places = []
        while ends and ends[0][0] == now:
            places.append(heapq.heappop(ends)[1])
        return now, places


def simulate(
    jobs: Iterable[StreamJob],
    allocator: Serves,
    policy: StartPolicy = StartPolicy.FCFS,
    ends: Ends | None = None,
) -> Iterator[Event]:
    """Run a stream until all jobs have ended; yield starts and ends in order of time.

    EASY: a first job of the queue that cannot start has a reservation, the earliest
    time at which by the estimates as many processors are idle as it requests. Those
    behind it, in the order of submission, may start if they can be placed now, and by
    the estimates have ended by then or use only processors that the first leaves
    over. If an allocator refuses the first although enough processors are idle, the
    reservation is the next expected end; only jobs that end before it may pass. A job
    that exceeds its estimate is expected to end at any moment.

    Parameters
    ----------
    jobs
        In the order of their submission; may be generated during the run.
    allocator
        Chooses the processors; idle except for what is held permanently.
    policy
        Which jobs may start.
    ends
        When the jobs end; None for their run times.

    Raises
    ------
    InputError
        For a job larger than the machine, one that cannot be placed on the idle
        machine, or one submitted before the one listed above it.

    Notes
    -----
    Time: O(log n) per event in addition to the allocator's, and under EASY a pass over
    the running and waiting jobs.
    """
    return _Run(allocator, policy, ends or RunTimes()).events(jobs)


class _Run:
    """The running and waiting jobs."""

    def __init__(self, allocator: Serves, policy: StartPolicy, ends: Ends) -> None:
        self.allocator = allocator
        self.policy = policy
        self.most = allocator.free
        self.clock = 0
        self.waiting: list[tuple[int, StreamJob]] = []
        self.ends = ends
        self.running: dict[int, tuple[StreamJob, Allocation, int]] = {}
        """By position in the stream: job, allocation, expected end."""
        self.watch = (
            ProcessorWatch(allocator.idle, allocator.state()) if checking() else None
        )

    def events(self, jobs: Iterable[StreamJob]) -> Iterator[Event]:
        """Submit the jobs in order, after the ends that precede each."""
        last = 0
        for place, job in enumerate(jobs):
            self._refuse(job, last)
            last = job.submit
            while due := self.ends.until(job.submit):
                yield from self._end(*due)
                yield from self._start()
            self.clock = job.submit
            self.waiting.append((place, job))
            yield from self._start()
        while due := self.ends.until(None):
            yield from self._end(*due)
            yield from self._start()
        if self.watch is not None:
            self.watch.over(self.allocator.state())

    def _refuse(self, job: StreamJob, last: int) -> None:
        if job.processors > self.most:
            raise InputError(
                f"larger than the machine ({self.most} processors)",
                f"job {job.number}",
                job.processors,
            )
        if job.submit < last:
            raise InputError(
                f"must not be before that of the job above ({last})",
                f"job {job.number}: submit",
                job.submit,
            )

    def _end(self, now: int, places: list[int]) -> Iterator[JobEnd]:
        """End jobs, in the order in which they were submitted."""
        self.clock = now
        for place in places:
            job, grant, _ = self.running.pop(place)
            self.allocator.release(grant)
            if self.watch is not None:
                self.watch.ended(job.number, grant.held)
                self._look()
            yield JobEnd(job, self.clock, grant)

    def _start(self) -> Iterator[Start]:
        """Start all jobs that may start."""
        served = 0
        for place, job in self.waiting:
            start = self._serve(place, job)
            if start is None:
                break
            served += 1
            yield start
        if not served and not self.running and self.waiting:
            job = self.waiting[0][1]
            raise InputError(
                f"the idle machine ({self.most} processors) does not serve it",
                f"job {job.number}",
                job.processors,
            )
        del self.waiting[:served]
        if (
            self.policy is StartPolicy.EASY
            and len(self.waiting) > 1
            and self.allocator.free
        ):
            yield from self._backfill()

    def _serve(
        self, place: int, job: StreamJob, spare: int | None = None
    ) -> Start | None:
        """Allocate processors to a job, if it uses no more than can be spared."""
        allocator = self.allocator
        if job.processors > allocator.free:
            return None
        idle = allocator.idle.copy()
        grant = allocator.allocate(job.processors, job.shape)
        if grant is None:
            return None
        if spare is not None and len(grant.held) > spare:
            allocator.release(grant)
            self._look()
            return None
        if self.watch is not None:
            self.watch.started(job.number, job.processors, grant.used, grant.held)
            self._look()
        self.running[place] = job, grant, self.clock + job.estimate
        self.ends.begin(place, job, grant, self.clock)
        return Start(job, self.clock, idle, grant)

    def _look(self) -> None:
        if self.watch is not None:
            self.watch.look(self.allocator.idle, self.allocator.free)

    def _backfill(self) -> Iterator[Start]:
        """Start jobs behind the first that do not delay it."""
        moment, spare = self._reservation()
        passed: set[int] = set()
        for i, (place, job) in enumerate(self.waiting[1:], start=1):
            if job.processors > self.allocator.free:  # most often
                continue
            gone = self.clock + job.estimate <= moment
            start = None
            if gone or job.processors <= spare:
                start = self._serve(place, job, None if gone else spare)
            if start is None:
                continue
            passed.add(i)
            if not gone:
                spare -= len(start.grant.held)
            yield start
            if not self.allocator.free:
                break
        if passed:
            self.waiting = [
                entry for i, entry in enumerate(self.waiting) if i not in passed
            ]

    def _reservation(self) -> tuple[int, int]:
        """Return when the first is expected to start, and what it then leaves over."""
        wanted = self.waiting[0][1].processors
        idle = self.allocator.free
        refused = wanted <= idle  # enough are idle, yet it was not placed
        moment = -1
        for expected, held in sorted(
            (max(expected, self.clock), len(grant.held))
            for _, grant, expected in self.running.values()
        ):
            if idle >= wanted and 0 <= moment < expected:
                break
            moment = expected
            idle += held
        return moment, 0 if refused else idle - wanted
