"""The nodes of a cluster as a machine that serves a stream, by a rule or exactly."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..heuristics.allocation.allocator import Allocation, Flags
from ..instances import InputError
from ..instances.suggestions import entry_named
from ..scheduler.grading.grade import Ratio, ratio
from ..scheduler.placement import NodeSelector, Objective, Placement, Request, measures
from ..scheduler.rules import RULES, by_rule
from ..scheduler.topologies import Hierarchy
from ..solvers import DEFAULT

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


class ClusterMachine:
    """The nodes of a cluster, all idle at first, and what chooses among them.

    Nodes are numbered through all parts of the cluster, in its order. The shape of a
    job, if it has one, is the number of its groups and that of nodes of a group: each
    group is within one leaf domain.

    Parameters
    ----------
    selector
        Of a cluster of trees and blocks.
    method
        One of `METHODS`: a rule, ``thrifty`` or ``optimum``.
    objective
        What the optimum minimises; the ratio of every choice is by it.

    Raises
    ------
    InputError
        If there is no such method, or a part of the cluster is no tree.
    """

    def __init__(
        self, selector: NodeSelector, method: str, objective: Objective
    ) -> None:
        entry_named(method, dict.fromkeys(METHODS), "method", "method")
        self.fabrics: list[Hierarchy] = []
        for fabric in selector.cluster.fabrics:
            if not isinstance(fabric, Hierarchy):
                problem = f"is for trees and blocks, not for a {fabric.words}"
                raise InputError(problem, "method", method)
            self.fabrics.append(fabric)
        self.selector, self.method, self.objective = selector, method, objective
        ends = np.cumsum([len(fabric.nodes) for fabric in self.fabrics])
        self.first = [0, *ends[:-1].tolist()]
        self.idle: Flags = np.ones(int(ends[-1]), dtype=np.bool_)
        self.free = len(self.idle)
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
        fabric, at = self.fabrics[found.fabric], found.fabric
        counts = np.bincount(fabric.home[parts[at]], minlength=len(fabric.parent))
        cost = measures.cost(fabric, self.objective, found.chosen, fabric.below(counts))
        bound = found.bound
        if self.method == THRIFTY:
            bound = self.selector.select(request, parts, DEFAULT).bound
        assert bound is not None
        taken = np.asarray(found.chosen, dtype=np.int64)
        used = taken + self.first[at]
        self.idle[used] = False
        self.free -= k
        below = measures.counts_below(fabric, found.chosen)
        self.last = Choice(
            measures.hops(fabric, below, k),
            len(np.unique(fabric.home[taken])),
            self.least_hops(k, segment) or 0,
            ratio(self.objective, cost, bound),
            self._largest(),
        )
        return Allocation.of(used)

    def release(self, grant: Allocation) -> None:
        """Release an allocation."""
        self.idle[grant.held] = True
        self.free += len(grant.held)

    def state(self) -> Hashable:
        """Return everything that future allocations depend on."""
        return self.idle.tobytes()

    def least_hops(self, k: int, segment: int = 1) -> int | None:
        """Return the hops of the best choice on the idle cluster; None without any."""
        if (k, segment) not in self._least:
            request = Request(k, Objective.HOPS, segment)
            found = self.selector.select(request, self.selector.free(), DEFAULT)
            self._least[k, segment] = found.objective[0] if found.objective else None
        return self._least[k, segment]

    def _chosen(self, request: Request, parts: Sequence[Flags]) -> Placement:
        if self.method == OPTIMUM:
            return self.selector.select(request, parts, DEFAULT)
        if self.method == THRIFTY:
            wish = Request(request.k, Objective.THRIFTY, request.segment)
            return self.selector.select(wish, parts, DEFAULT)
        return by_rule(self.method, self.selector, request, parts, DEFAULT)

    def _largest(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for fabric, idle in zip(self.fabrics, self.parts, strict=True):
            at = np.bincount(fabric.home[idle], minlength=len(fabric.parent))
            for level, most in measures.largest_jobs(fabric, fabric.below(at)).items():
                found[level] = max(found.get(level, 0), most)
        return found
