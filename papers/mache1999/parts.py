"""One strategy on one workload at one load: how every job lies, and the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np

from ...heuristics.allocation.allocator import Allocator
from ...instances import IntArray, Mesh
from ...methods.allocators.of_method import MethodAsAllocator
from ...simulation.stream.jobs import StreamJob, rescale
from ...simulation.stream.measures import Meter
from ...simulation.stream.simulator import Start, simulate
from ...solvers import Status
from .. import parts
from ..bender2008_table1.parts import placing_by
from ..bender2008_table1.streams import offered_load

AUTO = "auto"
"""Methods that run with a limit of nodes in place of one of time."""


@dataclass(frozen=True, kw_only=True)
class Part(parts.Part):
    """What is run: streams, each on a machine of its own, brought to an offered load.

    The seed is of the strategy in the first stream; each further one has the next.
    """

    streams: tuple[tuple[StreamJob, ...], ...]
    load: Fraction
    strategy: str

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        return f"{self.strategy} at load {float(self.load):g}"

    def fits(self, found: Found) -> bool:
        """Whether an outcome has as many jobs as this part."""
        return len(found.k) == sum(map(len, self.streams))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(parts.Arrays):
    """The outcome of a part; one row per job in the order of starts, per stream."""

    k: IntArray
    start: IntArray  # in seconds
    affected: IntArray  # processors of the smallest box
    balance: IntArray  # balance factor
    pieces: IntArray  # connected pieces
    pairs: IntArray  # pair sum
    span: IntArray  # seconds until the next start, or the end of the stream
    lean: IntArray  # the system's balance factor over that time, in processor seconds
    work: IntArray  # of the job, in processor seconds
    proved: IntArray  # of those placed by an optimum, 1 if proved, 0 if not; else -1


def run(part: Part) -> Found:
    """Run a part; an error if the strategy cannot serve a job."""
    topology = Mesh(part.shape)
    rows: list[tuple[int, ...]] = []
    for seed, stream in enumerate(part.streams, start=part.seed):
        factor = offered_load(stream, prod(part.shape)) / part.load
        placing = placing_by(part.strategy, topology, seed=seed, nodes=part.nodes)
        rows += _place(rescale(stream, factor), placing, part)
    columns = np.array(rows, dtype=np.int64).T.copy()
    return Found(**dict(zip(Found.__dataclass_fields__, columns, strict=True)))


def _place(
    jobs: Sequence[StreamJob], placing: Allocator, part: Part
) -> list[tuple[int, ...]]:
    """Run one stream; one row per job, in the order of the fields of `Found`."""
    meter = Meter(placing)
    side = _sides(part.shape)
    clock = leaning = 0
    span: list[int] = []
    lean: list[int] = []
    proved: list[int] = []
    for event in simulate(jobs, placing):
        passed = event.time - clock
        clock = event.time
        if span:
            span[-1] += passed
            lean[-1] += passed * abs(leaning)
        started = isinstance(event, Start)
        own = int(side[event.grant.held].sum())
        leaning += own if started else -own
        meter.see(event)
        if started:
            span.append(0)
            lean.append(0)
            proved.append(_optimality(placing, part))
    return [
        (
            *(row.processors, row.start_s),
            *(row.nodes_affected or 0, row.balance_factor or 0, row.pieces or 0),
            *(row.pair_sum, span[i], lean[i]),
            *(row.processors * (row.end_s - row.start_s), proved[i]),
        )
        for i, row in enumerate(meter.rows)
    ]


def _sides(shape: tuple[int, ...]) -> IntArray:
    """Of every processor, 1 above the middle I/O link, -1 below, 0 next to it."""
    rows = np.arange(shape[0], dtype=np.int64)
    signs: IntArray = np.sign(shape[0] - 1 - 2 * rows)
    return np.repeat(signs, prod(shape[1:]))


def _optimality(placing: Allocator, part: Part) -> int:
    if part.strategy != AUTO or not isinstance(placing, MethodAsAllocator):
        return -1
    return int(placing.last is not None and placing.last.status is Status.OPTIMAL)
