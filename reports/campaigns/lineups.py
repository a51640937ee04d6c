"""What is run on the instances of each problem, by the names that users give."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...instances import InputError, Instance
from ...methods import AnyMethod
from ...methods.by_name import methods_named, problems_of
from ...methods.own import OwnMethod
from .campaign import Lineup


def lineups(
    methods: str | Iterable[Any] | None,
    exact: Any,
    instances: Iterable[Instance],
    fields: tuple[str, str] = ("--methods", "--exact"),
) -> dict[str, Lineup]:
    """Return what ``--methods`` and ``--exact`` name, for each problem.

    Parameters
    ----------
    methods
        Names with commas between them, or any that `methods_named` accepts; every
        heuristic if None.
    exact
        The exact method; a problem that has none of this name takes its ``auto``.
    instances
        What the methods will be run on.
    fields
        For messages: where the methods and the exact one are named.

    Raises
    ------
    InputError
        For a name that none of the problems has, or not exact behind ``--exact``.
    """
    from ...methods import METHODS

    problems = problems_of(instances)
    routes = methods_named(exact, problems, fields[1])
    if not all(method.exact for method in routes.values()):
        raise InputError("is not an exact method", field=fields[1], value=exact)
    named = None
    if methods is not None:
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
            listed = [method for method in table.values() if not method.exact]
        else:
            listed = distinct([found[problem] for found in named if problem in found])
        chosen[problem] = Lineup(
            methods=listed, exact=routes.get(problem) or table["auto"]
        )
    return chosen


def distinct(methods: Sequence[AnyMethod]) -> list[AnyMethod]:
    """Return methods of different names: rows are known by these.

    One of several methods from outside that share a name has a number behind it.
    """
    found: dict[str, AnyMethod] = {}
    for method in methods:
        if isinstance(method, OwnMethod) and method.name in found:
            number = sum(name.startswith(f"{method.name}#") for name in found) + 2
            method = method.renamed(f"{method.name}#{number}")
        found[method.name] = method
    return list(found.values())
