"""Jobs of several parts as models for CP-SAT.

A number for every role, kind of piece and cell states how many pods are there, another
one for every kind of piece and domain how many of these pieces. Who is on which node
follows from the numbers; see `dealing`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from ...instances import IntArray
from ...solvers.later import cp_model
from ...solvers.running import clock
from .cells import NodeCells, patterns
from .constraints import Apart, MostPods
from .domains import NODE, NOWHERE, NodeDevices
from .forest import ANYWHERE, PieceForest
from .job import GangJob, ObjectivePart

Expr = Any


class LateModelError(Exception):
    """The time was over before a model was built."""


class JobModel:
    """A model of a job on a machine, without an objective.

    Parameters
    ----------
    job
        The job, which is not refused.
    devices
        The machine, with the devices that are free.
    forest
        The pieces of the job, if they are known.
    unlike
        A number for every node; nodes with different ones are not alike.
    until
        When building has to end, on ``clock.now``; `LateModelError` is raised then.
    """

    def __init__(
        self,
        job: GangJob,
        devices: NodeDevices,
        forest: PieceForest | None = None,
        unlike: IntArray | None = None,
        until: float = inf,
    ) -> None:
        self.until = until
        self.job, self.devices, self.tree = job, devices, devices.tree
        self.model = cp_model.CpModel()
        self.forest = forest or PieceForest(job, self.tree)
        self.cells = NodeCells(job, devices, unlike)
        self.x: dict[tuple[int, str, int], cp_model.IntVar] = {}
        """Pods, by kind of piece, role and cell."""
        self.y: dict[tuple[int, int], cp_model.IntVar] = {}
        """Pieces, by kind and domain."""
        self.z: dict[int, list[tuple[dict[int | None, int], cp_model.IntVar]]] = {}
        """By cell: ways to share a node, and how many nodes do so."""
        self._used: dict[tuple[tuple[str, ...], str, int], cp_model.IntVar] = {}
        self._by_a_pod: set[tuple[tuple[str, ...], str, int]] = set()
        for k in range(len(self.forest.kinds)):
            self._add_pieces(k)
        for c in range(len(self.cells.members)):
            self._refuse_late()
            self._add_devices(c)
        for one in job.constraints:
            self._refuse_late()
            one.add(self)

    def _refuse_late(self) -> None:
        if clock.now() > self.until:
            raise LateModelError

    # pieces and nodes

    def _add_pieces(self, k: int) -> None:
        """Add pieces of a kind, and the pods that are in no smaller ones."""
        model, cells, kind = self.model, self.cells, self.forest.kinds[k]
        sizes = np.array([len(one) for one in cells.members])
        at, ok = np.zeros(len(sizes), dtype=np.int64), sizes > 0
        if kind.level != ANYWHERE:
            at, up = cells.at[kind.level], self.forest.kinds[kind.parent]
            ok = at != NOWHERE
            if up.level != ANYWHERE:
                ok &= cells.at[up.level] != NOWHERE
            for v in np.unique(at[ok]).tolist():
                most_pieces = self._most_pieces(k, v)
                self.y[k, v] = model.new_int_var(0, most_pieces, f"y{k}_{v}")
            inside = defaultdict(list)
            for v, y in self._pieces_of(k):
                c = self._cells_in[kind.level][v][0]
                above = 0 if up.level == ANYWHERE else int(cells.at[up.level][c])
                inside[above].append(y)
            self._share_out(kind.parent, inside, kind.per, self._is_open(k))
        for name, per in kind.loose.items():
            room = cells.room[name][cells.example] * sizes
            most = np.minimum(room, per * len(kind.pieces))
            pods = defaultdict(list)
            self._refuse_late()
            for c in np.flatnonzero((most > 0) & ok).tolist():
                x = model.new_int_var(0, int(most[c]), f"x{k}_{name}_{c}")
                self.x[k, name, c] = x
                pods[int(at[c])].append(x)
                self._pods_in[name, c].append(x)
            self._share_out(k, pods, per, name in self.job.open_counts)

    @cached_property
    def _pods_in(self) -> dict[tuple[str, int], list[cp_model.IntVar]]:
        return defaultdict(list)

    def _share_out(
        self, k: int, inside: dict[int, list[Any]], per: int, is_open: bool
    ) -> None:
        """Say that every piece of a kind has so many of something, or not all."""
        whole = [(0, 1)] if k == 0 else self._pieces_of(k)
        for v, pieces in whole:
            left, right = _sum(inside[v]), per * pieces
            self.model.add(0 + left <= right if is_open else 0 + left == right)

    def _pieces_of(self, k: int) -> list[tuple[int, Any]]:
        return [(v, y) for (kind, v), y in self.y.items() if kind == k]

    def _is_open(self, k: int) -> bool:
        """Whether no pod of a kind of pieces has to be placed."""
        kind = self.forest.kinds[k]
        inside = all(self._is_open(child) for child in kind.children)
        return inside and self.job.open_counts.issuperset(kind.loose)

    def _add_devices(self, c: int) -> None:
        """Say that the pods of a cell fit on its nodes."""
        members, add = self.cells.members[c], self.model.add
        free, n = int(self.devices.free[members[0]]), len(members)
        found: dict[int | None, list[Any]] = defaultdict(list)
        for role in self.job.roles:
            found[role.devices] += self._pods_in[role.name, c]
        pods = {ask: _sum(some) for ask, some in found.items() if some}
        asks = tuple(sorted(ask for ask in pods if ask))
        if len(pods) == 1:
            for ask, some in pods.items():
                if ask != 0:
                    add(some <= n * (free // ask if ask else 1))
        elif n == 1:
            whole = pods.get(None, 0)
            taken = _sum([ask * pods[ask] for ask in asks])
            add(0 + whole <= 1)
            add(taken + free * whole <= free)
            if 0 in pods:
                add(pods[0] <= self.job.pods * (1 - whole))
        elif pods:
            ways: list[dict[int | None, int]] = [
                {0: self.job.pods, **dict(zip(asks, way, strict=True))}
                for way in patterns(asks, free)
            ]
            ways += [{None: 1}] * (None in pods)
            self.z[c] = [
                (way, self.model.new_int_var(0, n, f"z{c}_{i}"))
                for i, way in enumerate(ways)
            ]
            add(_sum([z for _, z in self.z[c]]) <= n)
            for ask, some in pods.items():
                add(some <= _sum([way.get(ask, 0) * z for way, z in self.z[c]]))

    # what constraints ask for

    @cached_property
    def _cells_in(self) -> dict[int, dict[int, list[int]]]:
        """By level and domain: its cells."""
        found: dict[int, dict[int, list[int]]] = {}
        for level, at in self.cells.at.items():
            inside: dict[int, list[int]] = {}
            for c, v in enumerate(at.tolist()):
                inside.setdefault(v, []).append(c)
            inside.pop(NOWHERE, None)
            found[level] = inside
        return found

    def domains(self, level: str, roles: Sequence[str]) -> list[int]:
        """Return the domains of a level where pods of some roles can be."""
        inside = self._cells_in[self.tree.level_number(level)]
        return [
            v
            for v, cells in inside.items()
            if any(self._pods_in[name, c] for name in roles for c in cells)
        ]

    def pods(self, roles: Sequence[str], level: str, v: int) -> Expr:
        """Return how many pods of some roles are in a domain."""
        cells = self._cells_in[self.tree.level_number(level)].get(v, ())
        return _sum(
            [x for name in roles for c in cells for x in self._pods_in[name, c]]
        )

    def usage(
        self, roles: Sequence[str], level: str, v: int, *, by_a_pod: bool = False
    ) -> cp_model.IntVar:
        """Return whether pods of some roles are in a domain.

        It may be true without any, unless ``by_a_pod``.
        """
        key = (tuple(roles), level, v)
        if (tuple(roles), level, NOWHERE) not in self._used:
            self._add_usage(tuple(roles), level)
        if by_a_pod and key not in self._by_a_pod:
            self._by_a_pod.add(key)
            self.model.add(0 + self.pods(roles, level, v) >= self._used[key])
        return self._used[key]

    def _add_usage(self, roles: tuple[str, ...], level: str) -> None:
        """Say which domains are used, and that so many are as have room for all."""
        number, most, every = self.tree.level_number(level), [], []
        counted = {*roles} - self.job.open_counts
        kinds = [
            k
            for k, kind in enumerate(self.forest.kinds)
            if kind.level == number and counted.intersection(kind.loose)
        ]
        apart = [
            one.roles
            for one in self.job.constraints
            if isinstance(one, Apart)
            and one.level == level
            and {*one.roles} <= {*roles}
        ]
        for v in self._cells_in[number]:
            pods, used = self.pods(roles, level, v), self.model.new_bool_var("")
            self._used[roles, level, v] = used
            most.append(self._most_pods(roles, level, v))
            every.append(used)
            self.model.add(0 + pods <= most[-1] * used)
            for k in kinds:
                if (k, v) in self.y:
                    self.model.add(self.y[k, v] <= self._most_pieces(k, v) * used)
            for names in apart:  # one of them at most uses it
                alone = [self.usage((name,), level, v) for name in names]
                self.model.add(_sum(alone) <= used)
        for names, other in [key[:2] for key in self._used if key[2] == NOWHERE]:
            if {*names} <= {*roles}:
                self._link_usage(names, other, roles, level)
            if {*roles} <= {*names}:
                self._link_usage(roles, level, names, other)
        self._used[roles, level, NOWHERE] = self.model.new_constant(1)
        room = np.cumsum(sorted(most, reverse=True))
        outside = self.cells.at[number] == NOWHERE
        if not self.job.open_counts.intersection(roles) and not outside.any():
            least = int(np.searchsorted(room, self.job.count(roles))) + 1
            self.model.add(0 + _sum(every) >= least)

    def _link_usage(
        self, some: tuple[str, ...], low: str, roles: tuple[str, ...], high: str
    ) -> None:
        """Say that who uses a domain uses the one it is in."""
        number, above = self.tree.level_number(low), self.tree.level_number(high)
        for v, cells in self._cells_in[number].items() if number < above else ():
            if (up := int(self.cells.at[above][cells[0]])) != NOWHERE:
                used = self._used[some, low, v]
                self.model.add(used <= self._used[roles, high, up])

    def _most_pieces(self, k: int, v: int) -> int:
        """Return at least how many pieces of a kind a domain can have."""
        kind = self.forest.kinds[k]
        level, most = self.tree.level_name(kind.level), len(kind.pieces)
        for name, per in kind.loose.items():
            if name not in self.job.open_counts:
                most = min(most, self._room_in(name, level, v) // per)
        return most

    def _most_pods(self, roles: Sequence[str], level: str, v: int) -> int:
        """Return at least how many pods of some roles a domain can have."""
        self._refuse_late()
        number, most = self.tree.level_number(level), 0
        for name in roles:
            room = self._room_in(name, level, v)
            of = [k for k, kind in enumerate(self.forest.kinds) if name in kind.loose]
            if all(self.forest.kinds[k].level == number for k in of):
                per = {k: self.forest.kinds[k].loose[name] for k in of}
                room = min(
                    room, sum(n * self._most_pieces(k, v) for k, n in per.items())
                )
            most += room
        for one in self.job.constraints:
            if isinstance(one, MostPods) and one.level == level:
                most = min(most, one.most) if {*roles} <= {*one.roles} else most
        return most

    def _room_in(self, role: str, level: str, v: int) -> int:
        """Return at least how many pods of a role a domain can have, by itself."""
        cells = self.cells
        room = cells.room[role][cells.example]
        inside = self._cells_in[self.tree.level_number(level)][v]
        most = sum(int(room[c]) * len(cells.members[c]) for c in inside)
        for one in self.job.constraints:
            if isinstance(one, MostPods) and one.level == level and role in one.roles:
                most = min(most, one.most)
        return min(most, self.job.role(role).count)

    def at_most(self, left: Expr, right: Expr) -> None:
        """Add a row."""
        self.model.add(0 + left <= right)

    def at_least(self, left: Expr, right: Expr) -> None:
        """Add a row."""
        self.model.add(0 + left >= right)

    # objectives

    def part(self, part: ObjectivePart) -> Expr:
        """Return the number of a part of an objective as an expression."""
        if part.kind == "hops":
            return self._hops()
        if part.kind == "fragmentation":
            return self._fragmentation()
        names, level = part.roles or self.job.names, part.level
        some = self.domains(level, names)
        if part.kind == "domains":
            return _sum([self.usage(names, level, v) for v in some])
        return _sum([self._squared_pods(names, level, v) for v in some])

    def _squared_pods(self, roles: Sequence[str], level: str, v: int) -> Expr:
        pods = self.pods(roles, level, v)
        return self._square(pods, self._most_pods(roles, level, v))

    def _square(self, number: Expr, most: int) -> Expr:
        """Return the square of a number."""
        if most <= 1:
            return number
        count = self.model.new_int_var(0, most, "")
        square = self.model.new_int_var(0, most * most, "")
        self.model.add(count == number)
        self.model.add_multiplication_equality(square, [count, count])
        return square

    def _hops(self) -> Expr:
        """Return half the sum, over edges, of the pairs on both sides times weights."""
        k, names, tree = self.job.pods, self.job.names, self.tree
        twice: list[Any] = [] if self.cells.by_node else [2 * k * (k - 1)]
        for level in range(NODE if self.cells.by_node else 0, len(tree.levels)):
            name = tree.level_name(level)
            for v in self.domains(name, names):
                weight = 2 if level == NODE else int(tree.weight[v])
                if weight and (level == NODE or v):
                    square = self._squared_pods(names, name, v)
                    twice.append(weight * (k * self.pods(names, name, v) - square))
        half = self.model.new_int_var(0, 2**50, "")
        self.model.add(2 * half == _sum(twice))
        return half

    def _fragmentation(self) -> Expr:
        """Return by how much the sum of the squares of free devices drops."""
        devices, tree = self.devices, self.tree
        free = np.maximum(devices.free, 0)
        terms: list[Any] = []
        used: list[Expr] = []
        for c, members in enumerate(self.cells.members):
            f, uses = int(free[members[0]]), []
            for role in self.job.roles:
                whole = int(devices.whole[members[0]])
                ask = whole if role.devices is None else role.devices
                pods = _sum(self._pods_in[role.name, c])
                uses.append(ask * pods)
                if not self.cells.by_node:
                    terms.append(ask * (2 * f - ask) * pods)
            used.append(_sum(uses))
            if self.cells.by_node:
                terms.append(2 * f * used[c] - self._square(used[c], f))
        for level in range(len(tree.levels)):
            at = tree.at(level)
            for v, inside in self._cells_in[level].items():
                if v:
                    most = int(free[at == v].sum())
                    number = _sum([used[c] for c in inside])
                    terms.append(2 * most * number - self._square(number, most))
        return _sum(terms)

    @property
    def variables(self) -> list[cp_model.IntVar]:
        """The variables that a placement follows from."""
        ways = [z for some in self.z.values() for _, z in some]
        return [*self.x.values(), *self.y.values(), *ways]


def _sum(terms: Sequence[Expr]) -> Expr:
    return cp_model.LinearExpr.sum([*terms]) if terms else 0
