"""Groups at the leaf switches of a graph: whether they fit, and what would have to end.

A node with cables to several leaf switches can be in a group at any of them, so that
counting at each switch does not do: CP-SAT decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from ...solvers import (
    DEFAULT,
    Grade,
    Proof,
    Settings,
    SolverError,
    Status,
    cpsat,
)
from ..placement import Placement, Request
from ..placement.node_classes import Alike, Flags
from ..placement.space_model import switch_groups
from .obstacle import JobsToEnd

_BY = str(Proof(Grade.SOLVER, cpsat.BY))


class EndVariables:
    """The part of a model that states which jobs end.

    Parameters
    ----------
    model
        What it is added to: a boolean for every job.
    held
        The jobs that hold each node.
    """

    def __init__(
        self, model: cp_model.CpModel, held: Sequence[tuple[str, ...]]
    ) -> None:
        self.model = model
        self.held = [tuple(sorted(jobs)) for jobs in held]
        self.total = Counter(job for jobs in held for job in jobs)
        self.ends = {
            job: model.new_bool_var(f"end {job}") for job in sorted(self.total)
        }
        self._given: dict[tuple[str, ...], cp_model.IntVar] = {}

    def all_end(self, jobs: tuple[str, ...]) -> cp_model.IntVar:
        """Return whether all jobs of a node end."""
        if len(jobs) == 1:
            return self.ends[jobs[0]]
        if jobs not in self._given:
            self._given[jobs] = self.model.new_bool_var(f"all of {jobs}")
            for job in jobs:
                self.model.add_implication(self._given[jobs], self.ends[job])
        return self._given[jobs]

    def free_at_end(self, nodes: Sequence[int], free: Flags) -> cp_model.LinearExprT:
        """Return how many of some nodes are free in the end."""
        ready = sum(bool(free[i]) for i in nodes)
        by = Counter(self.held[i] for i in nodes if self.held[i] and not free[i])
        return ready + sum(n * self.all_end(jobs) for jobs, n in by.items())

    def require(self, node: int) -> bool:
        """Say that a busy node is needed; return whether ends of jobs free it."""
        if self.held[node]:
            self.model.add(self.all_end(self.held[node]) == 1)
        return bool(self.held[node])

    def fewest(self, settings: Settings, fits: Callable[[Flags], bool]) -> JobsToEnd:
        """Minimise jobs, then nodes; ``fits`` checks the nodes that this frees."""
        weight = sum(self.total.values()) + 1
        self.model.minimize(
            cp_model.LinearExpr.weighted_sum(
                list(self.ends.values()),
                [weight + self.total[job] for job in self.ends],
            )
        )
        found = cpsat.decide(self.model, list(self.ends.values()), settings=settings)
        if found.impossible:
            return JobsToEnd(None, by=cpsat.BY)
        bound = max(0, found.bound or 0) // weight
        if found.values is None:
            return JobsToEnd(None, bound=bound, by=cpsat.BY, limit=found.limit)
        pairs = zip(self.ends, found.values, strict=True)
        jobs = tuple(job for job, end in pairs if end)
        ended = set(jobs)
        after = [bool(one) and ended.issuperset(one) for one in self.held]
        if not fits(np.array(after)):
            raise SolverError("the request does not fit when these jobs end")
        lost = sum(self.total[job] for job in jobs)
        return JobsToEnd(jobs, lost, bound, cpsat.BY, limit=found.limit)


class Grouping:
    """A request for groups, and the nodes that may be chosen.

    Parameters
    ----------
    alike
        The nodes of a graph with leaf switches.
    request
        The job; its groups are within one leaf switch each.
    allowed
        Which nodes may be chosen, free or not.
    """

    def __init__(self, alike: Alike, request: Request, allowed: Flags) -> None:
        self.alike, self.request = alike, request
        names = alike.fabric.nodes
        self.wanted = [
            i for i in np.flatnonzero(allowed).tolist() if names[i] in request.require
        ]
        needed = set(self.wanted)
        self.classes = [
            here
            for members in alike.classes
            if (here := [i for i in members if allowed[i]])
        ]
        self.model = model = cp_model.CpModel()
        need = [sum(i in needed for i in here) for here in self.classes]
        most = [len(here) for here in self.classes]
        self.x = [
            model.new_int_var(low, high, "")
            for low, high in zip(need, most, strict=True)
        ]
        groups = switch_groups(model, alike, self.classes, self.x, most, request.size)
        self.count: Any = sum(groups)

    def most(self) -> int:
        """Return the most nodes that whole groups can have."""
        self.model.maximize(self.count)
        return sum(cpsat.decide(self.model, self.x).values or ())

    def least_busy(self, free: Flags, settings: Settings = DEFAULT) -> Placement:
        """Choose as few nodes that are not free as possible, as `least_busy` of trees.

        Objective and bound are their number.
        """
        self.model.add(self.request.size * self.count == self.request.k)
        needed = set(self.wanted)
        held = sum(not free[i] for i in needed)
        extra: list[Any] = []
        for x, here in zip(self.x, self.classes, strict=True):
            ready = sum(bool(free[i]) or i in needed for i in here)
            if ready < len(here):
                extra.append(self.model.new_int_var(0, len(here) - ready, ""))
                self.model.add(extra[-1] >= x - ready)
        self.model.minimize(sum(extra))
        found = cpsat.decide(self.model, self.x, settings=settings)
        if found.impossible:
            return Placement(Status.INFEASIBLE, by=_BY)
        bound = (held + max(0, found.bound or 0),)
        if found.values is None:
            status = Status.UNKNOWN
            return Placement(status, 0, (), None, bound, _BY, found.limit)
        chosen: list[int] = []
        for count, here in zip(found.values, self.classes, strict=True):
            here = sorted(here, key=lambda i: (i not in needed, not free[i], i))
            chosen += here[:count]
        busy = (sum(not free[i] for i in chosen),)
        status = Status.OPTIMAL if busy == bound else Status.FEASIBLE
        return Placement(
            status, 0, tuple(sorted(chosen)), busy, bound, _BY, found.limit
        )

    def fewest_jobs(
        self, free: Flags, held: Sequence[tuple[str, ...]], settings: Settings
    ) -> JobsToEnd:
        """Find the fewest jobs whose nodes suffice; of these the smallest."""
        ends = EndVariables(self.model, held)
        for i in self.wanted:
            if not free[i] and not ends.require(i):
                return JobsToEnd(None, by="counting")
        self.model.add(self.request.size * self.count == self.request.k)
        for x, here in zip(self.x, self.classes, strict=True):
            self.model.add(x <= ends.free_at_end(here, free))
        allowed = np.zeros_like(free)
        allowed[[i for here in self.classes for i in here]] = True

        def fits(ended: Flags) -> bool:
            usable = (ended | free) & allowed
            if not all(usable[i] for i in self.wanted):
                return False
            again = Grouping(self.alike, self.request, usable)
            return again.least_busy(usable).objective == (0,)

        return ends.fewest(settings, fits)


def largest_groups(alike: Alike, size: int, free: Flags) -> int:
    """Return how many groups of free nodes there is room for at leaf switches."""
    request = Request(size, segment=size)
    return Grouping(alike, request, free).most() // size
