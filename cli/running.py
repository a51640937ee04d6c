"""Options that say how to run a method, shared by several subcommands."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..instances.errors import InputError
from ..instances.option_values import seconds
from ..solvers.settings import Settings, Ties, settings_named

if TYPE_CHECKING:
    from ..instances import Instance


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


def processes(wanted: int | None) -> int:
    """Return how many processes to run; one for each CPU if that is left open.

    Raises
    ------
    InputError
        When it is below 1.
    """
    if wanted is None:
        from ..reports.campaigns.pool import cpus

        return cpus()
    if wanted < 1:
        raise InputError("must be at least 1", field="--jobs", value=wanted)
    return wanted


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
