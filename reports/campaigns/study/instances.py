"""The instances of a study: suites, files, and families over grids of parameters."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from functools import partial
from glob import glob
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from ....instances import InputError, Instance, read_instance
from ....instances.families import Family
from ....instances.library import SUITES
from ....instances.reading.suggestions import entry_named, hint
from ....methods.by_name import known_method
from ....simulation.families import FAMILIES
from .inputs import Collected

_KINDS = ("suite", "files", "family")


class RunCounter:
    """Counts the runs of a study, ``most`` in all.

    ``methods`` states how many are run on an instance, and each ``repeats`` times.
    """

    def __init__(
        self, most: int, repeats: int, methods: Callable[[Instance], int]
    ) -> None:
        self.most = most
        self.repeats = repeats
        self._methods = methods
        self._taken = 0

    def runs(self, instance: Instance) -> int:
        """Return the number of runs that an instance takes."""
        return self.repeats * self._methods(instance)

    def look(self, runs: int, field: str = "") -> int:
        """Return the sum with so many more runs; InputError if too many."""
        total = self._taken + runs
        if total > self.most:
            raise InputError(
                f"comes to {total} runs or more; above {self.most} needs --max-runs, "
                "in Python max_runs",
                field,
            )
        return total

    def take(self, runs: int, field: str = "") -> None:
        """Count so many more runs; see `look`."""
        self._taken = self.look(runs, field)


def study_instances(
    entries: Any, folder: Path, trace: str | None, budget: RunCounter
) -> tuple[list[Instance], dict[str, frozenset[str]]]:
    """Read or make all instances of ``[[instances]]`` in order, none twice.

    Returned with, by the name of an instance, the methods not to be run on it. Relative
    paths begin in ``folder``; snapshots are those of ``trace``. An InputError names the
    field and the value; two instances of one name are among the errors.
    """
    if not isinstance(entries, list) or not entries:
        raise InputError("must be one or more [[instances]]", "instances")
    found = Collected()
    without: dict[str, frozenset[str]] = {}
    for place, entry in enumerate(entries):
        where = f"instances[{place}]"
        if not isinstance(entry, dict):
            raise InputError("must be a table", where, entry)
        kinds = [kind for kind in _KINDS if kind in entry]
        if len(kinds) != 1:
            raise InputError(f"must have one of {', '.join(_KINDS)}", where)
        if kinds == ["suite"]:
            only_known(entry, ("suite", "without"), where)
            new = _suite(entry["suite"], f"{where}.suite")
            _count(new, budget, where)
        elif kinds == ["files"]:
            only_known(entry, ("files", "optional", "without"), where)
            new = _files(entry, folder, where)
            _count(new, budget, where)
        else:
            new = _family(entry, folder, where, trace, budget)
        left_out = _without(entry.get("without", []), f"{where}.without")
        try:
            for instance in new:
                found.add(instance, where)
                without.setdefault(instance.name, left_out)
        except InputError as error:
            raise InputError(error.problem, where) from None
    if not found.instances:
        raise InputError("there is none", "instances")
    return found.instances, without


def _count(instances: Sequence[Instance], budget: RunCounter, where: str) -> None:
    for instance in instances:
        budget.take(budget.runs(instance), where)


def _without(names: Any, field: str) -> frozenset[str]:
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise InputError("must be a list of names of methods", field, names)
    for place, name in enumerate(names):
        known_method(name, f"{field}[{place}]")
    return frozenset(names)


def _suite(name: Any, field: str) -> list[Instance]:
    if not isinstance(name, str):
        raise InputError("must be the name of a suite", field, name)
    return entry_named(name, SUITES, field, "suite")()


def _files(entry: Mapping[str, Any], folder: Path, where: str) -> list[Instance]:
    pattern = entry["files"]
    if not isinstance(pattern, str):
        raise InputError("must be a path or a pattern", f"{where}.files", pattern)
    paths = sorted(map(Path, glob(str(folder / pattern), recursive=True)))  # noqa: PTH207
    if not paths and not _optional(entry, where):
        raise InputError("no such file", f"{where}.files", pattern)
    if not paths:
        print(f"closeknit: {where}: left out, no {pattern}", file=sys.stderr)
    return [read_instance(path) for path in paths]


def _optional(entry: Mapping[str, Any], where: str) -> bool:
    value = entry.get("optional", False)
    if not isinstance(value, bool):
        raise InputError("must be true or false", f"{where}.optional", value)
    return value


def _family(
    entry: Mapping[str, Any],
    folder: Path,
    where: str,
    trace: str | None,
    budget: RunCounter,
) -> list[Instance]:
    """Make one instance, or as many as asked for, at every point of the grid."""
    name = entry["family"]
    if not isinstance(name, str):
        raise InputError("must be the name of a family", f"{where}.family", name)
    family = entry_named(name, FAMILIES, f"{where}.family", "family")
    grid, names = _grid(family, entry, where)
    if family.parameter("trace"):
        if trace is not None:
            grid["trace"] = [trace]
        elif "trace" in grid:
            files = grid["trace"]
            grid["trace"] = [
                str(folder / file) if isinstance(file, str) else file for file in files
            ]
        field = f"{where}.{names.get('trace', 'trace')}"
        found = grid.get("trace", [])
        missing = not found or not all(
            isinstance(file, str) and Path(file).exists() for file in found
        )
        if missing and _optional(entry, where):
            print(f"closeknit: {where}: left out, no trace", file=sys.stderr)
            return []
        if not found:
            raise InputError("is missing, and no trace is given", field)
    for one in family.parameters:
        if one.required and one.name not in grid:
            raise InputError("is missing", f"{where}.{one.name}")
    points = prod(map(len, grid.values()))
    budget.look(budget.repeats * points, where)
    made: list[Instance] = []
    for number, point in enumerate(product(*grid.values())):
        values = {
            key: _value(family, key, value, f"{where}.{names[key]}")
            for key, value in zip(grid, point, strict=True)
        }
        made += _made(family, values, names, where, budget, 1 if number else points)
    return made


def _grid(
    family: Family, entry: Mapping[str, Any], where: str
) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """Return the choices of each parameter, and what the study calls it."""
    known = [name for one in family.parameters for name in (one.name, *one.aliases)]
    only_known(entry, ("family", "optional", "without", *known), where)
    grid: dict[str, list[Any]] = {}
    names: dict[str, str] = {"trace": "trace"}
    given: dict[str, str] = {}
    for key, value in entry.items():
        if key not in known:
            continue
        one = family.parameter(key)
        assert one is not None
        implied = one.aliases.get(key, {})
        for name, choices in (
            (one.name, _choices(value, f"{where}.{key}")),
            *((other, [text]) for other, text in implied.items()),
        ):
            if name in given:
                raise InputError(f"does not go with {given[name]}", f"{where}.{key}")
            grid[name], names[name], given[name] = choices, key, key
    rivals = [name for name in family.exclusive if name in grid]
    if len(rivals) > 1:
        raise InputError(
            f"does not go with {names[rivals[0]]}", f"{where}.{names[rivals[1]]}"
        )
    return grid, names


def _choices(value: Any, field: str) -> list[Any]:
    if not isinstance(value, list):
        return [value]
    if not value:
        raise InputError("must not be empty", field)
    return value


def _value(family: Family, name: str, value: Any, field: str) -> Any:
    """Read a value of the file as the option of the command line is read."""
    one = family.parameter(name)
    assert one is not None
    if one.flag:
        if not isinstance(value, bool):
            raise InputError("must be true or false", field, value)
        return value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError("must be a number or text", field, value)
    try:
        return one.value_of(str(value))
    except InputError as error:
        raise InputError(error.problem, field, error.value) from None


def _made(
    family: Family,
    values: Mapping[str, Any],
    names: Mapping[str, str],
    where: str,
    budget: RunCounter,
    points: int,
) -> list[Instance]:
    """Run the generator; what it states about a parameter is stated about the field.

    From the first instance follows how many runs all points of the grid come to.
    """
    made: list[Instance] = []
    try:
        note = partial(print, file=sys.stderr)
        with closing(family.instances(values, note=note)) as instances:
            for instance in instances:
                if not made:
                    runs = budget.runs(instance)
                    budget.look(runs * points * values.get("count", 1))
                budget.take(runs)
                made.append(instance)
    except InputError as error:
        named = family.in_terms_of_parameters(error, f"{where}.", names)
        if named is error:
            field = f"{where}.{error.field}" if error.field else where
            named = InputError(error.problem, field, error.value)
        raise named from None
    return made


def only_known(value: Mapping[str, Any], known: Collection[str], where: str) -> None:
    """Refuse a field that is not known; suggest which one may have been meant."""
    for name in value:
        if name not in known:
            field = f"{where}.{name}" if where else name
            raise InputError(f"unknown field ({hint(name, known)})", field)
