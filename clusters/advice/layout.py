"""Where running jobs are: what `defrag` rearranges."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from ...formulations.cluster.changes.change import OngoingJob, RunningState
from ...formulations.cluster.domains import DomainTree, NodeDevices
from ...instances import InputError
from ..kinds import NodeKind, interchangeable
from ..placement import NodeSelector
from ..placement.domains import domains_of, level_of
from ..placement.program import Flags
from ..placement.space import SpaceChooser
from ..topologies import Hierarchy, Space


@dataclass(frozen=True)
class ClusterLayout:
    """The jobs on a cluster, and the domains that are to be freed.

    The places of its tree are domains with nodes, planes of a mesh or torus, or the
    nodes of a graph with cables to the same leaf switches.
    """

    state: RunningState
    """Each node is one device; of a kind are those of one part of the cluster that can
    stand for each other."""
    domains: tuple[tuple[int, ...], ...]
    """The nodes of each domain; of graphs a node may be in several."""
    names: tuple[str, ...]
    coming: tuple[int, ...]
    """The nodes that are coming free: no job is moved there, but they are room for a
    job that comes later."""
    level: str = "switch"
    """What the domains are."""

    def taken(self) -> list[int]:
        """Return how many nodes of each domain jobs hold."""
        held = {i for job in self.state.jobs for i in job.nodes}
        return [len(held.intersection(some)) for some in self.domains]


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
    gone, fabrics = set(ending), selector.cluster.fabrics
    joined = _group_jobs(
        {name: jobs for name, jobs in holders.items() if not gone.issuperset(jobs)}
    )
    for name in stay:
        if name not in joined and name not in gone:
            raise InputError("holds no node of the topology", "stay", name)
    stays = {joined[name] for name in (*stay, *ending) if name in joined}
    nodes = tuple(x for one in fabrics for x in one.nodes)
    kind_of = interchangeable(kinds or {}, nodes)
    part, home, names, shown = list[int](), list[int](), list[str](), ""
    domains: list[list[int]] = []
    for i in range(len(fabrics)):
        called, new, places, within = _domains_in(selector, i, level)
        shown, first = shown or called, len(names)
        names += new
        domains += [[] for _ in new]
        for place, inside in zip(places, within, strict=True):
            for g in inside:
                domains[first + g].append(len(part))
            part.append(i)
            home.append(place)
    usable = np.concatenate(free)
    left, coming = np.where(usable, 1, -1), list[int]()
    at: dict[str, dict[int, None]] = {}
    for i, name in enumerate(nodes):
        if usable[i] or name not in holders:
            continue
        opens = freeable is None or name in freeable
        job = next((joined[x] for x in holders[name] if x in joined), None)
        if job is not None:
            at.setdefault(job, {})[i] = None
            left[i] = 0 if opens else -1
        elif opens:
            coming.append(i)
    if not at and not any(name in selector.cluster.index for name in holders):
        raise InputError("says of no node of the topology which job holds it", "state")
    if not domains:
        trees = [one for one in fabrics if isinstance(one, Hierarchy)]
        known = ", ".join(dict.fromkeys(x for one in trees for x in one.levels))
        raise InputError(f"no such level (there are: {known})", "level", level)
    _, leaf = np.unique([part, home], axis=1, return_inverse=True)
    _, kind = np.unique(
        [part, [kind_of[x] for x in nodes]], axis=1, return_inverse=True
    )
    flat = np.repeat([-1, 0], [1, int(leaf.max()) + 1])
    tree = DomainTree(
        *(nodes, 1 + leaf, tuple(map(str, range(len(flat)))), flat, -flat),
        *(np.zeros_like(flat), ("place", "all")),
    )
    jobs = (
        OngoingJob(name, held, movable=name not in stays)
        for name, held in sorted(at.items())
    )
    devices = NodeDevices(tree, left, np.ones_like(left))
    return ClusterLayout(
        RunningState(devices, tuple(jobs), kind),
        tuple(map(tuple, domains)),
        tuple(names),
        tuple(coming),
        shown,
    )


def _domains_in(
    selector: NodeSelector, part: int, level: str | None
) -> tuple[str, list[str], list[int], list[tuple[int, ...]]]:
    """Return the level and its domains, and the place and the domains of every node."""
    fabric, chooser = selector.cluster.fabrics[part], selector.choosers[part]
    if isinstance(fabric, Hierarchy):
        called = level or fabric.levels[0]
        height = fabric.levels.index(called) if called in fabric.levels else -1
        above = fabric.above(height)[fabric.home].tolist()
        number = {v: g for g, v in enumerate(sorted({*above} - {-1}))}
        inside = [tuple(number[v] for v in (up,) if v >= 0) for up in above]
        names = [fabric.domains[v] for v in number]
        return called, names, fabric.home.tolist(), inside
    assert isinstance(fabric, Space)
    assert isinstance(chooser, SpaceChooser)
    found = level_of(fabric, domains_of(chooser.alike), level)
    of = {i: leaf for leaf, some in enumerate(found.groups) for i in some}
    places = [of[i] for i in range(len(fabric.nodes))]
    return found.level, [*found.names], places, [found.within[v] for v in places]


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
