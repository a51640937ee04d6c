"""One job joins a machine in use: every pattern on every set of the list."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from ...instances import IntArray
from ...network.contention.allocator import ports
from ...network.engine import Engine
from ...network.messages import Ints, Messages
from .. import parts
from .choices import CHOICES, OBJECTIVES, Floats, choose, costs
from .machines import LOADS, MACHINES, NetworkSystem, state, table_of
from .workloads import PATTERNS, messages, phits

START, WINDOW = 4096, 4096
"""Cycles in which others begin, and those after them in which ports are counted; then
the job comes."""


@dataclass(frozen=True, kw_only=True)
class Part(parts.Part):
    """A state of a machine, which its seed draws, and a size of the job."""

    VERSION = 2

    machine: str
    load: str
    k: int

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        return f"{self.machine}, {self.load}, {self.k} processors, state {self.seed}"

    def fits(self, found: Found) -> bool:
        """Whether an outcome has the form of this part's outcomes."""
        cells = len(PATTERNS), len(CHOICES)
        return (
            found.times.shape == cells == found.others.shape
            and found.costs.shape == (*cells, len(OBJECTIVES))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(parts.Arrays):
    """The outcome of a part; by pattern and choice."""

    times: IntArray  # cycles from the start of the job to its end
    others: Floats  # phits of others that arrive per cycle
    costs: Floats  # objectives, a third axis
    proven: IntArray  # whether the least pair sum is proved


def run(part: Part) -> Found:
    """Choose processors, and simulate every pattern on each set."""
    machine, (busy, send) = MACHINES[part.machine], LOADS[part.load]
    there = state(machine, busy, part.seed)
    random = np.random.default_rng((part.seed, 2))
    names = random.choice(list(PATTERNS), len(there.others)).tolist()
    running = [
        messages(name, len(one)).on(one.tolist())
        for name, one in zip(names, there.others, strict=True)
    ]
    uses = [
        ports(table_of(machine.name), one, phits(name, len(one)))
        for name, one in zip(names, there.others, strict=True)
    ]
    if not send:
        running, uses = [], []
    world = OtherJobs(machine.engine(), running, random)
    none = np.zeros(len(table_of(machine.name).routes.links))
    half = random.permutation(len(uses))[: len(uses) // 2].tolist()
    known = {
        "nothing": none,
        "all": sum(uses, none),
        "half": sum((uses[i] for i in half), none),
        "counters": counters(machine, world),
    }
    chosen, proven = choose(machine, there, known, part.k, part.seed)
    times = np.zeros((len(PATTERNS), len(CHOICES)), np.int64)
    rates = np.zeros(times.shape)
    prices = np.zeros((*times.shape, len(OBJECTIVES)))
    for i, pattern in enumerate(PATTERNS):
        seen: dict[bytes, int] = {}
        for j, name in enumerate(CHOICES):
            used = chosen[name][i]
            if (same := seen.setdefault(used.tobytes(), j)) == j:
                own = messages(pattern, part.k).on(used.tolist())
                times[i, j], rates[i, j] = world.time(own)
                prices[i, j] = [*costs(machine, known, used, pattern)]
            for table in (times, rates, prices):
                table[i, j] = table[i, same]
    return Found(
        times=times,
        others=rates,
        costs=prices,
        proven=np.array([proven], np.int64),
    )


def counters(machine: NetworkSystem, world: OtherJobs) -> Floats:
    """Return the flits a cycle that each link of the table of loads has carried."""
    ends = np.concatenate([some for _, some in world.engine.channels()]).tolist()
    carried = dict(zip(map(tuple, ends), world.carried.tolist(), strict=True))
    links = table_of(machine.name).routes.links
    return np.array([carried[link] for link in links]) / WINDOW


class OtherJobs:
    """Jobs that begin one by one and send the same again whenever it has arrived.

    Attributes
    ----------
    engine
        The network at the moment at which one more job comes; not to be run.
    carried
        What its channels carried in the last `WINDOW` cycles before.
    """

    def __init__(
        self, engine: Engine, running: list[Messages], random: np.random.Generator
    ) -> None:
        self.engine, self._running = engine, running
        self._lengths: list[Ints] = []
        begins = random.integers(0, START, len(running)).tolist()
        for job, (one, begin) in enumerate(zip(running, begins, strict=True), 1):
            self._add(engine, later(one, begin), job, self._lengths)
        self._run(START)
        before = engine.carried
        self._run(START + WINDOW)
        self.carried = engine.carried - before

    def _add(
        self, engine: Engine, some: Messages, job: int, lengths: list[Ints]
    ) -> None:
        lengths.append(some.length * (job > 0))
        engine.add(some, job)

    def _run(self, until: int) -> None:
        while ended := self.engine.run(until):
            for job in ended:
                self._add(self.engine, self._running[job - 1], job, self._lengths)

    def time(self, own: Messages) -> tuple[int, float]:
        """Return the cycles that a job takes, and phits of others a cycle meanwhile."""
        network = getattr(self.engine, "network", None)  # as large, and never changed
        engine = deepcopy(self.engine, {id(network): network})
        lengths, begin = list(self._lengths), engine.time
        self._add(engine, own, 0, lengths)
        while 0 not in (ended := engine.run()):
            for job in ended:
                self._add(engine, self._running[job - 1], job, lengths)
        came = engine.delivered > begin
        cycles = engine.time - begin
        return cycles, float(np.concatenate(lengths)[came].sum() / cycles)


def later(one: Messages, cycles: int) -> Messages:
    """Return the same messages, released later."""
    release: Ints = one.release + cycles
    return Messages(one.source, one.target, one.length, release, one.before, one.after)
