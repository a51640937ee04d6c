"""Dispatch a stream of jobs: they are submitted, wait, start and end."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..instances import InputError
from .invariants import ProcessorWatch, checking
from .week import Submission

Flags = npt.NDArray[np.bool_]
Choose = Callable[[Flags, Submission], npt.NDArray[np.int64]]
"""Given availability and a job, returns the indices of enough processors for it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A job's start."""

    job: Submission
    time: int  # seconds since the start of the stream
    available: Flags  # just before; a view of the machine's own array: copy to keep it
    chosen: npt.NDArray[np.int64]  # indices of the processors of the job


def dispatch(
    jobs: Iterable[Submission], n_processors: int, choose: Choose
) -> Iterator[Turn]:
    """Run a stream on an idle machine; yield every start before it takes effect.

    Of the waiting jobs, any that fits may start, tried in the order of submission. At
    equal times, jobs end before others are submitted, which precedes starts. A job
    that follows another is submitted at its end, after its own wait.

    Raises
    ------
    InputError
        For a job larger than the machine, or one that follows an unknown job.
    """
    coming: list[tuple[int, int, Submission]] = []
    followers: dict[int, list[Submission]] = {}
    known: set[int] = set()
    for job in jobs:
        if job.processors > n_processors:
            raise InputError(
                f"larger than the machine ({n_processors} processors)",
                f"job {job.number}",
                job.processors,
            )
        known.add(job.number)
        if job.follows is None:
            heapq.heappush(coming, (job.submit, job.number, job))
        else:
            followers.setdefault(job.follows, []).append(job)
    for number, waiting in followers.items():
        if number not in known:
            raise InputError(
                "follows an unknown job", f"job {waiting[0].number}", number
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
        for job in queue:
            if job.processors > count:
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
