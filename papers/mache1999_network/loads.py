"""The search for the load at which the machine is as busy as the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TypeVar

from ...network.jobs import MixedTraffic
from ..catalogue import RunOptions
from ..parts import run_all
from .parts import SIZES, Found, Part, run
from .printed import SIX

Key = TypeVar("Key")

GOAL = 65.0
"""Utilisation in per cent that is searched for: the middle of what the paper states."""
NEAR = 5.0
"""Distance from it that is near enough on all streams: 60 to 70 %, as in the paper."""
NEARER = 3.0
"""The same on the few streams on which the search begins."""
STEPS = 10
"""Most loads that are tried, on some streams."""
NODES = 20_000
"""Limit of the search for an optimum."""


@dataclass(frozen=True, kw_only=True)
class LoadCase:
    """What jobs send, how large they are, and how busy the machine is to be.

    ``start`` is the time between arrivals that is tried first.
    """

    traffic: MixedTraffic
    sizes: str = SIZES
    goal: float = GOAL
    start: float

    def part(
        self, interarrival: float, jobs: int, seed: int, strategies: tuple[str, ...]
    ) -> Part:
        """Return the part of one stream at one load."""
        return Part(
            shape=self.traffic.shape,
            nodes=NODES,
            seed=seed,
            strategies=strategies,
            traffic=self.traffic,
            sizes=self.sizes,
            jobs=jobs,
            interarrival=interarrival,
        )


@dataclass(frozen=True, kw_only=True)
class LoadOutcome:
    """The paper's six strategies at the load that was found."""

    interarrival: float
    tried: Mapping[float, float]
    """Mean utilisation by the time between arrivals, on all streams."""
    found: Sequence[Found]
    """What every stream gave there."""


def search_loads(
    cases: Mapping[Key, LoadCase],
    jobs: int,
    streams: Sequence[Sequence[int]],
    options: RunOptions,
) -> dict[Key, LoadOutcome]:
    """Search the load of every case, all cases side by side.

    Parameters
    ----------
    cases
        What is searched for.
    jobs
        Of a stream.
    streams
        Seeds of the streams. The search is done on the first ones, then again on the
        next, from what was found: few streams are quick, all of them are what counts.
    options
        How to run.

    Returns
    -------
    dict
        What was found on the last streams.
    """
    gaps = {key: case.start for key, case in cases.items()}
    made: dict[Part, Found] = {}
    tried: dict[Key, dict[float, float]] = {}
    for seeds in streams:
        near = NEARER if len(seeds) < len(streams[-1]) else NEAR
        tried = {key: {} for key in cases}
        due = dict(gaps)
        while due:
            parts = {
                key: [cases[key].part(gap, jobs, seed, SIX) for seed in seeds]
                for key, gap in due.items()
            }
            new = [part for group in parts.values() for part in group]
            new = [part for part in new if part not in made]
            made |= run_all({part: part for part in new}, run, Found, options)
            for key, group in parts.items():
                busy = [float(made[part].utilisation.mean()) for part in group]
                tried[key][due[key]] = sum(busy) / len(busy)
            due = {
                key: gap
                for key in due
                if (gap := following(tried[key], cases[key].goal, near)) is not None
            }
        gaps = {key: nearest(tried[key], case.goal) for key, case in cases.items()}
    return {
        key: LoadOutcome(
            interarrival=gap,
            tried=tried[key],
            found=[made[cases[key].part(gap, jobs, s, SIX)] for s in streams[-1]],
        )
        for key, gap in gaps.items()
    }


def nearest(tried: Mapping[float, float], goal: float) -> float:
    """Return the time between arrivals whose utilisation is nearest to the goal."""
    return min(tried, key=lambda gap: abs(tried[gap] - goal))


def following(tried: Mapping[float, float], goal: float, near: float) -> float | None:
    """Return the time between arrivals to try next, None if the last is near enough.

    Between a load too high and one too low it is interpolated, by the logarithm; else
    the last one is scaled by what is missing, to a power that the last two give.

    >>> following({500: 26.0}, 65, 3), following({500: 26.0, 200: 64.0}, 65, 3)
    (200.0, None)
    """
    *others, gap = tried
    share = tried[gap]
    if abs(share - goal) <= near or len(tried) == STEPS:
        return None
    short = max((one for one in tried if tried[one] > goal), default=None)
    long = min((one for one in tried if tried[one] <= goal), default=None)
    if short is not None and long is not None:
        part = (tried[short] - goal) / (tried[short] - tried[long])
        part = min(0.9, max(0.1, part))
        gap = short ** (1 - part) * long**part
    else:
        steep = 1.0
        if others and min(share, tried[others[-1]]) > 0:
            steep = -log(share / tried[others[-1]]) / log(gap / others[-1])
        gap *= min(3.0, max(1 / 3, (share / goal) ** (1 / max(0.25, steep))))
    gap = float(f"{gap:.3g}")
    return None if gap in tried else gap
