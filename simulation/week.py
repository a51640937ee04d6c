"""A synthetic week of jobs with the moments of Drakenberg 2012, section 6.1.

The trace itself was never published; the paper describes it as 21 902 jobs of
5.57 ± 3.43 nodes, 6692 of them of one node; run times of 243 ± 390 s on one node,
848 ± 3170 s on more, of which those beyond 900 s take 8375 ± 6445 s; none over 8
hours; long jobs form chains, each job submitting the next as it ends.

The rest follows from these numbers, except for distributions. The 15 210 jobs of
several nodes have 7.58 ± 1.93 of them. For the second moments of the run times to
agree, the share beyond 900 s must lie between 9.6 and 10.1 per cent: here it is 9.62,
and the others take 47 s on average.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

from ..instances import InputError
from .swf import TraceJob

JOBS = 21_902
SMALL = 6_692 / JOBS
"""Share of jobs on one node."""
LONGEST = 8 * 3600
"""Limit on a job's run time in seconds."""
WEEK = 7 * 24 * 3600
NODE = 8
"""Processors of a node; every request is a multiple of this."""
_MEAN_NODES, _SPREAD_NODES = 7.5807, 1.9260
_LONG = 0.0962
_PATIENCE = 900
"""Seconds beyond which the paper calls a run time long."""
_POPULAR = {2: 3, 3: 1, 4: 6, 5: 1, 6: 3, 7: 1, 8: 30, 9: 1, 10: 2, 12: 3, 16: 4, 32: 1}
"""Numbers of nodes that jobs request, and their shares before moments are matched."""
_LINKS = 6
"""Mean number of jobs per chain."""
_BURST = 12
"""Mean number of short jobs that one user submits together."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A job and its submission."""

    number: int  # unique in its stream, ascending
    processors: int  # requested
    seconds: int  # run time
    submit: int  # seconds since the start, or since the end of the job that it follows
    follows: int | None = None  # number of that job, which precedes it in the stream


def synthetic_week(seed: int = 0, *, jobs: int = JOBS) -> list[Submission]:
    """Draw a week of jobs for the 256-node machine.

    Sizes and run times are drawn in strata, so that their moments hardly vary with
    the seed. Long jobs come in chains; short ones in bursts of one user, by day
    rather than by night, half of them one after the other.

    Parameters
    ----------
    seed
        Random seed.
    jobs
        Number of jobs; with fewer the week is emptier.

    Raises
    ------
    InputError
        If ``jobs`` is below 1.

    Examples
    --------
    >>> week = synthetic_week(1)
    >>> len(week), sum(job.processors == 8 for job in week)
    (21902, 6692)
    """
    if jobs < 1:
        raise InputError("must be at least 1", "jobs", jobs)
    random = np.random.default_rng(seed)
    small = round(SMALL * jobs)
    nodes = np.concatenate(
        [np.ones(small, dtype=np.int64), _nodes(random, jobs - small)]
    )
    seconds = np.concatenate([_short(random, small), _run_times(random, jobs - small)])
    chains = _chains(random, nodes, seconds)
    return _number_jobs(random, nodes, seconds, chains)


def submissions_of(jobs: Iterable[TraceJob], processors: int) -> Iterator[Submission]:
    """Convert the jobs of a trace that this many processors can run.

    Those without submit time, run time or size, partial runs and jobs larger than the
    machine are skipped. A job that names a preceding one follows its end by the
    trace's think time, if both are known.
    """
    known: set[int] = set()
    for job in jobs:
        size = job.processors
        if job.submit is None or job.run is None or size is None or job.partial:
            continue
        if size > processors or job.number in known:
            continue
        follows = job.preceding if job.preceding in known else None
        wait = job.submit if follows is None else (job.think_time or 0)
        known.add(job.number)
        yield Submission(job.number, size, job.run, wait, follows)


def _strata(random: np.random.Generator, count: int) -> npt.NDArray[np.float64]:
    """Return numbers between 0 and 1, one in each of equal parts, shuffled."""
    inside = (np.arange(count) + random.random(count)) / max(count, 1)
    return random.permutation(np.clip(inside, 1e-9, 1 - 1e-9))


