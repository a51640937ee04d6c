"""Replay a trace on a machine, first come first served."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice

from ..instances import InputError, KSubset, Site
from .machine import Machine
from .swf import Job


class Skipped(Enum):
    """Why a job of a trace is not replayed."""

    NO_SUBMIT = "no submit time"
    NO_RUN = "no run time"
    NO_SIZE = "no number of processors"
    TOO_LARGE = "larger than the machine"
    PARTIAL = "part of a job listed before"


@dataclass(frozen=True, slots=True)
class Placement:
    """A job's turn.

    Parameters
    ----------
    place
        The job's place in what was replayed, counted from 0, skipped jobs too.
    job
        The job.
    time
        When it starts, in seconds since the start of the trace.
    met
        The problem it poses: the processors free just before, its size as k.
    """

    place: int
    job: Job
    time: int
    met: KSubset


@dataclass
class Replay:
    """Jobs arrive, wait, run and leave as in a trace, on a machine of one's own.

    The queue is strict: a job starts when it is at the head and enough processors
    are free, never earlier than one before it. It runs as long as the trace says.
    At one instant, jobs end before others start, and start before others arrive.

    Parameters
    ----------
    machine
        The machine; its allocator chooses the processors.
    name, source
        Beginning of the names and sources of the problems that jobs pose.
    """

    machine: Machine
    name: str = "job"
    source: str = ""
    skipped: Counter[Skipped] = field(default_factory=Counter)
    """How many jobs were not replayed, and why."""

    def run(self, jobs: Iterable[Job]) -> Iterator[Placement]:
        """Replay these jobs, in the order of their submission; give every start.

        Raises
        ------
        InputError
            When the trace cannot be read (see `read_swf`).
        """
        queue: deque[tuple[int, Job]] = deque()
        running: list[tuple[int, int, tuple[Site, ...]]] = []
        clock = 0
        for place, job in enumerate(jobs):
            if why := self._unusable(job):
                self.skipped[why] += 1
                continue
            assert job.submit is not None  # or it would have been skipped
            while running and running[0][0] <= job.submit:
                clock = self._end(running)
                yield from self._start(clock, queue, running)
            clock = max(clock, job.submit)
            queue.append((place, job))
            yield from self._start(clock, queue, running)
        while running:
            clock = self._end(running)
            yield from self._start(clock, queue, running)

    def occupancies(
        self, jobs: Iterable[Job], first: int = 0, every: int = 1
    ) -> Iterator[KSubset]:
        """Give the problem met by every so many-th job, those skipped not counted.

        All jobs are replayed, so that the machine is as full as it was; those before
        the ``first``-th of the trace are not reported.

        Raises
        ------
        InputError
            When two jobs to be reported have the same number.
        """
        seen: set[int] = set()
        started = (turn for turn in self.run(jobs) if turn.place >= first)
        for turn in islice(started, 0, None, every):
            if turn.job.number in seen:
                raise InputError(
                    f"{self.name}: given to two jobs",
                    field="job number",
                    value=turn.job.number,
                )
            seen.add(turn.job.number)
            yield turn.met

    def _unusable(self, job: Job) -> Skipped | None:
        if job.partial:
            return Skipped.PARTIAL
        if job.submit is None:
            return Skipped.NO_SUBMIT
        if job.run is None:
            return Skipped.NO_RUN
        if job.processors is None:
            return Skipped.NO_SIZE
        if job.processors > len(self.machine.places):
            return Skipped.TOO_LARGE
        return None

    def _start(
        self,
        clock: int,
        queue: deque[tuple[int, Job]],
        running: list[tuple[int, int, tuple[Site, ...]]],
    ) -> Iterator[Placement]:
        """Start jobs from the head of the queue as long as they fit."""
        while queue:
            place, job = queue[0]
            assert job.processors is not None
            assert job.run is not None
            if job.processors > self.machine.free:
                return
            queue.popleft()
            met = self.machine.offer(
                job.processors,
                f"{self.name}-{job.number}",
                f"{self.source}, job {job.number}",
            )
            heapq.heappush(running, (clock + job.run, place, self.machine.place(met)))
            yield Placement(place, job, clock, met)

    def _end(self, running: list[tuple[int, int, tuple[Site, ...]]]) -> int:
        """End the jobs that end next, all of that instant; return when that is."""
        clock = running[0][0]
        while running and running[0][0] == clock:
            self.machine.release(heapq.heappop(running)[2])
        return clock
