"""The stream of the experiment: a log with sizes divided, or a drawn one; shaken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ...instances import InputError
from ...simulation.stream.jobs import Skipped, StreamJob, generate, jobs_of_trace
from ...simulation.swf import trace_name
from ..bender2008_table1.streams import offered_load

PROCESSORS = 32
DIVIDE = 4
"""Processors of a job of the log are divided by this."""
DRAWN = 5000
"""Jobs of a stream that is drawn, if no log is given."""
SERVICE = 600
"""Their mean run time, in seconds."""
LOAD = 0.47
"""Their offered load: that of the log of the NASA iPSC/860."""
SHAKE = 600
"""Seconds by which a submission is moved at most, before or after its time."""


@dataclass(frozen=True, kw_only=True)
class FlowStream:
    """Jobs of at most 32 processors in the order of submission, numbered from 0."""

    about: str
    jobs: tuple[StreamJob, ...]

    @property
    def load(self) -> Fraction:
        """Offered load by the run times."""
        return offered_load(self.jobs, PROCESSORS)


def stream(trace: str | None, *, seed: int, first: int | None) -> FlowStream:
    """Read a log and divide its sizes, or draw a stream.

    Raises
    ------
    InputError
        If the log cannot be read, or has no job that can be run.
    """
    if trace is None:
        gap = 4 * SERVICE / (PROCESSORS * LOAD)
        jobs = generate(
            first or DRAWN,
            seed=seed,
            most=PROCESSORS,
            sizes="exponential:4",
            interarrival=gap,
            service=f"exponential:{SERVICE}",
        )
        about = (
            f"A stream that is drawn, seed {seed}: sizes exponential of mean 4, run "
            f"times exponential of mean {SERVICE} s, gaps exponential of mean "
            f"{gap:.0f} s; the log of the paper has to be given by --trace."
        )
        left_out = ""
    else:
        jobs, skipped = jobs_of_trace(trace, most=PROCESSORS, divide=DIVIDE)
        jobs = jobs[:first]
        if not jobs:
            raise InputError("has no job that can be run", file=trace)
        about = (
            f"{trace_name(trace)}, processors of a job divided by {DIVIDE} and rounded "
            "up, as in the paper."
        )
        left_out = ", ".join(
            f"{count} {why.value}" for why, count in skipped.items() if count
        )
        if skipped[Skipped.TOO_LARGE] > len(jobs) // 100:
            raise InputError(
                f"has {skipped[Skipped.TOO_LARGE]} jobs of more than "
                f"{PROCESSORS * DIVIDE} processors",
                file=trace,
            )
    alone = sum(job.processors == 1 for job in jobs)
    about += (
        f" {len(jobs)} jobs, {alone} of them of one processor"
        + (f"; left out: {left_out}" if left_out else "")
        + "."
    )
    numbered = tuple(replace(job, number=i) for i, job in enumerate(jobs))
    return FlowStream(about=about, jobs=numbered)


def shaken(
    jobs: tuple[StreamJob, ...], seed: int, number: int
) -> tuple[StreamJob, ...]:
    """Move every submission by a drawn time; number 0 leaves them as they are.

    Notes
    -----
    Source: Tsafrir, Ouaknine, Feitelson 2007, Reducing performance evaluation
    sensitivity and variability by input shaking.

    Examples
    --------
    >>> jobs = tuple(StreamJob(i, 900 * i, 1, 5, 5) for i in range(3))
    >>> [(job.number, job.submit) for job in shaken(jobs, 0, 2)]
    [(1, 0), (0, 179), (2, 1147)]
    """
    if number == 0:
        return jobs
    random = np.random.default_rng((seed, number))
    moves = random.integers(-SHAKE, SHAKE + 1, len(jobs)).tolist()
    times = [max(0, job.submit + move) for job, move in zip(jobs, moves, strict=True)]
    begin = min(times)
    moved = [
        replace(job, submit=time - begin) for job, time in zip(jobs, times, strict=True)
    ]
    return tuple(sorted(moved, key=lambda job: (job.submit, job.number)))
