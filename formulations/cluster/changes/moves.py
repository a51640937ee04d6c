"""Running jobs that move: as roles of a job, and so that domains are free of jobs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from ortools.sat.python import cp_model

from ....instances import InputError, IntArray
from ....solvers import DEFAULT, Limit, Settings, SolverError, Status
from ....solvers.running import clock
from ..answer import BY_SOLVER
from ..constraints import MostDomains
from ..dealing import keep_places
from ..domains import NOWHERE, NodeDevices
from ..job import GangJob, JobPlacement, Role
from ..model import Expr
from .change import LeastChange, OngoingJob, RunningState, status_of
from .change_model import ChangeModel, Move, Staged, by_stages, in_order

MOST_PAIRS = 2**18
"""Pairs of a role and a node."""


@dataclass(frozen=True)
class Movers:
    """Running jobs that may move, as roles."""

    jobs: tuple[OngoingJob, ...]
    roles: Mapping[str, tuple[Role, ...]]
    """By job: one for every number of devices on a node."""
    old: Mapping[str, tuple[int, ...]]
    constraints: tuple[MostDomains, ...]


def movers_of(state: RunningState, jobs: Sequence[OngoingJob], spread: bool) -> Movers:
    """Return jobs that may move; they may not spread unless that is wanted."""
    tree = state.devices.tree
    lowest = tree.at(0)
    roles: dict[str, tuple[Role, ...]] = {}
    old: dict[str, tuple[int, ...]] = {}
    constraints = []
    for job in jobs:
        by: dict[int | None, list[int]] = defaultdict(list)
        for node, n in job.nodes.items():
            by[n].append(node)
        mine = {Role(f"{job.name}\0{n}", len(x), n): x for n, x in by.items()}
        roles[job.name] = tuple(mine)
        old |= {role.name: tuple(nodes) for role, nodes in mine.items()}
        homes = {int(lowest[node]) for node in job.nodes}
        if not spread and NOWHERE not in homes:
            of = tuple(role.name for role in mine)
            constraints.append(MostDomains(tree.levels[0], of, len(homes)))
    return Movers(tuple(jobs), roles, old, tuple(constraints))


def with_movers(job: GangJob | None, movers: Movers) -> GangJob:
    """Return a job that has the others among its roles."""
    own = job or GangJob(())
    roles = (*own.roles, *(x for some in movers.roles.values() for x in some))
    return GangJob(roles, (*own.constraints, *movers.constraints))


def moves_of(
    job: GangJob,
    named: Mapping[str, Sequence[Role]],
    old: JobPlacement,
    new: JobPlacement,
    devices: NodeDevices,
) -> list[Move]:
    """Return what moved, by the name of the job; what was nowhere has no source."""
    found = []
    for name, roles in named.items():
        sources, targets, before, after = [], [], [], []
        for role in roles:
            for a, b in zip(old[role.name], new[role.name], strict=True):
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


def drain(
    level: str,
    count: int,
    state: RunningState,
    settings: Settings = DEFAULT,
    *,
    until: int = -1,
    spread: bool = False,
) -> LeastChange:
    """Say which jobs to move, or to wait for, so that domains are without jobs.

    The fewest jobs are moved, then the fewest devices; then the latest end of those
    that are waited for is as early as it can be.

    Parameters
    ----------
    level, count
        So many domains of a level, those that are free of jobs already among them.
    state
        The machine, which is not refused.
    settings
        The time limit counts.
    until
        Jobs that end by then may be waited for.
    spread
        Whether jobs may get into more lowest domains than they are in.

    Raises
    ------
    InputError
        If there is no such level, or there are fewer domains.
    """
    start = clock.now()
    tree = state.devices.tree
    number = tree.level_number(level)
    some = tree.of_level(number).tolist()
    if not 1 <= count <= len(some):
        raise InputError(f"must be from 1 to {len(some)}", "count", count)
    at = tree.at(number)
    chosen = _choose(state, some, at, count, until, settings)
    if chosen.values is None:
        spent = clock.now() - start
        by = BY_SOLVER * chosen.impossible
        return LeastChange(
            status_of(chosen),
            chosen.stages,
            by=by,
            refuted=chosen.rows,
            limit=chosen.limit,
            seconds=spent,
        )
    flags = chosen.values
    freed = {v for v, flag in zip(some, flags, strict=False) if flag}
    jobs = len(state.jobs)
    moved = [x for x, flag in zip(state.jobs, flags[len(some) :], strict=False) if flag]
    waited = [
        x for x, w in zip(state.jobs, flags[len(some) + jobs :], strict=True) if w
    ]
    waited = [x for x in waited if freed & {int(at[i]) for i in x.nodes}]
    everyone = [x for x in state.jobs if x.movable]
    for movers_, wait, wanted in (
        (moved, waited, freed),
        (everyone, [x for x in state.jobs if _ends(x, until)], None),
    ):
        if wanted is None and len(movers_) * len(tree.nodes) > MOST_PAIRS:
            break
        found = _rearrange(
            state,
            movers_,
            wait,
            some,
            at,
            count,
            wanted,
            spread,
            settings.remaining(start),
        )
        solved = found[0]
        values = [stage.value for stage in solved.stages]
        least = [stage.bound for stage in chosen.stages]
        last = wanted is None
        if last or (solved.values is not None and values == least):
            stages = solved.stages if last else chosen.stages
            if solved.values is None:
                by = BY_SOLVER * solved.impossible
                return LeastChange(
                    status_of(solved),
                    by=by,
                    refuted=solved.rows,
                    limit=solved.limit,
                    seconds=clock.now() - start,
                )
            moves, freed_now, waits = found[1:]
            order = in_order(moves, np.maximum(state.devices.free, 0))
            return LeastChange(
                status_of(replace(solved, stages=stages)),
                stages,
                moves=tuple(moves) if order is None else order,
                ordered=order is not None,
                waits=waits,
                freed=freed_now,
                limit=solved.limit if last else chosen.limit,
                seconds=clock.now() - start,
            )
    stages = tuple(replace(stage, value=None) for stage in chosen.stages)
    spent = clock.now() - start
    return LeastChange(Status.UNKNOWN, stages, limit=Limit.MEMORY, seconds=spent)


def _ends(job: OngoingJob, until: int) -> bool:
    return job.end is not None and job.end <= until


DRAINED = ("jobs", "devices", "latest end")


def _choose(
    state: RunningState,
    some: Sequence[int],
    at: IntArray,
    count: int,
    until: int,
    settings: Settings,
) -> Staged:
    """Choose domains as if jobs could be torn apart at will: its bounds hold."""
    model = cp_model.CpModel()
    freed = {v: model.new_bool_var(f"free{v}") for v in some}
    moved = [model.new_bool_var(f"move{i}") for i in range(len(state.jobs))]
    waits = [model.new_bool_var(f"wait{i}") for i in range(len(state.jobs))]
    model.add(sum(freed.values()) >= count)
    free = np.maximum(state.devices.free, 0)
    room = int(free.sum()) - sum(int(free[at == v].sum()) * freed[v] for v in some)
    amounts: list[Expr] = []
    needs: list[Expr] = []
    smallest = int(state.devices.whole.min())
    latest = model.new_int_var(0, 2**40, "latest")
    for x, move, wait in zip(state.jobs, moved, waits, strict=True):
        inside: Counter[int] = Counter()
        least: Counter[int] = Counter()
        for node, n in state.held(x).items():
            if at[node] != NOWHERE:
                inside[int(at[node])] += n
                # whole nodes may be exchanged for smaller ones
                least[int(at[node])] += smallest if x.nodes[node] is None else n
        may_wait = _ends(x, until)
        model.add(wait <= int(may_wait))
        model.add(move <= int(x.movable))
        model.add(move + wait <= 1)
        if may_wait:
            model.add(latest >= (x.end or 0) * wait)
        for v, n in inside.items():
            model.add(move + wait >= freed[v])
            if may_wait:
                gone = model.new_bool_var("")
                model.add(gone >= freed[v] + move - 1)
                amounts.append(n * gone)
                needs.append(least[v] * gone)
            elif x.movable:
                amounts.append(n * freed[v])
                needs.append(least[v] * freed[v])
    devices = model.new_int_var(0, 2**48, "devices")
    model.add(devices == sum(amounts))
    model.add(sum(needs) <= room)
    parts = [*zip(DRAINED, (sum(moved), devices, latest), strict=True)]
    asked = [*freed.values(), *moved, *waits]
    return by_stages(model, parts, asked, settings, BY_SOLVER)


def _rearrange(
    state: RunningState,
    jobs: Sequence[OngoingJob],
    wait: Sequence[OngoingJob],
    some: Sequence[int],
    at: IntArray,
    count: int,
    wanted: set[int] | None,
    spread: bool,
    settings: Settings,
) -> tuple[Staged, list[Move], tuple[int, ...], tuple[str, ...]]:
    """Move jobs, and wait for others, so that domains are free; None wanted: any."""
    movers = movers_of(state, jobs, spread)
    job = with_movers(None, movers)
    devices = state.without(jobs)
    stay = {x.name for x in state.jobs} - movers.roles.keys()
    waits_for = {x.name for x in wait}
    job = job if job.roles else GangJob((Role("none", 1, 0),))
    by_node = len(some) == len(at) and bool((at == np.arange(len(at))).all())
    model = ChangeModel(job, devices, movers.old, by_node=by_node)
    add = model.model.add
    freed = {v: model.model.new_bool_var(f"free{v}") for v in some}
    add(sum(freed.values()) >= count)
    waiting = {x: model.model.new_bool_var(f"wait {x}") for x in sorted(waits_for)}
    latest = model.model.new_int_var(0, 2**40, "latest")
    flags = dict(zip(movers.roles, flags_of(movers.roles, model), strict=True))
    for x in state.jobs:
        inside = Counter(int(at[i]) for i in x.nodes)
        waits = waiting.get(x.name, 0)
        if x.name in waits_for:
            add(latest >= (x.end or 0) * waiting[x.name])
        if x.name in stay:
            for v in inside:
                if v != NOWHERE:
                    add(freed[v] <= waits)
            continue
        names = [role.name for role in movers.roles[x.name]]
        if x.name in waits_for:
            add(flags[x.name] + waits <= 1)
        for v in some:
            pods = sum(
                (
                    var
                    for (_, name, c), var in model.x.items()
                    if name in names and at[model.cells.example[c]] == v
                ),
                start=0,
            )
            most = model.job.count(names)
            add(0 + pods <= most * (1 - freed[v]) + inside[v] * waits)
    if wanted is not None:
        for v in wanted:
            add(freed[v] == 1)
    amount = model.count_devices([*movers.old])
    numbers = [*zip(DRAINED, (sum(flags.values()), amount, latest), strict=True)]
    numbers = [(name, 0 + part) for name, part in numbers]
    asked = [*freed.values(), *waiting.values(), *model.variables]
    solved = by_stages(model.model, numbers, asked, settings, BY_SOLVER)
    if solved.values is None:
        return solved, [], (), ()
    values = iter(solved.values)
    for _ in freed:
        next(values)
    names_waited = tuple(x for x in waiting if next(values))
    where: JobPlacement = {}
    if movers.roles:
        where = decode(model, [*values], movers.old, devices)
    moves = moves_of(job, movers.roles, movers.old, where, devices)
    on = {
        int(at[i])
        for x in state.jobs
        if x.name in stay and x.name not in names_waited
        for i in x.nodes
    }
    for name, roles in movers.roles.items():
        if name not in names_waited:
            on |= {int(at[i]) for role in roles for i in where[role.name]}
    free_now = tuple(v for v in some if v not in on)
    if len(free_now) < count:
        raise SolverError("fewer domains are free than were found to be")
    return solved, moves, free_now, names_waited
