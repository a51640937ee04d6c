"""Options that several commands share, and the types of their values.

An `InputError` of a reader becomes an ``ArgumentTypeError``, so that argparse names
the option.
"""

from __future__ import annotations

import argparse
from argparse import ArgumentTypeError
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from ...instances import option_values
from ...instances.errors import InputError
from ...instances.option_values import seconds
from ...solvers.running.settings import Settings, Ties, cpus, settings_named
from .parser import Parser

_T = TypeVar("_T")


def option(read: Callable[[str], _T]) -> Callable[[str], _T]:
    """Return a reader of `instances.option_values` as argparse wants it."""

    @wraps(read)
    def from_word(text: str) -> _T:
        try:
            return read(text)
        except InputError as error:
            raise ArgumentTypeError(error.problem) from None

    return from_word


number = option(option_values.number)
shape = option(option_values.shape)
fraction = option(option_values.fraction)


def run_action(args: argparse.Namespace) -> int:
    """Do what the subcommand states."""
    status: int = args.action(args)
    return status


def add_number(where: Any, name: str, says: str, default: int | None = None) -> None:
    """Declare an option that is a whole number, and not negative."""
    where.add_argument(name, type=number, default=default, metavar="N", help=says)


def add_settings(parser: Parser, *, time_limit: float) -> None:
    """Declare the options behind `Settings`."""
    add_time_limit(parser, "seconds per run; the best so far comes back", time_limit)
    for name, metavar, says in (
        ("--node-limit", "N", "nodes of an exact search (default: no limit)"),
        ("--memory", "MIB", "memory of a solver's own process (default: no limit)"),
    ):
        parser.add_argument(name, type=int, metavar=metavar, help=says)
    add_seed(parser)
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="threads of a general solver, or of sukp-bb",
    )


def add_time_limit(parser: Parser, says: str, default: float) -> None:
    """Declare the time limit."""
    parser.add_argument(
        "--time-limit",
        type=float,
        default=default,
        metavar="S",
        help=f"{says} (default: %(default)g)",
    )


def add_seed(parser: Parser, says: str = "random seed") -> None:
    """Declare the random seed."""
    parser.add_argument("--seed", type=int, default=0, metavar="N", help=says)


def seed_of(args: argparse.Namespace) -> int:
    """Return the random seed; InputError if it is out of range."""
    seed: int = args.seed or 0
    if not 0 <= seed < 2**31:
        raise InputError("must be at least 0 and below 2^31", "--seed", seed)
    return seed


def add_jobs(where: Any, default: str = "one per CPU") -> None:
    """Declare the number of worker processes; see `processes`."""
    where.add_argument(
        "--jobs", type=int, metavar="N", help=f"worker processes (default: {default})"
    )


def settings_of(args: argparse.Namespace, ties: Ties = Ties.LEX) -> Settings:
    """Return the settings that the options give; see `Parser.in_options`."""
    return settings_named(
        {"memory_mb": "--memory"},
        time_limit=seconds(args.time_limit),
        node_limit=args.node_limit,
        memory_mb=args.memory,
        seed=args.seed,
        threads=args.threads,
        ties=ties,
    )


def processes(wanted: int | None) -> int:
    """Return how many processes to run; by default one for each CPU."""
    if wanted is None:
        return cpus()
    if wanted < 1:
        raise InputError("must be at least 1", "--jobs", wanted)
    return wanted
