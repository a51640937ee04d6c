"""The nodes of a cluster as a machine that serves a stream, by a rule or exactly."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...heuristics.allocation.allocator import Allocation, Flags
from ...instances import InputError, IntArray
from ...instances.reading.suggestions import entry_named
from ...solvers import DEFAULT, Settings
from ..grading.grade import Ratio, ratio
from ..placement import NodeSelector, Objective, Placement, Request
from ..placement.domains import SWITCH
from ..placement.program import Chooser
from ..placement.space import largest_in
from ..rules import RULES, by_rule

Shape = tuple[int, ...] | None
Choose = Callable[[Request, Sequence[Flags]], Placement]
THRIFTY, OPTIMUM = "thrifty", "optimum"
METHODS = (*RULES, THRIFTY, OPTIMUM)
"""What can choose the nodes."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen for a job at its start, and what that left."""

    hops: int
    switches: int
    least_hops: int
    """Of the best choice for hops on the idle cluster."""
    ratio: Ratio
    """Cost over the least for the same free nodes, by the objective."""
    largest: Mapping[str, int]
    """By level: the largest job that still fits one of its domains."""


class IdleNodes:
    """Whole nodes that serve a stream, of which some are idle."""

    def __init__(self, idle: Flags) -> None:
        self.idle = idle
        self.free = int(np.count_nonzero(idle))

    def take(self, used: IntArray) -> Allocation:
        """Return an allocation of nodes, which are not idle any more."""
        self.idle[used] = False
        self.free -= len(used)
        return Allocation.of(used)

    def release(self, grant: Allocation) -> None:
        """Release an allocation."""
        self.idle[grant.held] = True
        self.free += len(grant.held)

    def state(self) -> Hashable:
        """Return everything that future allocations depend on."""
        return self.idle.tobytes()


class ClusterMachine(IdleNodes):
    """The nodes of a cluster, idle at first, and what chooses among them.

    Nodes are numbered through all parts of the cluster, in its order. The shape of a
    job, if it has one, is the number of its groups and that of nodes of a group: each
    group is within one leaf domain.

    Parameters
    ----------
    selector
        Of a cluster of trees, blocks and graphs with leaf switches.
    method
        One of `METHODS`: a rule, ``thrifty`` or ``optimum``.
    objective
        What the optimum minimises; the ratio of every choice is by it.
    seconds
        The limit of the search of each optimum; on trees it takes milliseconds.

    Raises
    ------
    InputError
        If there is no such method, or a part of the cluster has no leaf switches.
    """

    def __init__(
        self,
        selector: NodeSelector,
        method: str,
        objective: Objective,
        seconds: float = DEFAULT.time_limit,
    ) -> None:
        entry_named(method, dict.fromkeys(METHODS), "method", "method")
        for one in selector.choosers:
            if isinstance(one, Chooser):
                continue
            if one.alike.cables is None:
                problem = "whatif is for networks with leaf switches, not for"
                raise InputError(f"{problem} {one.fabric.kinds}", "topology")
            if method == THRIFTY:
                problem = (
                    f"{method} is for trees and blocks, not for {one.fabric.kinds}"
                )
                raise InputError(problem, "method")
        self.selector, self.method, self.objective = selector, method, objective
        self.settings = Settings(time_limit=seconds)
        self.open = 0
        """Choices whose optimum was not proved within the limit."""
        ends = np.cumsum([len(fabric.nodes) for fabric in selector.cluster.fabrics])
        self.first = [0, *ends[:-1].tolist()]
        super().__init__(np.concatenate(selector.free()))
        self.last: Choice | None = None
        """On the job that was served last."""
        self._least: dict[tuple[int, int], int | None] = {}

    @property
    def parts(self) -> list[Flags]:
        """Which nodes of every part are idle; views."""
        return np.split(self.idle, self.first[1:])

    def allocate(self, k: int, shape: Shape = None) -> Allocation | None:
        """Allocate nodes to a job; None if it cannot be served now."""
        if k > self.free:
            return None
        segment = 1 if shape is None else shape[-1]
        request, parts = Request(k, self.objective, segment), self.parts
        found = self._chosen(request, parts)
        if found.objective is None:
            return None
        at, chosen = found.fabric, found.chosen
        price = self.selector.choosers[at].cost
        cost = price(self.objective, chosen, parts[at])
        bound = found.bound
        if self.method == THRIFTY:
            bound = self.selector.select(request, parts, self.settings).bound
        assert bound is not None
        self.open += found.limit is not None
        switches, hops = price(Objective.SWITCHES, chosen, parts[at])
        grant = self.take(np.asarray(chosen, dtype=np.int64) + self.first[at])
        self.last = Choice(
            hops,
            switches,
            self.least_hops(k, segment) or 0,
            ratio(self.objective, cost, bound),
            self._largest(),
        )
        return grant

    def least_hops(self, k: int, segment: int = 1) -> int | None:
        """Return the hops of the best choice on the idle cluster; None without any."""
        if (k, segment) not in self._least:
            request = Request(k, Objective.HOPS, segment)
            found = self.selector.select(request, self.selector.free(), self.settings)
            self._least[k, segment] = found.objective[0] if found.objective else None
        return self._least[k, segment]

    def _chosen(self, request: Request, parts: Sequence[Flags]) -> Placement:
        if self.method == OPTIMUM:
            return self.selector.select(request, parts, self.settings)
        if self.method == THRIFTY:
            wish = Request(request.k, Objective.THRIFTY, request.segment)
            return self.selector.select(wish, parts, self.settings)
        return by_rule(self.method, self.selector, request, parts, self.settings)

    def _largest(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for chooser, idle in zip(self.selector.choosers, self.parts, strict=True):
            for level, most in largest_in(chooser, idle).items():
                found[level] = max(found.get(level, 0), most)
        return found

    def levels(self) -> list[str]:
        """Return the levels below the top, from the lowest up; at least one."""
        choosers = self.selector.choosers
        trees = (one.fabric.levels for one in choosers if isinstance(one, Chooser))
        tallest = max(trees, key=len, default=(SWITCH,))
        return list(tallest[: max(1, len(tallest) - 1)])
