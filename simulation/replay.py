"""Replay a trace on a machine, first come first served."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from ..instances import InputError, KSubset
from .machine import Machine
from .stream.jobs import Skipped, StreamJob, unusable
from .stream.simulator import Start, simulate
from .swf import TraceJob

__all__ = ["PlacedJob", "Replay", "Skipped"]


@dataclass(frozen=True, slots=True)
class PlacedJob:
    """A placed job."""

    place: int  # position in the replayed trace, from 0, with skipped jobs
    job: TraceJob
    time: int  # when it starts, in seconds since the start of the trace
    met: KSubset  # the problem it poses: the processors free before, its size as k


@dataclass
class Replay:
    """Replays the jobs of a trace on a machine.

    The queue is strict: a job starts when it is at the head and enough processors
    are free, never earlier than one before it. Its run time is that of the trace.
    At equal times, jobs end before others start, and start before others arrive;
    see `simulate`.
    """

    machine: Machine
    name: str = "job"
    source: str = ""
    skipped: Counter[Skipped] = field(default_factory=Counter)
    """Number of jobs that were not replayed, by reason."""

    def run(self, jobs: Iterable[TraceJob]) -> Iterator[PlacedJob]:
        """Replay these jobs, in the order of their submission; yield every start."""
        return (self._placement(job, start) for job, start in self._starts(jobs))

    def occupancies(
        self, jobs: Iterable[TraceJob], first: int = 0, every: int = 1
    ) -> Iterator[KSubset]:
        """Yield the problem of every ``every``-th job, skipped ones not counted.

        All jobs are replayed, so that the machine is as full as it was; those before
        the ``first``-th of the trace are not reported.
        """
        seen: set[int] = set()
        started = (turn for turn in self._starts(jobs) if turn[1].job.number >= first)
        for job, start in islice(started, 0, None, every):
            if job.number in seen:
                raise InputError(
                    f"{self.name}: given to two jobs", "job number", job.number
                )
            seen.add(job.number)
            yield self._placement(job, start).met

    def _starts(self, jobs: Iterable[TraceJob]) -> Iterator[tuple[TraceJob, Start]]:
        """Run the stream; a job's number in it is its place among those replayed."""
        taken: dict[int, TraceJob] = {}
        for event in simulate(self._usable(jobs, taken), self.machine.allocator):
            if isinstance(event, Start):
                yield taken.pop(event.job.number), event

    def _placement(self, job: TraceJob, start: Start) -> PlacedJob:
        met = self.machine.problem(
            start.idle,
            start.job.processors,
            f"{self.name}-{job.number}",
            f"{self.source}, job {job.number}",
        )
        return PlacedJob(start.job.number, job, start.time, met)

    def _usable(
        self, jobs: Iterable[TraceJob], taken: dict[int, TraceJob]
    ) -> Iterator[StreamJob]:
        """Yield the jobs that can be run, by their places; record them in ``taken``."""
        for place, job in enumerate(jobs):
            if why := unusable(job, len(self.machine.places)):
                self.skipped[why] += 1
                continue
            assert job.submit is not None  # or it would have been skipped
            assert job.run is not None
            assert job.processors is not None
            taken[place] = job
            yield StreamJob(place, job.submit, job.processors, job.run, job.run)
