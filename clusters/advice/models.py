"""Models for CP-SAT: the fewest jobs to end for a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from ortools.sat.python import cp_model

from ...solvers import Settings, SolverError, cpsat
from ..placement import least_busy
from ..placement.program import Flags, ProgramRun
from .obstacle import JobsToEnd


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


def fewest_jobs(
    run: ProgramRun, free: Flags, held: Sequence[tuple[str, ...]], settings: Settings
) -> JobsToEnd:
    """Find the fewest jobs whose nodes let a request fit; of these the smallest.

    A number for every domain with nodes states how many segments it gives.

    Parameters
    ----------
    run
        The request, with the nodes that may be chosen, free or not.
    free
        Which nodes are free.
    held
        The jobs that hold each node.
    settings
        The time limit counts.
    """
    fabric, size = run.fabric, run.size
    model = cp_model.CpModel()
    ends = EndVariables(model, held)
    at: dict[int, list[int]] = {}
    for i in np.flatnonzero(run.free).tolist():
        at.setdefault(int(fabric.home[i]), []).append(i)
        if run.wanted[i] and not free[i] and not ends.require(i):
            return JobsToEnd(None, by="counting")
    below: list[list[cp_model.IntVar]] = [[] for _ in fabric.parent]
    for v in np.flatnonzero(run.room).tolist():
        segments = model.new_int_var(
            int(run.need[v]), int(run.room[v]), f"segments {v}"
        )
        model.add(size * segments <= ends.free_at_end(at[v], free))
        up = v
        while up >= 0:
            below[up].append(segments)
            up = int(fabric.parent[up])
    for v, level in enumerate(fabric.level.tolist()):
        unit = run.sizes.get(level, size) // size
        if unit > 1 and below[v]:
            groups = model.new_int_var(0, run.k // unit, f"groups {v}")
            model.add(cp_model.LinearExpr.sum(below[v]) == unit * groups)
    model.add(cp_model.LinearExpr.sum(below[0]) == run.k)

    def fits(ended: Flags) -> bool:
        found = least_busy(run.chooser, run.request, ended | free, run.free)
        return found.objective == (0,)

    return ends.fewest(settings, fits)
