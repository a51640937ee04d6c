"""List the methods: name, exact or not, seeded or not, guarantee, time, source."""

from __future__ import annotations

import argparse

from .parser import Parser
from .screen import screen

PROBLEMS = ("ksubset", "procset", "sukp", "submesh")


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument(
        "problem", nargs="?", choices=PROBLEMS, help="all problems if left out"
    )


def run(args: argparse.Namespace) -> int:
    """Print the table."""
    from rich.table import Table

    from ..methods import METHODS

    table = Table()
    for column in ("problem", "method", "exact", "seeded"):
        table.add_column(column, no_wrap=True)
    for column in ("guarantee", "time", "source"):
        table.add_column(column, overflow="fold")
    for problem in PROBLEMS if args.problem is None else (args.problem,):
        for name, method in METHODS[problem].items():
            table.add_row(
                problem,
                name,
                "yes" if method.exact else "no",
                "yes" if method.seeded else "no",
                method.says("Guarantee"),
                method.says("Time"),
                method.says("Source"),
            )
    screen().print(table)
    return 0
