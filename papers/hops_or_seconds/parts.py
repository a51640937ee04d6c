"""One state of a machine: every workload on every set of processors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...instances import IntArray
from ...network.engine import Engine
from ...network.messages import Ints, Messages
from ...network.runs import engine_for
from .. import parts
from .machines import LOADS, MACHINES, choices, names, state
from .objectives import OF_SET, OF_TRAFFIC, Floats, StaticLoads, of_set
from .workloads import messages, phits

START = 4096
"""Cycle at which the job comes; others begin at drawn cycles before it."""


@dataclass(frozen=True, kw_only=True)
class Part(parts.Part):
    """A state of a machine, a size of the job, and the workloads it may run.

    The seed is that of the state. ``traffic`` is a file; ``digest`` its content, on
    which the outcome depends.
    """

    machine: str
    load: str
    k: int
    workloads: tuple[str, ...]
    budget: int
    traffic: str | None = field(compare=False, repr=False)
    digest: str

    @property
    def about(self) -> str:
        """Its name, for progress and error messages."""
        return f"{self.machine}, {self.load}, {self.k} processors, state {self.seed}"

    def fits(self, found: Found) -> bool:
        """Whether an outcome has the form of this part's outcomes."""
        sets = len(found.of_set)
        return (
            found.times.shape == (len(self.workloads), sets) == found.others.shape
            and found.of_set.shape == (sets, len(OF_SET))
            and found.of_traffic.shape == (len(self.workloads), sets, len(OF_TRAFFIC))
            and len(found.which) == len(names(MACHINES[self.machine]))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(parts.Arrays):
    """The outcome of a part; sets of processors are listed once."""

    times: IntArray  # cycles from the start of the job to its end, (workloads, sets)
    others: Floats  # phits of others that arrive per cycle, (workloads, sets)
    of_set: Floats  # objectives, (sets, objectives)
    of_traffic: Floats  # objectives, (workloads, sets, objectives)
    which: IntArray  # set of each method and draw
    proven: IntArray  # whether the pair sum of the optimum is proved


def run(part: Part) -> Found:
    """Choose processors, measure the sets, and simulate every workload on each."""
    machine, load = MACHINES[part.machine], LOADS[part.load]
    there = state(machine, load.busy, part.seed)
    chosen = choices(machine, there, part.k, part.seed)
    static = StaticLoads(machine)
    rest = there.others if load.traffic else ()
    times, rates, of_traffic = [], [], []
    for name in part.workloads:
        given = part.budget, part.traffic
        sent = phits(name, part.k, *given)
        background = sum(
            (static.loads(phits(name, len(one), *given), one.tolist()) for one in rest),
            start=np.zeros(1, np.int64),
        )
        others = [messages(name, len(one), *given).on(one.tolist()) for one in rest]
        own = messages(name, part.k, *given)
        row, values = [], []  # cycles and rates, objectives
        for used in chosen.sets:
            loads = static.loads(sent, used.tolist())
            values.append(traffic_objectives(loads, background))
            engine = engine_for(
                machine.network, machine.switching, packet=machine.packet
            )
            row.append(time_job(engine, own.on(used.tolist()), others, part.seed))
        times.append([cycles for cycles, _ in row])
        rates.append([rate for _, rate in row])
        of_traffic.append(values)
    return Found(
        times=np.array(times, np.int64),
        others=np.array(rates, np.float64),
        of_set=np.array([of_set(machine, static, one) for one in chosen.sets]),
        of_traffic=np.array(of_traffic, np.float64),
        which=chosen.which,
        proven=np.array([chosen.proven], np.int64),
    )


def traffic_objectives(loads: IntArray, background: IntArray) -> list[int]:
    """Return the objectives of `OF_TRAFFIC`, from what each link carries.

    Only links that the job uses count among others: a busy link elsewhere, which no
    choice of processors changes, would hide all differences.
    """
    used = loads > 0
    shared = np.max(loads + background, where=used, initial=0)
    return [int(loads.sum()), int(loads.max()), int(shared)]


def time_job(
    engine: Engine, own: Messages, others: list[Messages], seed: int
) -> tuple[int, float]:
    """Return the cycles that a job takes, and what others get meanwhile.

    Each of the others begins at a cycle of its own before the job comes, and again
    whenever it ends, so that all of them send until the job has ended.

    Returns
    -------
    tuple
        Cycles, and the phits of messages of others that arrive per cycle.
    """
    if not others:
        engine.add(own)
        return engine.finish(), 0.0
    begins = np.random.default_rng((seed, 2)).integers(0, START, len(others))
    lengths = []

    def send(job: int, messages: Messages) -> None:
        lengths.append(messages.length * (job > 0))
        engine.add(messages, job)

    for job, (one, begin) in enumerate(zip(others, begins.tolist(), strict=True), 1):
        send(job, later(one, begin))
    while ended := engine.run(START):
        for job in ended:
            send(job, others[job - 1])
    assert engine.time == START
    send(0, own)
    while 0 not in (ended := engine.run()):
        for job in ended:
            send(job, others[job - 1])
    came = engine.delivered > START
    cycles = engine.time - START
    return cycles, float(np.concatenate(lengths)[came].sum() / cycles)


def later(one: Messages, cycles: int) -> Messages:
    """Return the same messages, released later."""
    release: Ints = one.release + cycles
    return Messages(one.source, one.target, one.length, release, one.before, one.after)
