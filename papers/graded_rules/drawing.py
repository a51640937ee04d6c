"""Drawn machines, states and jobs of parts, and states of a replayed stream."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import product

import numpy as np

from ...clusters.rules.jobs import JOB_RULES
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
from ...formulations.cluster.job import GangJob, JobConstraint, ObjectivePart, Role
from ...heuristics.allocation.allocator import Allocation
from ...simulation.stream.jobs import generate
from ...simulation.stream.simulator import Start, simulate

LEVELS = ("rack", "block", "zone", "site")
SHAPES = {"tree": (5, 10, 20), "NVL72": (4, 5, 18), "blocks": (8, 4, 16)}
"""Domains in domains, and nodes in a rack."""
DEVICES = {"tree": 8, "NVL72": 4, "blocks": 8}
_MEAN, _SECONDS, _LOAD = 24, 600, 0.9


def even_tree(*sizes: int) -> DomainTree:
    """Make a tree of domains, listed depth first."""
    parent, height, depth, homes = [-1], [len(sizes) - 1], len(sizes) - 1, [0]
    paths: dict[tuple[int, ...], int] = {(): 0}
    for path in sorted(
        p for d in range(1, depth + 1) for p in product(*map(range, sizes[:d]))
    ):
        paths[path] = len(parent)
        parent.append(paths[path[:-1]])
        height.append(depth - len(path))
    homes = [v for path, v in paths.items() if len(path) == depth]
    names = ["/".join(map(str, path)) or "all" for path in paths]
    nodes = [f"{names[v]}-{i}" for v in homes for i in range(sizes[-1])]
    return DomainTree(
        tuple(nodes),
        np.repeat(homes, sizes[-1]),
        tuple(names),
        np.array(parent),
        np.array(height),
        np.array([0] + [2] * (len(parent) - 1)),
        LEVELS[: depth + 1],
    )


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


TEMPLATES = (leaders, inference, replicas)


def whole(pods: int, *sizes: int) -> GangJob:
    """Whole nodes, in slices of some sizes within racks, blocks and so on."""
    some = zip(LEVELS, sizes, strict=False)
    slices: list[JobConstraint] = [Slices(x, ("worker",), n) for x, n in some]
    return GangJob((Role("worker", max(1, pods)),), tuple(slices))


def _kinds() -> Iterator[tuple[str, Callable[[random.Random, int, int], GangJob]]]:
    """Yield kinds of jobs: functions of lots, whole free nodes, and free devices."""

    def times(lots: random.Random, size: int, free: int, more: int = 0) -> int:
        return size * max(1, round(free * lots.uniform(0.05, 0.7) / size)) + more

    def in_groups(lots: random.Random, free: int, _: int) -> GangJob:
        size, groups = lots.choice([2, 4, 8]), lots.choice([2, 3, 4])
        return whole(times(lots, size * groups, free), size, size * groups)

    def rest(lots: random.Random, free: int, _: int) -> GangJob:
        size = lots.choice([4, 8])
        return whole(times(lots, size, free, lots.randrange(1, size)), size)

    def in_slices(lots: random.Random, free: int, _: int) -> GangJob:
        size = lots.choice([2, 4, 8, 12])
        return whole(times(lots, size, free), size)

    def block(lots: random.Random, free: int, _: int) -> GangJob:
        job = whole(times(lots, 1, free // 5))
        return GangJob(job.roles, (within("block", ("worker",)),))

    def of_parts(template: Callable[..., GangJob], role: int) -> Callable[..., GangJob]:
        def draw(lots: random.Random, _: int, free: int) -> GangJob:
            ask, size = lots.choice([2, 4]), lots.choice([2, 4, 6])
            each = (1 + ask * size, 4 * (16 + ask * size), 3 + ask)[role]
            count = max(1, round(free * lots.uniform(0.05, 0.5) / each))
            most = (40, 40, 9)[role]
            return template(min(count, most), ask, size, lots.choice([1, 2, 4]))

        return draw

    yield "any nodes", lambda lots, free, _: whole(times(lots, 1, free))
    yield "within a block", block
    yield "slices", in_slices
    yield "nested slices", in_groups
    yield "smaller last slice", rest
    for i, template in enumerate(TEMPLATES):
        yield template.__name__, of_parts(template, i)


KINDS: Mapping[str, Callable[[random.Random, int, int], GangJob]] = dict(_kinds())


def drawn_job(lots: random.Random, kind: str, devices: NodeDevices) -> GangJob:
    """Draw a job of a kind that wants few blocks, and of these few racks."""
    some = devices.free[devices.free > 0]
    free = int((devices.free == devices.whole).sum())
    job = KINDS[kind](lots, free, int(some.sum()))
    most = int(devices.whole.max())
    roles = tuple(
        Role(x.name, x.count, None if x.devices is None else min(most, x.devices))
        for x in job.roles
    )
    parts = tuple(ObjectivePart("domains", x) for x in ("block", "rack"))
    return GangJob(roles, job.constraints, parts)


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


class _RuleMachine:
    """Whole nodes that serve a stream by a rule."""

    def __init__(self, tree: DomainTree, rule: str) -> None:
        self.tree, self.rule = tree, JOB_RULES[rule]
        self.idle = np.ones(len(tree.nodes), dtype=np.bool_)
        self.free = len(tree.nodes)

    def allocate(
        self, k: int, shape: tuple[int, ...] | None = None
    ) -> Allocation | None:
        """Allocate nodes to a job; None if it cannot be served now."""
        one = np.ones(len(self.idle), dtype=np.int64)
        devices = NodeDevices(self.tree, np.where(self.idle, 1, -1), one)
        found = self.rule(whole(k), devices) if k <= self.free else None
        if found is None:
            return None
        used = np.array(found["worker"])
        self.idle[used] = False
        self.free -= k
        return Allocation.of(used)

    def release(self, grant: Allocation) -> None:
        """Release an allocation."""
        self.idle[grant.held] = True
        self.free += len(grant.held)

    def state(self) -> Hashable:
        """Return everything that future allocations depend on."""
        return self.idle.tobytes()


def recorded_states(
    seed: int, tree: DomainTree, each: int, count: int
) -> Iterator[RunningState]:
    """Yield states of a drawn stream, replayed by Kueue's best fit, at some starts."""
    n, start = len(tree.nodes), 100
    gap = _MEAN * _SECONDS / (_LOAD * n)
    sizes, times = f"exponential:{_MEAN}", f"exponential:{_SECONDS}"
    jobs = generate(
        start + 5 * count,
        seed=seed,
        most=n // 4,
        sizes=sizes,
        interarrival=gap,
        service=times,
    )
    running: dict[int, OngoingJob] = {}
    begun = 0
    for event in simulate(jobs, _RuleMachine(tree, "kueue-best-fit")):
        if not isinstance(event, Start):
            running.pop(event.job.number, None)
            continue
        number, on = event.job.number, dict.fromkeys(event.grant.used.tolist(), each)
        running[number] = OngoingJob(f"j{number}", on, lost=number)
        begun += 1
        if begun > start and begun % 5 == 0:
            held = {i for one in running.values() for i in one.nodes}
            free = np.array([0 if i in held else each for i in range(n)])
            devices = NodeDevices(tree, free, np.full(n, each))
            yield RunningState(devices, tuple(running.values()))
