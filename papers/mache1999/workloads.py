"""The workloads on which dispersal and balance are measured against load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from statistics import fmean, pstdev

from ...instances import InputError
from ...simulation.stream.jobs import (
    StreamJob,
    generate,
    several_processors_in_autumn_1996,
)
from ...simulation.swf import read_header, trace_name
from ..bender2008_table1.streams import jobs_on
from ..bender2008_table1.streams import stream as main_stream

DRAWN = 1000
"""Jobs of a stream of workload I, as in the paper's Table 1."""
SEEDS = 10
"""Streams of workload I."""
SIDE = 4
"""Mean side of a job of workload I."""
SERVICE = 3600
"""Mean run time in seconds; the paper's come from its model of the network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamWorkload:
    """Streams of jobs that are run at several loads, each on a machine of its own."""

    name: str
    about: tuple[str, ...]  # where the jobs come from; numbers
    streams: tuple[tuple[StreamJob, ...], ...]

    @property
    def jobs(self) -> int:
        """The number of jobs in all streams."""
        return sum(map(len, self.streams))


def workloads(
    trace: str | None, shape: tuple[int, ...], *, seed: int, first: int | None
) -> Iterator[StreamWorkload]:
    """Draw workload I, in both readings of its sizes, and read workload II if given.

    The seed is of the first stream that is drawn; each further one has the next.
    """
    processors = prod(shape)
    if processors < SIDE**2:
        raise InputError(
            f"is too small: {processors} processors for jobs of {SIDE**2} in the mean",
            "shape",
            "x".join(map(str, shape)),
        )
    if trace is not None:  # may be refused: before the others are drawn
        traced = _read_trace(trace, shape, first)
    for name, sizes in (
        ("I, sizes", f"exponential:{SIDE**2}"),
        ("I, sides", f"box:exponential:{SIDE}"),
    ):
        yield _drawn(name, sizes, shape, seed=seed, n=first or DRAWN)
    if trace is not None:
        yield traced


def _drawn(
    name: str, sizes: str, shape: tuple[int, ...], *, seed: int, n: int
) -> StreamWorkload:
    processors = prod(shape)
    draw = partial(
        generate,
        n,
        most=processors,
        sides=shape,
        sizes=sizes,
        interarrival=SERVICE * SIDE**2 / processors,
        service=f"exponential:{SERVICE}",
    )
    streams = tuple(tuple(draw(seed=one)) for one in range(seed, seed + SEEDS))
    if sizes.startswith("box:"):
        how = (
            f"both sides of a job exponential of mean {SIDE}, each rounded and cut off "
            "at that of the mesh; mc is told the sides"
        )
    else:
        how = (
            f"sizes exponential of mean {SIDE**2}, rounded, from 1 to {processors}; mc "
            "is told no sides"
        )
    about = (
        f"{SEEDS} streams of {n} jobs, seeds {seed} to {seed + SEEDS - 1}: {how}. "
        f"Gaps and run times exponential, run times of mean {SERVICE} s.",
        numbers([job for stream in streams for job in stream]),
    )
    return StreamWorkload(name=name, about=about, streams=streams)


def numbers(jobs: Sequence[StreamJob]) -> str:
    """Describe how many jobs there are, and how large.

    >>> numbers([StreamJob(1, 0, 1, 5, 5), StreamJob(2, 0, 3, 5, 5)])
    '2 jobs, mean size 2.00 processors (coefficient of variation 0.50), largest 3.'
    """
    sizes = [job.processors for job in jobs]
    mean = fmean(sizes)
    return (
        f"{len(jobs)} jobs, mean size {mean:.2f} processors (coefficient of variation "
        f"{pstdev(sizes) / mean:.2f}), largest {max(sizes)}."
    )


def _read_trace(
    trace: str, shape: tuple[int, ...], first: int | None
) -> StreamWorkload:
    if not _is_the_papers(trace):
        found = main_stream(trace, shape, seed=0, first=first)
        return _workload(list(found.states[0].jobs), found.about[0])
    jobs, left_out = jobs_on(trace, shape, several_processors_in_autumn_1996(trace))
    return _workload(
        jobs[:first],
        f"{trace_name(trace)}: jobs of more than one processor submitted from "
        f"September to November 1996, {len(jobs)} (the paper has 6087; left out: "
        f"{left_out}).",
    )


def _workload(jobs: list[StreamJob], about: str) -> StreamWorkload:
    return StreamWorkload(
        name="II", about=(about, numbers(jobs)), streams=(tuple(jobs),)
    )


def _is_the_papers(trace: str) -> bool:
    """Whether it is the log of the Paragon in San Diego, of 1996."""
    header = read_header(trace)
    return (
        "SDSC" in header.get("Installation", "")
        and "Paragon" in header.get("Computer", "")
        and "1996" in header.get("EndTime", "")
    )
