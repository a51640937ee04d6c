"""Check, compile or show the configuration of a selector.

check lists everything wrong with a file, one line each, as FILE:LINE:COLUMN: what was
expected; and what is odd, as warnings. compile writes the form that a selector loads
quickly; nothing is written if anything is wrong. show writes either form as text.
FILE may be the name of a bundled configuration, drakenberg-figure-6.

Exit status 0 when the file can be used, 2 when it cannot; with --strict, 1 when there
are warnings.
"""

from __future__ import annotations

import argparse
import sys

from ...instances.words import counted
from ...scheduler.config import (
    Configuration,
    configuration_text,
    examine,
    read_configuration,
    write_compiled,
)
from ..frame import outputs
from ..frame.parser import Parser, flag


def options(parser: Parser) -> None:
    """Declare the subcommands."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    check = parser.subcommand(actions, "check", help="list everything wrong or odd")
    check.set_defaults(action=_check)
    compile_ = parser.subcommand(
        actions, "compile", help="write the form that loads quickly"
    )
    compile_.add_argument(
        *("-o", "--out"),
        type=outputs.file,
        required=True,
        metavar="OUT",
        help="where to write it",
    )
    compile_.set_defaults(action=_compile)
    show = parser.subcommand(
        actions, "show", help="write a file, text or compiled, as text"
    )
    show.set_defaults(action=_show)
    for action in (check, compile_, show):
        action.add_argument(
            "file", metavar="FILE", help="configuration, or the name of a bundled one"
        )
    for action in (check, compile_):
        flag(action, "--strict", "treat warnings as failure")
    check.examples("config check cluster.conf", "config check cluster.conf --strict")
    compile_.examples(
        "config compile cluster.conf --out cluster.bin",
        "config compile drakenberg-figure-6 --out figure-6.bin --strict",
    )
    show.examples("config show drakenberg-figure-6", "config show cluster.bin")
    parser.examples(
        "config check cluster.conf --strict",
        "config compile cluster.conf --out cluster.bin",
    )


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    status: int = args.action(args)
    return status


def _check(args: argparse.Namespace) -> int:
    configuration, status = _examined(args)
    if configuration is not None:
        print(f"{args.file}: {_described(configuration)}")
    return status


def _compile(args: argparse.Namespace) -> int:
    configuration, status = _examined(args, "closeknit: ")
    if configuration is not None and status == 0:
        write_compiled(configuration, args.out)
        print(f"{args.out}: {_described(configuration)}")
    return status


def _show(args: argparse.Namespace) -> int:
    print(configuration_text(read_configuration(args.file)), end="")
    return 0


def _examined(
    args: argparse.Namespace, prefix: str = ""
) -> tuple[Configuration | None, int]:
    """Print what is wrong or odd, each with a prefix.

    Returns what was read and the exit status.
    """
    report = examine(args.file)
    for finding in sorted(
        (*report.errors, *report.warnings), key=lambda one: _place(one.file)
    ):
        print(f"{prefix}{finding}", file=sys.stderr)
    if report.configuration is None:
        return None, 2
    return report.configuration, 1 if args.strict and report.warnings else 0


def _place(file: str) -> tuple[int, ...]:
    """Return line and column at the end of a file's name."""
    return tuple(int(part) for part in file.rsplit(":", 2)[1:])


def _described(configuration: Configuration) -> str:
    one = configuration
    counts = {
        "queue": len(one.queues),
        "host": len(one.hosts),
        "processor": len(one.processors),
        "group": len(one.groups),
        "level": one.levels,
        "constraint": len(one.constraints),
    }
    parts = [counted(n, what) for what, n in counts.items()]
    if one.lookahead is not None:
        parts.append(f"lookahead after {one.lookahead}")
    return ", ".join(parts)
