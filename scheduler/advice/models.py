"""Models for CP-SAT: the fewest jobs to end for a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from ortools.sat.python import cp_model

from ...solvers import Settings, SolverError, cpsat
from ..placement import least_busy
from ..placement.program import Flags, Run
from .reason import JobsToEnd


def fewest_jobs(
    run: Run, free: Flags, held: Sequence[tuple[str, ...]], settings: Settings
) -> JobsToEnd:
    """Find the fewest jobs whose nodes let a request fit; of these the smallest.

    A number for every domain with nodes says how many segments it gives, a boolean for
    every job whether it ends; nodes that several jobs share need one more for all of
    them.

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
    total = Counter(job for jobs in held for job in jobs)
    ends = {job: model.new_bool_var(f"end {job}") for job in sorted(total)}
    given: dict[tuple[str, ...], cp_model.IntVar] = {}

    def released(jobs: tuple[str, ...]) -> cp_model.IntVar:
        """Return whether all jobs of a node end."""
        if len(jobs) == 1:
            return ends[jobs[0]]
        if jobs not in given:
            given[jobs] = model.new_bool_var(f"all of {jobs}")
            for job in jobs:
                model.add_implication(given[jobs], ends[job])
        return given[jobs]

    at: dict[int, Counter[tuple[str, ...]]] = {}
    ready = np.zeros(len(fabric.parent), dtype=np.int64)
    for i in np.flatnonzero(run.free).tolist():
        jobs, v = tuple(sorted(held[i])), int(fabric.home[i])
        if free[i]:
            ready[v] += 1
        elif jobs:
            at.setdefault(v, Counter())[jobs] += 1
        if run.wanted[i] and not free[i]:
            if not jobs:
                return JobsToEnd(None, by="counting")
            model.add(released(jobs) == 1)
    below: list[list[cp_model.IntVar]] = [[] for _ in fabric.parent]
    for v in np.flatnonzero(run.room).tolist():
        segments = model.new_int_var(
            int(run.need[v]), int(run.room[v]), f"segments {v}"
        )
        nodes = [n * released(jobs) for jobs, n in at.get(v, Counter()).items()]
        model.add(size * segments <= int(ready[v]) + cp_model.LinearExpr.sum(nodes))
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
    weight = sum(total.values()) + 1
    model.minimize(
        cp_model.LinearExpr.weighted_sum(
            list(ends.values()), [weight + total[job] for job in ends]
        )
    )
    found = cpsat.decide(model, list(ends.values()), settings=settings)
    if found.impossible:
        return JobsToEnd(None, by=cpsat.BY)
    bound = max(0, found.bound or 0) // weight
    if found.values is None:
        return JobsToEnd(None, bound=bound, by=cpsat.BY, limit=found.limit)
    jobs = tuple(job for job, end in zip(ends, found.values, strict=True) if end)
    ended = set(jobs)
    after = np.array([bool(one) and ended.issuperset(one) for one in held]) | free
    if least_busy(run.chooser, run.request, after, run.free).objective != (0,):
        raise SolverError("the request does not fit when these jobs end")
    lost = sum(total[job] for job in jobs)
    return JobsToEnd(jobs, lost, bound, cpsat.BY, limit=found.limit)
