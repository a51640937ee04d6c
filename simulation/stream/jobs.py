"""Streams of jobs that request numbers of processors: from traces, or random."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from enum import Enum
from fractions import Fraction
from itertools import islice
from math import floor, isfinite, prod
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...instances import InputError
from ..swf import TraceJob, read_header, read_swf

MOST_REQUESTS = 10**6
"""Limit on the jobs of a stream, random or from a trace."""
_LONGEST = 10**9
"""Limit on the run time of a random job, and on the gap to the next, in seconds."""


class Skipped(Enum):
    """Why a job of a trace is not run."""

    NO_SUBMIT = "no submit time"
    NO_RUN = "no run time"
    NO_SIZE = "no number of processors"
    TOO_LARGE = "larger than the machine"
    PARTIAL = "part of a job listed before"
    NOT_SERVED = "not served on the idle machine by every method"


@dataclass(frozen=True, slots=True)
class StreamJob:
    """A job of a stream.

    Raises
    ------
    InputError
        If a time is negative, or no processor is requested.
    """

    number: int  # in a trace, that of the trace
    submit: int  # seconds since the start of the stream
    processors: int  # requested, at least 1
    seconds: int  # run time
    estimate: int  # of the run time, which backfilling relies on
    shape: tuple[int, ...] | None = None  # sides of the preferred submesh

    def __post_init__(self) -> None:
        for field, least in (
            ("processors", 1),
            ("submit", 0),
            ("seconds", 0),
            ("estimate", 0),
        ):
            value: int = getattr(self, field)
            if value < least:
                raise InputError(
                    f"must be at least {least}", f"job {self.number}: {field}", value
                )


def unusable(job: TraceJob, most: int) -> Skipped | None:
    """Return why a job cannot be run on this many processors; None if it can."""
    if job.partial:
        return Skipped.PARTIAL
    if job.submit is None:
        return Skipped.NO_SUBMIT
    if job.run is None:
        return Skipped.NO_RUN
    if job.processors is None:
        return Skipped.NO_SIZE
    if job.processors > most:
        return Skipped.TOO_LARGE
    return None


def jobs_of_trace(
    path: str | Path,
    *,
    most: int,
    scale: Fraction | int = 1,
    divide: int = 1,
    where: Callable[[TraceJob], bool] | None = None,
    window: tuple[int, int | None] = (0, None),
) -> tuple[list[StreamJob], Counter[Skipped]]:
    """Read the jobs of a trace that a machine can run.

    Times count from the submission of the first job taken. The estimate is the
    requested time, but at least the run time, as a system would have ended the job by
    then; it is the run time if no time was requested.

    Parameters
    ----------
    path
        In the Standard Workload Format; .xz, .gz or plain by suffix.
    most
        Processors of the machine, compared after the division.
    scale
        Factor of the submission times, above 0: below 1 jobs arrive faster.
    divide
        Processors are divided by this, and rounded up.
    where
        Selects jobs; the others are not counted.
    window
        The first of those and the one after the last, counted from 0.

    Returns
    -------
    tuple
        The jobs in the order of submission, and how many were skipped, by reason.

    Raises
    ------
    InputError
        For a trace that cannot be read (see `read_swf`), and numbers out of range.

    Notes
    -----
    Time: O(lines of the trace).
    """
    if divide < 1:
        raise InputError("must be at least 1", "divide", divide)
    _refuse_factor(scale)
    skipped: Counter[Skipped] = Counter()
    jobs: list[StreamJob] = []
    looked_at = (job for job in read_swf(path) if where is None or where(job))
    first: int | None = None
    for job in islice(looked_at, *window):
        if why := unusable(job, most * divide):
            skipped[why] += 1
            continue
        assert job.submit is not None  # or it would have been skipped
        assert job.run is not None
        assert job.processors is not None
        first = job.submit if first is None else first
        if len(jobs) == MOST_REQUESTS:
            raise InputError(
                f"more than {MOST_REQUESTS} jobs; take some of them (--jobs A:B)",
                file=path,
            )
        jobs.append(
            StreamJob(
                job.number,
                floor((job.submit - first) * scale),
                -(-job.processors // divide),
                job.run,
                max(job.run, job.requested_time or 0),
            )
        )
    return jobs, skipped


def several_processors_in_autumn_1996(path: str | Path) -> Callable[[TraceJob], bool]:
    """Select the 6087 jobs of Mache, Lo and Garg from the SDSC Paragon's log of 1996.

    These are jobs of more than one processor submitted from September to November
    1996, on a clock eight hours behind UTC throughout. The paper states three months
    and the number; the selection is inferred from the number alone, and contradicts
    Table 1: a mean size of 14.5 processors with a coefficient of variation of 1.5,
    and 3.7 between arrivals, where these have 19.58, 1.28 and 3.24.

    Parameters
    ----------
    path
        The log, whose header gives its start.

    Raises
    ------
    InputError
        If the header has no such field.

    Notes
    -----
    Source: Mache, Lo, Garg 1999, Table 1, workload II.
    """
    start = read_header(path).get("UnixStartTime", "")
    if not start.isdecimal():
        raise InputError("has no UnixStartTime in its header", file=path)
    zone = timezone(timedelta(hours=-8))
    begin, end = (
        int(datetime(1996, month, 1, tzinfo=zone).timestamp()) - int(start)
        for month in (9, 12)
    )

    def taken(job: TraceJob) -> bool:
        return (
            job.submit is not None
            and begin <= job.submit < end
            and (job.processors or 0) > 1
        )

    return taken


def rescale(
    jobs: Iterable[StreamJob], factor: Fraction | int | float
) -> list[StreamJob]:
    """Scale submission times, so that jobs come faster (a factor below 1) or slower.

    Raises
    ------
    InputError
        If the factor is not above 0.

    Examples
    --------
    >>> [job.submit for job in rescale([StreamJob(1, 9, 1, 5, 5)], Fraction(1, 2))]
    [4]
    """
    _refuse_factor(factor)
    exact = Fraction(factor)
    return [replace(job, submit=floor(job.submit * exact)) for job in jobs]


def generate(
    n: int,
    *,
    seed: int,
    most: int,
    sides: Sequence[int] | None = None,
    sizes: str = "exponential:16",
    interarrival: float = 60.0,
    service: str = "exponential:600",
) -> list[StreamJob]:
    """Generate a random stream of jobs; estimates are exact.

    Sizes, gaps and run times each have their own random stream: the same seed with
    another load gives the same jobs.

    Parameters
    ----------
    n
        Number of jobs.
    seed
        Random seed, at least 0.
    most
        Processors of the machine: larger sizes are cut off there.
    sides
        Sides of the machine, for jobs that request a box.
    sizes
        ``exponential:MEAN`` or ``uniform:LOW:HIGH``, in processors; exponential
        ones are rounded, and at least 1. With prefix ``box:`` each side of a box is
        drawn so, and cut off at the machine's; the job requests its processors and
        has its shape.
    interarrival
        Mean time between two submissions, in seconds, exponential.
    service
        Run times in seconds, in the same notation.

    Raises
    ------
    InputError
        For numbers out of range.

    Examples
    --------
    Workload I of Mache, Lo and Garg 1999: 1000 jobs of "exponential mean = 4 * 4",
    which may refer to sizes or to sides:

    >>> jobs = generate(1000, seed=1, most=352, sizes="exponential:16")
    >>> len(jobs), sum(job.processors for job in jobs) // 1000
    (1000, 16)
    >>> mesh = {"most": 352, "sides": (16, 22)}
    >>> boxes = generate(3, seed=1, **mesh, sizes="box:exponential:4")
    >>> [job.shape for job in boxes]
    [(2, 5), (10, 8), (3, 3)]
    """
    if not 1 <= n <= MOST_REQUESTS:
        raise InputError(f"must be from 1 to {MOST_REQUESTS}", "requests", n)
    if seed < 0:
        raise InputError("must be at least 0", "seed", seed)
    if not 0 <= interarrival <= _LONGEST:
        raise InputError(f"must be from 0 to {_LONGEST}", "interarrival", interarrival)
    streams = np.random.SeedSequence(seed).spawn(3)
    for_sizes, for_gaps, for_seconds = map(np.random.default_rng, streams)
    shapes: list[tuple[int, ...] | None] = [None] * n
    if sizes.startswith("box:"):
        if sides is None:
            raise InputError("needs a mesh or a torus", "sizes", sizes)
        each = [
            draw_integers(
                "sizes", sizes, n, np.random.default_rng(stream), side
            ).tolist()
            for stream, side in zip(streams[0].spawn(len(sides)), sides, strict=True)
        ]
        shapes = list(zip(*each, strict=True))
        wanted = [prod(shape) for shape in shapes if shape is not None]
    else:
        wanted = draw_integers("sizes", sizes, n, for_sizes, most).tolist()
    seconds = draw_integers("service", service, n, for_seconds, _LONGEST)
    submits = np.cumsum(for_gaps.exponential(interarrival, n))
    submits -= submits[0]
    return [
        StreamJob(number, int(submit), size, time, time, shape)
        for number, (submit, size, time, shape) in enumerate(
            zip(submits, wanted, seconds.tolist(), shapes, strict=True), start=1
        )
    ]


def draw_integers(
    field: str, text: str, n: int, rng: np.random.Generator, most: int
) -> npt.NDArray[np.int64]:
    """Draw n integers from 1 to most.

    Parameters
    ----------
    field
        What errors are about.
    text
        ``exponential:MEAN`` or ``uniform:LOW:HIGH``.
    n, rng, most
        How many, from what, and up to what.

    Raises
    ------
    InputError
        If the text or a number is not valid.
    """
    wrong = InputError("must be exponential:MEAN or uniform:LOW:HIGH", field, text)
    kind, *texts = text.removeprefix("box:" if field == "sizes" else "").split(":")
    try:
        numbers = [float(one) for one in texts]
    except ValueError:
        raise wrong from None
    if kind == "exponential" and len(numbers) == 1:
        (mean,) = numbers
        if not 0 < mean <= most:
            raise InputError(
                f"must have a mean above 0 and at most {most}", field, text
            )
        found = np.rint(rng.exponential(mean, n))
        return np.clip(found, 1, most).astype(np.int64)
    if kind == "uniform" and len(numbers) == 2:
        low, high = numbers
        if not (low.is_integer() and high.is_integer() and 1 <= low <= high <= most):
            raise InputError(
                f"must run between whole numbers from 1 to {most}", field, text
            )
        return rng.integers(int(low), int(high) + 1, n, dtype=np.int64)
    raise wrong


def _refuse_factor(factor: Fraction | int | float) -> None:
    if not (isfinite(factor) and factor > 0):
        raise InputError("must be above 0 and finite", "arrival scale", str(factor))


def largest(jobs: Sequence[StreamJob]) -> StreamJob:
    """Return the first of the jobs that request most processors."""
    return max(jobs, key=lambda job: job.processors)
