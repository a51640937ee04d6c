"""The instances of a study: suites, files, and families over grids of parameters."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from glob import glob
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..instances.errors import InputError
from .study_file import only

if TYPE_CHECKING:
    from ..instances import Instance

_KINDS = ("suite", "files", "family")
_OWN = ("out", "help")
"""Options of ``closeknit generate`` that a study has no use for."""


class Budget:
    """Runs that a study may still have.

    Parameters
    ----------
    most
        In all.
    repeats
        How often every run is made.
    methods
        How many are run on an instance.
    """

    def __init__(
        self, most: int, repeats: int, methods: Callable[[Instance], int]
    ) -> None:
        self.most = most
        self.repeats = repeats
        self._methods = methods
        self._taken = 0

    def runs(self, instance: Instance) -> int:
        """Return how many an instance takes."""
        return self.repeats * self._methods(instance)

    def look(self, runs: int, field: str = "") -> int:
        """Return how many it would be with so many more.

        Raises
        ------
        InputError
            When that is too many.
        """
        total = self._taken + runs
        if total > self.most:
            raise InputError(
                f"comes to {total} runs or more; above {self.most} needs --max-runs",
                field=field,
            )
        return total

    def take(self, runs: int, field: str = "") -> None:
        """Count so many more; see `look`."""
        self._taken = self.look(runs, field)


def study_instances(
    entries: Any, folder: Path, trace: str | None, budget: Budget
) -> tuple[list[Instance], dict[str, frozenset[str]]]:
    """Read or make all instances, in the order given, none twice.

    Returned with, by the name of an instance, the methods not to be run on it.

    Parameters
    ----------
    entries
        The tables ``[[instances]]`` of the file.
    folder
        Where relative paths begin.
    trace
        SWF file for snapshots of a trace.
    budget
        What all of them may come to.

    Raises
    ------
    InputError
        Naming the field and the value; two instances of one name among others.
    """
    from ..reports.campaigns.inputs import Collected

    if not isinstance(entries, list) or not entries:
        raise InputError("must be one or more [[instances]]", field="instances")
    found = Collected()
    without: dict[str, frozenset[str]] = {}
    for place, entry in enumerate(entries):
        where = f"instances[{place}]"
        if not isinstance(entry, dict):
            raise InputError("must be a table", field=where, value=entry)
        kinds = [kind for kind in _KINDS if kind in entry]
        if len(kinds) != 1:
            raise InputError(f"must have one of {', '.join(_KINDS)}", field=where)
        if kinds == ["suite"]:
            only(entry, ("suite", "without"), where)
            new = _suite(entry["suite"], f"{where}.suite")
            _count(new, budget, where)
        elif kinds == ["files"]:
            only(entry, ("files", "optional", "without"), where)
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
            raise InputError(error.problem, field=where) from None
    if not found.instances:
        raise InputError("there is none", field="instances")
    return found.instances, without


def _count(instances: Sequence[Instance], budget: Budget, where: str) -> None:
    for instance in instances:
        budget.take(budget.runs(instance), where)


def _without(names: Any, field: str) -> frozenset[str]:
    from ..methods import METHODS
    from .running import entry_named

    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise InputError("must be a list of names of methods", field=field, value=names)
    known = {
        name: method for table in METHODS.values() for name, method in table.items()
    }
    for place, name in enumerate(names):
        entry_named(name, known, f"{field}[{place}]", "method")
    return frozenset(names)


def _suite(name: Any, field: str) -> list[Instance]:
    from ..instances.library import SUITES
    from .running import entry_named

    if not isinstance(name, str):
        raise InputError("must be the name of a suite", field=field, value=name)
    return entry_named(name, SUITES, field, "suite")()


def _files(entry: Mapping[str, Any], folder: Path, where: str) -> list[Instance]:
    from ..instances import read_instance

    pattern = entry["files"]
    if not isinstance(pattern, str):
        raise InputError(
            "must be a path or a pattern", field=f"{where}.files", value=pattern
        )
    paths = sorted(map(Path, glob(str(folder / pattern), recursive=True)))  # noqa: PTH207
    if not paths and not _optional(entry, where):
        raise InputError("no such file", field=f"{where}.files", value=pattern)
    if not paths:
        print(f"closeknit: {where}: left out, no {pattern}", file=sys.stderr)
    return [read_instance(path) for path in paths]


def _optional(entry: Mapping[str, Any], where: str) -> bool:
    value = entry.get("optional", False)
    if not isinstance(value, bool):
        raise InputError(
            "must be true or false", field=f"{where}.optional", value=value
        )
    return value


def _family(
    entry: Mapping[str, Any],
    folder: Path,
    where: str,
    trace: str | None,
    budget: Budget,
) -> list[Instance]:
    """Make one instance, or as many as asked for, at every point of the grid."""
    from .running import entry_named

    families = _families()
    name = entry["family"]
    if not isinstance(name, str):
        raise InputError(
            "must be the name of a family", field=f"{where}.family", value=name
        )
    parser = entry_named(name, families, f"{where}.family", "family")
    options = {
        option.lstrip("-"): action
        for action in parser._actions
        for option in action.option_strings
        if action.dest not in _OWN
    }
    only(entry, ("family", "optional", "without", *options), where)
    grid = {key: entry[key] for key in entry if key in options}
    if "swf" in options:
        if trace is not None:
            grid["swf"] = trace
        elif isinstance(grid.get("swf"), str):
            grid["swf"] = str(folder / grid["swf"])
        missing = not isinstance(grid.get("swf"), str) or not Path(grid["swf"]).exists()
        if missing and _optional(entry, where):
            print(f"closeknit: {where}: left out, no trace", file=sys.stderr)
            return []
        if "swf" not in grid:
            raise InputError("is missing, and so is --trace", field=f"{where}.swf")
    choices = [_values(value, f"{where}.{key}") for key, value in grid.items()]
    points = prod(map(len, choices))
    budget.look(budget.repeats * points, where)
    made: list[Instance] = []
    for number, point in enumerate(product(*choices)):
        words = [
            word
            for key, value in zip(grid, point, strict=True)
            for word in _words(key, value, options[key], f"{where}.{key}")
        ]
        made += _made(parser, words, where, budget, 1 if number else points)
    return made


def _made(
    parser: argparse.ArgumentParser,
    words: Sequence[str],
    where: str,
    budget: Budget,
    points: int,
) -> list[Instance]:
    """Ask the generator; what it says about an option is said about the field.

    From the first instance follows how many runs all points of the grid come to.
    """
    try:
        args = parser.parse_args(words)
        with closing(args.instances(args)) as instances:
            made: list[Instance] = []
            for instance in instances:
                if not made:
                    runs = budget.runs(instance)
                    budget.look(runs * points * getattr(args, "count", 1))
                budget.take(runs)
                made.append(instance)
            return made
    except InputError as error:
        problem, field = error.problem, error.field
        said, _, rest = problem.partition(": ")
        if said.startswith("argument --"):
            field, problem = said.removeprefix("argument --"), rest
        problem = problem.partition(" (see ")[0]
        name = field.removeprefix("--").removeprefix("topology.").partition("[")[0]
        at = f"{where}.{name}" if name else where
        raise InputError(problem, field=at, value=error.value) from None


def _families() -> Mapping[str, argparse.ArgumentParser]:
    """Return the parsers of ``closeknit generate``, by family."""
    from . import generate
    from .app import Parser

    parser = Parser(prog="closeknit generate", add_help=False)
    generate.options(parser)
    (families,) = (
        action
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return dict(families.choices)


def _values(value: Any, field: str) -> list[Any]:
    if not isinstance(value, list):
        return [value]
    if not value:
        raise InputError("must not be empty", field=field)
    return value


def _words(key: str, value: Any, action: argparse.Action, field: str) -> list[str]:
    """Write a value as the command line has it."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise InputError("must be true or false", field=field, value=value)
        return [f"--{key}"] if value else []
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError("must be a number or text", field=field, value=value)
    return [f"--{key}={value}"]
