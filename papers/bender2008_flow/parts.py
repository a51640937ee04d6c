"""One strategy on one stream, with service times that the network decides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ...heuristics.allocation.allocator import Allocator
from ...heuristics.allocation.curves import Curve, processors_along
from ...instances import IntArray, Mesh
from ...network.jobs import Deliveries
from ...network.messages import Messages, messages
from ...network.workloads.causal import mixed
from ...network.worm.engine import RigidWorms
from ...simulation.stream.jobs import StreamJob
from ...simulation.stream.simulator import JobEnd, Start, StartPolicy, simulate
from .. import parts
from ..bender2008_table1.parts import placing_by

MESH = Mesh(4, 8)
SECONDS = 30
"""Seconds of the log in which a task sends one message."""
CUT = "hilbert-8x8-cut/best-fit"
"""Hilbert's curve on a square of which the mesh is a half, with a jump."""


@dataclass(frozen=True, kw_only=True)
class FlowModel:
    """What the paper does not give.

    Parameters
    ----------
    length
        Flits of a message.
    outstanding
        Messages of a task that may be under way at once; 0 for all.
    policy
        Which waiting jobs may start.
    """

    length: int = 16
    outstanding: int = 1
    policy: str = StartPolicy.FCFS.value


def quota(job: StreamJob) -> int:
    """Return how many messages each task of a job sends.

    >>> quota(StreamJob(0, 0, 4, 300, 300)), quota(StreamJob(0, 0, 4, 1, 1))
    (10, 1)
    """
    return max(1, round(job.seconds / SECONDS))


@dataclass(frozen=True, kw_only=True)
class Part(parts.Part):
    """A strategy on a stream.

    Parameters
    ----------
    jobs
        As the log has them, in seconds; numbered from 0.
    strategy
        An allocator's name, ``optimal`` or `CUT`.
    pace
        Cycles that a message is taken to last: jobs of one processor, which send
        none, last as long as so many messages, and submissions are brought to cycles.
    stretch
        Submission times are multiplied by this.
    number
        Of the shaken stream, for its name.
    """

    jobs: tuple[StreamJob, ...]
    strategy: str
    model: FlowModel
    pace: float
    stretch: Fraction
    number: int

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        return f"{self.strategy}, stretch {float(self.stretch):.2f}, run {self.number}"

    def fits(self, found: Found) -> bool:
        """Whether an outcome has a row per job."""
        return len(found.flow) == len(self.jobs) == len(found.service)

    def in_cycles(self) -> list[StreamJob]:
        """Return the jobs with times in cycles; estimates are of a quiet network."""
        scale = self.pace / SECONDS * float(self.stretch)
        return [
            replace(
                job,
                submit=round(job.submit * scale),
                estimate=round(quota(job) * self.pace),
            )
            for job in self.jobs
        ]

    def traffic(
        self, job: StreamJob, processors: IntArray, random: np.random.Generator
    ) -> Messages:
        """Return the messages of a job: to its other tasks in turn, from the next."""
        if job.processors == 1:
            place = int(processors[0])
            return messages(
                [(place, place, 1)], release=[round(quota(job) * self.pace)]
            )
        return (
            mixed(
                job.processors,
                self.model.length,
                share=0,
                io=1,
                messages=job.processors * quota(job),
                outstanding=self.model.outstanding,
            )
            .to_messages(unit=1)
            .on(processors.tolist())
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(parts.Arrays):
    """The outcome of a part, by the numbers of the jobs, in cycles."""

    flow: IntArray  # from submission to end
    service: IntArray  # from start to end
    used: IntArray  # processor cycles in use, and those of the machine


def run(part: Part) -> Found:
    """Run a part."""
    jobs = part.in_cycles()
    machine = allocator_of(part)
    ends = Deliveries(RigidWorms(MESH), part.traffic, seed=part.seed)
    flow = np.zeros(len(jobs), np.int64)
    service = np.zeros(len(jobs), np.int64)
    size = np.zeros(len(jobs), np.int64)
    last = 0
    for event in simulate(jobs, machine, StartPolicy(part.model.policy), ends):
        job, last = event.job, event.time
        if isinstance(event, Start):
            service[job.number] = -event.time
            size[job.number] = job.processors
        else:
            assert isinstance(event, JobEnd)
            service[job.number] += event.time
            flow[job.number] = event.time - job.submit
    used = np.array([int((service * size).sum()), last * MESH_SIZE], np.int64)
    return Found(flow=flow, service=service, used=used)


MESH_SIZE = sum(1 for _ in MESH.locations())


def allocator_of(part: Part) -> Allocator:
    """Return the strategy of a part on an idle machine."""
    if part.strategy == CUT:
        return CutCurve()
    return placing_by(part.strategy, MESH, seed=part.seed, nodes=part.nodes)


class CutCurve(Curve):
    """Best fit along the curve of the 8x8 square, of which the mesh is four columns.

    The curve leaves the mesh half-way, and comes back seven processors away. The curve
    of `hilbert/best-fit` is made for the sides that the mesh has, and never jumps.
    """

    def __init__(self) -> None:
        super().__init__(MESH, order="hilbert", packing="best-fit")
        rows, columns = MESH.shape
        cells = np.stack(
            np.unravel_index(
                processors_along("hilbert", (columns, columns)), (columns, columns)
            )
        )
        inside = cells[:, cells[1] < rows]
        self.order = np.ravel_multi_index((inside[1], inside[0]), MESH.shape)
