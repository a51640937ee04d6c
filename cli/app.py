"""Put the subcommands together; turn every error into one line and an exit state.

Exit status: 0 solved or all holds; 1 a claim, a check or a comparison failed; 2 bad
input or usage; 3 proved infeasible; 4 nothing found within the limit; 130 interrupted.

A subcommand is a module with ``HELP``, ``options(parser)`` and ``run(args) -> int``.
It imports what costs time inside ``run``, so that ``--help`` stays quick.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from types import MappingProxyType
from typing import NoReturn

from ..instances.errors import InputError
from ..solvers.result import SolverError
from . import (
    check,
    compare,
    config,
    export,
    generate,
    methods,
    plot,
    ratios,
    reproduce,
    select,
    simulate,
    solve,
    verify,
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
    }
)
"""Subcommands in the order in which the help lists them."""


class Parser(argparse.ArgumentParser):
    """Complains in one line, through the same door as every other error."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong with the words given."""
        raise InputError(f"{message} (see {self.prog} --help)")


def parser() -> argparse.ArgumentParser:
    """Build the whole command line."""
    top = Parser(
        prog="closeknit",
        description="Choose processors lying close together; prove how close to "
        "optimal the choice is.",
    )
    top.add_argument(
        "--version", action="version", version=f"closeknit {version('closeknit')}"
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
        args = parser().parse_args(arguments)
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except (InputError, SolverError) as error:
        print(f"closeknit: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("closeknit: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `closeknit methods | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
