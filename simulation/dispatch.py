"""Jobs come, wait, are given processors, run and leave; somebody chooses which."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from ..instances import InputError
from .invariants import ProcessorWatch, checking
from .week import Submission

Flags = npt.NDArray[np.bool_]
Choose = Callable[[Flags, Submission], npt.NDArray[np.int64]]
"""Given what is available and a job, the indices of at least as many as it wants."""


class Policy(Enum):
    """Which of the waiting jobs may start."""

    FCFS = "fcfs"
    """Only the first that came."""
    SKIP = "skip"
    """Any that fits, looked at in the order in which they came."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A job's start.

    Parameters
    ----------
    job
        Who starts.
    time
        When, in seconds after the start of the stream.
    available
        Of each processor: whether it was available just before. Not to be kept: it
        is the machine's own; take a copy.
    chosen
        Indices of the processors it was given.
    """

    job: Submission
    time: int
    available: Flags
    chosen: npt.NDArray[np.int64]


def dispatch(
    jobs: Iterable[Submission],
    n_processors: int,
    choose: Choose,
    policy: Policy = Policy.SKIP,
) -> Iterator[Turn]:
    """Run a stream on an idle machine; give every start before it takes effect.

    At one instant, jobs end before others come, and come before others start. A job
    that follows another comes at its end, plus its own wait.

    Parameters
    ----------
    jobs
        The stream.
    n_processors
        Of the machine.
    choose
        Asked once for every job that starts.
    policy
        Who may start.

    Raises
    ------
    InputError
        For a job larger than the machine, or one that follows none of the stream.
    """
    coming: list[tuple[int, int, Submission]] = []
    followers: dict[int, list[Submission]] = {}
    known: set[int] = set()
    for job in jobs:
        if job.processors > n_processors:
            raise InputError(
                f"larger than the machine ({n_processors} processors)",
                field=f"job {job.number}",
                value=job.processors,
            )
        known.add(job.number)
        if job.follows is None:
            heapq.heappush(coming, (job.submit, job.number, job))
        else:
            followers.setdefault(job.follows, []).append(job)
    for number, waiting in followers.items():
        if number not in known:
            raise InputError(
                "follows a job that there is not",
                field=f"job {waiting[0].number}",
                value=number,
            )
    free = np.ones(n_processors, dtype=np.bool_)
    count = n_processors
    running: list[tuple[int, int, npt.NDArray[np.int64]]] = []
    queue: list[Submission] = []
    watch = ProcessorWatch(free) if checking() else None
    while coming or running:
        clock = min(entry[0][0] for entry in (coming, running) if entry)
        while running and running[0][0] == clock:
            _, number, held = heapq.heappop(running)
            free[held] = True
            count += len(held)
            if watch is not None:
                watch.ended(number, held)
                watch.look(free, count)
            for job in followers.pop(number, ()):
                heapq.heappush(coming, (clock + job.submit, job.number, job))
        while coming and coming[0][0] == clock:
            queue.append(heapq.heappop(coming)[2])
        waiting = []
        for place, job in enumerate(queue):
            if job.processors > count:
                if policy is Policy.FCFS:
                    waiting += queue[place:]
                    break
                waiting.append(job)
                continue
            chosen = choose(free, job)
            yield Turn(job, clock, free, chosen)
            free[chosen] = False
            count -= len(chosen)
            if watch is not None:
                watch.started(job.number, job.processors, chosen, chosen)
                watch.look(free, count)
            heapq.heappush(running, (clock + job.seconds, job.number, chosen))
        queue = waiting
    if watch is not None:
        watch.over()
