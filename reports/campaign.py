"""Methods times instances, in parallel processes, resumable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial

from ..heuristics import AnyMethod
from ..instances import InputError, KSubset, Mesh, Points, Torus
from ..solvers import DEFAULT, Result, Settings
from .ledger import Ledger
from .pool import Call, Failure
from .pool import run as in_parallel
from .rows import FAILED, REFUSED, Row, key_of, row_of

_GRACE = 60.0
"""Seconds beyond twice its limit after which a run counts as hung."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """What is to be run.

    Parameters
    ----------
    instances
        Of different names.
    methods
        Run on every instance; those that refuse it are recorded as refused,
        or, if ``lenient``, left out.
    exact
        The route to the optimum: run on every instance, before all others.
    settings
        The same for every run.
    """

    instances: Sequence[KSubset]
    methods: Sequence[AnyMethod]
    exact: AnyMethod
    settings: Settings = DEFAULT
    lenient: bool = True

    def tasks(self) -> list[tuple[KSubset, AnyMethod]]:
        """List the runs, the longest kind first."""
        exact = [(instance, self.exact) for instance in self.instances]
        others = [
            (instance, method)
            for instance in self.instances
            for method in self.methods
            if method.name != self.exact.name
            and not (self.lenient and method.refuses and method.refuses(instance))
        ]
        return exact + others

    def rows(self, ledger: Ledger) -> list[Row]:
        """Return what is there of this campaign: by instance, then by method."""
        names = dict.fromkeys(m.name for m in (*self.methods, self.exact))
        keys = (
            key_of(instance, name, self.settings)
            for instance in self.instances
            for name in names
        )
        return [ledger.rows[key] for key in keys if key in ledger.rows]


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


def run_one(instance: KSubset, method: AnyMethod, settings: Settings) -> Row:
    """Run one method on one instance; called in a process of the pool."""
    outcome: Result | str
    try:
        warm_up(instance, method)
        outcome = method(instance, settings)
    except InputError as error:
        return row_of(instance, method.name, settings, str(error), REFUSED)
    return row_of(instance, method.name, settings, outcome, FAILED)


_WARM: set[tuple[str, str, int]] = set()


def warm_up(instance: KSubset, method: AnyMethod) -> None:
    """Let a heuristic load and compile before its time is taken."""
    topology = instance.topology
    kind = (method.name, topology.kind, topology.dimension)
    if method.exact or kind in _WARM:
        return
    _WARM.add(kind)
    tiny: KSubset
    if isinstance(topology, Mesh | Torus):
        small = type(topology)((2,) * topology.dimension)
        tiny = KSubset("warm-up", small, tuple(small.locations()), 2)
    elif isinstance(topology, Points):
        few = Points(topology.coordinates[:3])
        tiny = KSubset("warm-up", few, few.coordinates, min(2, len(few.coordinates)))
    else:
        tiny = KSubset("warm-up", topology, instance.free, 1)
    with suppress(Exception):  # if it matters, the run itself will tell
        method(tiny)
