"""A stream of jobs whose ends the network decides, under each rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...heuristics.allocation.allocator import Allocation, Allocator
from ...instances import IntArray
from ...methods.allocators.table import allocator
from ...network.contention.allocator import Contention
from ...network.engine import Engine
from ...network.jobs import Deliveries
from ...network.messages import Messages
from ...simulation.stream.jobs import StreamJob
from ...simulation.stream.simulator import JobEnd, Start, simulate
from .. import parts
from .choices import FEW, GREEDY, PAIR_SUM, SEARCHES, STREAM, Search
from .machines import MACHINES, SIZES, NetworkSystem, by_rule, table_of
from .workloads import PATTERNS, messages, phits

FIRST_FIT, DRAWN = "first fit", "random"
MORE, USUAL = "contention p=2, reserve 2", "allocator contention"
SEARCH = {name: SEARCHES[name] for name in (GREEDY, "contention p=2", STREAM)}
SEARCH |= {MORE: Search("all", 2, 2), USUAL: SEARCHES[STREAM]}
RULES = (PAIR_SUM, FEW, FIRST_FIT, *SEARCH, DRAWN)
"""`USUAL` is run on trees only: elsewhere the reserve of the allocator is one port."""
JOBS = 120
AGAIN = 1 / 5
"""A job sends its pattern once, and then as often as a draw fails that succeeds with
this probability."""


@dataclass(frozen=True, kw_only=True)
class StreamPart(parts.Part):
    """A stream, which its seed draws, under one rule."""

    VERSION = 2

    machine: str
    rule: str
    jobs: int

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        return f"{self.machine}, {self.rule}, stream {self.seed}"

    def fits(self, found: StreamFound) -> bool:
        """Whether an outcome has the form of this part's outcomes."""
        return found.spans.shape == (self.jobs, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFound(parts.Arrays):
    """The outcome of a part."""

    spans: IntArray  # of each job: submission, start, end in cycles, and processors


@dataclass(frozen=True)
class Drawn:
    """What a job of a stream sends, and how often."""

    pattern: str
    times: int


def draw(
    machine: NetworkSystem, jobs: int, seed: int
) -> tuple[list[StreamJob], list[Drawn]]:
    """Draw jobs that arrive at random, their sizes, patterns and repetitions."""
    random = np.random.default_rng((seed, 3))
    submit = np.cumsum(random.exponential(machine.gap, jobs)).round().astype(int)
    sizes = random.choice(SIZES, jobs).tolist()
    patterns = random.choice(list(PATTERNS), jobs).tolist()
    times = random.geometric(AGAIN, jobs).tolist()
    rows = zip(submit.tolist(), sizes, strict=True)
    stream = [StreamJob(i, at, k, 0, 0) for i, (at, k) in enumerate(rows)]
    return stream, [Drawn(*row) for row in zip(patterns, times, strict=True)]


class Repeats(Deliveries):
    """Jobs end when their pattern has been sent, and has arrived, often enough."""

    def __init__(self, engine: Engine, drawn: list[Drawn]) -> None:
        super().__init__(engine, lambda job, used, random: self._first(job, used))
        self._drawn = drawn
        self._left: dict[int, tuple[Messages, int]] = {}

    def _first(self, job: StreamJob, used: IntArray) -> Messages:
        due = self._drawn[job.number]
        found = messages(due.pattern, len(used)).on(np.sort(used).tolist())
        self._left[job.number] = found, due.times - 1
        return found

    def until(self, time: int | None) -> tuple[int, list[int]] | None:
        """Run the network up to the next end of jobs; see `Ends`."""
        while due := super().until(time):
            now, ended = due
            over = []
            for job in ended:
                found, left = self._left[job]
                if left:
                    self._left[job] = found, left - 1
                    self.engine.add(found, job)
                else:
                    over.append(job)
            if over:
                return now, over
        return None


class Informed(Contention):
    """An allocator that knows what the next job sends: first come, first served."""

    def __init__(
        self, machine: NetworkSystem, rule: str, drawn: list[Drawn], seed: int
    ) -> None:
        super().__init__(
            machine.network,
            seed=seed,
            table=table_of(machine.name),
            power=SEARCH[rule].power,
            reserve=None if rule == USUAL else SEARCH[rule].reserve,
        )
        self._drawn, self._next = drawn, 0

    def allocate(self, k: int, shape: Sequence[int] | None = None) -> Allocation | None:
        """Allocate processors to the next job; None if it cannot be served now."""
        self.expect(phits(self._drawn[self._next].pattern, k))
        grant = super().allocate(k, shape)
        self._next += grant is not None
        return grant


def run(part: StreamPart) -> StreamFound:
    """Run a stream; first come, first served."""
    machine = MACHINES[part.machine]
    jobs, drawn = draw(machine, part.jobs, part.seed)
    served: Allocator
    if part.rule in SEARCH:
        served = Informed(machine, part.rule, drawn, part.seed)
    elif part.rule in (FEW, FIRST_FIT):
        served = by_rule(machine, part.rule)
    else:
        method = "mm-inc" if part.rule == PAIR_SUM else DRAWN
        served = allocator(method, machine.network, seed=part.seed)
    spans = np.zeros((len(jobs), 4), np.int64)
    ends = Repeats(machine.engine(), drawn)
    for event in simulate(jobs, served, ends=ends):
        at, one = event.job.number, event.job
        if isinstance(event, Start):
            spans[at] = one.submit, event.time, 0, one.processors
        elif isinstance(event, JobEnd):
            spans[at, 2] = event.time
    return StreamFound(spans=spans)
