"""Drawn machines, states and jobs of parts, and states of a replayed stream."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from ...clusters.jobs.machine import tree_of
from ...clusters.rules.jobs import JOB_RULES
from ...clusters.topologies.switch_trees import SourceFile, cluster_of, switches_of
from ...clusters.whatif.machine import IdleNodes
from ...formulations.cluster.changes.change import OngoingJob, RunningState
from ...formulations.cluster.constraints import (
    Apart,
    Groups,
    LeastDomains,
    MostPods,
    Slices,
    within,
)
from ...formulations.cluster.domains import DomainTree, NodeDevices
from ...formulations.cluster.job import GangJob, ObjectivePart, Role
from ...heuristics.allocation.allocator import Allocation
from ...simulation.stream.jobs import generate
from ...simulation.stream.simulator import Start, simulate

LEVELS = ("rack", "block", "zone", "site")
SHAPES = {"tree": (5, 10, 20), "NVL72": (4, 5, 18), "blocks": (8, 4, 16)}
"""Domains in domains, and nodes in a rack."""
DEVICES = {"tree": 8, "NVL72": 4, "blocks": 8}
"""Of a node."""
_MEAN, _SECONDS, _LOAD, _WARM = 24, 600, 0.9, 100
"""Of the stream: nodes and seconds of a job, load, jobs before the first state."""


def even_tree(*sizes: int) -> DomainTree:
    """Make a tree of domains, listed depth first."""
    paths = {}
    for *above, i in product(*map(range, sizes)):
        path = tuple(map(str, above))
        paths[f"{'/'.join(path)}-{i}"] = path
    switches = switches_of(paths, "all")
    drawn = cluster_of("drawn", switches, SourceFile("drawn"), levels=LEVELS)
    return tree_of(drawn.fabrics[0])


def leaders(count: int, ask: int, size: int, spread: int) -> GangJob:
    """Leaders with their workers within racks, so many of them in a block."""
    roles = Role("leader", count, 1), Role("worker", size * count, ask)
    return GangJob(
        roles,
        (
            Groups("rack", ("leader", "worker"), (1, size)),
            MostPods("rack", ("leader",), spread),
            LeastDomains("block", ("leader",), min(3, count)),
        ),
    )


def inference(count: int, ask: int, size: int, spread: int) -> GangJob:
    """Prefill and decode within a block and apart, routers spread."""
    roles = (
        Role("prefill", 2 * count, 8),
        Role("decode", size * count, ask),
        Role("router", 3, 1),
    )
    return GangJob(
        roles,
        (
            within("block", ("prefill", "decode")),
            Slices("rack", ("prefill",), 2),
            Slices("rack", ("decode",), size),
            Apart("rack", ("prefill", "decode")),
            MostPods("block", ("router",), 1),
        ),
    )


def replicas(count: int, ask: int, size: int, spread: int) -> GangJob:
    """Three services, each spread over racks and apart from the others."""
    names = ("web", "cache", "index")
    roles = tuple(
        Role(name, count, n) for name, n in zip(names, (1, 2, ask), strict=True)
    )
    spreads = [MostPods("rack", (name,), spread) for name in names]
    least = [LeastDomains("block", (name,), min(3, count)) for name in names]
    return GangJob(roles, (*spreads, *least, Apart("rack", names)))


TEMPLATES = {"leaders": leaders, "inference": inference, "replicas": replicas}
KINDS = (
    *("any nodes", "within a block", "slices", "nested slices", "smaller last slice"),
    *TEMPLATES,
)


def whole(pods: int, *sizes: int) -> GangJob:
    """Return a job of whole nodes, in slices within racks, blocks and so on."""
    some = zip(LEVELS, sizes, strict=False)
    slices = (Slices(level, ("worker",), size) for level, size in some)
    return GangJob((Role("worker", pods),), tuple(slices))


def drawn_job(lots: random.Random, kind: str, devices: NodeDevices) -> GangJob:
    """Draw a job of a kind that wants few blocks, and of these few racks."""
    most, free = int(devices.whole.max()), devices.free[devices.free > 0]
    ask, size, groups = lots.choice([2, 4]), lots.choice([2, 4, 8]), lots.choice([2, 3])
    if kind in TEMPLATES:
        each = {"leaders": 1 + ask * size, "inference": 64 + 4 * ask * size}
        count = round(free.sum() * lots.uniform(0.05, 0.5) / each.get(kind, 3 + ask))
        count = min(max(1, count), 9 if kind == "replicas" else 40)
        job = TEMPLATES[kind](count, ask, size, lots.choice([1, 2, 4]))
    else:
        sizes = [size, size * groups][: KINDS.index(kind) - 1]
        sizes = sizes[:1] if kind == KINDS[4] else sizes
        unit = sizes[-1] if sizes else 1
        part = lots.uniform(0.05, 0.7) / (5 if kind == KINDS[1] else 1)
        pods = unit * max(1, round((devices.free == most).sum() * part / unit))
        more = lots.randrange(1, size) if kind == KINDS[4] else 0
        job = whole(pods + more, *sizes)
        if kind == KINDS[1]:
            job = replace(job, constraints=(within("block", ("worker",)),))
    roles = tuple(
        x if x.devices is None else replace(x, devices=min(most, x.devices))
        for x in job.roles
    )
    parts = tuple(ObjectivePart("domains", x) for x in ("block", "rack"))
    return replace(job, roles=roles, objective=parts)


def drawn_state(
    lots: random.Random, tree: DomainTree, each: int, busy: float
) -> RunningState:
    """Draw jobs on nodes of so many devices until a share of these is in use.

    A job has nodes one after another from any on; three in ten take half of each.
    """
    free = np.full(len(tree.nodes), each)
    jobs: list[OngoingJob] = []
    while free.sum() > (1 - busy) * each * len(free):
        ask = each // 2 if lots.random() < 0.3 else each
        first, size = lots.randrange(len(free)), lots.choice([1, 2, 4, 8, 16, 24])
        on = [i for i in range(first, len(free)) if free[i] >= ask][:size]
        free[on] -= ask
        if on:
            lost = lots.randrange(86400)
            jobs.append(OngoingJob(f"j{len(jobs)}", dict.fromkeys(on, ask), lost=lost))
    devices = NodeDevices(tree, free, np.full(len(free), each))
    return RunningState(devices, tuple(jobs))


class _RuleMachine(IdleNodes):
    def __init__(self, tree: DomainTree, rule: str) -> None:
        self.tree, self.rule = tree, JOB_RULES[rule]
        super().__init__(np.ones(len(tree.nodes), dtype=np.bool_))

    def allocate(
        self, k: int, shape: tuple[int, ...] | None = None
    ) -> Allocation | None:
        """Allocate nodes to a job; None if it cannot be served now."""
        one = np.ones(len(self.idle), dtype=np.int64)
        devices = NodeDevices(self.tree, np.where(self.idle, 1, -1), one)
        found = self.rule(whole(k), devices) if k <= self.free else None
        if found is None:
            return None
        return self.take(np.array(found["worker"]))


def recorded_states(
    seed: int, tree: DomainTree, each: int, count: int
) -> Iterator[RunningState]:
    """Yield states of a drawn stream, replayed by Kueue's best fit, at some starts."""
    n, whole = len(tree.nodes), np.full(len(tree.nodes), each)
    mean = min(_MEAN, n // 8)
    jobs = generate(
        _WARM + 5 * count,
        seed=seed,
        most=n // 4,
        sizes=f"exponential:{mean}",
        interarrival=mean * _SECONDS / (_LOAD * n),
        service=f"exponential:{_SECONDS}",
    )
    running: dict[int, OngoingJob] = {}
    starts = 0
    for event in simulate(jobs, _RuleMachine(tree, "kueue-best-fit")):
        number = event.job.number
        if not isinstance(event, Start):
            del running[number]
            continue
        on = dict.fromkeys(event.grant.used.tolist(), each)
        running[number] = OngoingJob(f"j{number}", on, lost=number)
        starts += 1
        if starts > _WARM and starts % 5 == 0:
            free = whole.copy()
            free[[i for one in running.values() for i in one.nodes]] = 0
            yield RunningState(NodeDevices(tree, free, whole), tuple(running.values()))
