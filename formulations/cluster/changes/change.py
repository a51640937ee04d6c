"""The least change of running jobs: which end, move or are waited for, and which stay.

Preempt: jobs end so that another one fits. Repair: a placed job lost nodes. Drain:
domains get free of jobs. Each minimises some numbers, one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

import numpy as np

from ....instances import InputError, IntArray
from ....solvers import DEFAULT, Limit, Settings, SolverError, Status
from ....solvers.later import cp_model
from ....solvers.running import clock
from ..answer import BY_COUNTING, BY_SOLVER, GangAnswer, decide
from ..conflict import Clash, find_clash
from ..domains import NodeDevices
from ..job import GangJob, JobPlacement
from ..model import Expr, LateModelError
from ..stages import NoPlace, NoSolution, Stage, Staged, by_stages
from .change_model import ChangeModel, EndClass, end_classes
from .order import Move

MOST_JOBS = 10**5
_MOST_NUMBER = 2**31


@dataclass(frozen=True)
class OngoingJob:
    """A running job.

    Parameters
    ----------
    name
        Of the job.
    nodes
        The devices that it holds, by node; None: the whole node.
    priority
        Of two jobs that could end the one with the lower does.
    lost
        What its end costs, such as seconds of work that are lost.
    movable, endable
        Whether it may be moved, and ended.
    end
        When it ends by itself, if that is known.
    """

    name: str
    nodes: Mapping[int, int | None]
    priority: int = 0
    lost: int = 0
    movable: bool = True
    endable: bool = True
    end: int | None = None


@dataclass(frozen=True, eq=False)
class RunningState:
    """A machine, the devices that are free now, and the jobs that hold others."""

    devices: NodeDevices
    jobs: tuple[OngoingJob, ...]
    kind: IntArray | None = None
    """Of every node: jobs move to nodes of the same kind only; None: all are alike."""

    @cached_property
    def kinds(self) -> IntArray:
        """The kind of every node."""
        return np.zeros_like(self.devices.whole) if self.kind is None else self.kind

    def held(self, job: OngoingJob) -> dict[int, int]:
        """Return the devices that a job holds, by node."""
        whole = self.devices.whole
        return {i: int(whole[i]) if n is None else n for i, n in job.nodes.items()}

    def without(self, jobs: Iterable[OngoingJob]) -> NodeDevices:
        """Return the machine when some jobs have left; nodes out of use stay so."""
        free = self.devices.free.copy()
        for job in jobs:
            for node, n in self.held(job).items():
                free[node] += n if self.devices.free[node] >= 0 else 0
        return replace(self.devices, free=free)

    def refuse(self) -> None:
        """Raise InputError for what is contradictory or absurd."""
        if len(self.jobs) > MOST_JOBS:
            problem = f"must be at most {MOST_JOBS} jobs"
            raise InputError(problem, "jobs", len(self.jobs))
        names: set[str] = set()
        used: Counter[int] = Counter()
        for i, job in enumerate(self.jobs):
            at = f"jobs[{i}]"
            if job.name in names:
                raise InputError("is there twice", f"{at}.name", job.name)
            names.add(job.name)
            for name in ("priority", "lost", "end"):
                value = getattr(job, name)
                if value is not None and not 0 <= value < 2**40:
                    problem = f"must be from 0 to {2**40 - 1}"
                    raise InputError(problem, f"{at}.{name}", value)
            for node, n in job.nodes.items():
                name = self.devices.tree.nodes[node]
                if n is not None and not 1 <= n < _MOST_NUMBER:
                    problem = f"must be from 1 to {_MOST_NUMBER - 1}"
                    raise InputError(problem, f"{at}.nodes.{name}", n)
            used.update(self.held(job))
        for node, n in used.items():
            free, whole = self.devices.free[node], int(self.devices.whole[node])
            if n + max(0, int(free)) > whole:
                name = self.devices.tree.nodes[node]
                problem = f"jobs hold {n} of its {whole} devices, {free} are free"
                raise InputError(problem, "nodes", name)


@dataclass(frozen=True)
class LeastChange:
    """What is known of the least change."""

    status: Status
    """Infeasible: no change will do; unknown: not decided."""
    stages: tuple[Stage, ...] = ()
    """The numbers that are minimised, in order."""
    ends: tuple[str, ...] = ()
    moves: tuple[Move, ...] = ()
    ordered: bool = True
    """Whether each move goes to devices that are free then."""
    waits: tuple[str, ...] = ()
    freed: tuple[int, ...] = ()
    """The domains without a job in the end."""
    placement: JobPlacement | None = None
    by: str = ""
    """What vouches for that no change will do."""
    refuted: NoPlace | NoSolution | None = field(
        default=None, compare=False, repr=False
    )
    """What is impossible if no change will do."""
    room: NoPlace | None = field(default=None, compare=False, repr=False)
    """If no change will do: the job, and all the devices that it can get at most."""
    limit: Limit | None = None
    seconds: float = 0.0

    @property
    def proved(self) -> bool:
        """Whether no other change is less."""
        return all(stage.proved for stage in self.stages)


def clash_of(job: GangJob, devices: NodeDevices, deadline: float) -> Clash | None:
    """Return which constraints of a job clash; None: it has a placement after all.

    Or that was not decided by a deadline, on ``clock.now``.
    """

    def fits(some: GangJob) -> bool | None:
        left = Settings(time_limit=max(deadline - clock.now(), 0.001))
        return decide(replace(some, objective=()), devices, left).fits

    return (
        None
        if fits(job) is not False
        else find_clash(job, [devices.tree], fits, deadline)
    )


def status_of(found: Staged) -> Status:
    """Return what is known, all in all."""
    if found.impossible:
        return Status.INFEASIBLE
    if found.values is None:
        return Status.UNKNOWN
    return Status.OPTIMAL if found.proved else Status.FEASIBLE


def change_of(solved: Staged) -> LeastChange:
    """Return what is known of a change before its values are looked at."""
    return LeastChange(
        status_of(solved),
        solved.stages,
        by=BY_SOLVER * solved.impossible,
        refuted=solved.rows if solved.impossible else None,
        limit=solved.limit,
    )


def preempt(
    job: GangJob,
    state: RunningState,
    settings: Settings = DEFAULT,
) -> LeastChange:
    """Say which jobs have to end for another one to fit.

    The least highest priority of those that end comes first, then their number, their
    devices, and what is lost.

    Parameters
    ----------
    job, state
        The job and the machine, which are not refused.
    settings
        The time limit counts.
    """
    start = clock.now()
    plain = replace(job, objective=())

    def below(priority: float) -> NodeDevices:
        """Return the machine without the jobs that can end, up to a priority."""
        some = [x for x in state.jobs if x.endable and x.priority <= priority]
        return state.without(some)

    def fits(priority: float) -> GangAnswer:
        return decide(plain, below(priority), settings.remaining(start))

    none = decide(job, state.devices, settings.remaining(start))
    names = ("highest priority", "jobs", "devices", "lost")
    if none.fits:
        stages = tuple(Stage(name, 0, 0, BY_COUNTING) for name in names)
        spent = clock.now() - start
        where = none.placement
        return LeastChange(Status.OPTIMAL, stages, placement=where, seconds=spent)
    if none.fits is None:
        return LeastChange(
            Status.UNKNOWN, limit=none.limit, seconds=clock.now() - start
        )
    ranks = sorted({x.priority for x in state.jobs if x.endable})
    most = fits(inf)
    if most.fits is not True:
        room = NoPlace(plain, below(inf))
        return LeastChange(
            most.status,
            by=most.by,
            refuted=room,
            room=room,
            limit=most.limit,
            seconds=clock.now() - start,
        )
    low, high, by = 0, len(ranks) - 1, none.by
    while low < high:
        middle = (low + high) // 2
        found = fits(ranks[middle])
        if found.fits is None:
            return LeastChange(Status.UNKNOWN, limit=found.limit)
        if found.fits:
            high = middle
        else:
            low, by = middle + 1, found.by
    first = Stage(
        names[0],
        ranks[low],
        ranks[low],
        by,
        lambda: NoPlace(plain, below(ranks[low] - 1)),
    )
    end = start + settings.time_limit
    try:
        model, ends, sums = _model_of_ends(plain, state, ranks[low], end)
    except LateModelError:
        spent = clock.now() - start
        return LeastChange(Status.UNKNOWN, (first,), limit=Limit.TIME, seconds=spent)
    model.model.add(sums[3] >= 1)
    parts = [*zip(names[1:], sums, strict=False)]
    solved = by_stages(
        model.model, parts, model.ends, settings.remaining(start), BY_SOLVER
    )
    if solved.stages and solved.stages[0].value == 1:  # some job has to end
        counted = replace(
            solved.stages[0],
            by=none.by,
            bound=1,
            less=lambda: NoPlace(plain, state.devices),
        )
        solved = replace(solved, stages=(counted, *solved.stages[1:]))
    if solved.values is None:
        if solved.impossible:
            raise SolverError("a job does not fit where it was found to fit")
        stages = (first, *solved.stages)
        seconds = clock.now() - start
        return LeastChange(Status.UNKNOWN, stages, limit=solved.limit, seconds=seconds)
    gone = [
        state.jobs[j]
        for one, n in zip(ends, solved.values, strict=True)
        for j in one.jobs[:n]
    ]
    left = settings.remaining(start)
    change = _place_after(job, state, gone, solved, left)
    stages, seconds = (first, *change.stages), clock.now() - start
    return replace(change, stages=stages, seconds=seconds)


def _place_after(
    job: GangJob,
    state: RunningState,
    gone: Sequence[OngoingJob],
    solved: Staged,
    settings: Settings,
) -> LeastChange:
    """Place a job when others have ended, and compare what that costs."""
    then = state.without(gone)
    after = decide(job, then, settings)
    if after.fits is None:  # any place will do: the model has shown that there is one
        after = decide(replace(job, objective=()), then, settings)
    if after.fits is False:
        raise SolverError("the job does not fit when these jobs end")
    numbers = [
        len(gone),
        sum(sum(state.held(x).values()) for x in gone),
        sum(x.lost for x in gone),
    ]
    if numbers != [stage.value for stage in solved.stages]:
        raise SolverError("the jobs that end do not cost what was found")
    return LeastChange(
        status_of(solved),
        solved.stages,
        ends=tuple(x.name for x in gone),
        placement=after.placement,
        limit=solved.limit or (None if after.fits else after.limit),
    )


def _model_of_ends(
    job: GangJob, state: RunningState, highest: int, until: float
) -> tuple[ChangeModel, list[EndClass], list[Expr]]:
    """Return a model of a job for which others end, up to a priority.

    And what ends: the number of jobs, devices, what is lost, jobs of that priority.
    """
    victims = [
        i for i, x in enumerate(state.jobs) if x.endable and x.priority <= highest
    ]
    devices = state.without(state.jobs[i] for i in victims)
    held = [(i, state.held(state.jobs[i])) for i in victims]
    weights = {
        i: (
            1,
            sum(nodes.values()),
            state.jobs[i].lost,
            int(state.jobs[i].priority == highest),
        )
        for i, nodes in held
    }
    ends = end_classes(job, devices, held, weights)
    model = ChangeModel(job, devices, {}, ends, until=until)
    sums = [
        cp_model.LinearExpr.weighted_sum(
            model.ends, [one.weights[which] for one in ends]
        )
        for which in range(4)
    ]
    return model, ends, sums
