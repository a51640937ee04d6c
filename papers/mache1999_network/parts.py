"""What is run: strategies on the same jobs, with the same messages."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from ...heuristics.allocation.allocator import Allocator
from ...instances import Mesh
from ...methods.allocators.of_method import MethodAsAllocator
from ...network.jobs import Deliveries, MixedTraffic
from ...network.worm.engine import RigidWorms
from ...simulation.stream.jobs import StreamJob, generate
from ...simulation.stream.simulator import Start, simulate
from ...solvers import Status
from .. import parts
from ..bender2008_table1.parts import placing_by

Floats = npt.NDArray[np.float64]

SIZES = "box:exponential:4"
"""Sizes of jobs, as `generate` reads them."""


@dataclass(frozen=True, kw_only=True)
class Part(parts.Part):
    """Strategies on one stream; the seed is that of the stream.

    Parameters
    ----------
    strategies
        Each has the machine for itself.
    traffic
        What the jobs send.
    sizes
        Of the jobs, as `generate` reads them.
    jobs, interarrival
        Their number, and the mean cycles between two.
    """

    VERSION = 2

    strategies: tuple[str, ...]
    traffic: MixedTraffic
    sizes: str = SIZES
    jobs: int
    interarrival: float

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        return f"{100 * self.traffic.share:g} % I/O, seed {self.seed}"

    def fits(self, found: Found) -> bool:
        """Whether an outcome has a number per strategy."""
        return len(found.service) == len(self.strategies)

    def stream(self) -> list[StreamJob]:
        """Draw the jobs."""
        return generate(
            self.jobs,
            seed=self.seed,
            most=prod(self.shape),
            sides=self.shape,
            sizes=self.sizes,
            interarrival=self.interarrival,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(parts.Arrays):
    """Means over the jobs of one stream, one per strategy."""

    service: Floats  # cycles from the start of a job to its end
    wait: Floats  # cycles before the start
    utilisation: Floats  # per cent, from the first submission to the last end
    proved: Floats  # per cent of the jobs, of which an optimum was placed and proved


def run(part: Part) -> Found:
    """Run all strategies on the same jobs."""
    jobs = part.stream()
    rows = []
    for name in part.strategies:
        engine = RigidWorms(part.traffic.network, axes=(1, 0))
        ends = Deliveries(engine, part.traffic, seed=part.seed)
        machine = placing_by(name, Mesh(part.shape), seed=part.seed, nodes=part.nodes)
        rows.append(_means(jobs, machine, ends))
    service, wait, utilisation, proved = np.array(rows).T.copy()
    return Found(service=service, wait=wait, utilisation=utilisation, proved=proved)


def _means(
    jobs: list[StreamJob], machine: Allocator, ends: Deliveries
) -> tuple[float, ...]:
    """Run one strategy; the fields of `Found`."""
    begun: dict[int, int] = {}
    service = wait = held = proved = last = 0
    for event in simulate(jobs, machine, ends=ends):
        job, last = event.job, event.time
        if isinstance(event, Start):
            begun[job.number] = last
            wait += last - job.submit
            proved += _is_proved(machine)
        else:
            time = last - begun.pop(job.number)
            service += time
            held += time * job.processors
    there = machine.free * (last - jobs[0].submit)
    shares = 100 * held / there if there else 0.0, 100 * proved / len(jobs)
    return service / len(jobs), wait / len(jobs), *shares


def _is_proved(machine: Allocator) -> bool:
    if not isinstance(machine, MethodAsAllocator) or machine.last is None:
        return False
    return machine.last.status is Status.OPTIMAL
