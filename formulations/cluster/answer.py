"""Whether a job of parts fits, where, and how good that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ...solvers import DEFAULT, Grade, Limit, Proof, Settings, SolverError, Status
from ...solvers.later import by_cpsat
from ...solvers.running import clock
from .dealing import placement_of
from .domains import NodeDevices
from .forest import PieceForest
from .job import GangJob, JobPlacement
from .model import JobModel, LateModelError
from .stages import by_stages
from .tree import Counting, TreeJob, in_ranks, tree_job

BY_COUNTING = str(Proof(Grade.ENUMERATED, "tree-counting"))
BY_SOLVER = str(Proof(Grade.SOLVER, by_cpsat()))


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
    try:
        model = JobModel(job, devices, forest, until=start + settings.time_limit)
        parts = [(part.name, model.part(part)) for part in job.objective]
    except LateModelError:
        seconds = clock.now() - start
        none = (0,) * len(job.objective)
        return GangAnswer(
            Status.UNKNOWN, None, None, none, BY_SOLVER, Limit.TIME, seconds
        )
    found = by_stages(model.model, parts, model.variables, settings, BY_SOLVER, "")
    seconds = clock.now() - start
    if found.impossible:
        no = Status.UNKNOWN if model.forest.may_split else Status.INFEASIBLE
        return GangAnswer(no, by=BY_SOLVER, seconds=seconds)
    least = tuple(stage.bound for stage in found.stages)
    answer = GangAnswer(
        Status.UNKNOWN, None, None, least, BY_SOLVER, found.limit, seconds
    )
    if found.values is None:
        return answer
    where = placement_of(model, found.values)
    value = job.value(where, devices)
    answer = replace(answer, placement=where, objective=value)
    refuse_wrong(job, devices, answer)
    status = Status.OPTIMAL if value == least else Status.FEASIBLE
    return replace(answer, status=status)