@cache
def _node_shares() -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Tilt the requested shares until mean and deviation are those of the paper."""
    sizes = np.array(list(_POPULAR), dtype=np.float64)
    base = np.array(list(_POPULAR.values()), dtype=np.float64)

    def shares(tilt: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        z = (sizes - _MEAN_NODES) / _SPREAD_NODES
        weights = base * np.exp(tilt[0] * z - tilt[1] * z * z)
        normed: npt.NDArray[np.float64] = weights / weights.sum()
        return normed

    def off(tilt: npt.NDArray[np.float64]) -> list[float]:
        p = shares(tilt)
        mean = float(p @ sizes)
        spread = float(p @ (sizes - mean) ** 2) ** 0.5
        return [mean - _MEAN_NODES, spread - _SPREAD_NODES]

    found = optimize.root(off, x0=np.zeros(2))
    assert found.success
    return tuple(_POPULAR), tuple(shares(found.x).tolist())


def _nodes(random: np.random.Generator, count: int) -> npt.NDArray[np.int64]:
    sizes, shares = _node_shares()
    steps = np.cumsum(shares)
    steps[-1] = 1.0
    return np.array(sizes, dtype=np.int64)[
        np.searchsorted(steps, _strata(random, count))
    ]


def _lognormal(
    uniform: npt.NDArray[np.float64], mean: float, spread: float
) -> npt.NDArray[np.float64]:
    variance = np.log1p((spread / mean) ** 2)
    location = np.log(mean) - variance / 2
    values: npt.NDArray[np.float64] = np.exp(
        location + np.sqrt(variance) * stats.norm.ppf(uniform)
    )
    return values


def _whole(seconds: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.int64]:
    return np.clip(np.rint(seconds), 1, most).astype(np.int64)


def _short(random: np.random.Generator, count: int) -> npt.NDArray[np.int64]:
    """Run times on one node: 243 ± 390 s."""
    return _whole(_lognormal(_strata(random, count), 243.0, 390.0), LONGEST)


def _run_times(random: np.random.Generator, count: int) -> npt.NDArray[np.int64]:
    """Run times on several nodes: 848 ± 3170 s, the long ones 8375 ± 6445 s."""
    many = round(_LONG * count)
    span = LONGEST - _PATIENCE
    mean, variance = (8375 - _PATIENCE) / span, (6445 / span) ** 2
    weight = mean * (1 - mean) / variance - 1
    share = stats.beta.ppf(_strata(random, many), mean * weight, (1 - mean) * weight)
    long = _whole(_PATIENCE + 1 + span * np.asarray(share), LONGEST)
    short = _whole(_lognormal(_strata(random, count - many), 50.0, 140.0), _PATIENCE)
    return random.permutation(np.concatenate([long, short]))


def _chains(
    random: np.random.Generator,
    nodes: npt.NDArray[np.int64],
    seconds: npt.NDArray[np.int64],
) -> list[tuple[list[int], bool]]:
    """Group jobs of one size into chains and bursts."""
    chains: list[tuple[list[int], bool]] = []
    long = seconds > _PATIENCE
    for mean, which in ((_LINKS, long), (_BURST, ~long)):
        for size in np.unique(nodes[which]):
            left = random.permutation(np.flatnonzero(which & (nodes == size))).tolist()
            while left:
                length = int(random.geometric(1 / mean))
                links, left = left[:length], left[length:]
                # a chain must end within the week
                while links and seconds[links].sum() > WEEK:
                    left.append(links.pop())
                chained = mean == _LINKS or bool(random.random() < 0.5)
                chains.append((links, chained))
    return chains


def _number_jobs(
    random: np.random.Generator,
    nodes: npt.NDArray[np.int64],
    seconds: npt.NDArray[np.int64],
    chains: list[tuple[list[int], bool]],
) -> list[Submission]:
    """Draw the submission time of every chain and burst, and number the jobs."""
    made: list[tuple[int, int, int | None]] = []
    for links, chained in chains:
        lasting = int(seconds[links].sum()) if chained else 0
        begin = _hour(random, WEEK - lasting)
        previous: int | None = None
        for job in links:
            if chained and previous is not None:
                made.append((begin, job, previous))
            else:
                made.append((begin, job, None))
                begin += 0 if chained else int(random.exponential(120.0))
            previous = job
    # followers come after those they follow: chains are listed in order
    place = {job: i for i, (_, job, _) in enumerate(made)}
    order = sorted(made, key=lambda one: (one[0], place[one[1]]))
    number = {job: i for i, (_, job, _) in enumerate(order, start=1)}
    return [
        Submission(
            number[job],
            NODE * int(nodes[job]),
            int(seconds[job]),
            begin if after is None else 0,
            None if after is None else number[after],
        )
        for begin, job, after in order
    ]


def _hour(random: np.random.Generator, most: int) -> int:
    """Draw a time of submission: by day twice as often, at the weekend half."""
    while True:
        time = random.random() * most
        day, hour = divmod(time / 3600, 24)
        weight = (1.0 if 8 <= hour < 20 else 0.5) * (0.5 if day >= 5 else 1.0)
        if random.random() < weight:
            return int(time)
