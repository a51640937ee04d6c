"""What if other rules had chosen the nodes: a trace replayed under each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...heuristics.allocation.allocator import Allocation
from ...instances import InputError
from ...scheduler.hostlist import unfold
from ...simulation.stream.jobs import Skipped, StreamJob
from ...simulation.stream.simulator import RunTimes, Start, StartPolicy, simulate
from ...solvers import DEFAULT
from ..grading.reading import read_records
from ..grading.records import Record
from ..placement import NodeSelector, Objective
from .machine import ClusterMachine

MOST_REPLAYS = 100
FIXED = ("wait_s", "hops", "switches", "regret_pct")
"""Measures of a job; after them the largest job that fits, by level."""


@dataclass(frozen=True)
class ReplaySetting:
    """What all replays have in common.

    Parameters
    ----------
    objective
        What the optimum minimises, and by which choices are compared with it.
    policy
        Which of the waiting jobs may start.
    replays
        How many: the first as recorded, others with the jobs shifted, so that each
        begins at another job and goes on at the beginning where the trace ends.
    communication
        The share of the run time that grows with the mean hops of a job, from 0 to 1.
    """

    objective: Objective
    policy: StartPolicy = StartPolicy.EASY
    replays: int = 3
    communication: float = 0.0
    seconds: float = DEFAULT.time_limit
    """The limit of the search of each optimum, on networks that are no tree."""

    def __post_init__(self) -> None:
        if not 1 <= self.replays <= MOST_REPLAYS:
            problem = f"must be from 1 to {MOST_REPLAYS}"
            raise InputError(problem, "replays", self.replays)
        if not 0 <= self.communication <= 1:
            problem = "must be from 0 to 1"
            raise InputError(problem, "communication", self.communication)


@dataclass(frozen=True, slots=True, eq=False)
class ReplayOutcome:
    """What was measured under one method."""

    method: str
    columns: tuple[str, ...]
    """Names of the measures: `FIXED`, and ``largest_in_LEVEL``."""
    values: npt.NDArray[np.float64]
    """A row for every job in the order of the trace, the means over all replays."""
    open: int = 0
    """Choices without a proved optimum: they cost at most so much above it."""


class _Stretched(RunTimes):
    """Jobs run longer the more hops their nodes are apart.

    Run times are those of a job on the best nodes of the idle cluster.
    """

    def __init__(self, machine: ClusterMachine, share: float) -> None:
        super().__init__()
        self.machine, self.share = machine, share

    def begin(self, place: int, job: StreamJob, grant: Allocation, now: int) -> None:
        """Take note of a start."""
        choice = self.machine.last
        assert choice is not None
        more = choice.hops / choice.least_hops - 1 if choice.least_hops else 0.0
        seconds = round(job.seconds * (1 + self.share * more))
        super().begin(place, replace(job, seconds=seconds), grant, now)


def replay(
    jobs: Sequence[StreamJob],
    selector: NodeSelector,
    method: str,
    setting: ReplaySetting,
) -> Iterator[int | ReplayOutcome]:
    """Replay a trace under one method.

    Parameters
    ----------
    jobs
        In the order of submission, at least one; see `fitting`.
    selector
        Of the cluster: trees, blocks and graphs with leaf switches.
    method
        One of `whatif_machine.METHODS`.
    setting
        What all replays have in common.

    Yields
    ------
    int or Outcome
        How many jobs have started in all replays so far; at the end what was measured.

    Raises
    ------
    InputError
        If there is no such method, a part of the cluster has no switches, or a job has
        groups and the method knows none.
    """
    levels = ClusterMachine(selector, method, setting.objective).levels()
    columns = (*FIXED, *(f"largest_in_{level}" for level in levels))
    values = np.zeros((len(jobs), len(columns)))
    started = open_ = 0
    for number in range(setting.replays):
        machine = ClusterMachine(selector, method, setting.objective, setting.seconds)
        order, shifted = _shift_start(jobs, number * len(jobs) // setting.replays)
        place = dict(zip(map(id, shifted), order, strict=True))
        ends = (
            _Stretched(machine, setting.communication)
            if setting.communication
            else RunTimes()
        )
        for event in simulate(shifted, machine, setting.policy, ends):
            if isinstance(event, Start):
                choice = machine.last
                assert choice is not None
                k = event.job.processors
                values[place[id(event.job)]] += (
                    event.time - event.job.submit,
                    choice.hops / comb(k, 2) if k > 1 else 0,
                    choice.switches,
                    100 * (float(choice.ratio) - 1),
                    *(choice.largest[level] for level in levels),
                )
                started += 1
                yield started
        open_ += machine.open
    yield ReplayOutcome(method, columns, values / setting.replays, open_)


def jobs_of_report(
    path: str | Path, most: int
) -> tuple[list[StreamJob], Counter[Skipped]]:
    """Read the jobs of a report of sacct, or the workloads of Kueue, as a stream.

    Parameters
    ----------
    path
        The report; see `clusters.grading.read_decisions`.
    most
        Nodes of the largest part of the cluster.

    Returns
    -------
    tuple
        The jobs in the order of submission, with their groups as shapes, and how many
        were skipped, by reason.
    """
    records = sorted(read_records(path), key=lambda one: one.submit)
    jobs: list[StreamJob] = []
    skipped: Counter[Skipped] = Counter()
    for record in records:
        k, segment = _size(record)
        if record.end is None:
            skipped[Skipped.NO_RUN] += 1
        elif k > most:
            skipped[Skipped.TOO_LARGE] += 1
        else:
            run = record.end - record.start
            job = StreamJob(
                len(jobs) + 1,
                record.submit - records[0].submit,
                k,
                run,
                max(run, record.limit or 0),
            )
            jobs.append(in_groups(job, segment))
    return jobs, skipped


def in_groups(job: StreamJob, segment: int) -> StreamJob:
    """Return a job in groups of so many nodes, if its size is a multiple of that."""
    if segment < 2 or job.processors % segment:
        return job
    return replace(job, shape=(job.processors // segment, segment))


def fitting(
    jobs: Sequence[StreamJob],
    selector: NodeSelector,
    methods: Sequence[str],
    skipped: Counter[Skipped],
    seconds: float = DEFAULT.time_limit,
) -> list[StreamJob]:
    """Return the jobs that every method serves on the idle cluster; count the others.

    Raises InputError as `replay` does.
    """
    served: dict[tuple[int, tuple[int, ...] | None], bool] = {}
    for job in jobs:
        key = job.processors, job.shape
        if key not in served:
            served[key] = all(
                ClusterMachine(selector, method, Objective.HOPS, seconds).allocate(*key)
                for method in methods
            )
    found = [job for job in jobs if served[job.processors, job.shape]]
    if len(found) < len(jobs):
        skipped[Skipped.NOT_SERVED] += len(jobs) - len(found)
    return found


def _size(record: Record) -> tuple[int, int]:
    """Return the nodes of a job, and of its groups if all are alike."""
    k = 0
    for part in record.parts:
        k += part.wish.k or len(unfold(part.nodes))
    return k, record.parts[0].wish.segment if len(record.parts) == 1 else 1


def _shift_start(
    jobs: Sequence[StreamJob], first: int
) -> tuple[list[int], list[StreamJob]]:
    """Let the stream begin at another job; return the order, and copies of the jobs.

    The gap between the last and the first is the mean one.
    """
    last = jobs[-1].submit - jobs[0].submit
    gap = last // max(1, len(jobs) - 1)
    order = [*range(first, len(jobs)), *range(first)]
    begin = jobs[first].submit
    shifted = [
        replace(
            jobs[i],
            submit=jobs[i].submit - begin
            if i >= first
            else jobs[-1].submit - begin + gap + jobs[i].submit - jobs[0].submit,
        )
        for i in order
    ]
    return order, shifted
