"""Where running jobs are: what `defrag` rearranges."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ...instances import InputError
from ..kinds import NodeKind, interchangeable
from ..placement import NodeSelector
from ..placement.domains import domains_of, level_of
from ..placement.program import Flags
from ..placement.space import SpaceChooser
from ..topologies import Hierarchy, Space


@dataclass(frozen=True)
class RunningJob:
    """A running job."""

    name: str
    nodes: Mapping[int, tuple[str, ...]]
    """Its nodes, by leaf."""
    stays: bool = False
    """Whether it may not be moved."""

    @property
    def size(self) -> int:
        """Number of its nodes."""
        return sum(map(len, self.nodes.values()))


@dataclass(frozen=True)
class ClusterLayout:
    """The leaves of a cluster, and the jobs on them.

    A leaf is a domain with nodes, a plane of a mesh or torus, or the nodes of a graph
    with cables to the same leaf switches. Nodes of several kinds at one place are
    several leaves, and a part of the cluster has only nodes of one kind.
    """

    leaves: tuple[str, ...]
    place: tuple[int, ...]
    """Leaves with the same number are at one place."""
    part: tuple[int, ...]
    """The part of the cluster that each leaf is in; jobs do not leave theirs."""
    within: tuple[tuple[int, ...], ...]
    """The domains of the level to be freed that each leaf is in: at most one, but for
    graphs where nodes have several leaf switches."""
    domains: tuple[str, ...]
    """Names of these domains."""
    free: tuple[tuple[str, ...], ...]
    """The nodes of each leaf that jobs can be moved to."""
    jobs: tuple[RunningJob, ...]
    coming: tuple[int, ...]
    """How many nodes of each leaf are coming free: no job is moved there, but they are
    room for a job that comes later."""
    closed: tuple[bool, ...]
    """Whether the nodes of a leaf, which jobs hold, are not usable afterwards."""
    level: str = "switch"
    """What the domains are."""

    def taken(self) -> list[int]:
        """Return how many nodes of each domain jobs hold."""
        found = [0] * len(self.domains)
        for job in self.jobs:
            for leaf, nodes in job.nodes.items():
                for domain in self.within[leaf]:
                    found[domain] += len(nodes)
        return found


def layout_of(
    selector: NodeSelector,
    free: list[Flags],
    holders: Mapping[str, Mapping[str, None]],
    *,
    level: str | None = None,
    stay: Collection[str] = (),
    kinds: Mapping[str, NodeKind] | None = None,
    ending: Collection[str] = (),
    freeable: Collection[str] | None = None,
) -> ClusterLayout:
    """Return where the jobs of a cluster are.

    Parameters
    ----------
    selector
        Of the cluster.
    free
        Which nodes are free.
    holders
        The jobs that hold a node. Jobs that share nodes are moved together, as one job
        with the names of all, such as ``17+18``.
    level
        The level whose domains are to be freed; by default the lowest.
    stay
        Jobs that may not be moved.
    kinds
        What nodes are; jobs are moved between nodes that can stand for each other.
    ending
        Jobs that end: they are left out, and jobs that share nodes with them stay.
    freeable
        The nodes that can be used once their jobs have left; by default all.

    Raises
    ------
    InputError
        If a part of the cluster has no switches or planes, a level or job is unknown,
        or jobs hold none of the nodes.
    """
    gone = set(ending)
    holding = {
        name: jobs for name, jobs in holders.items() if not gone.issuperset(jobs)
    }
    joined = _group_jobs(holding)
    for name in stay:
        if name not in joined and name not in gone:
            raise InputError("holds no node of the topology", "stay", name)
    stays = {joined[name] for name in (*stay, *ending) if name in joined}
    kind_of = interchangeable(
        kinds or {}, [x for one in selector.cluster.fabrics for x in one.nodes]
    )
    leaves: list[str] = []
    place: list[int] = []
    part: list[tuple[int, int]] = []
    within: list[tuple[int, ...]] = []
    domains: list[str] = []
    open_: list[list[str]] = []
    at: dict[str, dict[int, list[str]]] = {}
    soon: dict[int, int] = {}
    closed: list[bool] = []
    shown = ""
    for i, fabric in enumerate(selector.cluster.fabrics):
        if isinstance(fabric, Hierarchy):
            called = level or fabric.levels[0]
            names, leaf_of, inside = _leaves_of_tree(fabric, called, domains)
        else:
            called, (names, leaf_of, inside) = _leaves_of_network(
                selector, i, level, domains
            )
        shown = shown or called
        first = place[-1] + 1 if place else 0
        cells = [
            (v, kind_of[x], freeable is not None and x in holding and x not in freeable)
            for v, x in zip(leaf_of, fabric.nodes, strict=True)
        ]
        number = {cell: len(leaves) + n for n, cell in enumerate(sorted(set(cells)))}
        leaves += [names[v] for v, *_ in number]
        place += [first + v for v, *_ in number]
        part += [(i, kind) for _, kind, _ in number]
        within += [inside[v] for v, *_ in number]
        closed += [shut for *_, shut in number]
        open_ += [[] for _ in number]
        for j, (name, cell) in enumerate(zip(fabric.nodes, cells, strict=True)):
            leaf = number[cell]
            if free[i][j]:
                open_[leaf].append(name)
            elif name in holding:
                job = joined[next(iter(holding[name]))]
                at.setdefault(job, {}).setdefault(leaf, []).append(name)
            elif name in holders and (freeable is None or name in freeable):
                soon[leaf] = soon.get(leaf, 0) + 1
    if not at and not any(name in selector.cluster.index for name in holders):
        raise InputError("says of no node of the topology which job holds it", "state")
    if not domains:
        known_levels = dict.fromkeys(
            name
            for one in selector.cluster.fabrics
            for name in (one.levels if isinstance(one, Hierarchy) else ())
        )
        problem = f"no such level (there are: {', '.join(known_levels)})"
        raise InputError(problem, "level", level)
    jobs = (
        RunningJob(name, {v: tuple(nodes) for v, nodes in where.items()}, name in stays)
        for name, where in sorted(at.items())
    )
    parts = {one: n for n, one in enumerate(dict.fromkeys(part))}
    return ClusterLayout(
        tuple(leaves),
        tuple(place),
        tuple(parts[one] for one in part),
        tuple(within),
        tuple(domains),
        tuple(map(tuple, open_)),
        tuple(jobs),
        tuple(soon.get(leaf, 0) for leaf in range(len(leaves))),
        tuple(closed),
        shown,
    )


_Leaves = tuple[list[str], list[int], list[tuple[int, ...]]]
"""Names of leaves, the leaf of every node, the domains of every leaf."""


def _leaves_of_tree(fabric: Hierarchy, level: str, domains: list[str]) -> _Leaves:
    """Return the leaves of a hierarchy; domains of the level are added."""
    height = fabric.levels.index(level) if level in fabric.levels else -1
    inside = [-1] * len(fabric.parent)
    holds = fabric.below(fabric.has_nodes)
    for v, up in enumerate(fabric.parent.tolist()):
        if fabric.level[v] == height and holds[v]:
            inside[v] = len(domains)
            domains.append(fabric.domains[v])
        elif v:
            inside[v] = inside[up]
    with_nodes = [v for v, count in enumerate(fabric.has_nodes.tolist()) if count]
    number = {v: n for n, v in enumerate(with_nodes)}
    return (
        [fabric.domains[v] for v in with_nodes],
        [number[home] for home in fabric.home.tolist()],
        [(inside[v],) if inside[v] >= 0 else () for v in with_nodes],
    )


def _leaves_of_network(
    selector: NodeSelector, part: int, level: str | None, domains: list[str]
) -> tuple[str, _Leaves]:
    """Return the level and leaves of another network; domains are added."""
    fabric, chooser = selector.cluster.fabrics[part], selector.choosers[part]
    assert isinstance(fabric, Space)
    assert isinstance(chooser, SpaceChooser)
    found = level_of(fabric, domains_of(chooser.alike), level)
    first = len(domains)
    domains += found.names
    leaf_of = [0] * len(fabric.nodes)
    for leaf, members in enumerate(found.groups):
        for node in members:
            leaf_of[node] = leaf
    inside = [tuple(first + v for v in some) for some in found.within]
    names = ["+".join(found.names[v] for v in some) for some in found.within]
    return found.level, (names, leaf_of, inside)


def _group_jobs(holders: Mapping[str, Mapping[str, None]]) -> dict[str, str]:
    """Return for every job its name, or those of all jobs that share nodes with it."""
    import networkx

    shared = networkx.Graph()
    for jobs in holders.values():
        first = next(iter(jobs))
        shared.add_edges_from((first, job) for job in jobs)
    return {
        job: "+".join(sorted(together))
        for together in networkx.connected_components(shared)
        for job in together
    }
