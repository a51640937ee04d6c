"""The exact selection on a hierarchy: a dynamic program over its domains.

A domain with c of k nodes below costs weight c (k - c) for the edge above it, and what
the objective adds for using it at all, so that its table needs only the number below.
The tables of the domains below are merged one by one. Groups that must be whole
(Slurm's segments, Kueue's slices) are multiples of counts at their level.

Among choices that are equally good the one is taken that scatters free nodes least over
leaf switches, as far as the numbers allow, and of these the first in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...formulations.cluster.domains import sum_below
from ...instances import InputError, IntArray
from ...solvers import DEFAULT, Limit, Settings, SolverError, Status
from ...solvers.running import clock
from ...solvers.running.limits import limits
from ..topologies import Hierarchy
from ..topologies.tpu import plan_slice
from . import kernels, measures
from .request import MOST_K, Objective, Placement, Request

BY = "enumerated: placement-dp"
_WORK = 2**25
"""Steps between two checks of the limits, about 30 ms."""
_MOST_KEPT = 2**27
"""Maximal number of table entries kept, 1 GiB."""
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Chooser:
    """Chooses nodes of one hierarchy; what depends only on that is kept."""

    fabric: Hierarchy

    @cached_property
    def shape(self) -> kernels.Shape:
        """The events of a walk through the domains."""
        return shape_of(self.fabric.parent)

    @cached_property
    def none(self) -> IntArray:
        """Nothing for every domain."""
        return np.zeros(len(self.fabric.parent), dtype=np.int64)

    @cached_property
    def endless(self) -> IntArray:
        """A length for every domain that no table has."""
        return np.full(len(self.fabric.parent), MOST_K + 2)

    @cached_property
    def parents(self) -> list[int]:
        """Of every domain."""
        found: list[int] = self.fabric.parent.tolist()
        return found

    @cached_property
    def reach(self) -> int:
        """Half hops between the domains that are farthest apart, or more."""
        depth = [0] * len(self.fabric.parent)
        for v in range(1, len(depth)):
            up = int(self.fabric.parent[v])
            depth[v] = depth[up] + int(self.fabric.weight[v])
        return 2 * max(depth)

    @cached_property
    def order(self) -> IntArray:
        """The nodes, by domains."""
        return np.argsort(self.fabric.home, kind="stable")

    def cost(
        self, objective: Objective, chosen: Sequence[int], free: Flags
    ) -> tuple[int, ...]:
        """Return the numbers of an objective, where these nodes were free before."""
        below = self.fabric.below(self.fabric.count(np.flatnonzero(free)))
        return measures.cost(self.fabric, objective, chosen, below)

    def select(
        self, request: Request, free: Flags, settings: Settings = DEFAULT
    ) -> Placement:
        """Choose k of the free nodes.

        Parameters
        ----------
        request
            The job.
        free
            Which nodes of the fabric may be chosen.
        settings
            The time limit counts; when it is reached, the answer is a choice by the
            greedy rule of `pack_tightly`, if there is one, and a bound by counting.

        Raises
        ------
        InputError
            If a level is unknown or a required node is not free here.
        """
        start = clock.now()
        if request.links is not None:
            found = request.links.solve(self, request, free, start, settings)
        else:
            found = ProgramRun(self, request, free).solve(start, settings)
        return replace(found, seconds=clock.now() - start)


class ProgramRun:
    """One request to one hierarchy."""

    def __init__(self, chooser: Chooser, request: Request, free: Flags) -> None:
        fabric = chooser.fabric
        self.chooser, self.fabric, self.request = chooser, fabric, request
        self.sizes = request.sizes(fabric)
        self.size = self.sizes.get(0, 1)
        if request.slice:
            free = free & plan_slice(fabric, request.slice).fit
        self.free = free
        domains = len(fabric.parent)
        at = np.bincount(fabric.home[free], minlength=domains)
        self.below = sum_below(self.chooser.parents, at)
        self.wanted = self._required_nodes()
        self.need = chooser.none
        if request.require:
            needed = np.bincount(fabric.home[self.wanted], minlength=domains)
            self.need = -(-needed // self.size)
        self.room = self._usable(at) // self.size
        self.k = request.k // self.size
        self.factors = self._factors()

    def _usable(self, at: IntArray) -> IntArray:
        """Nodes outside of a level with groups cannot be in one."""
        usable = np.array(at, dtype=np.int64)
        for level in self.sizes:
            usable[self.fabric.above(level) < 0] = 0
        return usable

    def _required_nodes(self) -> Flags:
        wanted = np.zeros(len(self.fabric.nodes), dtype=np.bool_)
        if self.request.require:
            number = {name: i for i, name in enumerate(self.fabric.nodes)}
            for name in sorted(self.request.require):
                if name not in number or not self.free[number[name]]:
                    raise InputError("is required, but not free", "require", name)
                wanted[number[name]] = True
        return wanted

    def _factors(self) -> tuple[int, int, int]:
        """Return the factors of the first part, of a half hop, and of scattering."""
        k, fabric, objective = self.request.k, self.fabric, self.request.objective
        halves = k * (k - 1) // 2 * self.chooser.reach + 1
        largest = int((self.below * self.spoilt).max())
        spoilt = 2 * k * largest * len(fabric.levels) + 1
        if objective is Objective.THRIFTY:
            every = int(self.below[0]) ** 2 * self.chooser.reach
            self._refuse(measures.UNIT * every >= kernels.FAR)
            return 0, measures.UNIT, 0
        parts = min(k, len(fabric.parent)) + 1
        fragmentation = objective is Objective.FRAGMENTATION
        fits = (1 if fragmentation else parts) * halves * spoilt < kernels.FAR
        if objective is Objective.BLOCKS or fragmentation:
            self._refuse(not fits)
            return 0 if fragmentation else halves * spoilt, 1, halves
        return (halves * spoilt, spoilt, 1) if fits else (halves, 1, 0)

    def _refuse(self, too_large: bool) -> None:
        if too_large:
            problem = "numbers are too large for this objective: take another"
            raise InputError(problem, "objective", self.request.objective.value)

    @cached_property
    def regard(self) -> int:
        """The weight of nodes that stay free; 0 unless the objective is thrifty."""
        thrifty = self.request.objective is Objective.THRIFTY
        return measures.regard(self.request.k, int(self.below[0])) if thrifty else 0

    @cached_property
    def spoilt(self) -> Flags:
        """The domains over which scattering counts, if only to break ties."""
        level, objective = self.fabric.level, self.request.objective
        counts: Flags = level == 0
        if objective is Objective.FRAGMENTATION:
            counts = level >= 0
        elif objective is Objective.BLOCKS:
            counts = level == measures.block_level(self.fabric)
        counts[0] = False
        return counts

    def costs(self) -> kernels.Costs:
        """Return what the request makes of the hierarchy."""
        first, half, spoil = self.factors
        fabric, objective = self.fabric, self.request.objective
        own = opened = none = self.chooser.none
        if objective in (Objective.SWITCHES, Objective.SPREAD):
            own = none + first
        if objective is Objective.BLOCKS:
            opened = first * (fabric.level == measures.block_level(fabric))
        spoils, edge = self.spoilt * spoil, fabric.weight * half
        unit = none + 1
        for level, size in self.sizes.items():
            unit[fabric.level == level] = size // self.size
        return kernels.Costs(
            k=self.k,
            size=self.size,
            stride=1,
            last=0,
            length=np.minimum(self.room, self.k) + 1,
            room=self.room,
            more=self.room,
            most=self.chooser.endless,
            need=self.need,
            own=own,
            open=opened,
            linear=edge * self.request.k + 2 * spoils * self.below,
            square=-edge - spoils,
            unit=unit,
            odd=unit,
            free=self.below,
            rest=fabric.weight * self.regard if self.regard else none,
            left=int(self.below[0]) - self.request.k,
            ready=self.below,
            beyond=0,
        )

    def solve(self, start: float, settings: Settings) -> Placement:
        """Run the program; a greedy choice and a bound if it is stopped."""
        if self.request.k > int(self.below[0]):
            return Placement(Status.INFEASIBLE, by="counting")
        costs = self.costs()
        tables = fill_tables(self.chooser.shape, costs, start, settings)
        if isinstance(tables, Limit):
            return self._answer_greedily(tables)
        top = self._top(tables.whole)
        if tables.whole[top] >= kernels.FAR:
            return Placement(Status.INFEASIBLE, by=BY)
        return self._trace(costs, tables, top)

    def _top(self, whole: IntArray) -> int:
        """Return the domain that takes all: the root, or for spread the lowest."""
        if self.request.objective is not Objective.SPREAD:
            return 0
        needed = sum_below(self.chooser.parents, self.need)
        fits = (whole < kernels.FAR) & (needed == needed[0])
        if not fits.any():
            return 0
        lowest = fits & (self.fabric.level == self.fabric.level[fits].min())
        return int(np.argmin(np.where(lowest, whole, kernels.FAR)))

    def _trace(
        self, costs: kernels.Costs, tables: kernels.DomainTables, top: int
    ) -> Placement:
        taken, value = np.zeros_like(self.room), int(tables.whole[top])
        kernels.trace(self.chooser.shape, costs, tables, top, taken)
        chosen = self.pick(taken * self.size)
        found = measures.cost(self.fabric, self.request.objective, chosen, self.below)
        if self._value(found) != self._parts_of_value(value, top):
            raise SolverError("the selection does not cost what its tables say")
        return Placement(Status.OPTIMAL, 0, chosen, found, found, BY)

    def pick(self, taken: IntArray, first: Flags | None = None) -> tuple[int, ...]:
        """Pick nodes at every domain: required ones, those of ``first``, others."""
        picked = np.zeros(len(self.free), dtype=np.bool_)
        order, home, count = self.chooser.order, self.fabric.home, taken.copy()
        if first is not None:
            kernels.pick(order, home, first, self.wanted, count, picked)
        wanted = self.wanted & ~picked
        kernels.pick(order, home, self.free, wanted, count, picked)
        return tuple(np.flatnonzero(picked).tolist())

    def _value(self, found: tuple[int, ...]) -> tuple[int, ...]:
        """Return the parts of an objective, with half hops that switches have."""
        pairs = self.request.k * (self.request.k - 1)
        if self.request.objective is Objective.THRIFTY:
            left = int(self.below[0]) - self.request.k
            pairs = measures.UNIT * pairs + self.regard * left * (left - 1)
        return (*found[:-1], 2 * (found[-1] - pairs))

    def _parts_of_value(self, value: int, top: int) -> tuple[int, ...]:
        """Return the same parts from the value of a table."""
        first, half, spoil = self.factors
        objective = self.request.objective
        if objective is Objective.THRIFTY:
            return (value,)
        if objective is Objective.FRAGMENTATION:
            return value // spoil, value % spoil
        rest = value % first
        number, halves = value // first, rest // half
        if objective is Objective.BLOCKS:
            return number, rest // spoil, rest % spoil
        if objective is Objective.HOPS:
            return (value // half,)
        if objective is Objective.SPREAD:
            return int(self.fabric.level[top]), number, halves
        return number, halves

    def _answer_greedily(self, limit: Limit) -> Placement:
        """Return a greedy choice, and a bound by counting."""
        objective, k = self.request.objective, self.request.k
        least = [0] * (len(objective.parts) - 1)
        if objective in (Objective.SWITCHES, Objective.SPREAD):
            largest = np.sort(self.room)[::-1].cumsum()
            least[-1] = int(np.searchsorted(largest, self.k)) + 1
        bound = (*least, k * (k - 1))
        taken = self.pack_tightly()
        if taken is None:
            return Placement(Status.UNKNOWN, 0, (), None, bound, "counting", limit)
        chosen = self.pick(taken * self.size)
        found = measures.cost(self.fabric, objective, chosen, self.below)
        status = Status.OPTIMAL if found == bound else Status.FEASIBLE
        return Placement(status, 0, chosen, found, bound, "counting", limit)

    def pack_tightly(self) -> IntArray | None:
        """Take the fullest switches of a lowest domain with room, the tightest one.

        None if groups at several levels or required nodes make that unsafe.
        """
        if len(self.sizes) > 1 or any(self.sizes) or self.wanted.any():
            return None
        fits = sum_below(self.chooser.parents, self.room) >= self.k
        if not fits.any():
            return None
        level = self.fabric.level
        fits &= level == level[fits].min()
        room = np.where(fits, sum_below(self.chooser.parents, self.room), kernels.FAR)
        top = int(np.argmin(room))
        inside = np.zeros(len(level), dtype=np.bool_)
        inside[top] = True
        for v in range(top + 1, len(level)):
            inside[v] = inside[self.fabric.parent[v]]
        taken = np.zeros(len(level), dtype=np.int64)
        left = self.k
        for v in np.argsort(-self.room, kind="stable").tolist():
            if inside[v]:
                taken[v] = min(left, int(self.room[v]))
                left -= int(taken[v])
        return taken


def shape_of(parent: IntArray) -> kernels.Shape:
    """Return the events of a traversal of a tree whose nodes are listed depth first."""
    depth = [0] * len(parent)
    events: list[int] = []
    path: list[int] = []
    for v, up in enumerate(parent.tolist()):
        while path and path[-1] != up:
            events.append(~path.pop())
        depth[v] = len(path)
        path.append(v)
        events.append(v)
    events += [~v for v in reversed(path)]
    return kernels.Shape(np.array(events), parent, np.array(depth, dtype=np.int64))


def fill_tables(
    shape: kernels.Shape, costs: kernels.Costs, start: float, settings: Settings
) -> kernels.DomainTables | Limit:
    """Return the tables of all domains, or the limit that was reached."""
    depths, domains = int(shape.depth.max()) + 1, len(shape.parent)
    lengths = np.zeros(depths, dtype=np.int64)
    kept = int(kernels.entries(shape, costs.length, costs.most, costs.k, lengths))
    if kept > _MOST_KEPT:
        return Limit.MEMORY
    begin, first, second = np.zeros((3, domains), dtype=np.int64)
    tables = kernels.DomainTables(
        np.empty((depths, costs.k + 1), dtype=np.int64),
        lengths,
        np.empty(kept, dtype=np.int64),
        begin,
        first,
        second,
        np.full(domains, kernels.FAR, dtype=np.int64),
    )
    state = np.array([0, 0, -1])
    with limits(start + settings.time_limit) as watch:
        while not kernels.fill(shape, costs, tables, state, _WORK):
            if stopped := watch.reached():
                return stopped
    return tables
