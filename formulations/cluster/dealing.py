"""From the numbers of a model to the nodes of pods.

Pieces that look alike are dealt to domains in the order of their ranks, depth first, so
that the ranks within a domain follow each other as far as the pieces allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from .job import ABSENT, JobPlacement
from .model import JobModel


def placement_of(model: JobModel, values: Sequence[int]) -> JobPlacement:
    """Return the placement that values of the variables of a model stand for."""
    dealing = _Dealing(model, values)
    dealing.deal(0, [0], None)
    job, node = model.job, np.full(model.job.pods, ABSENT)
    for c, pods in dealing.cells.items():
        slots = dealing.slots(c)
        for role in job.roles:
            for pod in sorted(pods.get(role.name, ())):
                node[pod] = next(slots[role.devices])
    return model.forest.placement(node)


def keep_places(
    model: JobModel, values: Sequence[int], old: JobPlacement
) -> JobPlacement:
    """Return a placement of these values in which most pods are where they were.

    Every piece is of its own kind; nodes of one cell with pods on them are alike.
    """
    dealing, forest = _Dealing(model, values), model.forest
    names, begin = model.job.names, forest.begin
    before = np.full(model.job.pods, ABSENT)
    for name, nodes in old.items():
        before[begin[name] : begin[name] + len(nodes)] = nodes
    cell_of = {i: c for c, some in enumerate(model.cells.members) for i in some}
    cells: dict[tuple[int, str], dict[int, int]] = {}
    for (k, name, c), n in dealing.x.items():
        cells.setdefault((k, name), {})[c] = n
    node = np.full(model.job.pods, ABSENT)
    left: dict[int, list[tuple[int | None, int]]] = {}
    kept: dict[int, Counter[tuple[int | None, int]]] = {}
    for k, kind in enumerate(forest.kinds):
        for name in kind.loose:
            ask, role = model.job.role(name).devices, names.index(name)
            pods = forest.loose[kind.pieces[0]][role]
            by_cell: dict[int | None, list[int]] = {}
            for pod in pods:
                by_cell.setdefault(cell_of.get(int(before[pod])), []).append(pod)
            some = cells.get((k, name), {})
            for c, n in some.items():
                for pod in by_cell.get(c, ())[:n]:
                    node[pod] = before[pod]
                    kept.setdefault(c, Counter())[ask, int(before[pod])] += 1
            others = iter([pod for pod in pods if node[pod] == ABSENT])
            for c, n in some.items():
                for _ in range(n - len(by_cell.get(c, ())[:n])):
                    left.setdefault(c, []).append((ask, next(others)))
    for c, pods_of in left.items():
        slots, taken = dealing.slots(c), kept.get(c, Counter())
        for ask, pod in pods_of:
            while taken[ask, place := next(slots[ask])]:
                taken[ask, place] -= 1
            node[pod] = place
    return forest.placement(node)


class _Dealing:
    """Pods by cell, as pieces are dealt."""

    def __init__(self, model: JobModel, values: Sequence[int]) -> None:
        self.model, at = model, iter(values)
        self.x = {key: next(at) for key in model.x}
        self.y = {key: next(at) for key in model.y}
        self.z = {c: [next(at) for _ in some] for c, some in model.z.items()}
        self.cells: dict[int, dict[str, list[int]]] = {}
        """By cell and role."""
        kinds = model.forest.kinds
        self.kind_of = {i: k for k, kind in enumerate(kinds) for i in kind.pieces}
        place = model.cells.place
        self.order = sorted(range(len(place)), key=place.__getitem__)

    def deal(self, k: int, pieces: list[int], domain: int | None) -> None:
        """Say where the pods of some pieces in a domain are; they are of a kind."""
        forest, at = self.model.forest, self.model.cells.at
        kind, here = forest.kinds[k], self.order
        if domain is not None:
            here = [c for c in self.order if at[kind.level][c] == domain]
        for name in kind.loose:
            role = self.model.job.names.index(name)
            pods = iter([pod for i in pieces for pod in forest.loose[i][role]])
            for c in here:
                some = [next(pods) for _ in range(self.x.get((k, name, c), 0))]
                self.cells.setdefault(c, {}).setdefault(name, []).extend(some)
        for child in kind.children:
            parts = [j for i in pieces for j in forest.parts[i]]
            left = iter([j for j in parts if self.kind_of[j] == child])
            level = forest.kinds[child].level
            for v in dict.fromkeys(at[level][here].tolist()):
                if number := self.y.get((child, v), 0):
                    self.deal(child, [next(left) for _ in range(number)], v)

    def slots(self, c: int) -> dict[int | None, Iterator[int]]:
        """Return where the pods of each size can be on the nodes of a cell."""
        job, members = self.model.job, self.model.cells.members[c]
        free = int(self.model.devices.free[members[0]])
        asks = {role.devices for role in job.roles}
        ways: list[tuple[dict[int | None, int], int]]
        if c in self.z:
            listed = zip(self.model.z[c], self.z[c], strict=True)
            ways = [(way, number) for (way, _), number in listed]
        else:
            room = {ask: free // ask if ask else job.pods for ask in asks}
            ways = [(room | {None: 1}, len(members))]
        nodes, slots = iter(members), {ask: list[tuple[int, int]]() for ask in asks}
        for way, number in ways:
            for node in [next(nodes) for _ in range(number)]:
                for ask in asks:
                    slots[ask].append((node, way.get(ask, 0)))
        return {
            ask: (node for node, n in some for _ in range(n))
            for ask, some in slots.items()
        }
