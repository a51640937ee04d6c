"""Running jobs that move: as roles of a job, and so that domains are free of jobs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....solvers import SolverError
from ....solvers.later import cp_model
from ..constraints import Avoid, MostDomains
from ..dealing import keep_places
from ..domains import NOWHERE, NodeDevices
from ..job import GangJob, JobConstraint, JobPlacement, Role
from .change import OngoingJob, RunningState
from .change_model import ChangeModel
from .order import Move

MOST_PAIRS = 2**18
"""Pairs of a role and a cell of nodes."""


@dataclass(frozen=True)
class Movers:
    """Running jobs that may move, as roles."""

    roles: Mapping[str, tuple[Role, ...]]
    """By job: one for every kind of its nodes, and number of devices on a node."""
    old: Mapping[str, tuple[int, ...]]
    constraints: tuple[JobConstraint, ...]
    devices: NodeDevices
    """The machine when they have left, with the nodes out of use that they have."""
    shut: frozenset[str]
    """These nodes, which are for no other job."""


def movers_of(state: RunningState, jobs: Sequence[OngoingJob], spread: bool) -> Movers:
    """Return jobs that may move; they may not spread unless that is wanted."""
    tree, free, kind = state.devices.tree, state.devices.free.copy(), state.kinds
    lowest = tree.at(0)
    shut = {i for job in jobs for i in job.nodes if free[i] < 0}
    others = {k: {*np.flatnonzero(kind != k).tolist()} for k in np.unique(kind)}
    roles: dict[str, tuple[Role, ...]] = {}
    old: dict[str, tuple[int, ...]] = {}
    constraints: list[JobConstraint] = []
    for job in jobs:
        by: dict[tuple[int | None, int], list[int]] = defaultdict(list)
        for node, n in job.nodes.items():
            by[n, int(kind[node])].append(node)
        for node, n in state.held(job).items():
            free[node] = max(0, int(free[node])) + n
        mine = {Role(f"{job.name}\0{n}\0{k}", len(x), n): x for (n, k), x in by.items()}
        roles[job.name] = tuple(mine)
        old |= {role.name: tuple(nodes) for role, nodes in mine.items()}
        for (_, k), role in zip(by, mine, strict=True):
            if barred := others[k] | shut.difference(job.nodes):
                names = frozenset(tree.nodes[i] for i in barred)
                constraints.append(Avoid(names, (role.name,)))
        homes = {int(lowest[node]) for node in job.nodes}
        if not spread and NOWHERE not in homes:
            of = tuple(role.name for role in mine)
            constraints.append(MostDomains(tree.levels[0], of, len(homes)))
    devices, closed = replace(state.devices, free=free), (tree.nodes[i] for i in shut)
    return Movers(roles, old, tuple(constraints), devices, frozenset(closed))


def with_movers(job: GangJob, movers: Movers) -> GangJob:
    """Return a job that has the others among its roles."""
    roles = (*job.roles, *(x for some in movers.roles.values() for x in some))
    constraints = (*job.constraints, *movers.constraints)
    if movers.shut and job.roles:
        constraints += (Avoid(movers.shut, job.names),)
    return GangJob(roles, constraints)


def moves_of(
    named: Mapping[str, Sequence[Role]],
    old: JobPlacement,
    new: JobPlacement,
    devices: NodeDevices,
    whole: str = "",
) -> list[Move]:
    """Return what moved, by the name of the job; what was nowhere has no source.

    Of the job that is called ``whole``, which starts again, only the nodes count: those
    that it leaves, and those that it gets.
    """
    found = []
    for name, roles in named.items():
        sources, targets, before, after = [], [], [], []
        for role in roles:
            pairs = [*zip(old[role.name], new[role.name], strict=True)]
            if name == whole:
                had, has = (Counter(some) for some in zip(*pairs, strict=True))
                left, come = had - has, has - had
                pairs = [*zip(left.elements(), come.elements(), strict=True)]
            for a, b in pairs:
                if a != b:
                    ask = role.devices
                    targets.append(b)
                    after.append(int(devices.whole[b]) if ask is None else ask)
                    if a >= 0:
                        sources.append(a)
                        before.append(int(devices.whole[a]) if ask is None else ask)
        if targets:
            some = (tuple(sources), tuple(targets), tuple(before), tuple(after))
            found.append(Move(name, *some))
    return found


def flags_of(
    named: Mapping[str, Sequence[Role]], model: ChangeModel
) -> list[cp_model.IntVar]:
    """Return, for every job, whether any of it moves."""
    flags = []
    for roles in named.values():
        names = [role.name for role in roles]
        flag = model.model.new_bool_var("moves")
        model.model.add(model.count_moves(names) <= model.job.count(names) * flag)
        flags.append(flag)
    return flags


def decode(
    model: ChangeModel, values: list[int], old: JobPlacement, devices: NodeDevices
) -> JobPlacement:
    """Return a placement from values; SolverError if it is none."""
    where = keep_places(model, values, old)
    if wrong := model.job.violations(where, devices):
        raise SolverError(f"a placement does not keep: {wrong[0]}")
    return where
