"""Random small clusters with jobs, and what the definitions say of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, product

from closeknit.clusters.advice.layout import ClusterLayout
from closeknit.clusters.placement import NodeSelector, Request
from closeknit.clusters.topologies import parse_cluster
from closeknit.solvers import Status

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


def fewest_added(
    selector: NodeSelector, request: Request, free: set[str], more: list[set[str]]
) -> int | None:
    """Return how few of some sets of nodes have to be added for a request to fit."""
    for count in range(len(more) + 1):
        for some in combinations(more, count):
            if fits(selector, request, free.union(*some)):
                return count
    return None


def arrangements(layout: ClusterLayout) -> Iterator[list[dict[int, int]]]:
    """Return all ways to put jobs on leaves that are nowhere too full."""
    leaves = range(len(layout.leaves))
    room = [
        len(layout.free[v]) + sum(len(j.nodes.get(v, ())) for j in layout.jobs)
        for v in leaves
    ]
    choices = [
        [
            {v: n for v, n in enumerate(counts) if n}
            for counts in product(*(range(min(job.size, most) + 1) for most in room))
            if Counter(layout.part[v] for v, n in enumerate(counts) for _ in range(n))
            == Counter(layout.part[v] for v, held in job.nodes.items() for _ in held)
        ]
        for job in layout.jobs
    ]
    for one in product(*choices):
        used: Counter[int] = Counter()
        for counts in one:
            used.update(counts)
        if all(used[v] <= room[v] for v in leaves):
            yield list(one)


def least_moves(
    layout: ClusterLayout, count: int, room: int, *, by_jobs: bool, spread: bool
) -> tuple[int, int] | None:
    """Return the fewest moved nodes and jobs (or jobs and nodes) by trying them all."""
    best: tuple[int, int] | None = None
    for after in arrangements(layout):
        nodes = jobs = 0
        possible = True
        for job, counts in zip(layout.jobs, after, strict=True):
            gone = sum(
                max(0, len(names) - counts.get(v, 0)) for v, names in job.nodes.items()
            )
            nodes, jobs = nodes + gone, jobs + bool(gone)
            possible &= not (job.stays and gone)
            possible &= all(
                n <= len(job.nodes.get(v, ()))
                for v, n in counts.items()
                if layout.closed[v]
            )
            on_, was = ({layout.place[v] for v in one} for one in (counts, job.nodes))
            possible &= spread or len(on_) <= len(was)
        on = [0] * len(layout.domains)
        every, shut = [0] * len(layout.domains), [0] * len(layout.domains)
        for v, domain in ((v, d) for v, some in enumerate(layout.within) for d in some):
            on[domain] += sum(counts.get(v, 0) for counts in after)
            shut[domain] += layout.closed[v] * sum(one.get(v, 0) for one in after)
            every[domain] += len(layout.free[v]) + layout.coming[v]
            if not layout.closed[v]:
                every[domain] += sum(len(j.nodes.get(v, ())) for j in layout.jobs)
        if room:
            possible &= any(
                a - b + c >= room for a, b, c in zip(every, on, shut, strict=True)
            )
        else:
            possible &= on.count(0) >= count
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


def rails() -> NodeSelector:
    """Three groups of four hosts; neighbouring groups share one of their switches."""
    rows = [f"S-{s},S-top,1" for s in "abcd"]
    for group, switches in zip("ghi", ("ab", "bc", "cd"), strict=True):
        rows += [f"{group}{i},S-{s},1" for i in range(4) for s in switches]
    return NodeSelector(parse_cluster("\n".join(["a,b,links", *rows])))
