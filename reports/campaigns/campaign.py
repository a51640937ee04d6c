"""Methods times instances, in parallel processes, resumable."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from ...instances import InputError, Instance, problem_of
from ...instances.words import with_noun
from ...methods import AnyMethod
from ...methods.by_name import methods_named, problems_of
from ...methods.old_names import current
from ...methods.user_methods import OwnMethod
from ...methods.warming import Kind, kind_of, warm
from ...solvers import DEFAULT, Limit, Result, Settings, Status
from ...solvers.running.progress import observed
from .memory import peak
from .pool import Call, Failure, OutOfMemory, mark_started
from .rows import FAILED, REFUSED, Key, Row, key_of, row_of
from .store import ResultStore
from .trace import Recorder

SYSTEMS = "systems"
"""In place of names of methods: all heuristics but variants of variants and models."""
_COMPILING = 900.0
"""Seconds that a process may compile for before its first run of a method."""
_GRACE = 60.0
"""Seconds beyond twice its limit after which a run counts as hung."""


Runner = Callable[[Sequence[Call]], Generator[tuple[int, Any], None, None]]
"""Runs calls and yields their outcomes, as `pool.run` does."""


class Task(NamedTuple):
    """One run to be made; see `Row` for the meaning of a repeat."""

    instance: Instance
    method: AnyMethod
    settings: Settings
    repeat: int = 0

    @property
    def key(self) -> Key:
        """The key that its row will have."""
        return key_of(*self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup:
    """The methods to run on the instances of one problem, and the route to the optimum.

    The exact method is run on every instance, before all others.
    """

    methods: Sequence[AnyMethod]
    exact: AnyMethod

    @property
    def by_name(self) -> dict[str, AnyMethod]:
        """Every method once, in the order of a report: the exact one last."""
        return {m.name: m for m in (*self.methods, self.exact)}


def lineups(
    methods: str | Iterable[Any] | None,
    exact: Any,
    instances: Iterable[Instance],
    fields: tuple[str, str] = ("methods", "exact"),
    *,
    quick: bool = False,
) -> dict[str, Lineup]:
    """Return what two arguments name, for each problem of instances.

    Methods are names with commas between them, or any that `methods_named` accepts;
    every heuristic if None, or if ``quick`` those that are marked so; with `SYSTEMS`
    all but variants of variants and models for solvers. A problem takes the first of
    the names in ``exact`` that it has a method of, or its ``auto``. Raises InputError,
    which names one of ``fields``, for a name that none of the problems has, or an
    ``exact`` that is not exact.
    """
    from ...methods import METHODS

    problems = problems_of(instances)
    routes: dict[str, AnyMethod] = {}
    for one in reversed(exact.split(",") if isinstance(exact, str) else [exact]):
        name = one.strip() if isinstance(one, str) else one
        routes |= methods_named(name, problems, fields[1])
    if not all(method.exact for method in routes.values()):
        raise InputError("is not an exact method", fields[1], exact)
    named = None
    if methods is not None and methods != SYSTEMS:
        names = methods
        if isinstance(methods, str):
            names = [name.strip() for name in methods.split(",")]
        named = [
            methods_named(one, problems, fields[0]) for one in dict.fromkeys(names)
        ]
    chosen = {}
    for problem in problems:
        table = METHODS[problem]
        if named is None:
            listed = [
                method
                for method in table.values()
                if not method.exact and (method.quick or not quick)
                if methods is None or _is_system(method, table)
            ]
        else:
            listed = _distinct([found[problem] for found in named if problem in found])
        chosen[problem] = Lineup(
            methods=listed, exact=routes.get(problem) or table["auto"]
        )
    return chosen


def is_lenient(methods: object) -> bool:
    """Whether no method is named by itself, so that each runs where it is supported."""
    return methods is None or methods == SYSTEMS


def _is_system(method: AnyMethod, table: Mapping[str, AnyMethod]) -> bool:
    """Whether a method is neither a variant of a variant nor a model for a solver."""
    origin = table.get(method.variant_of)
    return not (method.runs_solver or (origin and origin.variant_of))


def count_left_out(lineups: Mapping[str, Lineup], instances: Iterable[Instance]) -> int:
    """Return the number of heuristics that take an instance and are not run on it."""
    from ...methods import METHODS

    return len(
        {
            (name, method.name)
            for instance in instances
            if (name := problem_of(instance).name)
            for method in METHODS[name].values()
            if not method.exact and method.name not in lineups[name].by_name
            if not method.refusal(instance)
        }
    )


def left_out(count: int, how: str) -> str:
    """Say how many methods a comparison left out, and how all are run."""
    are = "is" if count == 1 else "are"
    return f"{with_noun(count, 'more method')} {are} left out ({how} runs all)"


def _distinct(methods: Sequence[AnyMethod]) -> list[AnyMethod]:
    """Return methods of different names: rows are known by these.

    One of several methods from outside that share a name has a number behind it.
    """
    found: dict[str, AnyMethod] = {}
    for method in methods:
        if isinstance(method, OwnMethod) and method.name in found:
            number = sum(name.startswith(f"{method.name}#") for name in found) + 2
            method = method.with_name(f"{method.name}#{number}")
        found[method.name] = method
    return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """The instances, of different names and any problems, methods and settings to run.

    ``lineups`` has the methods for each problem, by its name. Methods that refuse an
    instance are recorded as refused, or, if ``lenient``, left out. Settings are the
    same for every run; ``memory_mb`` holds for all processes of a run. Every run is
    made ``repeats`` times, each time with the next seed. ``without`` holds, by name of
    an instance, the methods that are not run on it.
    """

    instances: Sequence[Instance]
    lineups: Mapping[str, Lineup]
    settings: Settings = DEFAULT
    lenient: bool = True
    repeats: int = 1
    without: Mapping[str, Collection[str]] = field(default_factory=dict)

    def tasks(self) -> list[Task]:
        """List the runs, the longest kind first."""
        exact = [(one, self._lineup(one).exact) for one in self.instances]
        others = [
            (instance, method)
            for instance in self.instances
            for method in dict.fromkeys(self._lineup(instance).methods)
            if method.name != self._lineup(instance).exact.name
            and method.name not in self._left_out(instance)
            and not (self.lenient and method.refusal(instance))
        ]
        return [
            Task(*what, settings, repeat)
            for what in exact + others
            for repeat, settings in enumerate(self._settings())
        ]

    def missing_methods(self, store: ResultStore) -> set[tuple[AnyMethod, Kind]]:
        """Return the methods with missing runs, and their kinds of instances."""
        return {
            (task.method, kind_of(task.instance))
            for task in self.tasks()
            if task.key not in store.rows
        }

    def rows(self, store: ResultStore) -> list[Row]:
        """Return the stored rows of this campaign: by instance, then by method."""
        keys = (
            key_of(instance, method, settings, repeat)
            for instance in self.instances
            for name, method in self._lineup(instance).by_name.items()
            if method is self._lineup(instance).exact
            or name not in self._left_out(instance)
            for repeat, settings in enumerate(self._settings())
        )
        return [store.rows[key] for key in keys if key in store.rows]

    def outdated_rows(self, store: ResultStore) -> list[Key]:
        """Return the keys of rows of these runs that other or unknown code made."""
        wanted = {key[:-1]: key for key in (task.key for task in self.tasks())}
        return [key for key in store.rows if wanted.get(key[:-1], key) != key]

    def _settings(self) -> list[Settings]:
        """Return the settings of each repeat."""
        first = self.settings.seed
        return [replace(self.settings, seed=first + i) for i in range(self.repeats)]

    def _left_out(self, instance: Instance) -> set[str]:
        """Return the present names of the methods that are not run on an instance."""
        problem = problem_of(instance).name
        return {current(problem, each) for each in self.without.get(instance.name, ())}

    def _lineup(self, instance: Instance) -> Lineup:
        return self.lineups[problem_of(instance).name]


def run(
    campaign: Campaign,
    store: ResultStore,
    *,
    runner: Runner,
    progress: Callable[[int, int, str], None] = lambda done, total, what: None,
) -> None:
    """Run what the store does not hold yet, and append every row to it.

    ``runner`` states where to run: ``partial(pool.run, jobs=N)``, for instance. After
    every run ``progress`` is called with the number of runs done, of all runs, and the
    last run. Raises InputError when rows cannot be written, or come from another
    version of closeknit.
    """
    tasks = campaign.tasks()
    due = [task for task in tasks if task.key not in store.rows]
    allowed = 2 * campaign.settings.time_limit + _GRACE
    calls = [
        Call(
            partial(run_one, *task, code=task.key[-1]),
            *(allowed, campaign.settings.memory_mb, _COMPILING),
        )
        for task in due
    ]
    done = len(tasks) - len(due)
    progress(done, len(tasks), "")
    with closing(runner(calls)) as outcomes:
        for position, outcome in outcomes:
            task = due[position]
            row = _row(task, outcome)
            if row.key != task.key:
                raise InputError(
                    f"was run by closeknit {row.version} on {row.machine}; all must "
                    f"have the same version ({task.key[3]})",
                    task.method.name,
                )
            store.append(row)
            done += 1
            progress(done, len(tasks), f"{task.method.name} on {task.instance.name}")


def _row(task: Task, outcome: Row | Failure) -> Row:
    if not isinstance(outcome, Failure):
        return outcome
    instance, method, settings, repeat = task
    what = (instance, method.name, settings, outcome.why, FAILED)
    row = row_of(*what, repeat=repeat, code=task.key[-1])
    if isinstance(outcome, OutOfMemory):
        return replace(
            row,
            status=Status.UNKNOWN.value,
            limit=Limit.MEMORY.value,
            seconds=round(outcome.seconds, 6),
            memory_peak=outcome.mib,
        )
    return row


def run_one(
    instance: Instance,
    method: AnyMethod,
    settings: Settings,
    repeat: int = 0,
    *,
    code: str = "",
) -> Row:
    """Run one method on one instance; called in a process of the pool.

    ``code`` is the digest of the method's code, from whoever asked for the run.
    """
    outcome: Result | str
    status = FAILED
    with suppress(Exception):  # if it matters, the run itself will tell
        warm(method, kind_of(instance))
    mark_started()
    recorder = Recorder()
    with peak() as taken, observed(recorder):
        try:
            outcome = method(instance, settings)
        except InputError as error:
            outcome, status = str(error), REFUSED
    return row_of(
        *(instance, method.name, settings, outcome, status),
        repeat=repeat,
        code=code,
        memory_peak=taken.mib,
        trace=recorder.trace,
    )
