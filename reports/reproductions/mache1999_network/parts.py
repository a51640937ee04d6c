"""What is run: the search for a load, and all strategies on the same jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import numpy.typing as npt

from ....instances import IntArray, Mesh
from ....methods.allocators import allocator
from ....simulation.network.jobs import Deliveries, MixedTraffic
from ....simulation.network.messages import Messages
from ....simulation.network.workloads_format import Workload
from ....simulation.network.worm import RigidWorms
from ....simulation.stream_jobs import StreamJob, generated
from ....simulation.stream_measures import Summary, measure
from .. import parts

Floats = npt.NDArray[np.float64]

GOAL = 65.0
"""Utilisation in per cent that is searched for."""
NEAR = 3.0
"""Distance from it that is near enough."""
STEPS = 10
"""Most loads that are tried."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """What the paper leaves open.

    Parameters
    ----------
    sizes
        Of jobs, as `generated` reads them.
    messages, length, per, outstanding
        See `MixedTraffic`.
    """

    sizes: str = "box:exponential:4"
    messages: float = 256.0
    length: int = 4
    per: str = "job"
    outstanding: int = 1


@dataclass(frozen=True, kw_only=True)
class Column(parts.Part):
    """Strategies at one share of I/O; the seed is that of the (first) stream."""

    strategies: tuple[str, ...]
    share: int  # per cent
    jobs: int
    model: Model

    def jobs_at(self, interarrival: float) -> list[StreamJob]:
        """Draw the stream."""
        return generated(
            self.jobs,
            seed=self.seed,
            most=self.shape[0] * self.shape[1],
            sides=self.shape,
            sizes=self.model.sizes,
            interarrival=interarrival,
        )

    def each(self, interarrival: float) -> list[Summary]:
        """Run every strategy on the same jobs, with the same messages."""
        model = self.model
        rows, columns = self.shape
        traffic = MixedTraffic(
            shape=(rows, columns),
            share=self.share / 100,
            messages=model.messages,
            length=model.length,
            per=model.per,
            outstanding=model.outstanding,
        )
        drawn: dict[int, Workload] = {}

        def send(
            job: StreamJob, processors: IntArray, random: np.random.Generator
        ) -> Messages:
            if job.number not in drawn:
                drawn[job.number] = traffic.draw(job, random)
            return drawn[job.number].on(traffic.nodes(processors), unit=1)

        jobs = self.jobs_at(interarrival)
        found = []
        for name in self.strategies:
            engine = RigidWorms(traffic.network, axes=(1, 0))
            machine = allocator(name, Mesh(self.shape), seed=self.seed)
            ends = Deliveries(engine, send, seed=self.seed)
            found.append(measure(jobs, machine, ends=ends)[0])
        return found


@dataclass(frozen=True, kw_only=True)
class Search(Column):
    """Look for the time between arrivals at which utilisation is near the goal."""

    start: float

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        return f"{self.share} % I/O: load"

    def fits(self, found: Tried) -> bool:
        """Whether an outcome has the form of this part's outcomes."""
        return 0 < len(found.interarrival) == len(found.utilisation) <= STEPS


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried(parts.Arrays):
    """The loads that were tried, and the mean utilisation of the strategies."""

    interarrival: Floats
    utilisation: Floats

    @property
    def best(self) -> float:
        """Return the time between arrivals whose utilisation is nearest to the goal."""
        return float(self.interarrival[np.abs(self.utilisation - GOAL).argmin()])


def search(part: Search) -> Tried:
    """Try loads until one is near enough."""
    return tuned(
        lambda gap: fmean(one.utilization_pct or 0.0 for one in part.each(gap)),
        part.start,
    )


def tuned(utilisation: Callable[[float], float], start: float) -> Tried:
    """Scale a time between arrivals by what is missing, then interpolate.

    >>> tuned(lambda gap: min(100, 13000 / gap), 500).interarrival.tolist()
    [500.0, 200.0]
    """
    tried: dict[float, float] = {}
    short, long = (0.0, 0.0), (0.0, 0.0)  # and the utilisation there
    gap = start
    while len(tried) < STEPS and gap not in tried:
        tried[gap] = share = utilisation(gap)
        if abs(share - GOAL) <= NEAR:
            break
        if share > GOAL:
            short = gap, share
        else:
            long = gap, share
        if short[0] and long[0]:
            part = (short[1] - GOAL) / (short[1] - long[1])
            part = min(0.9, max(0.1, part))
            gap = short[0] ** (1 - part) * long[0] ** part
        else:
            gap *= min(3.0, max(1 / 3, share / GOAL))
        gap = float(f"{gap:.3g}")
    return Tried(
        interarrival=np.array(list(tried)), utilisation=np.array(list(tried.values()))
    )


@dataclass(frozen=True, kw_only=True)
class Part(Column):
    """All strategies on one stream."""

    interarrival: float

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        return f"{self.share} % I/O, seed {self.seed}"

    def fits(self, found: Found) -> bool:
        """Whether an outcome has a number per strategy."""
        return len(found.service) == len(self.strategies)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(parts.Arrays):
    """Means over the jobs of one stream, one per strategy, in cycles."""

    service: Floats
    wait: Floats
    utilisation: Floats  # per cent


def run(part: Part) -> Found:
    """Run all strategies on the same jobs."""
    found = part.each(part.interarrival)
    wait = np.array([one.mean_wait_s or 0.0 for one in found])
    flow = np.array([one.mean_flow_time_s or 0.0 for one in found])
    return Found(
        service=flow - wait,
        wait=wait,
        utilisation=np.array([one.utilization_pct or 0.0 for one in found]),
    )


Outcomes = Mapping[tuple[int, int], Found]
"""By share of I/O and seed."""
