"""The model of a change: which running jobs end, which move, and which stay.

A running job that may move is a role whose pods are wanted where they are; one that may
end is a number of devices that come free with it. Jobs that end and are alike to each
other are counted together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from ....instances import IntArray
from ....solvers import Limit, Settings, SolverError, cpsat
from ....solvers.running import clock
from ..answer import decide
from ..conflict import Clash, find_clash
from ..constraints import AtLevel
from ..domains import NODE, NodeDevices
from ..forest import PieceForest
from ..job import GangJob, JobPlacement
from ..model import Expr, JobModel

Held = Mapping[int, int]
"""How many devices something holds, by node."""


@dataclass(frozen=True)
class EndClass:
    """Running jobs of which only matters how many end."""

    jobs: tuple[int, ...]
    held: tuple[Held, ...]
    """Of each job."""
    weights: tuple[int, ...]
    """What the end of one of them costs, by stage."""


class _OwnPieces(PieceForest):
    """Pieces of a job that is placed: no two are alike."""

    def mark(self, piece: int) -> int:
        """Return the piece."""
        return piece


class ChangeModel(JobModel):
    """A model of a job, and of jobs that run.

    Parameters
    ----------
    job
        What has to be placed in the end; roles of running jobs are among its own.
    devices
        Devices that are free if all jobs have left that can end or move.
    old
        Where the pods of some roles are; -1 for those that are nowhere.
    ends
        The jobs that can end.
    by_node
        Whether no two nodes are alike.
    """

    def __init__(
        self,
        job: GangJob,
        devices: NodeDevices,
        old: JobPlacement,
        ends: Sequence[EndClass] = (),
        *,
        by_node: bool = False,
    ) -> None:
        self.old, self.classes = old, ends
        self.holders: dict[int, list[tuple[int, int]]] = defaultdict(list)
        """By node: the classes of jobs on it that can end, and their devices."""
        for i, one in enumerate(ends):
            for held in one.held:
                for node, n in held.items():
                    self.holders[node].append((i, n))
        same = len({role.devices for role in job.roles}) == 1
        unlike = np.zeros(len(devices.tree.nodes), dtype=np.int64)
        for node, jobs in self.holders.items():
            one_job = same and len(jobs) == 1
            unlike[node] = 1 + jobs[0][0] if one_job else -1 - node
        if not same:
            for nodes in old.values():
                for node in nodes:
                    unlike[node] = -1 - node if node >= 0 else unlike[node]
        if by_node:
            unlike = np.arange(len(unlike))
        forest = _OwnPieces(job, devices.tree) if old else None
        super().__init__(job, devices, forest, unlike)
        self.kept: dict[str, list[tuple[cp_model.IntVar, int]]] = defaultdict(list)
        """By role: pods that stay, and the devices of each."""
        self._add_kept()

    @cached_property
    def ends(self) -> list[cp_model.IntVar]:
        """How many jobs of each class end."""
        return [
            self.model.new_int_var(0, len(one.jobs), f"end{i}")
            for i, one in enumerate(self.classes)
        ]

    def _add_devices(self, c: int) -> None:
        members = self.cells.members[c]
        holders = self.holders.get(members[0])
        if not holders:
            super()._add_devices(c)
            return
        n, most = len(members), int(self.devices.free[members[0]])
        least = most - sum(held for _, held in holders)
        now = least + sum(held * self.ends[i] for i, held in holders)
        found: dict[int | None, list[Any]] = defaultdict(list)
        for role in self.job.roles:
            found[role.devices] += self._pods_in[role.name, c]
        pods = {ask: 0 + sum(some) for ask, some in found.items() if some}
        add = self.model.add
        if n > 1:
            for ask, some in pods.items():  # there is one job on each, and one ask
                of, end = (
                    len(self.classes[holders[0][0]].jobs),
                    self.ends[holders[0][0]],
                )
                if ask is None:
                    add(some <= n // of * end)
                elif ask:
                    more = most // ask - least // ask
                    add(some <= n * (least // ask) + n // of * more * end)
            return
        whole = pods.get(None, 0)
        taken = sum(ask * some for ask, some in pods.items() if ask)
        add(0 + whole <= 1)
        add(taken + most * whole <= now)
        if 0 in pods:
            add(pods[0] <= self.job.pods * (1 - whole))

    def _add_kept(self) -> None:
        cell_of = {i: c for c, some in enumerate(self.cells.members) for i in some}
        for k, kind in enumerate(self.forest.kinds) if self.old else ():
            for role, pods in self.forest.loose[kind.pieces[0]].items():
                name = self.job.names[role]
                first = self.forest.begin[name]
                there = Counter(
                    cell_of.get(self.old[name][pod - first])
                    for pod in pods
                    if name in self.old
                )
                for c, n in there.items():
                    if c is not None and (x := self.x.get((k, name, c))) is not None:
                        keep = self.model.new_int_var(0, n, f"keep{k}_{name}_{c}")
                        self.model.add(keep <= x)
                        ask = self.job.role(name).devices
                        example = self.cells.members[c][0]
                        whole = int(self.devices.whole[example])
                        self.kept[name].append((keep, whole if ask is None else ask))

    def count_moves(self, names: Sequence[str]) -> Expr:
        """Return how many pods of roles are not where they were."""
        kept = [keep for name in names for keep, _ in self.kept[name]]
        return self.job.count(names) - (cp_model.LinearExpr.sum(kept) if kept else 0)

    def count_devices(self, names: Sequence[str]) -> Expr:
        """Return how many devices they leave."""
        held, whole = 0, self.devices.whole
        for name in names:
            ask = self.job.role(name).devices
            held += sum(int(whole[i]) if ask is None else ask for i in self.old[name])
        return held - sum(n * keep for name in names for keep, n in self.kept[name])


def end_classes(
    job: GangJob,
    devices: NodeDevices,
    held: Sequence[tuple[int, Held]],
    weights: Mapping[int, tuple[int, ...]],
) -> list[EndClass]:
    """Return jobs that can end, those together that are alike to a job of parts.

    So are those that have nodes of one kind in one lowest domain for themselves, where
    no constraint is about single nodes.
    """
    tree = devices.tree
    levels = [x.level for x in job.constraints if isinstance(x, AtLevel)]
    joined = len({role.devices for role in job.roles}) == 1
    joined &= len(levels) == len(job.constraints)
    joined &= NODE not in map(tree.level_number, levels)
    on = Counter(node for _, nodes in held for node in nodes)
    found: dict[Hashable, list[tuple[int, Held]]] = {}
    for j, nodes in held:
        looks = {
            (int(tree.home[i]), int(devices.free[i]), int(devices.whole[i]), n)
            for i, n in nodes.items()
        }
        alone = joined and len(looks) == 1 and all(on[i] == 1 for i in nodes)
        key: Hashable = (*looks, len(nodes), weights[j]) if alone else j
        found.setdefault(key, []).append((j, nodes))
    return [
        EndClass(
            tuple(j for j, _ in some),
            tuple(nodes for _, nodes in some),
            weights[some[0][0]],
        )
        for some in found.values()
    ]


@dataclass(frozen=True, eq=False)
class NoSolution:
    """The first rows of a model, and what some of its numbers are at most: no solution.

    Parameters
    ----------
    model, rows
        The model, and how many of its rows count.
    at_most
        Indices of variables, and the most of each.
    """

    model: cp_model.CpModel
    rows: int
    at_most: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, eq=False)
class NoPlace:
    """A job that has no placement."""

    job: GangJob
    devices: NodeDevices

    def clash(self, deadline: float) -> Clash | None:
        """Return which of its constraints clash; None: it has a placement after all.

        Or that was not decided by a deadline, on ``clock.now``.
        """

        def fits(job: GangJob) -> bool | None:
            left = Settings(time_limit=max(deadline - clock.now(), 0.001))
            return decide(replace(job, objective=()), self.devices, left).fits

        if fits(self.job) is not False:
            return None
        return find_clash(self.job, self.devices.tree, fits, deadline)


@dataclass(frozen=True)
class Stage:
    """One number that is minimised after those before it."""

    name: str
    value: int | None
    """The best found; None if nothing was."""
    bound: int
    """Proved: with the stages before as they are, it is not less."""
    by: str
    less: Callable[[], NoPlace | NoSolution] | None = field(
        default=None, compare=False, repr=False
    )
    """Makes what is impossible if nothing is less; None: nothing, by the definition."""

    @property
    def proved(self) -> bool:
        """Whether nothing is better."""
        return self.value == self.bound


@dataclass(frozen=True)
class Staged:
    """What was found of a model, stage by stage."""

    stages: tuple[Stage, ...]
    values: list[int] | None
    impossible: bool = False
    limit: Limit | None = None
    rows: NoSolution | None = None
    """The model, without what the stages add."""


_PARAMETERS = "linearization_level: 2"
"""All rows are in the linear relaxation: without it bounds hardly move."""


def by_stages(
    model: cp_model.CpModel,
    parts: Sequence[tuple[str, Expr]],
    variables: Sequence[cp_model.IntVar],
    settings: Settings,
    by: str,
) -> Staged:
    """Minimise one number after the other; each is kept at its least.

    A limit ends all; of later stages then is known what the best has, and no bound.
    """
    start = clock.now()
    numbers = add_numbers(model, parts)
    rows = NoSolution(model, len(model.proto.constraints))
    asked = [*numbers, *variables]
    best: list[int] | None = None
    bounds: list[int] = []
    limit: Limit | None = None
    for i, number in enumerate(numbers):
        if best is not None:
            if best[i] == 0:
                bounds.append(0)
                model.add(number == 0)
                continue
            model.clear_hints()
            for variable, value in zip(asked, best, strict=True):
                model.add_hint(variable, value)
        model.minimize(number)
        rest = settings.remaining(start)
        found = cpsat.decide(model, asked, settings=rest, parameters=_PARAMETERS)
        if found.impossible:
            if best is not None:
                raise SolverError("a model is infeasible that has a solution")
            return Staged((), None, impossible=True, rows=rows)
        best, limit = found.values or best, found.limit
        if limit is not None:
            bounds.append(max(0, found.bound or 0))
            break
        assert best is not None
        bounds.append(best[i])
        model.add(number <= best[i])
    bounds += [0] * (len(parts) - len(bounds))
    known: Sequence[int | None] = best or [None] * len(parts)
    less = nothing_less(rows, numbers, known)
    stages = tuple(
        Stage(name, value, bound, by, some)
        for (name, _), value, bound, some in zip(
            parts, known, bounds, less, strict=False
        )
    )
    return Staged(stages, best and best[len(parts) :], limit=limit, rows=rows)


def add_numbers(
    model: cp_model.CpModel, parts: Sequence[tuple[str, Expr]]
) -> list[cp_model.IntVar]:
    """Add a variable for each number that is minimised."""
    numbers = []
    for name, part in parts:
        number = model.new_int_var(0, 2**48, name)
        model.add(number == part)
        numbers.append(number)
    return numbers


def nothing_less(
    rows: NoSolution, numbers: Sequence[cp_model.IntVar], best: Sequence[int | None]
) -> list[Callable[[], NoSolution] | None]:
    """Return what is impossible if no number, those before kept, is below the best."""
    found: list[Callable[[], NoSolution] | None] = []
    kept: list[tuple[int, int]] = []
    for number, value in zip(numbers, best, strict=False):
        less = (*kept, (number.index, (value or 0) - 1))
        found.append(partial(replace, rows, at_most=less) if value else None)
        kept.append((number.index, value or 0))
    return found


@dataclass(frozen=True)
class Move:
    """Pods of a running job leave nodes for others, all at once."""

    job: str
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    devices: tuple[int, ...]
    """Of each pod, where it was and where it comes."""
    arrives: tuple[int, ...]


_MOST_STATES = 20_000


def in_order(moves: Sequence[Move], free: IntArray) -> tuple[Move, ...] | None:
    """Return moves in an order in which each goes to devices that are free then.

    None if there is none without a job that moves twice, or none of 20 000 states.
    """

    def possible(done: frozenset[int]) -> Iterator[int]:
        now = Counter({i: int(n) for i, n in enumerate(free)})
        for j in done:
            move = moves[j]
            for node, n in zip(move.sources, move.devices, strict=True):
                now[node] += n
            for node, n in zip(move.targets, move.arrives, strict=True):
                now[node] -= n
        for j in set(range(len(moves))) - done:
            takes: Counter[int] = Counter()
            for node, n in zip(moves[j].targets, moves[j].arrives, strict=True):
                takes[node] += n
            if all(now[node] >= n for node, n in takes.items()):
                yield j

    stack: list[tuple[int, ...]] = [()]
    seen: set[frozenset[int]] = set()
    while stack and len(seen) < _MOST_STATES:
        order = stack.pop()
        if len(order) == len(moves):
            return tuple(moves[j] for j in order)
        done = frozenset(order)
        if done not in seen:
            seen.add(done)
            stack += [(*order, j) for j in possible(done)]
    return None
