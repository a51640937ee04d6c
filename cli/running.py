"""Options that say how to run a method, shared by several subcommands."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any, TypeVar

from ..instances.errors import InputError
from ..solvers.settings import Settings, Ties

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..instances import Instance
    from ..methods import AnyMethod
    from ..reports.campaigns.campaign import Lineup


LONGEST = 10**6
"""Seconds of a time limit, eleven days; waiting for processes ends at twenty-four."""


def add_settings(parser: argparse.ArgumentParser, *, time_limit: float) -> None:
    """Declare the options behind `Settings`."""
    parser.add_argument(
        "--time-limit",
        type=float,
        default=time_limit,
        metavar="S",
        help="seconds for each run; the best so far comes back (default %(default)g)",
    )
    parser.add_argument("--node-limit", type=int, metavar="N", help="nodes of a search")
    parser.add_argument(
        "--memory", type=int, metavar="MIB", help="memory of a solver's own process"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of all random choices"
    )
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="of a solver (default 1)"
    )


def settings_of(args: argparse.Namespace, ties: Ties = Ties.LEX) -> Settings:
    """Return the settings that the options give.

    Raises
    ------
    InputError
        Naming the option that is out of range.
    """
    return settings_named(
        {
            "node_limit": "--node-limit",
            "memory_mb": "--memory",
            "seed": "--seed",
            "threads": "--threads",
        },
        time_limit=seconds(args.time_limit),
        node_limit=args.node_limit,
        memory_mb=args.memory,
        seed=args.seed,
        threads=args.threads,
        ties=ties,
    )


def settings_named(names: Mapping[str, str], **values: Any) -> Settings:
    """Return settings; an error names the option or the key of a file.

    Parameters
    ----------
    names
        For each setting that may be out of range, what the user knows it by.
    values
        The settings.

    Raises
    ------
    InputError
        Naming the option or key that is out of range.
    """
    try:
        return Settings(**values)
    except InputError as error:
        field = names.get(error.field, error.field)
        raise InputError(error.problem, field=field, value=error.value) from None


def seconds(value: float, field: str = "--time-limit") -> float:
    """Return a limit of time.

    Raises
    ------
    InputError
        When it is not above 0, or longer than the system can wait at once.
    """
    if not 0 < value <= LONGEST:
        raise InputError(
            f"must be seconds above 0 and at most {LONGEST}", field=field, value=value
        )
    return float(value)


def processes(wanted: int | None) -> int:
    """Return how many processes to run; one for each CPU if that is left open.

    Raises
    ------
    InputError
        When it is below 1.
    """
    if wanted is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if wanted < 1:
        raise InputError("must be at least 1", field="--jobs", value=wanted)
    return wanted


Entry = TypeVar("Entry")
_SHOWN = 20
"""Names in a hint."""


def entry_named(name: str, table: Mapping[str, Entry], option: str, what: str) -> Entry:
    """Return an entry of a table; InputError with a hint if there is none."""
    from difflib import get_close_matches
    from itertools import islice

    if name in table:
        return table[name]
    close = get_close_matches(name, table, n=1)
    known = ", ".join([*islice(table, _SHOWN), *["..."] * (len(table) > _SHOWN)])
    hint = f"did you mean {close[0]}?" if close else f"known: {known}"
    raise InputError(f"no such {what} ({hint})", field=option, value=name)


def method_named(
    name: str,
    methods: Mapping[str, AnyMethod],
    option: str = "--method",
    problem: str = "",
) -> AnyMethod:
    """Return a method of a table; InputError with a hint if there is none."""
    whom = f" for {problem}" if problem else ""
    return entry_named(name, methods, option, f"method{whom}")


def methods_named(
    name: str, problems: Sequence[str], option: str = "--method"
) -> dict[str, AnyMethod]:
    """Return the method of this name for each of these problems that has one.

    Raises
    ------
    InputError
        With a hint, when none of them has.
    """
    from ..methods import METHODS

    found = {p: METHODS[p][name] for p in problems if name in METHODS[p]}
    if not found:
        together = {each: m for p in problems for each, m in METHODS[p].items()}
        method_named(name, together, option, problem=" or ".join(problems))
    return found


def problems_of(instances: Iterable[Instance]) -> tuple[str, ...]:
    """Return the names of the problems, each once, in the order of the tables."""
    from ..instances import PROBLEMS, problem_of

    met = {problem_of(instance).name for instance in instances}
    return tuple(name for name in PROBLEMS if name in met)


def only_for(problems: str, instance: Instance, option: str) -> None:
    """Refuse an option that instances of other problems do not have."""
    from ..instances import problem_of

    name = problem_of(instance).name
    if name not in problems.split():
        raise InputError(
            f"is for {', '.join(problems.split())} files only",
            field=option,
            value=name,
        )


def lineups(
    args: argparse.Namespace, instances: Iterable[Instance]
) -> dict[str, Lineup]:
    """Return what ``--methods`` and ``--exact`` name, problem by problem.

    Without ``--methods``: every heuristic. A problem that has no method of the name
    behind ``--exact`` has its ``auto``.

    Raises
    ------
    InputError
        For a name that none of the problems has, or not exact behind ``--exact``.
    """
    from ..methods import METHODS
    from ..reports.campaigns.campaign import Lineup

    problems = problems_of(instances)
    exact = methods_named(args.exact, problems, "--exact")
    if not all(method.exact for method in exact.values()):
        raise InputError("is not an exact method", field="--exact", value=args.exact)
    names = None
    if args.methods is not None:
        names = dict.fromkeys(name.strip() for name in args.methods.split(","))
        for name in names:
            methods_named(name, problems, "--methods")
    chosen = {}
    for problem in problems:
        table = METHODS[problem]
        if names is None:
            methods = [method for method in table.values() if not method.exact]
        else:
            methods = [table[name] for name in names if name in table]
        route = exact.get(problem) or table["auto"]
        chosen[problem] = Lineup(methods=methods, exact=route)
    return chosen
