"""Options that say how to run a method, shared by several subcommands."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..instances.errors import InputError
from ..instances.option_values import seconds
from ..solvers.settings import Settings, Ties, settings_named
from .parser import Parser

if TYPE_CHECKING:
    from ..instances import Instance


def add_settings(parser: argparse.ArgumentParser, *, time_limit: float) -> None:
    """Declare the options behind `Settings`."""
    parser.add_argument(
        "--time-limit",
        type=float,
        default=time_limit,
        metavar="S",
        help="seconds per run; the best so far comes back (default: %(default)g)",
    )
    parser.add_argument(
        "--node-limit",
        type=int,
        metavar="N",
        help="nodes of an exact search (default: no limit)",
    )
    parser.add_argument(
        "--memory",
        type=int,
        metavar="MIB",
        help="memory of a solver's own process (default: no limit)",
    )
    add_seed(parser)
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="solver threads"
    )


def add_seed(parser: argparse.ArgumentParser, says: str = "random seed") -> None:
    """Declare the random seed."""
    parser.add_argument("--seed", type=int, default=0, metavar="N", help=says)


def seed_of(args: argparse.Namespace) -> int:
    """Return the random seed; 0 if it was left out.

    Raises
    ------
    InputError
        When it is out of range.
    """
    seed: int = args.seed or 0
    if not 0 <= seed < 2**31:
        raise InputError(
            "must be at least 0 and below 2^31", field="--seed", value=seed
        )
    return seed


KINDS = ("mesh", "torus", "tree")


def add_kind(parser: Parser) -> None:
    """Declare the kind of the network whose sides are ``--shape``.

    The old ``--mesh``, ``--torus`` and ``--tree`` say both at once.
    """
    parser.add_argument(
        "--kind", choices=KINDS, default=KINDS[0], help="kind of network"
    )
    for kind in KINDS:
        parser.old_spelling(f"--{kind}", "--shape", f"--kind={kind}")


def add_jobs(parser: Any, default: str = "one per CPU") -> None:
    """Declare the number of worker processes; see `processes`."""
    parser.add_argument(
        "--jobs", type=int, metavar="N", help=f"worker processes (default: {default})"
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
