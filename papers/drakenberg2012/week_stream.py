"""The stream of requests that all of Drakenberg's evaluations run on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import numpy.typing as npt

from ...instances import InputError, ProcessorSet
from ...simulation.swf import read_swf
from ...simulation.week import JOBS, NODE, Submission, submissions_of, synthetic_week
from ..catalogue import RunOptions

NODES = 256
"""Of the machine."""
Ints = npt.NDArray[np.int64]


class Pricer:
    """Prices choices by the sets that they touch, quickly."""

    def __init__(self, n_processors: int, sets: Sequence[ProcessorSet]) -> None:
        self._inside = np.zeros((len(sets), n_processors), dtype=np.bool_)
        for inside, one in zip(self._inside, sets, strict=True):
            inside[list(one.members)] = True
        self._costs = np.array([one.cost for one in sets], dtype=np.int64)

    def cost(self, chosen: Sequence[int] | Ints) -> tuple[int, ...]:
        """Return the cost of a choice."""
        touched = self._inside[:, chosen].any(axis=1)
        return tuple(self._costs[touched].sum(axis=0).tolist())


def stream(options: RunOptions) -> tuple[list[Submission], str]:
    """Return the jobs to run, whose sizes count whole nodes, and describe them.

    Raises
    ------
    InputError
        When the trace cannot be read, or nothing in it fits.
    """
    if options.trace is None:
        jobs = week_of_nodes(options.seed)
        about = (
            f"a synthetic week, seed {options.seed}, with the moments of section 6.1"
        )
    else:
        jobs = list(submissions_of(read_swf(options.trace), NODES))
        about = f"the trace {options.trace}, jobs of up to {NODES} processors"
    jobs = beginning(jobs, options.first)
    if not jobs:
        raise InputError("has no job that fits", file=options.trace or "")
    return jobs, f"{about}; {len(jobs)} jobs"


def week_of_nodes(seed: int, jobs: int = JOBS) -> list[Submission]:
    """Draw a week of jobs whose sizes count whole nodes."""
    week = synthetic_week(seed, jobs=jobs)
    return [replace(job, processors=job.processors // NODE) for job in week]


def beginning(jobs: Sequence[Submission], first: int | None) -> list[Submission]:
    """Return the first jobs; one whose predecessor is cut off depends on none."""
    left = list(islice(jobs, first))
    there = {job.number for job in left}
    return [job if job.follows in there else replace(job, follows=None) for job in left]
