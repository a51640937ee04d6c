"""Put the subcommands together; turn every error into one line and an exit state.

Exit status: 0 solved or all holds; 1 a claim, a check or a comparison failed; 2 bad
input or usage; 3 proved infeasible; 4 nothing found within the limit; 130 interrupted;
141 the reader of standard output is gone.

A subcommand is a module with ``HELP``, ``options(parser)`` and ``run(args) -> int``.
It imports what costs time inside ``run``, so that ``--help`` stays quick.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, NoReturn

from ..instances.errors import InputError
from ..solvers.result import SolverError
from . import (
    check,
    compare,
    config,
    export,
    generate,
    methods,
    outputs,
    plot,
    ratios,
    reproduce,
    select,
    simulate,
    solve,
    streams,
    verify,
    warm,
    worst,
)

COMMANDS = MappingProxyType(
    {
        "solve": solve,
        "compare": compare,
        "ratios": ratios,
        "verify": verify,
        "worst": worst,
        "reproduce": reproduce,
        "check": check,
        "plot": plot,
        "methods": methods,
        "generate": generate,
        "export": export,
        "simulate": simulate,
        "select": select,
        "config": config,
        "warm": warm,
    }
)
"""Subcommands in the order in which the help lists them."""


class Parser(argparse.ArgumentParser):
    """Complains in one line, through the same door as every other error."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the words given."""
        raise InputError(f"{message} (see {self.prog} --help)")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or version; argparse itself would not notice a full disk."""
        print(message, end="", file=file or sys.stderr)


class _Version(argparse.Action):
    """Looks the version up only when it is asked for, which takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print it and leave."""
        from importlib.metadata import version

        print(f"closeknit {version('closeknit')}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """Build the whole command line."""
    top = Parser(
        prog="closeknit",
        description="Choose processors lying close together; prove how close to "
        "optimal the choice is.",
    )
    top.add_argument(
        "--version", action=_Version, nargs=0, help="print the version and exit"
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.options(command)
        command.set_defaults(run=module.run)
    return top


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    try:
        streams.prepare()
        status = _run(arguments)
        sys.stdout.flush()
        return status
    except (InputError, SolverError) as error:
        streams.complain(str(error))
        return 2
    except KeyboardInterrupt:
        streams.complain("interrupted")
        return 130
    except MemoryError:
        streams.complain("out of memory")
        return 2
    except OSError as error:
        return streams.lost(error)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        args = parser().parse_args(arguments)
    except SystemExit:  # after --help or --version
        sys.stdout.flush()
        raise
    outputs.try_all(args)
    status: int = args.run(args)
    return status
