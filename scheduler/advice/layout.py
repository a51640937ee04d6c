"""Where running jobs are: what `defrag` rearranges."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ...instances import InputError
from ..placement import NodeSelector
from ..placement.program import Flags
from ..topologies import Hierarchy


@dataclass(frozen=True)
class Job:
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
class Layout:
    """The leaves of a cluster (domains with nodes), and the jobs on them."""

    leaves: tuple[str, ...]
    part: tuple[int, ...]
    """The part of the cluster that each leaf is in; jobs do not leave theirs."""
    within: tuple[int, ...]
    """The domain of the level to be freed that each leaf is in, or -1."""
    domains: tuple[str, ...]
    """Names of these domains."""
    free: tuple[tuple[str, ...], ...]
    """The nodes of each leaf that jobs can be moved to."""
    jobs: tuple[Job, ...]

    def taken(self) -> list[int]:
        """Return how many nodes of each domain jobs hold."""
        found = [0] * len(self.domains)
        for job in self.jobs:
            for leaf, nodes in job.nodes.items():
                if self.within[leaf] >= 0:
                    found[self.within[leaf]] += len(nodes)
        return found


def layout_of(
    selector: NodeSelector,
    free: list[Flags],
    holders: Mapping[str, Mapping[str, None]],
    *,
    level: str | None = None,
    stay: Collection[str] = (),
) -> Layout:
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

    Raises
    ------
    InputError
        If a part of the cluster is no tree, a level or job is unknown, or jobs hold
        none of the nodes.
    """
    joined = _joined(holders)
    known = set(joined)
    for name in stay:
        if name not in known:
            raise InputError("holds no node of the topology", "stay", name)
    stays = {joined[name] for name in stay}
    leaves: list[str] = []
    part: list[int] = []
    within: list[int] = []
    domains: list[str] = []
    open_: list[tuple[str, ...]] = []
    at: dict[str, dict[int, list[str]]] = {}
    for i, fabric in enumerate(selector.cluster.fabrics):
        if not isinstance(fabric, Hierarchy):
            raise InputError("is no tree: there are no switches to free", "topology")
        number, domain_of = _numbered(fabric, level or fabric.levels[0], domains)
        first = len(leaves)
        leaves += [fabric.domains[v] for v in number]
        part += [i] * len(number)
        within += [domain_of[v] for v in number]
        usable: list[list[str]] = [[] for _ in number]
        for j, (name, home) in enumerate(
            zip(fabric.nodes, fabric.home.tolist(), strict=True)
        ):
            if free[i][j]:
                usable[number[home]].append(name)
            elif name in holders:
                job = joined[next(iter(holders[name]))]
                where = at.setdefault(job, {}).setdefault(first + number[home], [])
                where.append(name)
        open_ += map(tuple, usable)
    if not at:
        raise InputError("says of no node of the topology which job holds it", "busy")
    if not domains:
        known_levels = dict.fromkeys(
            name for one in selector.cluster.fabrics for name in _levels(one)
        )
        problem = f"no such level (there are: {', '.join(known_levels)})"
        raise InputError(problem, "level", level)
    jobs = (
        Job(name, {v: tuple(nodes) for v, nodes in where.items()}, name in stays)
        for name, where in sorted(at.items())
    )
    return Layout(
        tuple(leaves),
        tuple(part),
        tuple(within),
        tuple(domains),
        tuple(open_),
        tuple(jobs),
    )


def _levels(fabric: object) -> tuple[str, ...]:
    return fabric.levels if isinstance(fabric, Hierarchy) else ()


def _numbered(
    fabric: Hierarchy, level: str, domains: list[str]
) -> tuple[dict[int, int], list[int]]:
    """Return a number for every leaf, and the domain of the level that each is in.

    The domains of the level are added to ``domains``.
    """
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
    return {v: n for n, v in enumerate(with_nodes)}, inside


def _joined(holders: Mapping[str, Mapping[str, None]]) -> dict[str, str]:
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
