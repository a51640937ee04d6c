"""Domains that get free of jobs: the fewest jobs that move, or are waited for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....instances import InputError
from ....solvers import DEFAULT, Limit, Settings, SolverError, Status
from ....solvers.later import cp_model
from ....solvers.running import clock
from ..answer import BY_SOLVER
from ..job import GangJob, JobPlacement, Role
from ..model import Expr, LateModelError
from ..stages import Stage, Staged, by_stages
from .change import LeastChange, OngoingJob, RunningState, change_of
from .change_model import ChangeModel
from .moves import (
    MOST_PAIRS,
    Movers,
    decode,
    flags_of,
    movers_of,
    moves_of,
    with_movers,
)
from .order import in_order

DRAINED = ("jobs", "devices", "latest end")


@dataclass(frozen=True)
class FreeGoal:
    """What has to be free in the end, and what that may cost.

    Parameters
    ----------
    domains
        The nodes of each domain; a node may be in several.
    count
        So many domains without a job, those that are free already among them.
    room
        Instead: one domain with so many free nodes.
    coming
        Nodes that count as room, although no job is moved there.
    numbers
        What is minimised, one after the other: jobs that move, their devices, and the
        latest end of those that are waited for.
    until
        Jobs that end by then may be waited for.
    spread
        Whether jobs may get into more lowest domains than they are in.
    least
        Proved: the first number is at least that.
    """

    domains: Sequence[Sequence[int]]
    count: int = 1
    room: int = 0
    coming: Collection[int] = ()
    numbers: tuple[str, ...] = DRAINED
    until: int = -1
    spread: bool = False
    least: int = 0

    def within(self, nodes: int) -> list[tuple[int, ...]]:
        """Return the domains of each of so many nodes."""
        found: list[tuple[int, ...]] = [()] * nodes
        for g, inside in enumerate(self.domains):
            for i in inside:
                found[i] += (g,)
        return found

    def in_order(self, costs: Sequence[Expr]) -> list[tuple[str, Expr]]:
        """Return the numbers with their names, as they are minimised."""
        of = dict(zip(DRAINED, costs, strict=True))
        return [(name, 0 + of[name]) for name in self.numbers]

    def may_wait(self, job: OngoingJob) -> bool:
        """Whether a job may be waited for."""
        return job.end is not None and job.end <= self.until


def drain(
    level: str,
    count: int,
    state: RunningState,
    settings: Settings = DEFAULT,
    *,
    until: int = -1,
    spread: bool = False,
) -> LeastChange:
    """Say which jobs to move, or to wait for, so that domains of a level have no job.

    For the parameters see `FreeGoal`. Raises InputError if there is no such level, or
    there are fewer domains.
    """
    tree = state.devices.tree
    number = tree.level_number(level)
    some, at = tree.of_level(number), tree.at(number)
    if not 1 <= count <= len(some):
        raise InputError(f"must be from 1 to {len(some)}", "count", count)
    domains = [np.flatnonzero(at == v).tolist() for v in some]
    found = free_domains(
        FreeGoal(domains, count, until=until, spread=spread), state, settings
    )
    return replace(found, freed=tuple(int(some[g]) for g in found.freed))


def free_domains(
    goal: FreeGoal, state: RunningState, settings: Settings = DEFAULT
) -> LeastChange:
    """Say which jobs to move, or to wait for, so that domains are as they are wanted.

    First domains are chosen as if jobs could be torn apart at will: what that costs is
    a bound, and often it is enough to rearrange the jobs that have to move then. If it
    is not, all may move.

    Parameters
    ----------
    goal
        What is wanted.
    state
        The machine, which is not refused.
    settings
        The time limit counts.
    """
    start, jobs, stages = clock.now(), state.jobs, tuple[Stage, ...]()
    if not goal.room:
        chosen = _choose(goal, state, settings)
        stages = chosen.stages
        if chosen.values is None:
            return replace(change_of(chosen), seconds=clock.now() - start)
        goal = replace(goal, least=max(goal.least, stages[0].bound))
        flags = iter(chosen.values)
        freed = [g for g in range(len(goal.domains)) if next(flags)]
        moved = [x for x in jobs if x.movable and next(flags)]
        waits = {x.name for x in jobs if goal.may_wait(x) and next(flags)}
        if chosen.proved:
            left = settings.remaining(start)
            some = replace(left, time_limit=left.time_limit / (1 if goal.spread else 8))
            values = [stage.bound for stage in stages]
            found = _rearrange(goal, state, moved, waits, some, freed, values)
            if found.freed:
                return replace(found, stages=stages, seconds=clock.now() - start)
    moved = [x for x in jobs if x.movable]
    waits = {x.name for x in jobs if goal.may_wait(x)}
    found = _rearrange(goal, state, moved, waits, settings.remaining(start))
    if found.status is Status.UNKNOWN and not found.stages:
        none = (replace(x, value=None) for x in stages)
        found = replace(found, stages=tuple(none))
    return replace(found, seconds=clock.now() - start)


def _choose(goal: FreeGoal, state: RunningState, settings: Settings) -> Staged:
    """Choose domains as if jobs could be torn apart at will: its bounds hold."""
    model, devices, kind = cp_model.CpModel(), state.devices, state.kinds
    freed = [model.new_bool_var(f"free{g}") for g in range(len(goal.domains))]
    model.add(sum(freed) >= goal.count)
    within = goal.within(len(kind))
    empty: dict[tuple[int, ...], Any] = {(): 0}
    """By the domains of a node: whether one of them is freed."""
    for some in dict.fromkeys(within):
        if len(some) == 1:
            empty[some] = freed[some[0]]
        elif some:
            empty[some] = model.new_bool_var(f"empty{some}")
            for g in some:
                model.add_implication(freed[g], empty[some])
    room, lost = Counter[int](), Counter[tuple[int, tuple[int, ...]]]()
    for i in np.flatnonzero(devices.free > 0).tolist():
        room[int(kind[i])] += int(devices.free[i])
        lost[int(kind[i]), within[i]] += int(devices.free[i])
    needs: dict[int, list[Expr]] = defaultdict(list)
    for (k, some), n in lost.items():
        needs[k].append(n * empty[some])
    moved = {x.name: model.new_bool_var("move") for x in state.jobs if x.movable}
    waits = {x.name: model.new_bool_var("wait") for x in state.jobs if goal.may_wait(x)}
    latest = model.new_int_var(0, 2**40, "latest")
    smallest, amounts = int(devices.whole.min()), list[Expr]()
    for x in state.jobs:
        leaves = moved.get(x.name, 0) + waits.get(x.name, 0)
        if x.name in waits:
            model.add(latest >= (x.end or 0) * waits[x.name])
            model.add(leaves <= 1)
        inside = Counter[tuple[int, ...]]()
        least = Counter[tuple[int, tuple[int, ...]]]()
        for node, n in state.held(x).items():
            inside[within[node]] += n
            # whole nodes may be exchanged for smaller ones
            n = smallest if x.nodes[node] is None else n
            least[int(kind[node]), within[node]] += n
        gone: dict[tuple[int, ...], Expr] = {}
        for some, n in inside.items():
            model.add(0 + leaves >= empty[some])
            gone[some] = empty[some]
            if x.name in waits:
                gone[some] = model.new_bool_var("gone")
                stays = 1 - moved.get(x.name, 0)
                model.add(gone[some] >= empty[some] - stays)
            amounts.append(n * gone[some])
        for (k, some), n in least.items():
            needs[k].append(n * gone[some])
    for k, terms in needs.items():
        model.add(0 + sum(terms) <= room[k])
    costs = (sum(moved.values()), sum(amounts), latest)
    parts = goal.in_order(costs)
    asked = [*freed, *moved.values(), *waits.values()]
    return by_stages(model, parts, asked, settings, BY_SOLVER, least=goal.least)


def _rearrange(
    goal: FreeGoal,
    state: RunningState,
    jobs: Sequence[OngoingJob],
    waits_for: Collection[str],
    settings: Settings,
    wanted: Sequence[int] = (),
    values: Sequence[int] = (),
) -> LeastChange:
    """Move jobs, and wait for others, so that domains are free.

    With ``values`` some domains are ``wanted``, and it has to cost exactly that.
    """
    movers = movers_of(state, jobs, goal.spread)
    tree, devices, out = state.devices.tree, movers.devices, state.devices.free < 0
    within = goal.within(len(out))
    looks: dict[Any, int] = {}
    keys = (tree.home, out, state.kinds, devices.whole)
    listed = zip(within, *(one.tolist() for one in keys), strict=True)
    place = np.array([looks.setdefault(key, len(looks)) for key in listed])
    job = with_movers(GangJob(()), movers)
    if not movers.roles:
        job = GangJob((Role("none", 1),), open_counts=frozenset(["none"]))
    if not values and len(job.roles) * len(looks) > MOST_PAIRS:
        return LeastChange(Status.UNKNOWN, limit=Limit.MEMORY)
    until = clock.now() + settings.time_limit
    try:
        model = ChangeModel(job, devices, movers.old, unlike=place, until=until)
    except LateModelError:
        return LeastChange(Status.UNKNOWN, limit=Limit.TIME)
    add, new_bool = model.model.add, model.model.new_bool_var
    freed = [new_bool(f"free{g}") for g in range(len(goal.domains))]
    waiting = {x: new_bool(f"wait {x}") for x in sorted(waits_for)}
    flags = dict(zip(movers.roles, flags_of(movers.roles, model), strict=True))
    latest = model.model.new_int_var(0, 2**40, "latest")
    add(sum(freed) >= (1 if goal.room else goal.count))
    for g in wanted:
        add(freed[g] == 1)
    if goal.room:
        usable = (devices.free == devices.whole) & ~out
        usable[[*goal.coming]] = True
        rooms = [int(usable[[*some]].sum()) for some in goal.domains]
        taken: list[list[Expr]] = [[] for _ in freed]
        for (*_, c), x in model.x.items():
            i = model.cells.members[c][0]
            for g in within[i] if usable[i] else ():
                taken[g].append(x)
        for room, used, free in zip(rooms, taken, freed, strict=True):
            add(room - sum(used) >= goal.room * free)
    else:
        _empty(state, model, movers, freed, waiting, within)
    for x in state.jobs:
        if x.name in waiting:
            add(latest >= (x.end or 0) * waiting[x.name])
            add(0 + flags.get(x.name, 0) + waiting[x.name] <= 1)
    amount = model.count_devices([*movers.old])
    parts = goal.in_order((sum(flags.values()), amount, latest))
    for (_, part), value in zip(parts, values, strict=False):
        add(part == value)
    for keep, _ in (one for some in model.kept.values() for one in some):
        model.model.add_hint(keep, model.model.proto.variables[keep.index].domain[-1])
    parts = [] if values else parts
    asked = [*freed, *waiting.values(), *model.variables]
    least = 0 if values else goal.least
    solved = by_stages(model.model, parts, asked, settings, BY_SOLVER, least=least)
    if solved.values is None:
        return change_of(solved)
    values = solved.values[len(freed) :]
    waits = tuple(x for x, n in zip(waiting, values, strict=False) if n)
    where: JobPlacement = {}
    if movers.roles:
        where = decode(model, values[len(waiting) :], movers.old, devices)
    moves = moves_of(movers.roles, movers.old, where, devices)
    stay = (x for job, some in movers.roles.items() if job not in waits for x in some)
    on = {i for role in stay for i in where[role.name]}
    if goal.room:
        usable[[*on]] = False
        enough = [int(usable[[*some]].sum()) >= goal.room for some in goal.domains]
    else:
        left = {*movers.roles, *waits}
        on |= {i for x in state.jobs if x.name not in left for i in x.nodes}
        enough = [on.isdisjoint(some) for some in goal.domains]
    if sum(enough) < (1 if goal.room else goal.count):
        raise SolverError("fewer domains are free than were found to be")
    order = in_order(moves, state.devices, state.kinds, place)
    return replace(
        change_of(solved),
        moves=tuple(moves) if order is None else order,
        ordered=order is not None,
        waits=waits,
        freed=tuple(np.flatnonzero(enough).tolist()),
    )


def _empty(
    state: RunningState,
    model: ChangeModel,
    movers: Movers,
    freed: Sequence[cp_model.IntVar],
    waiting: Mapping[str, cp_model.IntVar],
    within: Sequence[tuple[int, ...]],
) -> None:
    """Add that no job is in a domain that is freed, but those that are waited for."""
    owner = {x.name: name for name, some in movers.roles.items() for x in some}
    in_cell: dict[int, list[Expr]] = defaultdict(list)
    of_job: dict[tuple[str, int], list[Expr]] = defaultdict(list)
    for (_, role, c), x in model.x.items():
        if owner.get(role) not in waiting:
            in_cell[c] += [x] * (role in owner)
        else:
            for g in within[model.cells.members[c][0]]:
                of_job[owner[role], g].append(x)
    for c, some in in_cell.items():
        i, *others = model.cells.members[c]
        most = (1 + len(others)) * max(1, int(model.devices.free[i]))
        for g in within[i]:
            model.model.add(0 + sum(some) <= most * (1 - freed[g]))
    for job in state.jobs:
        there = Counter(g for i in job.nodes for g in within[i])
        waits = waiting.get(job.name, 0)
        if job.name not in movers.roles:
            for g in there:
                model.model.add(freed[g] <= waits)
            continue
        for g in range(len(freed)) if job.name in waiting else ():
            pods = sum(of_job[job.name, g])
            most = len(job.nodes) * (1 - freed[g])
            model.model.add(0 + pods <= most + there[g] * waits)
