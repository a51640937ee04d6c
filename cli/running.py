"""Options that say how to run a method, shared by several subcommands."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING

from ..instances.errors import InputError
from ..solvers.settings import Settings, Ties

if TYPE_CHECKING:
    from ..heuristics import AnyMethod


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
    """Return the settings asked for.

    Raises
    ------
    InputError
        Naming the option that is out of range.
    """
    if not isfinite(args.time_limit) or args.time_limit <= 0:
        raise InputError(
            "must be above 0 and finite", field="--time-limit", value=args.time_limit
        )
    for option, least in (
        ("node_limit", 1),
        ("memory", 1),
        ("seed", 0),
        ("threads", 1),
    ):
        value = getattr(args, option)
        if value is not None and not least <= value < 2**31:
            raise InputError(
                f"must be at least {least} and below 2^31",
                field=f"--{option.replace('_', '-')}",
                value=value,
            )
    return Settings(
        time_limit=args.time_limit,
        node_limit=args.node_limit,
        memory_mb=args.memory,
        seed=args.seed,
        threads=args.threads,
        ties=ties,
    )


def method_named(
    name: str, methods: Mapping[str, AnyMethod], option: str = "--method"
) -> AnyMethod:
    """Return a method of the table; InputError with a hint if there is none."""
    from difflib import get_close_matches

    if name in methods:
        return methods[name]
    close = get_close_matches(name, methods, n=1)
    hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(methods)}"
    raise InputError(f"no such method ({hint})", field=option, value=name)


def compared_methods(
    args: argparse.Namespace, methods: Mapping[str, AnyMethod]
) -> tuple[list[AnyMethod], AnyMethod]:
    """Return what ``--methods`` names, or every heuristic, and what ``--exact`` does.

    Raises
    ------
    InputError
        For a name that is not in the table, or not exact behind ``--exact``.
    """
    exact = method_named(args.exact, methods, "--exact")
    if not exact.exact:
        raise InputError("is not an exact method", field="--exact", value=args.exact)
    if args.methods is None:
        return [method for method in methods.values() if not method.exact], exact
    names = dict.fromkeys(name.strip() for name in args.methods.split(","))
    return [method_named(name, methods, "--methods") for name in names], exact
