"""The objective of a job whose pods are alike, by the exact program of `placement`.

Where a node may have several pods, or counts by itself, nodes are domains, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...formulations.cluster.answer import GangAnswer
from ...formulations.cluster.domains import NODE, DomainTree, NodeDevices, sum_below
from ...formulations.cluster.forest import PieceForest
from ...formulations.cluster.job import GangJob, ObjectivePart
from ...formulations.cluster.tree import Counting, TreeJob, in_ranks
from ...instances import IntArray
from ...solvers import Limit, Settings, SolverError, Status
from ...solvers.running import clock
from ..placement import kernels
from ..placement.program import BY, fill_tables, shape_of


@dataclass(frozen=True, eq=False)
class _Shaped:
    """The domains of the program, which may have nodes among them."""

    shape: kernels.Shape
    height: IntArray
    weight: IntArray
    place: IntArray
    """Of every node: its domain here."""

    @property
    def parents(self) -> list[int]:
        """Of every domain."""
        found: list[int] = self.shape.parent.tolist()
        return found


@lru_cache(maxsize=8)
def _shape_tree(tree: DomainTree, by_node: bool) -> _Shaped:
    nodes = len(tree.nodes) * by_node
    order = np.lexsort(
        (
            np.repeat([0, 1], [len(tree.parent), nodes]),
            np.concatenate([tree.order, tree.order[tree.home[:nodes]]]),
        )
    )
    at = np.empty(len(order), dtype=np.int64)
    at[order] = np.arange(len(order))
    up = np.concatenate([np.maximum(tree.parent, 0), tree.home[:nodes]])
    parent = at[up][order]
    parent[0] = -1
    height = np.concatenate([tree.height, np.full(nodes, NODE)])[order]
    weight = np.concatenate([tree.weight, np.full(nodes, 2)])[order]
    place = at[len(tree.parent) :] if by_node else at[tree.home]
    return _Shaped(shape_of(parent), height, weight, place)


@dataclass(frozen=True, eq=False)
class _PartCosts:
    """What a part of an objective costs in domains, and the most that it can be."""

    price: IntArray | int
    linear: IntArray | int
    square: IntArray | int
    most: int
    fixed: int = 0
    halved: bool = False
    """Whether the number is half of what is counted, and of ``fixed``."""


def minimise(
    job: GangJob,
    devices: NodeDevices,
    forest: PieceForest,
    ask: TreeJob,
    settings: Settings,
) -> GangAnswer | None:
    """Place a job that fits, whose pods are alike, by its objective.

    None where the program does not serve: a part is about some of the roles, whole
    nodes differ in their devices, or numbers are too large.
    """
    start = clock.now()
    tree, usable = devices.tree, ask.room > 0
    some = {int(n) for n in np.unique(devices.free[usable])}
    kinds = {part.kind for part in job.objective}
    levels = {*ask.sizes, *ask.most}
    levels |= {tree.level_number(part.level) for part in job.objective if part.level}
    by_node = bool((ask.room > 1).any()) or NODE in levels
    by_node |= len(some) > 1 and "fragmentation" in kinds
    taken = job.roles[0].devices
    if taken is None:
        if len(some) > 1 and "fragmentation" in kinds:
            return None
        taken = max(some)
    shaped = _shape_tree(tree, by_node)
    parts = [
        _terms(part, devices, shaped, ask.pods, taken, None if by_node else max(some))
        for part in job.objective
        if not part.roles or {*part.roles} == {*job.names}
    ]
    if len(parts) < len(job.objective):
        return None
    ties = _ties(ask, shaped)
    factors = _factors([*parts, ties])
    if not factors[0]:
        factors = [*_factors(parts), 0]
    if not factors[0]:
        return None
    costs = _costs(shaped, ask, by_node, [*parts, ties], factors)
    tables = fill_tables(shaped.shape, costs, start, settings)
    if isinstance(tables, Limit):
        counts = Counting(tree, ask).counts()
        where = in_ranks(job, tree, forest, ask, counts)
        found, least = job.value(where, devices), (0,) * len(parts)
        return GangAnswer(Status.FEASIBLE, where, found, least, "counting", tables)
    value = int(tables.whole[0])
    if value >= kernels.FAR:
        raise SolverError("the program has no place for a job that fits")
    inside = np.zeros(len(shaped.height), dtype=np.int64)
    kernels.trace(shaped.shape, costs, tables, 0, inside)
    if costs.stride > 1:
        inside = inside // 3 * costs.size + inside % 3 * costs.last
    else:
        inside *= costs.size
    counts = inside[shaped.place]
    if not by_node:
        counts = _on_nodes(ask, shaped.place, inside)
    where = in_ranks(job, tree, forest, ask, counts)
    numbers = []
    for part, factor in zip(parts, factors, strict=False):
        number, value = divmod(value, factor)
        numbers.append((number + part.fixed) // (2 if part.halved else 1))
    bound = tuple(numbers)
    return GangAnswer(Status.OPTIMAL, where, bound, bound, BY)


def _terms(
    part: ObjectivePart,
    devices: NodeDevices,
    shaped: _Shaped,
    k: int,
    taken: int,
    alone: int | None,
) -> _PartCosts:
    """Return what a part of an objective costs.

    ``alone``: the free devices of every node, where none has several pods.
    """
    tree, height = devices.tree, shaped.height
    if part.kind == "domains":
        here = (height == tree.level_number(part.level)).astype(np.int64)
        return _PartCosts(here, 0, 0, min(int(here.sum()), k))
    if part.kind == "balance":
        here = (height == tree.level_number(part.level)).astype(np.int64)
        return _PartCosts(0, 0, here, k * k)
    if part.kind == "hops":
        weight = shaped.weight.copy()
        weight[0] = 0
        most = k * k * int(weight.max(initial=0)) * (len(tree.levels) + 1)
        fixed = 0 if alone is None else 2 * k * (k - 1)
        return _PartCosts(0, weight * k, -weight, most, fixed, halved=True)
    at = np.bincount(shaped.place, np.maximum(devices.free, 0), len(height))
    free = sum_below(shaped.parents, at)
    free[0] = 0
    square = np.where(np.arange(len(free)) > 0, -taken * taken, 0)
    most = sum(n * n for n in free.tolist())
    fixed = 0 if alone is None else k * taken * (2 * alone - taken)
    return _PartCosts(0, 2 * taken * free, square, most, fixed)


def _ties(ask: TreeJob, shaped: _Shaped) -> _PartCosts:
    """Return by how much pods scatter what is free over lowest domains."""
    room = sum_below(
        shaped.parents, np.bincount(shaped.place, ask.room, len(shaped.height))
    )
    room[shaped.height != 0] = 0
    most = sum(n * n for n in room.tolist())
    return _PartCosts(0, 2 * room, np.where(shaped.height == 0, -1, 0), most)


def _factors(parts: Sequence[_PartCosts]) -> list[int]:
    """Return the factors of parts in one number; 0 first if that is too large."""
    found: list[int] = []
    factor = 1
    for part in reversed(parts):
        found.insert(0, factor)
        factor *= part.most + 1
    return found if factor < kernels.FAR else [0]


def _costs(
    shaped: _Shaped,
    ask: TreeJob,
    by_node: bool,
    parts: Sequence[_PartCosts],
    factors: Sequence[int],
) -> kernels.Costs:
    """Return what a job makes of the domains."""
    height = shaped.height
    none = np.zeros(len(height), dtype=np.int64)
    size = ask.sizes.get(NODE if by_node else 0, 1)
    last = ask.pods % size
    stride = 3 if any(ask.pods % n for n in ask.sizes.values()) else 1
    begins = min((x for x, n in ask.sizes.items() if ask.pods % n), default=NODE)
    k = (ask.pods - last) // size
    k = 3 * k + 1 if stride > 1 else k
    unit, odd, most = none + 1, none.copy(), none + k + 2
    for level, n in ask.sizes.items():
        here = height == level
        unit[here] = n // size
        odd[here] = (ask.pods % n - last) // size
        if level == begins and not last:
            odd[here] *= -1
    for level, n in ask.most.items():
        places = max(3 * (n // size) + 1, 3 * ((n - last) // size) + 2)
        most[height == level] = places if stride > 1 else n // size + 1
    pods = np.bincount(shaped.place, ask.room, len(height)).astype(np.int64)
    room = pods // size
    more = np.where(pods >= last, (pods - last) // size, -1) if last else none - 1
    own = 3 * np.maximum(room, more) + 2 if stride > 1 else room + 1
    pairs = [*zip(parts, factors, strict=True)]
    return kernels.Costs(
        k=k,
        size=size,
        stride=stride,
        last=last,
        length=np.minimum(own, k + 1),
        room=room,
        more=more,
        most=most,
        need=none,
        own=none,
        open=none + sum(part.price * factor for part, factor in pairs),
        linear=none + sum(part.linear * factor for part, factor in pairs),
        square=none + sum(part.square * factor for part, factor in pairs),
        unit=unit,
        odd=odd,
        free=none,
        rest=none,
        left=0,
        ready=none,
        beyond=0,
    )


def _on_nodes(ask: TreeJob, place: IntArray, inside: IntArray) -> IntArray:
    """Return pods by node, the first nodes of each domain that have room."""
    counts = np.zeros(len(place), dtype=np.int64)
    usable = np.flatnonzero(ask.room)
    order = usable[np.argsort(place[usable], kind="stable")]
    at = place[order]
    number = np.arange(len(at)) - np.searchsorted(at, at)
    counts[order] = number < inside[at]
    return counts
