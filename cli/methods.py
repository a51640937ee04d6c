"""List the methods: name, exact or not, guarantee, running time, source."""

from __future__ import annotations

import argparse

HELP = "what can be run, and what it promises"
PROBLEMS = ("ksubset",)


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "problem", nargs="?", choices=PROBLEMS, help="all problems if left out"
    )


def run(args: argparse.Namespace) -> int:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    from ..heuristics import KSUBSET

    table = Table("problem", "method", "exact", "guarantee", "time", "source")
    for name, method in KSUBSET.items():
        table.add_row(
            "ksubset",
            name,
            "exact" if method.exact else "",
            method.says("Guarantee"),
            method.says("Time"),
            method.says("Source"),
        )
    Console().print(table)
    return 0
