"""Groups at the leaf switches of a graph: whether they fit, and what would have to end.

A node with cables to several leaf switches can be in a group at any of them, so that
counting at each switch does not do: CP-SAT decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...formulations.cluster.stages import by_stages
from ...solvers import DEFAULT, Grade, Proof, Settings, SolverError, Status
from ...solvers.later import by_cpsat, cp_model
from ..placement import Placement, Request
from ..placement.node_classes import Alike, Flags
from ..placement.space_model import switch_groups
from .obstacle import JobsToEnd

_BY = str(Proof(Grade.SOLVER, by_cpsat()))


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
        from ...solvers import cpsat  # which takes its time

        self.model.maximize(self.count)
        return sum(cpsat.decide(self.model, self.x).values or ())

    def least_busy(self, free: Flags, settings: Settings = DEFAULT) -> Placement:
        """Choose as few nodes that are not free as possible, as `least_busy` of trees.

        Objective and bound are their number.
        """
        from ...solvers import cpsat

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
        model, total = self.model, Counter(job for jobs in held for job in jobs)
        end = {job: model.new_bool_var(f"end {job}") for job in sorted(total)}
        held = [tuple(sorted(jobs)) for jobs in held]
        all_end = {jobs: model.new_bool_var("all") for jobs in dict.fromkeys(held)}
        for jobs, every in all_end.items():
            for job in jobs:
                model.add_implication(every, end[job])
        for i in self.wanted:
            if not free[i]:
                if not held[i]:
                    return JobsToEnd(None, by="counting")
                model.add(all_end[held[i]] == 1)
        model.add(self.request.size * self.count == self.request.k)
        for x, here in zip(self.x, self.classes, strict=True):
            by = Counter(held[i] for i in here if held[i] and not free[i])
            more = sum(n * all_end[jobs] for jobs, n in by.items())
            model.add(x <= sum(bool(free[i]) for i in here) + more)
        nodes = sum(total[job] * one for job, one in end.items())
        parts = [("jobs", sum(end.values())), ("nodes", nodes)]
        found = by_stages(model, parts, [*end.values()], settings, _BY)
        if found.impossible:
            return JobsToEnd(None, by=_BY)
        bound, limit = found.stages[0].bound, found.limit
        if found.values is None:
            return JobsToEnd(None, bound=bound, by=_BY, limit=limit)
        ended = tuple(job for job, n in zip(end, found.values, strict=True) if n)
        usable = np.zeros_like(free)
        for i in (i for here in self.classes for i in here):
            usable[i] = free[i] or (held[i] and {*held[i]} <= {*ended})
        again = Grouping(self.alike, self.request, usable).least_busy(usable)
        if not usable[self.wanted].all() or again.objective != (0,):
            raise SolverError("the request does not fit when these jobs end")
        return JobsToEnd(ended, found.stages[1].value or 0, bound, _BY, limit=limit)


def largest_groups(alike: Alike, size: int, free: Flags) -> int:
    """Return how many groups of free nodes there is room for at leaf switches."""
    request = Request(size, segment=size)
    return Grouping(alike, request, free).most() // size
