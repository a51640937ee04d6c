"""Options that families of generated instances have in common."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from ..instances.errors import InputError
from . import outputs, reading

if TYPE_CHECKING:
    from ..instances import Instance

    Families = argparse._SubParsersAction[argparse.ArgumentParser]
    """Where the parsers of families are added."""

MOST = 10**6
"""Instances that one command makes."""
Make = Callable[[argparse.Namespace, int], "Instance"]
"""Makes one instance; the seed is the second argument."""


def family(
    families: Families, name: str, says: str, make: Make
) -> argparse.ArgumentParser:
    """Add a family: its name, what it is, and what makes one of it."""
    parser = families.add_parser(
        name, help=says, description=f"{says[0].upper()}{says[1:]}."
    )
    parser.set_defaults(instances=_made, make=make, seed=0, count=1)
    out(parser)
    return parser


def _made(args: argparse.Namespace) -> Generator[Instance, None, None]:
    """Make as many instances as asked for, each with the next seed."""
    if not 1 <= args.count <= MOST:
        raise InputError(f"must be from 1 to {MOST}", field="count", value=args.count)
    for i in range(args.count):
        yield args.make(args, args.seed + i)


def out(parser: argparse.ArgumentParser) -> None:
    """Add where the files go."""
    parser.add_argument(
        "--out",
        type=outputs.folder,
        default=".",
        metavar="DIR",
        help="where to (default: here)",
    )


def needed(
    parser: argparse.ArgumentParser,
    name: str,
    kind: Callable[[str], object] = reading.number,
    metavar: str = "N",
    says: str | None = None,
) -> None:
    """Add an option that must be given."""
    parser.add_argument(name, type=kind, required=True, metavar=metavar, help=says)


def wanted(parser: argparse.ArgumentParser) -> None:
    """Add how many processors to choose."""
    needed(parser, "--k", says="processors to choose")


def number(
    parser: argparse.ArgumentParser, name: str, default: int | None, says: str
) -> None:
    """Add a count with a default."""
    parser.add_argument(
        name, type=reading.number, default=default, metavar="N", help=says
    )


def share(parser: argparse.ArgumentParser, name: str, default: str, says: str) -> None:
    """Add a count, or a percentage of all."""
    parser.add_argument(
        name,
        type=reading.share,
        default=reading.share(default),
        metavar="F",
        help=f"{says}: a count, or a share such as 50%% (default {default}%)",
    )


def seeded(parser: argparse.ArgumentParser) -> None:
    """Add a seed, and how many to make."""
    number(parser, "--seed", 0, "of the random draws (default 0)")
    number(parser, "--count", 1, "how many, with seeds from --seed on (default 1)")


def allocator(parser: argparse.ArgumentParser) -> None:
    """Add the method by which jobs are placed."""
    parser.add_argument(
        "--allocator",
        default="mm",
        metavar="METHOD",
        help="method that places the jobs (default mm)",
    )
