"""Random small clusters with jobs, and what the definitions say of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import TypeVar

from closeknit.clusters.advice.layout import ClusterLayout
from closeknit.clusters.placement import NodeSelector, Placement, Request
from closeknit.clusters.topologies import Cluster, Hierarchy, Space, parse_cluster
from closeknit.solvers import Status

_T = TypeVar("_T")
Held = dict[str, dict[str, None]]
Wiring = dict[str, list[str]]


def small_tree(chance: random.Random, most: int = 9) -> str:
    """Draw a topology.conf of up to four switches below one or two more."""
    leaves = chance.randrange(1, 5)
    nodes = [[f"n{v}{i}" for i in range(chance.randrange(1, 5))] for v in range(leaves)]
    while sum(map(len, nodes)) > most:
        max(nodes, key=len).pop()
    lines = [f"SwitchName=s{v} Nodes={','.join(n)}" for v, n in enumerate(nodes)]
    cut = chance.randrange(leaves + 1)
    for name, low, high in (("a", 0, cut), ("b", cut, leaves)):
        if low < high:
            below = ",".join(f"s{v}" for v in range(low, high))
            lines.append(f"SwitchName={name} Switches={below}")
    tops = "a,b" if 0 < cut < leaves else "a" if cut else "b"
    return "\n".join([*lines, f"SwitchName=top Switches={tops}"])


def random_jobs(chance: random.Random, nodes: Iterable[str], share: float) -> Held:
    """Draw which jobs hold nodes; some nodes have two."""
    held: Held = {}
    for name in nodes:
        if chance.random() < share:
            held[name] = {f"j{chance.randrange(4)}": None}
            if chance.random() < 0.1:
                held[name][f"j{chance.randrange(4)}"] = None
    return held


def fits(selector: NodeSelector, request: Request, free: Iterable[str]) -> bool:
    """Whether the selection, itself held to a brute force, finds a choice."""
    names = set(free)
    if not request.require <= names:
        return False
    found = selector.select(request, selector.free(names))
    return found.status is not Status.INFEASIBLE


def smallest(
    some: Sequence[_T], enough: Callable[[tuple[_T, ...]], bool]
) -> list[tuple[_T, ...]]:
    """Return the smallest subsets that are enough, all of them."""
    for count in range(len(some) + 1):
        if found := [few for few in combinations(some, count) if enough(few)]:
            return found
    return []


def arrangements(layout: ClusterLayout) -> Iterator[list[frozenset[int]]]:
    """Return all ways to put jobs on nodes; nodes out of use have who was there."""
    jobs, devices, kinds = layout.state.jobs, layout.state.devices, layout.state.kinds
    usable = [i for i, n in enumerate(devices.free.tolist()) if n > 0]
    held = [i for job in jobs if job.movable for i in job.nodes]
    usable += [i for i in held if devices.free[i] == 0]
    choices = [
        [
            frozenset(nodes)
            for nodes in combinations({*usable, *job.nodes}, len(job.nodes))
            if Counter(kinds[[*nodes]]) == Counter(kinds[[*job.nodes]])
        ]
        if job.movable
        else [frozenset(job.nodes)]
        for job in jobs
    ]
    for one in product(*choices):
        if len(frozenset().union(*one)) == sum(map(len, one)):
            yield list(one)


def least_moves(
    layout: ClusterLayout, count: int, room: int, *, by_jobs: bool, spread: bool
) -> tuple[int, int] | None:
    """Return the fewest moved nodes and jobs (or jobs and nodes) by trying them all."""
    best: tuple[int, int] | None = None
    free, place = layout.state.devices.free, layout.state.devices.tree.home
    open_ = {i for job in layout.state.jobs for i in job.nodes if free[i] == 0}
    open_ |= {i for i, n in enumerate(free.tolist()) if n > 0}
    for after in arrangements(layout):
        nodes = jobs = 0
        possible = True
        for job, now in zip(layout.state.jobs, after, strict=True):
            gone = len(job.nodes.keys() - now)
            nodes, jobs = nodes + gone, jobs + bool(gone)
            on, was = {*place[[*now]]}, {*place[[*job.nodes]]}
            possible &= spread or len(on) <= len(was)
        used = frozenset().union(*after)
        if room:
            left = (open_ - used) | {*layout.coming}
            possible &= any(len(left & {*some}) >= room for some in layout.domains)
        else:
            empty = [used.isdisjoint(some) for some in layout.domains]
            possible &= sum(empty) >= count
        value = (jobs, nodes) if by_jobs else (nodes, jobs)
        if possible and (best is None or value < best):
            best = value
    return best


def random_fabric(chance: random.Random, most: int = 9) -> tuple[NodeSelector, Wiring]:
    """Draw hosts with one or two cables to switches that form a ring."""
    switches = [f"S{i}" for i in range(chance.randrange(4, 6))]
    cables = [(a, switches[i - 1]) for i, a in enumerate(switches)]
    hosts: Wiring = {}
    for i in range(chance.randrange(most - 3, most + 1)):
        if hosts and chance.random() < 0.5:
            hosts[f"h{i}"] = hosts[chance.choice(list(hosts))]
        else:
            hosts[f"h{i}"] = chance.sample(switches, chance.randrange(1, 3))
    cables += [(host, switch) for host, near in hosts.items() for switch in near]
    rows = [f"{a},{b},1" for a, b in cables]
    rows = [row.replace("S", "S-") for row in rows]
    return NodeSelector(parse_cluster("\n".join(["a,b,links", *rows]))), hosts


def come_in_groups(nodes: list[str], size: int, hosts: Wiring) -> bool:
    """Whether nodes split into groups of this size, each at one switch."""
    if not nodes:
        return True
    first, *rest = nodes
    return any(
        set.intersection(*(set(hosts[n]) for n in (first, *others)))
        and come_in_groups([n for n in rest if n not in others], size, hosts)
        for others in combinations(rest, size - 1)
    )


RAILS = "\n".join(
    [
        "a,b,links",
        *(f"S-{s},S-top,1" for s in "abcd"),
        *(
            f"{group}{i},S-{s},1"
            for group, near in (("g", "ab"), ("h", "bc"), ("i", "cd"))
            for i in range(4)
            for s in near
        ),
    ]
)
"""Cables of three groups of four hosts; neighbours share one of their switches."""


def hierarchy(cluster: Cluster) -> Hierarchy:
    """Return the only part of a cluster, which is a tree or consists of blocks."""
    [fabric] = cluster.fabrics
    assert isinstance(fabric, Hierarchy)
    return fabric


def space_of(cluster: Cluster) -> Space:
    """Return the only part of a cluster, which is no tree."""
    [fabric] = cluster.fabrics
    assert isinstance(fabric, Space)
    return fabric


def rails() -> NodeSelector:
    """Choose from these hosts."""
    return NodeSelector(parse_cluster(RAILS))


def grid(words: str) -> str:
    """Return the file of a full mesh or torus; nodes are called after their cells."""
    shape = words.split()[1].split("x")
    cells = [*product(*(map(str, range(int(side))) for side in shape))]
    rows = [f"n{''.join(cell)},{','.join(cell)}" for cell in cells]
    return "\n".join([f"# {words}", f"node,{','.join('xyz'[: len(shape)])}", *rows])


def racks(*sizes: int) -> NodeSelector:
    """Choose from racks r0, r1 ... with so many nodes each, below one switch."""
    lines = [f"SwitchName=r{i} Nodes=r{i}n[1-{size}]" for i, size in enumerate(sizes)]
    top = f"SwitchName=t Switches=r[0-{len(sizes) - 1}]"
    return NodeSelector(parse_cluster("\n".join([*lines, top])))


def per_rack(selector: NodeSelector, found: Placement) -> list[int]:
    """Count the chosen nodes of every rack, which are called after it."""
    fabric = selector.cluster.fabrics[found.fabric]
    racks = {name.partition("n")[0]: None for name in fabric.nodes}
    counts = Counter(fabric.nodes[i].partition("n")[0] for i in found.chosen)
    return [counts[rack] for rack in racks]
