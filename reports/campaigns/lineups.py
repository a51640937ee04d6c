"""What is run on the instances of each problem, by the names that users give."""

from __future__ import annotations

from collections.abc import Iterable

from ...instances import InputError, Instance
from ...methods.by_name import methods_named, problems_of
from .campaign import Lineup


def lineups(
    methods: str | None, exact: str, instances: Iterable[Instance]
) -> dict[str, Lineup]:
    """Return what ``--methods`` and ``--exact`` name, for each problem.

    Parameters
    ----------
    methods
        Names with commas between them; every heuristic if None.
    exact
        The exact method; a problem that has none of this name takes its ``auto``.
    instances
        What the methods will be run on.

    Raises
    ------
    InputError
        For a name that none of the problems has, or not exact behind ``--exact``.
    """
    from ...methods import METHODS

    problems = problems_of(instances)
    routes = methods_named(exact, problems, "--exact")
    if not all(method.exact for method in routes.values()):
        raise InputError("is not an exact method", field="--exact", value=exact)
    names = None
    if methods is not None:
        names = dict.fromkeys(name.strip() for name in methods.split(","))
        for name in names:
            methods_named(name, problems, "--methods")
    chosen = {}
    for problem in problems:
        table = METHODS[problem]
        if names is None:
            listed = [method for method in table.values() if not method.exact]
        else:
            listed = [table[name] for name in names if name in table]
        chosen[problem] = Lineup(
            methods=listed, exact=routes.get(problem) or table["auto"]
        )
    return chosen
