"""A placed job that lost nodes: the least that has to change.

Where pods are alike, by counting if that is enough; otherwise by the model of a change.

All that survives stays, so that no fewer pods are placed again. What a lost pod has to
be together with decides in which domain it stays; these domains nest, so that any free
nodes will do, from the lowest up. New domains are opened only when no used one has
room; the answer counts only if each level has no more than a bound on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf

import numpy as np

from ....instances import InputError, IntArray
from ....instances.arrays.graphs import BoolArray
from ....solvers import DEFAULT, Limit, Settings, Status
from ....solvers.running import clock
from ..answer import BY_COUNTING, BY_SOLVER
from ..domains import NOWHERE, NodeDevices
from ..forest import ANYWHERE, LOOSE, PieceForest
from ..job import GangJob, JobPlacement, ObjectivePart
from ..model import Expr, LateModelError
from ..stages import NoPlace, NoSolution, Stage, add_numbers, by_stages, nothing_less
from ..tree import tree_job
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

Groups = list[tuple[int, int, list[int]]]
"""Lost pods by the domain in which each has to be: level, domain, pods."""


@dataclass(frozen=True)
class _LostPlaces:
    job: GangJob
    """Its objective is domains by level, from the lowest up."""
    name: str
    lost: frozenset[int]
    old: JobPlacement
    """Where pods are; -1 for those that lost their nodes."""
    own: Mapping[int, int]
    """Devices of the job, by node."""
    now: NodeDevices
    """Devices that are free, those of its surviving pods among them."""


def repair(
    job: GangJob,
    placed: JobPlacement,
    failed: Iterable[int],
    state: RunningState,
    settings: Settings = DEFAULT,
    *,
    name: str = "job",
    spread: bool = False,
) -> LeastChange:
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
    broken = _what_is_left(job, placed, frozenset(failed), state, name)
    found = _refill(broken)
    if found is not None:
        where, numbers = found
        gone = sum(i < 0 for nodes in broken.old.values() for i in nodes)
        names = ["pods", *(part.name for part in broken.job.objective)]
        best = [gone, *numbers]

        def less(i: int) -> NoSolution:
            """Return the model, which counting did without."""
            model, parts = _model(
                broken, movers_of(replace(state, devices=broken.now), [], spread)
            )
            added = add_numbers(model.model, parts)
            rows = NoSolution(model.model, len(model.model.proto.constraints))
            [*_, last] = nothing_less(rows, added, best[: i + 1])
            assert last is not None
            return last()

        stages = tuple(
            Stage(x, n, n, BY_COUNTING, partial(less, i) if n else None)
            for i, (x, n) in enumerate(zip(names, best, strict=True))
        )
        moves = moves_of({name: job.roles}, broken.old, where, broken.now, name)
        return LeastChange(
            Status.OPTIMAL,
            stages,
            moves=tuple(moves),
            placement=where,
            seconds=clock.now() - start,
        )
    movable = [
        x for x in state.jobs if x.movable and x.nodes.keys().isdisjoint(broken.lost)
    ]
    answer = _by_model(broken, state, [], settings, spread)
    if answer.status is Status.INFEASIBLE and movable:
        left = settings.remaining(start)
        answer = _by_model(broken, state, movable, left, spread)
    room = NoPlace(job, replace(state, devices=broken.now).without(movable))
    return replace(answer, room=room, seconds=clock.now() - start)


def _what_is_left(
    job: GangJob,
    placed: JobPlacement,
    lost: frozenset[int],
    state: RunningState,
    name: str,
) -> _LostPlaces:
    """Return what is left of a job; InputError if it was not there like that."""
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
    levels = tree.levels[: int(tree.height[0])]
    parts = tuple(ObjectivePart("domains", level) for level in levels)
    old = {x: tuple(-1 if i in lost else i for i in placed[x]) for x in job.names}
    now = replace(state.devices, free=free)
    return _LostPlaces(replace(job, objective=parts), name, lost, old, own, now)


def _by_model(
    broken: _LostPlaces,
    state: RunningState,
    others: list[OngoingJob],
    settings: Settings,
    spread: bool,
) -> LeastChange:
    """Place a job again by the model of a change; some others may move."""
    job, now = broken.job, broken.now
    movers = movers_of(replace(state, devices=now), others, spread)
    if (len(job.roles) + len(movers.old)) * len(now.tree.nodes) > MOST_PAIRS and others:
        return LeastChange(Status.UNKNOWN, limit=Limit.MEMORY)
    try:
        model, numbers = _model(broken, movers, clock.now() + settings.time_limit)
    except LateModelError:
        return LeastChange(Status.UNKNOWN, limit=Limit.TIME)
    devices, before = model.devices, model.old
    solved = by_stages(model.model, numbers, model.variables, settings, BY_SOLVER)
    answer = change_of(solved)
    if solved.values is None:
        return answer
    where = decode(model, solved.values, before, devices)
    everyone = {broken.name: job.roles, **movers.roles}
    moves = moves_of(everyone, before, where, devices, broken.name)
    free = state.devices.free.copy()
    free[[*broken.lost]] = -1
    order = in_order(moves, replace(state.devices, free=free), state.kinds)
    return replace(
        answer,
        moves=tuple(moves) if order is None else order,
        ordered=order is not None,
        placement={x: where[x] for x in job.names},
    )


def _model(
    broken: _LostPlaces, movers: Movers, until: float = inf
) -> tuple[ChangeModel, list[tuple[str, Expr]]]:
    """Return a model of a job that is placed again, and the numbers to minimise."""
    job = broken.job
    both = with_movers(replace(job, objective=()), movers)
    before = {**broken.old, **movers.old}
    model = ChangeModel(both, movers.devices, before, until=until)
    numbers: list[tuple[str, Expr]] = []
    if movers.roles:
        numbers.append(("other jobs", sum(flags_of(movers.roles, model))))
        numbers.append(("their devices", model.count_devices([*movers.old])))
    numbers.append(("pods", model.count_moves(job.names)))
    numbers += [
        (part.name, model.part(replace(part, roles=job.names)))
        for part in job.objective
    ]
    return model, numbers


def _refill(broken: _LostPlaces) -> tuple[JobPlacement, tuple[int, ...]] | None:
    """Return a placement, and its numbers, which are the least; None: not decided."""
    job, old, own, now = broken.job, broken.old, broken.own, broken.now
    forest = PieceForest(job, now.tree)
    tree, free = now.tree, now.free.copy()
    for node, n in own.items():
        free[node] -= n if free[node] >= 0 else 0
    ask = tree_job(job, NodeDevices(tree, free, now.whole), forest)
    where = np.concatenate([np.array(old[name]) for name in job.names])
    groups = _pin(where, forest, now)
    if ask is None or ask.most or groups is None or job.open_counts:
        return None
    room, used = ask.room.copy(), where[where >= 0]
    levels = [tree.level_number(part.level) for part in job.objective]
    least = [_least_domains(tree.at(x), used, room, groups, now) for x in levels]
    for level, v, pods in groups:
        here = np.arange(len(room)) if level == ANYWHERE else tree.at(level) == v
        inside = np.zeros(len(room), dtype=np.bool_)
        inside[here] = True
        left = list(pods)
        while left:
            at = _next_leaf(room, inside, where[where >= 0], len(left), now)
            if at is None:
                return None
            for node in at:
                some, left = left[: room[node]], left[int(room[node]) :]
                where[some] = node
                room[node] -= len(some)
                if not left:
                    break
    placed = forest.placement(where)
    numbers = job.value(placed, now)
    if numbers != tuple(least) or job.violations(placed, now):
        return None
    return placed, numbers


def _pin(where: IntArray, forest: PieceForest, now: NodeDevices) -> Groups | None:
    """Say where each lost pod has to be; None if a whole piece was lost."""
    lost = np.flatnonzero(where < 0)
    found: dict[int, tuple[int, int]] = {}
    for level, piece in zip(forest.levels, forest.piece, strict=True):
        at = now.tree.at(level)
        for pod in lost.tolist():
            if pod in found or piece[pod] == LOOSE:
                continue
            others = where[(piece == piece[pod]) & (where >= 0)]
            if not len(others):
                return None
            found[pod] = level, int(at[others[0]])
    groups: dict[tuple[int, int], list[int]] = {}
    for pod in lost.tolist():
        groups.setdefault(found.get(pod, (ANYWHERE, 0)), []).append(pod)
    return [(*key, pods) for key, pods in sorted(groups.items())]


def _least_domains(
    at: IntArray, used: IntArray, room: IntArray, groups: Groups, now: NodeDevices
) -> int:
    """Return how many domains of a level are used at least."""
    base = np.unique(at[used])
    base = base[base != NOWHERE]
    more = 0
    ready = np.isin(at, base) | (at == NOWHERE)
    for level, v, _ in groups:
        inside = np.ones(len(at), dtype=np.bool_)
        if level != ANYWHERE:
            inside = now.tree.at(level) == v
        need = 0
        for low, u, pods in groups:
            if (low, u) == (level, v) or (
                low < level
                and (level == ANYWHERE or inside[now.tree.at(low) == u].any())
            ):
                need += len(pods)
        need -= int(room[inside & ready].sum())
        if need > 0:
            new = np.flatnonzero(inside & ~ready)
            sizes = np.sort(np.bincount(at[new], room[new]))[::-1]
            more = max(more, int(np.searchsorted(np.cumsum(sizes), need)) + 1)
    return len(base) + more


def _next_leaf(
    room: IntArray, inside: BoolArray, used: IntArray, need: int, now: NodeDevices
) -> list[int] | None:
    """Return the nodes with room in one lowest domain, the best one; None: none."""
    tree = now.tree
    nodes = np.flatnonzero(inside & (room > 0))
    if not len(nodes):
        return None
    leaf = tree.home[nodes]
    of = np.unique(leaf, return_inverse=True)[1]
    sizes = np.minimum(np.bincount(of, room[nodes]), need)
    first = nodes[np.unique(of, return_index=True)[1]]
    new = [
        ~np.isin(at[first], at[used]) & (at[first] != NOWHERE)
        for at in map(tree.at, range(len(tree.levels)))
    ]
    best = np.lexsort((*reversed(new[1:]), -sizes, new[0]))[0]  # the last counts first
    found: list[int] = nodes[of == best].tolist()
    return found
