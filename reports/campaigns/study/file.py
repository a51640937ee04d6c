"""Study files: what a campaign runs, in TOML; see ``docs/use/studies.md``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from ....instances import PROBLEMS, InputError, Instance, problem_of
from ....instances.errors import in_file
from ....instances.option_values import seconds
from ....instances.reading.files import read_text
from ....methods import AnyMethod
from ....methods.by_name import methods_named, problems_of
from ....methods.old_names import current
from ....solvers.running.settings import settings_named
from ..campaign import Campaign, Lineup
from .instances import RunCounter, only_known, study_instances

FORMAT = "closeknit/study"
SUFFIX = ".toml"
_FIELDS = (
    *("format", "version", "name", "instances", "methods", "exact"),
    *("time-limit", "node-limit", "memory-limit", "seed", "repeats"),
)
_ALL = "heuristics"
MAX_RUNS = 10**6
"""Of a study, unless more are asked for."""
_MOST_BYTES = 2**20
_STUDIES = files(__package__) / "studies"


def study_names() -> list[str]:
    """Names of the studies that come with the package, sorted.

    >>> study_names()
    ['standard']
    """
    names = (entry.name for entry in _STUDIES.iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def is_study(name: str) -> bool:
    """Whether a word of the command line names a study file or a bundled study."""
    if name.endswith(SUFFIX):
        return True
    return name in study_names() and not Path(name).exists()


def read_study(
    name: str, *, trace: str | None = None, max_runs: int = MAX_RUNS
) -> Campaign:
    """Read a study file, or one that comes with the package, and make its instances.

    Instances that are snapshots of a trace take the SWF file ``trace``. A study of more
    than ``max_runs`` runs is refused before its instances are made. An InputError names
    the file, the field and the value.
    """
    if name.endswith(SUFFIX):
        text, folder = read_text(name, most=_MOST_BYTES), Path(name).parent
    else:
        text = (_STUDIES / f"{name}{SUFFIX}").read_text(encoding="utf-8")
        folder = Path()
    with in_file(name):
        return _campaign(_parse_toml(text), folder, trace, max_runs)


def _parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML; raise InputError if it is invalid or nested too deeply."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError("not usable TOML: nested too deeply") from None
    except ValueError as error:  # also an integer of thousands of digits
        raise InputError(f"not TOML: {error}") from None


def _campaign(
    found: dict[str, Any], folder: Path, trace: str | None, max_runs: int
) -> Campaign:
    only_known(found, _FIELDS, "")
    for field, wanted in (("format", FORMAT), ("version", 1)):
        if field not in found:
            raise InputError("is missing", field)
        if found[field] != wanted or isinstance(found[field], bool):
            raise InputError(f"must be {wanted!r}", field, found[field])
    if not isinstance(found.get("name", ""), str):
        raise InputError("must be text", "name", found["name"])
    settings = settings_named(
        {"node_limit": "node-limit", "memory_mb": "memory-limit"},
        time_limit=_seconds(found),
        node_limit=found.get("node-limit"),
        memory_mb=found.get("memory-limit"),
        seed=found.get("seed", 0),
    )
    repeats = _repeats(found.get("repeats", 1))
    methods = _by_problem(found.get("methods", _ALL), "methods")
    budget = RunCounter(max_runs, repeats, lambda one: _runs(one, methods))
    instances, without = study_instances(found.get("instances"), folder, trace, budget)
    named, lineups = _lineups(found, instances)
    return Campaign(
        instances=instances,
        lineups=lineups,
        settings=settings,
        lenient=not named,
        repeats=repeats,
        without=without,
    )


def _seconds(found: Mapping[str, Any]) -> float:
    value = found.get("time-limit", 60)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError("must be a number of seconds", "time-limit", value)
    return seconds(value, "time-limit")


def _repeats(value: object) -> int:
    if type(value) is not int or not 1 <= value < 2**31:
        raise InputError("must be an integer from 1 to 2^31 - 1", "repeats", value)
    return value


def _runs(instance: Instance, wanted: Mapping[str, Any]) -> int:
    """Return how many methods are run on an instance, the exact one among them."""
    from ....methods import METHODS

    problem = problem_of(instance).name
    chosen = wanted.get(problem, wanted.get("", _ALL))
    methods = METHODS[problem].values()
    if isinstance(chosen, list):
        names = {current(problem, name) for name in chosen if isinstance(name, str)}
        own = sum(":" in name for name in names)
        return 1 + own + sum(method.name in names for method in methods)
    return 1 + sum(not (method.exact or method.refusal(instance)) for method in methods)


def _lineups(
    found: Mapping[str, Any], instances: Sequence[Instance]
) -> tuple[bool, dict[str, Lineup]]:
    """Return whether methods were named, and what is run for each problem."""
    from ....methods import METHODS

    met = problems_of(instances)
    exact = _by_problem(found.get("exact", "auto"), "exact")
    wanted = _by_problem(found.get("methods", _ALL), "methods")
    lineups, named = {}, False
    for problem in dict.fromkeys((*exact, *wanted, *met)):
        if not problem:  # what is said of all problems
            continue
        table = METHODS[problem]
        chosen = wanted.get(problem, wanted.get("", _ALL))
        methods: list[AnyMethod] = []
        if chosen == _ALL:
            methods = [method for method in table.values() if not method.exact]
        else:
            field = f"methods.{problem}" if problem in wanted else "methods"
            for place, name in enumerate(_names(chosen, field)):
                at = f"{field}[{place}]"
                methods += _method(name, problem, met, at, alone=problem in wanted)
            named = True
        field = f"exact.{problem}" if problem in exact else "exact"
        route = exact.get(problem, exact.get("", "auto"))
        if not isinstance(route, str):
            raise InputError("must be the name of a method", field, route)
        routes = _method(route, problem, met, field, alone=problem in exact)
        best = routes[0] if routes else table["auto"]
        if not best.exact:
            raise InputError("is not an exact method", field, route)
        if problem in met:
            lineups[problem] = Lineup(methods=methods, exact=best)
    return named, lineups


def _method(
    name: str, problem: str, met: Sequence[str], field: str, *, alone: bool
) -> list[AnyMethod]:
    """Return the method; none if it is one of another problem, unless alone."""
    found = methods_named(name, [problem] if alone else met, field)
    return [found[problem]] if problem in found else []


def _by_problem(value: Any, field: str) -> dict[str, Any]:
    """Return what stands behind each problem; behind "" what holds for all."""
    if not isinstance(value, dict):
        return {"": value}
    only_known(value, tuple(PROBLEMS), field)
    return value


def _names(value: Any, field: str) -> list[str]:
    right = isinstance(value, list) and all(isinstance(name, str) for name in value)
    if not right or not value:
        raise InputError(
            'must be "heuristics" or a list of names of methods', field, value
        )
    return list(dict.fromkeys(value))
