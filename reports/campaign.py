"""Methods times instances, in parallel processes, resumable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial

from ..heuristics import AnyMethod
from ..instances import (
    InputError,
    Instance,
    KSubset,
    Mesh,
    Points,
    ProcessorSet,
    ProcSet,
    Submesh,
    Sukp,
    Torus,
    problem_of,
)
from ..solvers import DEFAULT, Result, Settings
from .ledger import Ledger
from .pool import Call, Failure
from .pool import run as in_parallel
from .rows import FAILED, REFUSED, Row, key_of, row_of

_GRACE = 60.0
"""Seconds beyond twice its limit after which a run counts as hung."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup:
    """What is run on the instances of one problem.

    Parameters
    ----------
    methods
        Run on every instance.
    exact
        The route to the optimum: run on every instance, before all others.
    """

    methods: Sequence[AnyMethod]
    exact: AnyMethod

    @property
    def by_name(self) -> dict[str, AnyMethod]:
        """Every method once, in the order of a report: the exact one last."""
        return {m.name: m for m in (*self.methods, self.exact)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """What is to be run.

    Parameters
    ----------
    instances
        Of different names, of any problems.
    lineups
        For each of these problems, by name. Methods that refuse an instance are
        recorded as refused, or, if ``lenient``, left out.
    settings
        The same for every run.
    """

    instances: Sequence[Instance]
    lineups: Mapping[str, Lineup]
    settings: Settings = DEFAULT
    lenient: bool = True

    def tasks(self) -> list[tuple[Instance, AnyMethod]]:
        """List the runs, the longest kind first."""
        exact = [(one, self._lineup(one).exact) for one in self.instances]
        others = [
            (instance, method)
            for instance in self.instances
            for method in self._lineup(instance).methods
            if method.name != self._lineup(instance).exact.name
            and not (self.lenient and method.refuses and method.refuses(instance))
        ]
        return exact + others

    def rows(self, ledger: Ledger) -> list[Row]:
        """Return what is there of this campaign: by instance, then by method."""
        keys = (
            key_of(instance, name, self.settings)
            for instance in self.instances
            for name in self._lineup(instance).by_name
        )
        return [ledger.rows[key] for key in keys if key in ledger.rows]

    def _lineup(self, instance: Instance) -> Lineup:
        return self.lineups[problem_of(instance).name]


def run(
    campaign: Campaign,
    ledger: Ledger,
    *,
    jobs: int,
    progress: Callable[[int, int, str], None] = lambda done, total, what: None,
) -> None:
    """Run what the ledger does not hold yet, and write it there row by row.

    Parameters
    ----------
    campaign
        What to run.
    ledger
        Where rows go; it may hold other runs too.
    jobs
        Number of processes.
    progress
        Told after every run how many of how many are done, and which was last.
    """
    tasks = campaign.tasks()
    settings = campaign.settings
    due = [
        (instance, method)
        for instance, method in tasks
        if key_of(instance, method.name, settings) not in ledger.rows
    ]
    allowed = 2 * settings.time_limit + _GRACE
    calls = [Call(partial(run_one, *task, settings), allowed) for task in due]
    done = len(tasks) - len(due)
    progress(done, len(tasks), "")
    with closing(in_parallel(calls, jobs=jobs)) as outcomes:
        for position, outcome in outcomes:
            instance, method = due[position]
            if isinstance(outcome, Failure):
                outcome = row_of(instance, method.name, settings, outcome.why, FAILED)
            ledger.append(outcome)
            done += 1
            progress(done, len(tasks), f"{method.name} on {instance.name}")


def run_one(instance: Instance, method: AnyMethod, settings: Settings) -> Row:
    """Run one method on one instance; called in a process of the pool."""
    outcome: Result | str
    try:
        warm_up(instance, method)
        outcome = method(instance, settings)
    except InputError as error:
        return row_of(instance, method.name, settings, str(error), REFUSED)
    return row_of(instance, method.name, settings, outcome, FAILED)


_WARM: set[tuple[str, str, int]] = set()


def warm_up(instance: Instance, method: AnyMethod) -> None:
    """Let a method load and compile before its time is taken.

    Exact methods for k-subsets, whose times are long anyhow, and solvers are not.
    """
    facts = problem_of(instance).facts(instance)
    kind = (method.name, facts.structure, facts.d)
    slow = method.exact and isinstance(instance, KSubset)
    if slow or method.runs_solver or kind in _WARM:
        return
    _WARM.add(kind)
    with suppress(Exception):  # if it matters, the run itself will tell
        method(_tiny(instance))


def _tiny(instance: Instance) -> Instance:
    """Return an instance of the same kind that is solved in no time."""
    if isinstance(instance, ProcSet):
        price = (1,) * instance.levels
        sets = tuple(ProcessorSet(f"s{i}", (i, i + 1), price) for i in range(3))
        return ProcSet("warm-up", tuple("abcd"), tuple(range(4)), 2, sets)
    if isinstance(instance, Sukp):
        return Sukp("warm-up", (1, 2, 3), (1, 1, 1), ((0, 1), (1, 2), (2,)), 2)
    if isinstance(instance, Submesh):
        return Submesh("warm-up", (2,) * instance.d, (), (1,) * instance.d)
    topology = instance.topology
    if isinstance(topology, Mesh | Torus):
        small = type(topology)((2,) * topology.dimension)
        return KSubset("warm-up", small, tuple(small.locations()), 2)
    if isinstance(topology, Points):
        few = Points(topology.coordinates[:3])
        return KSubset("warm-up", few, few.coordinates, min(2, len(few.coordinates)))
    return KSubset("warm-up", topology, instance.free, 1)
