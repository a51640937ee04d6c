"""The least change of running jobs: which end, move or are waited for, and which stay.

Preempt: jobs end so that another one fits. Repair: a placed job lost nodes. Drain:
domains get free of jobs. Each minimises some numbers, one after the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from ortools.sat.python import cp_model

from ...instances import InputError
from ...solvers import DEFAULT, Limit, Settings, SolverError, Status
from ...solvers.running import clock
from .answer import BY_COUNTING, BY_SOLVER, GangAnswer, Program, decide
from .change_model import (
    ChangeModel,
    Move,
    Stage,
    Staged,
    by_stages,
    end_classes,
    in_order,
)
from .constraints import MostDomains
from .dealing import keep_places
from .domains import NOWHERE, NodeDevices
from .forest import PieceForest
from .job import GangJob, JobPlacement, ObjectivePart, Role
from .refill import refill

MOST_JOBS = 10**5
_MOST_PAIRS = 2**18
"""Pairs of a job that may move and a node of those that are alike."""
_MOST_NUMBER = 2**31


@dataclass(frozen=True)
class RunningJob:
    """A running job.

    Parameters
    ----------
    name
        Of the job.
    nodes
        The devices that it holds, by node; None: the whole node.
    priority
        Of two jobs that could end the one with the lower does.
    lost
        What its end costs, such as seconds of work that are lost.
    movable, endable
        Whether it may be moved, and ended.
    end
        When it ends by itself, if that is known.
    """

    name: str
    nodes: Mapping[int, int | None]
    priority: int = 0
    lost: int = 0
    movable: bool = True
    endable: bool = True
    end: int | None = None


@dataclass(frozen=True, eq=False)
class RunningState:
    """A machine, the devices that are free now, and the jobs that hold others."""

    devices: NodeDevices
    jobs: tuple[RunningJob, ...]

    def held(self, job: RunningJob) -> dict[int, int]:
        """Return the devices that a job holds, by node."""
        whole = self.devices.whole
        return {i: int(whole[i]) if n is None else n for i, n in job.nodes.items()}

    def without(self, jobs: Iterable[RunningJob]) -> NodeDevices:
        """Return the machine when some jobs have left; nodes out of use stay so."""
        free = self.devices.free.copy()
        for job in jobs:
            for node, n in self.held(job).items():
                free[node] += n if self.devices.free[node] >= 0 else 0
        return replace(self.devices, free=free)

    def refuse(self) -> None:
        """Raise InputError for what is contradictory or absurd."""
        if len(self.jobs) > MOST_JOBS:
            problem = f"must be at most {MOST_JOBS} jobs"
            raise InputError(problem, "jobs", len(self.jobs))
        names: set[str] = set()
        used: Counter[int] = Counter()
        for i, job in enumerate(self.jobs):
            at = f"jobs[{i}]"
            if job.name in names:
                raise InputError("is there twice", f"{at}.name", job.name)
            names.add(job.name)
            for field in ("priority", "lost", "end"):
                value = getattr(job, field)
                if value is not None and not 0 <= value < 2**40:
                    problem = f"must be from 0 to {2**40 - 1}"
                    raise InputError(problem, f"{at}.{field}", value)
            for node, n in job.nodes.items():
                name = self.devices.tree.nodes[node]
                if n is not None and not 1 <= n < _MOST_NUMBER:
                    problem = f"must be from 1 to {_MOST_NUMBER - 1}"
                    raise InputError(problem, f"{at}.nodes.{name}", n)
            used.update(self.held(job))
        for node, n in used.items():
            free, whole = self.devices.free[node], int(self.devices.whole[node])
            if n + max(0, int(free)) > whole:
                name = self.devices.tree.nodes[node]
                problem = f"jobs hold {n} of its {whole} devices, {free} are free"
                raise InputError(problem, "nodes", name)


@dataclass(frozen=True)
class Change:
    """What is known of the least change."""

    status: Status
    """Infeasible: no change will do; unknown: not decided."""
    stages: tuple[Stage, ...] = ()
    """The numbers that are minimised, in order."""
    ends: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()
    ordered: bool = True
    """Whether each move goes to devices that are free then."""
    waits: tuple[str, ...] = ()
    freed: tuple[int, ...] = ()
    """The domains without a job in the end."""
    placement: JobPlacement | None = None
    by: str = ""
    """What vouches for that no change will do."""
    limit: Limit | None = None
    seconds: float = 0.0

    @property
    def proved(self) -> bool:
        """Whether no other change is less."""
        return all(stage.proved for stage in self.stages)


def _status(found: Staged) -> Status:
    if found.impossible:
        return Status.INFEASIBLE
    if found.values is None:
        return Status.UNKNOWN
    done = all(stage.proved for stage in found.stages)
    return Status.OPTIMAL if done else Status.FEASIBLE


# preempt


def preempt(
    job: GangJob,
    state: RunningState,
    settings: Settings = DEFAULT,
    program: Program | None = None,
) -> Change:
    """Say which jobs have to end for another one to fit.

    The least highest priority of those that end comes first, then their number, their
    devices, and what is lost.

    Parameters
    ----------
    job, state
        The job and the machine, which are not refused.
    settings
        The time limit counts.
    program
        As for `answer.decide`.
    """
    start = clock.now()
    plain = replace(job, objective=())

    def left() -> Settings:
        spent = clock.now() - start
        return replace(settings, time_limit=max(0.0, settings.time_limit - spent))

    def fits(priority: float) -> GangAnswer:
        some = [x for x in state.jobs if x.endable and x.priority <= priority]
        return decide(plain, state.without(some), left())

    none = decide(job, state.devices, left(), program)
    names = ("highest priority", "jobs", "devices", "lost")
    if none.fits:
        stages = tuple(Stage(name, 0, 0, BY_COUNTING) for name in names)
        spent = clock.now() - start
        where = none.placement
        return Change(Status.OPTIMAL, stages, placement=where, seconds=spent)
    if none.fits is None:
        return Change(Status.UNKNOWN, limit=none.limit, seconds=clock.now() - start)
    ranks = sorted({x.priority for x in state.jobs if x.endable})
    most = fits(inf)
    if most.fits is not True:
        seconds = clock.now() - start
        return Change(most.status, by=most.by, limit=most.limit, seconds=seconds)
    low, high, by = 0, len(ranks) - 1, none.by
    while low < high:
        middle = (low + high) // 2
        found = fits(ranks[middle])
        if found.fits is None:
            return Change(Status.UNKNOWN, limit=found.limit)
        if found.fits:
            high = middle
        else:
            low, by = middle + 1, found.by
    first = Stage(names[0], ranks[low], ranks[low], by)
    victims = [
        i for i, x in enumerate(state.jobs) if x.endable and x.priority <= ranks[low]
    ]
    devices = state.without(state.jobs[i] for i in victims)
    held = [(i, state.held(state.jobs[i])) for i in victims]
    weights = {
        i: (
            1,
            sum(nodes.values()),
            state.jobs[i].lost,
            int(state.jobs[i].priority == ranks[low]),
        )
        for i, nodes in held
    }
    ends = end_classes(plain, devices, held, weights)
    model = ChangeModel(plain, devices, {}, ends)
    sums = [
        cp_model.LinearExpr.weighted_sum(
            model.ended, [one.weights[which] for one in ends]
        )
        for which in range(4)
    ]
    model.model.add(sums[3] >= 1)
    parts = [*zip(names[1:], sums, strict=False)]
    solved = by_stages(model.model, parts, model.ended, left(), BY_SOLVER)
    if solved.values is None:
        if solved.impossible:
            raise SolverError("a job does not fit where it was found to fit")
        stages = (first, *solved.stages)
        seconds = clock.now() - start
        return Change(Status.UNKNOWN, stages, limit=solved.limit, seconds=seconds)
    gone = [
        state.jobs[j]
        for one, n in zip(ends, solved.values, strict=True)
        for j in one.jobs[:n]
    ]
    after = decide(job, state.without(gone), replace(left(), time_limit=inf), program)
    if not after.fits:
        raise SolverError("the job does not fit when these jobs end")
    numbers = [
        len(gone),
        sum(sum(state.held(x).values()) for x in gone),
        sum(x.lost for x in gone),
    ]
    if numbers != [stage.value for stage in solved.stages]:
        raise SolverError("the jobs that end do not cost what was found")
    return Change(
        _status(solved),
        (first, *solved.stages),
        ends=tuple(x.name for x in gone),
        placement=after.placement,
        limit=solved.limit,
        seconds=clock.now() - start,
    )


# moves


@dataclass(frozen=True)
class _Movers:
    """Running jobs that may move, as roles."""

    jobs: tuple[RunningJob, ...]
    roles: Mapping[str, tuple[Role, ...]]
    """By job: one for every number of devices on a node."""
    old: Mapping[str, tuple[int, ...]]
    constraints: tuple[MostDomains, ...]


def _movers(state: RunningState, jobs: Sequence[RunningJob], spread: bool) -> _Movers:
    tree = state.devices.tree
    lowest = tree.at(0)
    roles, old, constraints = {}, {}, []
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
    return _Movers(tuple(jobs), roles, old, tuple(constraints))


def _with_movers(job: GangJob | None, movers: _Movers) -> GangJob:
    own = job or GangJob(())
    roles = (*own.roles, *(x for some in movers.roles.values() for x in some))
    return GangJob(roles, (*own.constraints, *movers.constraints))


def _moves_of(
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


def _moved(named: Mapping[str, Sequence[Role]], model: ChangeModel) -> list[object]:
    """Return, for every job, whether any of it moves."""
    flags = []
    for roles in named.values():
        names = [role.name for role in roles]
        flag = model.model.new_bool_var("moves")
        model.model.add(model.moved(names) <= model.job.count(names) * flag)
        flags.append(flag)
    return flags


def _decode(
    model: ChangeModel, values: list[int], old: JobPlacement, devices: NodeDevices
) -> JobPlacement:
    where = keep_places(model, values, old)
    if wrong := model.job.violations(where, devices):
        raise SolverError(f"a placement does not keep: {wrong[0]}")
    return where


# repair


def repair(
    job: GangJob,
    placed: JobPlacement,
    failed: Iterable[int],
    state: RunningState,
    settings: Settings = DEFAULT,
    *,
    name: str = "job",
    spread: bool = False,
) -> Change:
    """Say where a placed job goes on that lost nodes.

    On free nodes alone, the fewest pods are placed elsewhere than they were, then the
    fewest domains of each level are used, the lowest first. Where that is impossible,
    the fewest other jobs are moved, then the fewest of their devices, then of its pods.

    Parameters
    ----------
    job, placed
        The job, which is not refused, and where it was.
    failed
        The nodes that it lost.
    state
        The machine, where the job itself holds its devices, and other jobs.
    settings
        The time limit counts.
    name
        What the job is called in moves.
    spread
        Whether other jobs may get into more lowest domains than they are in.

    Raises
    ------
    InputError
        If the job was not on a node that failed, or not placed as it asks for.
    """
    start = clock.now()
    lost = frozenset(failed)
    tree, whole = state.devices.tree, state.devices.whole
    if strange := lost - {i for nodes in placed.values() for i in nodes}:
        raise InputError("is no node of the job", "failed", tree.nodes[min(strange)])
    own: Counter[int] = Counter()
    for role in job.roles:
        for i in placed[role.name]:
            own[i] += int(whole[i]) if role.devices is None else role.devices
    free = state.devices.free.copy()
    for i, n in own.items():
        free[i] = max(0, int(free[i])) + n
    if wrong := job.violations(placed, replace(state.devices, free=free.copy())):
        raise InputError(f"does not keep: {wrong[0]}", "placed")
    free[[*lost]] = -1
    now = replace(state.devices, free=free)
    levels = [name for name in tree.levels[: int(tree.height[0])]]
    parts = tuple(ObjectivePart("domains", level) for level in levels)
    asked = replace(job, objective=parts)
    forest = PieceForest(job, tree)
    old = {x: tuple(-1 if i in lost else i for i in placed[x]) for x in job.names}
    named = {name: job.roles}
    found = refill(asked, old, own, now, forest)
    if found is not None:
        where, bounds = found
        gone = sum(i < 0 for nodes in old.values() for i in nodes)
        stages = [Stage("pods", gone, gone, BY_COUNTING)]
        stages += [
            Stage(part.name, value, value, BY_COUNTING)
            for part, value in zip(parts, bounds, strict=True)
        ]
        solved = Staged(tuple(stages), [])
        moves = _moves_of(asked, named, old, where, now)
        seconds = clock.now() - start
        return Change(
            Status.OPTIMAL,
            solved.stages,
            moves=tuple(moves),
            placement=where,
            seconds=seconds,
        )
    movable = [x for x in state.jobs if x.movable and x.nodes.keys().isdisjoint(lost)]
    for others in ([], movable):
        left = replace(
            settings, time_limit=max(0.0, settings.time_limit - (clock.now() - start))
        )
        movers = _movers(state, others, spread)
        both = _with_movers(job, movers)
        free = now.free.copy()
        for other in others:
            for node, n in state.held(other).items():
                free[node] += n if free[node] >= 0 else 0
        devices = replace(now, free=free)
        if len(both.roles) * len(tree.nodes) > _MOST_PAIRS and others:
            return Change(Status.UNKNOWN, limit=Limit.MEMORY)
        before = {**old, **movers.old}
        model = ChangeModel(both, devices, before)
        numbers = []
        if others:
            number = sum(_moved(movers.roles, model))
            numbers.append(("other jobs", number))
            amount = 0 + model.devices_moved([*movers.old])
            numbers.append(("their devices", amount))
        numbers.append(("pods", model.moved(job.names)))
        numbers += [
            (part.name, model.part(replace(part, roles=job.names))) for part in parts
        ]
        solved = by_stages(model.model, numbers, model.variables, left, BY_SOLVER)
        if solved.impossible and not others and movable:
            continue
        seconds = clock.now() - start
        if solved.values is None:
            return Change(
                _status(solved),
                solved.stages,
                by=BY_SOLVER * solved.impossible,
                limit=solved.limit,
                seconds=seconds,
            )
        where = _decode(model, solved.values, before, devices)
        everyone = {**named, **movers.roles}
        moves = _moves_of(both, everyone, before, where, devices)
        order = in_order(moves, np.maximum(_room_now(state, own, lost), 0))
        return Change(
            _status(solved),
            solved.stages,
            moves=tuple(moves) if order is None else order,
            ordered=order is not None,
            placement={x: where[x] for x in job.names},
            limit=solved.limit,
            seconds=clock.now() - start,
        )
    raise AssertionError


def _room_now(
    state: RunningState, own: Mapping[int, int], lost: Iterable[int]
) -> np.ndarray:
    free = state.devices.free.copy()
    free[[*lost]] = 0
    return free


# drain


def drain(
    level: str,
    count: int,
    state: RunningState,
    settings: Settings = DEFAULT,
    *,
    until: int = -1,
    spread: bool = False,
) -> Change:
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
    settings_left = settings
    chosen = _choose(state, some, at, count, until, settings)
    if chosen.values is None:
        spent = clock.now() - start
        by = BY_SOLVER * chosen.impossible
        limit, status = chosen.limit, _status(chosen)
        return Change(status, chosen.stages, by=by, limit=limit, seconds=spent)
    flags = chosen.values
    freed = {v for v, flag in zip(some, flags, strict=False) if flag}
    jobs = len(state.jobs)
    moved = [
        x for x, flag in zip(state.jobs, flags[len(some) :], strict=False) if flag
    ]
    waited = [
        x for x, w in zip(state.jobs, flags[len(some) + jobs :], strict=True) if w
    ]
    waited = [x for x in waited if freed & {int(at[i]) for i in x.nodes}]
    everyone = [x for x in state.jobs if x.movable]
    for movers_, wait, wanted in (
        (moved, waited, freed),
        (everyone, [x for x in state.jobs if _ends(x, until)], None),
    ):
        spent = clock.now() - start
        settings_left = replace(
            settings, time_limit=max(0.0, settings.time_limit - spent)
        )
        if wanted is None and len(movers_) * len(tree.nodes) > _MOST_PAIRS:
            break
        found = _rearrange(
            state, movers_, wait, some, at, count, wanted, spread, settings_left
        )
        solved = found[0]
        values = [stage.value for stage in solved.stages]
        least = [stage.bound for stage in chosen.stages]
        last = wanted is None
        if last or (solved.values is not None and values == least):
            stages = solved.stages if last else chosen.stages
            if solved.values is None:
                by = BY_SOLVER * solved.impossible
                return Change(
                    _status(solved),
                    chosen.stages[:0],
                    by=by,
                    limit=solved.limit,
                    seconds=clock.now() - start,
                )
            moves, freed_now, waits = found[1:]
            order = in_order(moves, np.maximum(state.devices.free, 0))
            return Change(
                _status(replace(solved, stages=stages)),
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
    return Change(Status.UNKNOWN, stages, limit=Limit.MEMORY, seconds=spent)


def _ends(job: RunningJob, until: int) -> bool:
    return job.end is not None and job.end <= until


DRAINED = ("jobs", "devices", "latest end")


def _choose(
    state: RunningState,
    some: Sequence[int],
    at: np.ndarray,
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
    amounts = []
    latest = model.new_int_var(0, 2**40, "latest")
    for x, move, wait in zip(state.jobs, moved, waits, strict=True):
        inside: Counter[int] = Counter()
        for node, n in state.held(x).items():
            if at[node] != NOWHERE:
                inside[int(at[node])] += n
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
            elif x.movable:
                amounts.append(n * freed[v])
    devices = model.new_int_var(0, 2**48, "devices")
    model.add(devices == sum(amounts))
    model.add(devices <= room)
    parts = [*zip(DRAINED, (sum(moved), devices, latest), strict=True)]
    asked = [*freed.values(), *moved, *waits]
    return by_stages(model, parts, asked, settings, BY_SOLVER)


def _rearrange(
    state: RunningState,
    jobs: Sequence[RunningJob],
    wait: Sequence[RunningJob],
    some: Sequence[int],
    at: np.ndarray,
    count: int,
    wanted: set[int] | None,
    spread: bool,
    settings: Settings,
) -> tuple[Staged, list[Move], tuple[int, ...], tuple[str, ...]]:
    """Move jobs, and wait for others, so that domains are free; None wanted: any."""
    tree = state.devices.tree
    movers = _movers(state, jobs, spread)
    job = _with_movers(None, movers)
    devices = state.without(jobs)
    stay = {x.name for x in state.jobs} - movers.roles.keys()
    waits_for = {x.name for x in wait}
    job = job if job.roles else GangJob((Role("none", 1, 0),))
    model = ChangeModel(job, devices, movers.old)
    add = model.model.add
    freed = {v: model.model.new_bool_var(f"free{v}") for v in some}
    add(sum(freed.values()) >= count)
    waiting = {x: model.model.new_bool_var(f"wait {x}") for x in sorted(waits_for)}
    latest = model.model.new_int_var(0, 2**40, "latest")
    flags = dict(zip(movers.roles, _moved(movers.roles, model), strict=True))
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
    amount = model.devices_moved([*movers.old])
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
        where = _decode(model, [*values], movers.old, devices)
    moves = _moves_of(job, movers.roles, movers.old, where, devices)
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
