"""The fewest busy nodes that would have to be free for a request to fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...solvers import DEFAULT, Limit, Settings, SolverError, Status
from ...solvers.running import clock
from . import kernels
from .program import BY, Chooser, Flags, ProgramRun, fill_tables
from .request import Objective, Placement, Request


def least_busy(
    chooser: Chooser,
    request: Request,
    free: Flags,
    allowed: Flags,
    settings: Settings = DEFAULT,
) -> Placement:
    """Choose k of the allowed nodes: as few as possible that are not free.

    Of such choices one with the fewest leaf switches. Objective and bound are the
    number of nodes that are not free. The program is that of `Chooser`; a node
    costs only where the free ones of its domain do not suffice.

    Raises
    ------
    InputError
        If a level is unknown or a required node is not allowed here.
    """
    start = clock.now()
    run = ProgramRun(chooser, replace(request, objective=Objective.SWITCHES), allowed)
    found = _solve(run, free & allowed, start, settings)
    return replace(found, seconds=clock.now() - start)


def _solve(run: ProgramRun, free: Flags, start: float, settings: Settings) -> Placement:
    k, domains = run.request.k, len(run.fabric.parent)
    if k > int(run.below[0]):
        return Placement(Status.INFEASIBLE, by="counting")
    held = int(np.count_nonzero(run.wanted & ~free))
    ready = np.bincount(run.fabric.home[free | run.wanted], minlength=domains)
    none = np.zeros(domains, dtype=np.int64)
    first = min(k, domains) + 1
    costs = run.costs()._replace(
        own=none + 1, open=none, linear=none, square=none, ready=ready, beyond=first
    )
    tables = fill_tables(run.chooser.shape, costs, start, settings)
    if isinstance(tables, Limit):
        bound = (max(held, k - int(np.count_nonzero(free))),)
        return Placement(Status.UNKNOWN, 0, (), None, bound, "counting", tables)
    if tables.whole[0] >= kernels.FAR:
        return Placement(Status.INFEASIBLE, by=BY)
    taken = np.zeros(domains, dtype=np.int64)
    kernels.trace(run.chooser.shape, costs, tables, 0, taken)
    chosen = run.pick(taken * run.size, free)
    busy = sum(not free[i] for i in chosen)
    if len(chosen) != k or busy != held + int(tables.whole[0]) // first:
        raise SolverError("the selection does not cost what its tables say")
    return Placement(Status.OPTIMAL, 0, chosen, (busy,), (busy,), BY)
