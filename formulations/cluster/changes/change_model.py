"""The model of a change: which running jobs end, which move, and which stay.

A running job that may move is a role whose pods are wanted where they are; one that may
end is a number of devices that come free with it. Jobs that end and are alike to each
other are counted together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from ....instances import IntArray
from ....solvers.later import cp_model
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
    unlike
        A number for every node; nodes with different ones are not alike.
    """

    def __init__(
        self,
        job: GangJob,
        devices: NodeDevices,
        old: JobPlacement,
        ends: Sequence[EndClass] = (),
        unlike: IntArray | None = None,
        until: float = inf,
    ) -> None:
        self.old, self.classes = old, ends
        self.holders: dict[int, list[tuple[int, int]]] = defaultdict(list)
        """By node: the classes of jobs on it that can end, and their devices."""
        for i, one in enumerate(ends):
            for held in one.held:
                for node, n in held.items():
                    self.holders[node].append((i, n))
        same = len({role.devices for role in job.roles}) == 1
        own = np.zeros(len(devices.tree.nodes), dtype=np.int64)
        for node, jobs in self.holders.items():
            own[node] = 0 if same and len(jobs) == 1 else -1 - node
        if not same:
            for nodes in old.values():
                for node in nodes:
                    own[node] = -1 - node if node >= 0 else own[node]
        forest = _OwnPieces(job, devices.tree) if old else None
        unlike = own if unlike is None else np.where(own, own, unlike)
        super().__init__(job, devices, forest, unlike, until)
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
        holders = self.holders.get(members[0], [])
        if not any(i in self.holders for i in members):
            super()._add_devices(c)
            return
        most = int(self.devices.free[members[0]])
        found: dict[int | None, list[Any]] = defaultdict(list)
        for role in self.job.roles:
            found[role.devices] += self._pods_in[role.name, c]
        pods = {ask: 0 + sum(some) for ask, some in found.items() if some}
        add = self.model.add
        if len(members) > 1:  # there is one job on each at most, and one ask
            for ask, some in pods.items():
                if ask != 0:
                    add(some <= self._room_at_end(members, ask or most, most))
            return
        now = most - sum(held * (1 - self.ends[i]) for i, held in holders)
        whole = pods.get(None, 0)
        taken = sum(ask * some for ask, some in pods.items() if ask)
        add(0 + whole <= 1)
        add(taken + most * whole <= now)
        if 0 in pods:
            add(pods[0] <= self.job.pods * (1 - whole))

    def _room_at_end(self, members: Sequence[int], ask: int, most: int) -> Expr:
        """Return for how many pods there is room on nodes, where some jobs end."""
        room, more = 0, Counter[int]()
        for node in members:
            least = most - sum(held for _, held in self.holders.get(node, ()))
            room += least // ask
            for i, _ in self.holders.get(node, ()):
                more[i] += most // ask - least // ask
        return room + sum(
            n // len(self.classes[i].jobs) * self.ends[i] for i, n in more.items()
        )

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
