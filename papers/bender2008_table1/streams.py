"""The streams of jobs on which the decisions of Table 1 are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from pathlib import Path

from ...instances import InputError
from ...simulation.stream.jobs import (
    Skipped,
    StreamJob,
    generate,
    jobs_of_trace,
    rescale,
)
from ...simulation.swf import TraceJob, read_swf, trace_name

DRAWN = 10_000
"""Number of jobs of the synthetic stream."""
SERVICE = 600
"""Their mean run time, in seconds."""
MODERATE = Fraction(7, 10)
"""Load of the synthetic stream, and of traces that offer too much."""
TIMED, PACKED = "timed", "packed"
SHORT = {
    TIMED: "jobs come at times of their own",
    PACKED: "all jobs wait from the beginning",
}
"""The two states of a stream."""
_MOST_LEFT_OUT = Fraction(1, 100)
"""Share of the jobs of a trace that may be larger than the mesh."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalPattern:
    """One arrival pattern; the paper does not specify which it used."""

    name: str
    about: str
    jobs: tuple[StreamJob, ...]  # in the order of their submission


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """Jobs, their origin, and their arrival patterns."""

    name: str
    about: tuple[str, ...]  # trace, filter, numbers
    states: tuple[ArrivalPattern, ...]  # the same jobs at different times


def offered_load(jobs: Sequence[StreamJob], processors: int) -> Fraction:
    """Return the offered load: work submitted over the capacity in that time.

    >>> offered_load([StreamJob(1, 0, 2, 30, 30), StreamJob(2, 60, 2, 30, 30)], 4)
    Fraction(1, 2)
    """
    work = sum(job.processors * job.seconds for job in jobs)
    span = jobs[-1].submit - jobs[0].submit
    return Fraction(work, processors * max(span, 1))


def stream(
    trace: str | None,
    shape: tuple[int, ...],
    *,
    seed: int,
    first: int | None = None,
    load: Fraction | None = None,
) -> Stream:
    """Read a trace or draw a stream; return it with two arrival patterns.

    Raises
    ------
    InputError
        When the trace cannot be read or has no job that fits, or more than one job
        in a hundred is larger than the mesh.
    """
    processors = prod(shape)
    if trace is None:
        name, jobs, about = _drawn(processors, seed, first)
    else:
        name, jobs, about = _read_trace(trace, shape, first)
    timed, how = _set_times(jobs, processors, load)
    work = sum(job.processors * job.seconds for job in jobs)
    ones = sum(job.processors == 1 for job in jobs)
    numbers = (
        f"{len(jobs)} jobs, {ones} of them of one processor, mean size "
        f"{sum(job.processors for job in jobs) / len(jobs):.1f}, largest "
        f"{max(job.processors for job in jobs)}; {work / processors / 86400:.1f} days "
        f"of work for {processors} processors."
    )
    return Stream(
        name=name,
        about=(about, numbers),
        states=(
            ArrivalPattern(name=TIMED, about=how, jobs=tuple(timed)),
            ArrivalPattern(
                name=PACKED,
                about="All jobs wait from the beginning and start in their order, each "
                "as soon as it fits: the machine is as full as first come first "
                "served allows.",
                jobs=tuple(replace(job, submit=0) for job in jobs),
            ),
        ),
    )


Part = tuple[str, list[StreamJob], str]


def _drawn(processors: int, seed: int, first: int | None) -> Part:
    mean = max(1, processors // 8)
    gap = mean * SERVICE / (processors * float(MODERATE))
    jobs = generate(
        first or DRAWN,
        seed=seed,
        most=processors,
        sizes=f"exponential:{mean}",
        interarrival=gap,
        service=f"exponential:{SERVICE}",
    )
    about = (
        f"A stream that is drawn, seed {seed}: sizes exponential of mean {mean} "
        f"(rounded, from 1 to {processors}), run times exponential, mean {SERVICE} s, "
        f"gaps exponential of mean {gap:.1f} s."
    )
    return "synthetic", jobs, about


def _read_trace(trace: str, shape: tuple[int, ...], first: int | None) -> Part:
    partition, others = _main_partition(read_swf(trace))
    jobs, left_out = jobs_on(trace, shape, lambda job: job.partition == partition)
    if not jobs:
        raise InputError("has no job that can be run", file=trace)
    where = f"partition {partition}" if others else "all jobs"
    if others:
        where += f", which did most of the work ({others} jobs of others left out)"
    about = (
        f"{trace_name(trace)}: {where}, of up to {prod(shape)} processors "
        f"(left out: {left_out})."
    )
    return trace_name(trace), jobs[:first], about


def _main_partition(jobs: Iterable[TraceJob]) -> tuple[int | None, int]:
    """Return the partition that did most work, and how many jobs the others have."""
    work: Counter[int | None] = Counter()
    number: Counter[int | None] = Counter()
    for job in jobs:
        number[job.partition] += 1
        work[job.partition] += (job.processors or 0) * (job.run or 0)
    main = max(work, key=lambda partition: work[partition])
    return main, number.total() - number[main]


def jobs_on(
    trace: str, shape: tuple[int, ...], where: Callable[[TraceJob], bool]
) -> tuple[list[StreamJob], str]:
    """Read the jobs that a mesh can run, and describe those that are left out.

    A mesh is refused for which more than one job in a hundred is too large.
    """
    jobs, skipped = jobs_of_trace(trace, most=prod(shape), where=where)
    large, n = skipped[Skipped.TOO_LARGE], len(jobs) + skipped[Skipped.TOO_LARGE]
    if large > _MOST_LEFT_OUT * n:
        raise InputError(
            f"is too small: {large} of {n} jobs of {Path(trace).name} are larger than "
            f"its {prod(shape)} processors",
            "shape",
            "x".join(map(str, shape)),
        )
    left_out = "; ".join(f"{count} {why.value}" for why, count in skipped.items())
    return jobs, left_out or "none"


def _set_times(
    jobs: Sequence[StreamJob], processors: int, load: Fraction | None
) -> tuple[list[StreamJob], str]:
    """Submit jobs at the times of the trace, or scaled to a load."""
    own = offered_load(jobs, processors)
    if load is None and own < 1:
        return list(jobs), (
            f"Jobs come when the stream says; it offers {float(own):.2f} of what the "
            "machine can do."
        )
    wanted = MODERATE if load is None else load
    why = (
        "as otherwise the queue would only grow" if load is None else "as was asked for"
    )
    factor = own / wanted
    return rescale(jobs, factor), (
        f"Jobs come when the stream says, times {float(factor):.3f}: it offers "
        f"{float(own):.2f} of what the machine can do, brought to "
        f"{float(wanted):.2f}, {why}."
    )
