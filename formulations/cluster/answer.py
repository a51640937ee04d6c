"""Whether a job of parts fits, where, and how good that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ...solvers import (
    DEFAULT,
    Grade,
    Limit,
    Proof,
    Settings,
    SolverError,
    Status,
    cpsat,
)
from ...solvers.running import clock
from .dealing import placement_of
from .domains import NodeDevices
from .forest import PieceForest
from .job import GangJob, JobPlacement
from .model import JobModel
from .tree import Counting, TreeJob, in_ranks, tree_job

BY_COUNTING = str(Proof(Grade.ENUMERATED, "tree-counting"))
BY_SOLVER = str(Proof(Grade.SOLVER, cpsat.BY))


@dataclass(frozen=True)
class GangAnswer:
    """What is known of a job on a machine."""

    status: Status
    """Optimal or feasible: it fits; infeasible: it does not; unknown: not decided."""
    placement: JobPlacement | None = None
    objective: tuple[int, ...] | None = None
    bound: tuple[int, ...] | None = None
    """Proved: no placement is better."""
    by: str = ""
    """What vouches for the bound, or that it does not fit."""
    limit: Limit | None = None
    seconds: float = 0.0

    @property
    def fits(self) -> bool | None:
        """Whether it fits; None if that was not decided."""
        if self.placement is not None:
            return True
        return False if self.status is Status.INFEASIBLE else None


Program = Callable[
    [GangJob, NodeDevices, PieceForest, TreeJob, Settings], GangAnswer | None
]
"""Minimises the objective of a job that fits and whose pods are alike, if it can."""


def decide(
    job: GangJob,
    devices: NodeDevices,
    settings: Settings = DEFAULT,
    program: Program | None = None,
) -> GangAnswer:
    """Say whether a job fits, and where best.

    Parameters
    ----------
    job, devices
        The job, which is not refused, and the machine.
    settings
        The time limit counts.
    program
        Asked where pods are alike before a general solver is.

    Raises
    ------
    SolverError
        If what is found is no placement by the definitions.
    """
    start = clock.now()
    forest = PieceForest(job, devices.tree)
    ask = tree_job(job, devices, forest)
    found: GangAnswer | None = None
    if ask is not None:
        counting = Counting(devices.tree, ask)
        if not counting.fits:
            seconds = clock.now() - start
            return GangAnswer(Status.INFEASIBLE, by=BY_COUNTING, seconds=seconds)
        if not job.objective:
            where = in_ranks(job, devices.tree, forest, ask, counting.counts())
            found = GangAnswer(Status.OPTIMAL, where, (), (), BY_COUNTING)
        elif program is not None:
            found = program(job, devices, forest, ask, settings)
    if found is None:
        return by_model(job, devices, settings, forest)
    refuse_wrong(job, devices, found)
    return replace(found, seconds=clock.now() - start)


def refuse_wrong(job: GangJob, devices: NodeDevices, found: GangAnswer) -> None:
    """Raise SolverError for a placement that is none by the definitions."""
    if found.placement is not None:
        if wrong := job.violations(found.placement, devices):
            raise SolverError(f"a placement does not keep: {wrong[0]}")
        if found.objective != job.value(found.placement, devices):
            raise SolverError("a placement does not cost what was found")


def by_model(
    job: GangJob,
    devices: NodeDevices,
    settings: Settings = DEFAULT,
    forest: PieceForest | None = None,
) -> GangAnswer:
    """Decide by CP-SAT, and minimise the parts of the objective one by one.

    Raises
    ------
    SolverError
        If what it finds is no placement by the definitions.
    """
    start = clock.now()
    model = JobModel(job, devices, forest)
    parts = [model.part(part) for part in job.objective]
    best: list[int] | None = None
    placement: JobPlacement | None = None
    bound: list[int] = []
    limit: Limit | None = None
    variables = model.variables
    for i, part in enumerate(parts or [None]):
        if best is not None:
            model.model.clear_hints()
            for variable, value in zip(variables, best, strict=True):
                model.model.add_hint(variable, value)
        if part is not None:
            model.model.minimize(0 + part)
        left = settings.remaining(start)
        found = cpsat.decide(model.model, variables, settings=left)
        if found.impossible:
            if placement is not None:
                raise SolverError("a model is infeasible that has a solution")
            no = Status.UNKNOWN if model.forest.may_split else Status.INFEASIBLE
            return GangAnswer(no, by=BY_SOLVER, seconds=clock.now() - start)
        if found.values is not None:
            best = found.values
            placement = placement_of(model, best)
            if wrong := job.violations(placement, devices):
                raise SolverError(f"a placement does not keep: {wrong[0]}")
        limit = found.limit
        if part is None or placement is None:
            break
        value = job.value(placement, devices)[i]
        if found.bound is not None or limit is None:
            bound.append(value if limit is None else max(0, found.bound or 0))
        if limit is not None:
            break
        model.model.add(0 + part <= value)
    seconds = clock.now() - start
    least = tuple(bound) + (0,) * (len(parts) - len(bound))
    if placement is None:
        return GangAnswer(Status.UNKNOWN, None, None, least, BY_SOLVER, limit, seconds)
    found_value = job.value(placement, devices)
    status = Status.OPTIMAL if found_value == least else Status.FEASIBLE
    return GangAnswer(status, placement, found_value, least, BY_SOLVER, limit, seconds)
