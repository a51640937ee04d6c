"""Small jobs of parts and machines, drawn, and all their placements by brute force."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from closeknit.formulations.cluster.changes.change import OngoingJob, RunningState
from closeknit.formulations.cluster.constraints import (
    Apart,
    ApartFrom,
    Avoid,
    Groups,
    LeastDomains,
    MostDomains,
    MostPods,
    Require,
    Slices,
    within,
)
from closeknit.formulations.cluster.domains import NODE, DomainTree, NodeDevices
from closeknit.formulations.cluster.job import (
    ABSENT,
    KINDS,
    GangJob,
    JobConstraint,
    ObjectivePart,
    Role,
)
from closeknit.instances import InputError

Placed = dict[str, tuple[int, ...]]
CONSTRAINTS = (
    *("slices", "within", "groups", "most-pods", "least-domains", "most-domains"),
    *("apart", "apart-from", "require", "avoid"),
)


def tree_of(parent: list[int], home: list[int]) -> DomainTree:
    """Make a tree; levels are called L0, L1 and so on, nodes n0, n1."""
    height = [0] * len(parent)
    for v in range(len(parent) - 1, 0, -1):
        height[parent[v]] = max(height[parent[v]], height[v] + 1)
    return DomainTree(
        tuple(f"n{i}" for i in range(len(home))),
        np.array(home),
        tuple(f"d{v}" for v in range(len(parent))),
        np.array(parent),
        np.array(height),
        np.array([0] + [2] * (len(parent) - 1)),
        tuple(f"L{i}" for i in range(max(height) + 1)),
    )


def even_tree(*sizes: int) -> DomainTree:
    """Make a tree: so many domains below the root, ..., nodes in the last ones."""
    parent, last = [-1], [0]
    for size in sizes[:-1]:
        parent += [v for v in last for _ in range(size)]
        last = list(range(len(parent) - len(last) * size, len(parent)))
    return tree_of(parent, [v for v in last for _ in range(sizes[-1])])


def even_machine(*sizes: int, busy: tuple[int, ...] = ()) -> NodeDevices:
    """Make such a tree of nodes with one device, some of them out of use."""
    tree = even_tree(*sizes)
    free = tree.at(NODE) * 0 + 1
    free[list(busy)] = -1
    return NodeDevices(tree, free, free * 0 + 1)


def random_tree(chance: random.Random, nodes: int) -> DomainTree:
    """Draw a tree, possibly uneven: nodes at domains of several heights."""
    if chance.random() < 0.5:
        inner = chance.randrange(1, 3)
        leaves = [chance.randrange(1, 3) for _ in range(inner)]
        parent = [-1, *[0] * inner]
        parent += [v + 1 for v, n in enumerate(leaves) for _ in range(n)]
        homes = range(inner + 1, len(parent))
    else:
        parent = [-1]
        for v in range(1, chance.randrange(1, 6)):
            parent.append(chance.randrange(v))
        homes = range(len(parent))
    return tree_of(parent, sorted(chance.choice(homes) for _ in range(nodes)))


def random_machine(chance: random.Random, nodes: int, most: int) -> NodeDevices:
    """Draw a tree, and the devices of its nodes."""
    tree = random_tree(chance, nodes)
    whole = [chance.randrange(1, most + 1) for _ in range(nodes)]
    free = [chance.choice([n, n, chance.randrange(n + 1), -1]) for n in whole]
    return NodeDevices(tree, np.array(free), np.array(whole))


def random_roles(chance: random.Random, pods: int, most: int) -> tuple[Role, ...]:
    """Draw up to three roles, which may be alike."""
    count = chance.randrange(1, min(3, pods) + 1)
    cuts = sorted(chance.sample(range(1, pods), count - 1))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, pods], strict=True)]
    ask = [chance.choice([None, *range(most + 1)]) for _ in sizes]
    if chance.random() < 0.5:
        ask = [chance.choice([None, 1])] * count
    return tuple(
        Role(f"r{i}", n, devices)
        for i, (n, devices) in enumerate(zip(sizes, ask, strict=True))
    )


def random_constraint(
    chance: random.Random, kind: str, job: GangJob, tree: DomainTree
) -> JobConstraint:
    """Draw a constraint of a kind; it may contradict the job."""
    level = chance.choice(["node", *tree.levels, *tree.levels])
    roles = tuple(chance.sample(job.names, chance.randrange(1, len(job.names) + 1)))
    some = chance.randrange(1, 5)
    names = frozenset(chance.sample(tree.nodes, chance.randrange(1, 3)))
    match kind:
        case "slices":
            return Slices(level, roles, some)
        case "within":
            return within(level, roles)
        case "groups":
            count = chance.randrange(1, 4)
            sizes = tuple(-(-job.role(name).count // count) for name in roles)
            return Groups(level, roles, sizes)
        case "most-pods":
            return MostPods(level, roles, chance.randrange(1, 4))
        case "least-domains":
            return LeastDomains(level, roles, some)
        case "most-domains":
            return MostDomains(level, roles, chance.randrange(1, 4))
        case "apart":
            return Apart(level, job.names if len(roles) < 2 else roles)
        case "apart-from":
            return ApartFrom(level, roles, {"other": names})
        case "require":
            return Require(names, roles)
    return Avoid(names, roles)


def random_part(chance: random.Random, job: GangJob, tree: DomainTree) -> ObjectivePart:
    """Draw a part of an objective."""
    kind = chance.choice(KINDS)
    if kind in ("hops", "fragmentation"):
        return ObjectivePart(kind)
    roles = () if chance.random() < 0.7 else (chance.choice(job.names),)
    return ObjectivePart(kind, chance.choice(["node", *tree.levels]), roles)


def is_sound(job: GangJob, tree: DomainTree) -> bool:
    """Whether a job is not refused."""
    try:
        job.refuse(tree)
    except InputError:
        return False
    return True


def random_job(
    chance: random.Random, devices: NodeDevices, kinds: tuple[str, ...], pods: int
) -> GangJob:
    """Draw a job with constraints of some kinds that is not refused."""
    while True:
        job = GangJob(random_roles(chance, chance.randrange(1, pods + 1), 3))
        some = [random_constraint(chance, kind, job, devices.tree) for kind in kinds]
        job = GangJob(job.roles, tuple(some))
        if is_sound(job, devices.tree):
            return job


def alike_job(chance: random.Random, devices: NodeDevices, most: int) -> GangJob:
    """Draw a job of one role, in slices at up to three levels."""
    tree = devices.tree
    role = Role("a", chance.randrange(1, most + 1), chance.choice([None, 1, 1, 2]))
    levels = ["node", *tree.levels]
    some = sorted(chance.sample(range(len(levels)), chance.randrange(len(levels) + 1)))
    constraints: list[JobConstraint] = []
    size = 1
    for i in some[:3]:
        size *= chance.randrange(1, 4)
        constraints.append(Slices(levels[i], ("a",), size))
    if chance.random() < 0.3:
        constraints.append(within(chance.choice(levels), ("a",)))
    if chance.random() < 0.4:
        limit = chance.randrange(1, most + 1)
        constraints.append(MostPods(chance.choice(levels), ("a",), limit))
    if chance.random() < 0.2:
        constraints.append(Avoid(frozenset(chance.sample(tree.nodes, 1)), ("a",)))
    return GangJob((role,), tuple(constraints))


def placements(job: GangJob, devices: NodeDevices) -> Iterator[Placed]:
    """Yield all placements, pod by pod."""
    pods = job.ranks(job.names)
    asks = {role.name: role.devices for role in job.roles}
    on: list[list[int | None]] = [[] for _ in devices.tree.nodes]
    chosen: list[int] = []

    def fits(node: int, ask: int | None) -> bool:
        free, whole = int(devices.free[node]), int(devices.whole[node])
        if ask is None:
            return free == whole and not on[node]
        return None not in on[node] and free >= sum(n or 0 for n in on[node]) + ask

    def extend() -> Iterator[Placed]:
        if len(chosen) == len(pods):
            found: dict[str, list[int]] = {name: [] for name in job.names}
            for (name, _), node in zip(pods, chosen, strict=True):
                found[name].append(node)
            placed = {name: tuple(nodes) for name, nodes in found.items()}
            if not job.violations(placed, devices):
                yield placed
            return
        name = pods[len(chosen)][0]
        if name in job.open_counts:
            chosen.append(ABSENT)
            yield from extend()
            chosen.pop()
        for node in range(len(on)):
            if fits(node, asks[name]):
                on[node].append(asks[name])
                chosen.append(node)
                yield from extend()
                chosen.pop()
                on[node].pop()

    yield from extend()


def has_placement(job: GangJob, devices: NodeDevices) -> bool:
    """Whether there is a placement, by trying them all."""
    return next(placements(job, devices), None) is not None


def best(job: GangJob, devices: NodeDevices) -> tuple[int, ...] | None:
    """Return the least objective, by trying all placements; None if there is none."""
    return min(
        (job.value(one, devices) for one in placements(job, devices)), default=None
    )


def random_state(
    chance: random.Random, nodes: int, most: int, jobs: int
) -> RunningState:
    """Draw jobs on a small machine."""
    tree = random_tree(chance, nodes)
    whole = [chance.randrange(1, most + 1) for _ in range(nodes)]
    free = list(whole)
    found = []
    for j in range(jobs):
        held: dict[int, int | None] = {}
        ask = chance.choice([None, 1, 1, 2])
        for i in chance.sample(range(nodes), chance.randrange(1, min(3, nodes) + 1)):
            n = whole[i] if ask is None else ask
            if n <= free[i] and (ask is not None or free[i] == whole[i]):
                held[i] = ask
                free[i] -= n
        if held:
            job = OngoingJob(
                f"j{j}",
                held,
                chance.randrange(3),
                chance.randrange(3),
                movable=chance.random() < 0.8,
                endable=chance.random() < 0.8,
                end=chance.choice([None, 5, 7]),
            )
            found.append(job)
    for i in range(nodes):
        if free[i] == whole[i] and chance.random() < 0.1:
            free[i] = -1
    return RunningState(
        NodeDevices(tree, np.array(free), np.array(whole)), tuple(found)
    )


def place_and_fail(
    chance: random.Random, job: GangJob, state: RunningState
) -> tuple[Placed, list[int], NodeDevices, RunningState] | None:
    """Place a job somewhere and draw nodes that fail; None if it does not fit."""
    devices = state.devices
    placed = next(iter(placements(job, devices)), None)
    if placed is None:
        return None
    nodes = sorted({i for some in placed.values() for i in some})
    failed = chance.sample(nodes, chance.randrange(1, min(2, len(nodes)) + 1))
    taken = devices.free.copy()
    for role in job.roles:
        for i in placed[role.name]:
            whole = int(devices.whole[i])
            taken[i] -= whole if role.devices is None else role.devices
    now = devices.free.copy()
    now[failed] = -1
    running = replace(state, devices=replace(devices, free=taken))
    return placed, failed, replace(devices, free=now), running
