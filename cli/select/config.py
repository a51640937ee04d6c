"""Check or show the configuration of a selector.

check lists everything wrong with a file, one line each, as FILE:LINE:COLUMN: what was
expected; and what is odd, as warnings. show prints the text of a file if nothing is
wrong. FILE may be the name of a bundled configuration, drakenberg-figure-6.

Exit status 0 when the file can be used, 2 when it cannot; with --strict, 1 when there
are warnings.
"""

from __future__ import annotations

import argparse
import sys

from ...instances.words import with_noun
from ...scheduler.config import (
    Configuration,
    configuration_text,
    examine,
    read_configuration,
)
from ..frame import shared
from ..frame.parser import Parser, flag


def options(parser: Parser) -> None:
    """Declare the subcommands."""
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    check = parser.subcommand(actions, "check", help="list everything wrong or odd")
    check.set_defaults(action=_check)
    flag(check, "--strict", "treat warnings as failure")
    show = parser.subcommand(actions, "show", help="print it if nothing is wrong")
    show.set_defaults(action=_show)
    parser.refuse_old_word("compile", "select reads the text itself, in milliseconds")
    for action in (check, show):
        action.add_argument(
            "file", metavar="FILE", help="configuration, or the name of a bundled one"
        )
    check.examples("config check cluster.conf", "config check cluster.conf --strict")
    show.examples("config show drakenberg-figure-6", "config show cluster.conf")
    parser.examples(
        "config check cluster.conf --strict", "config show drakenberg-figure-6"
    )


run = shared.run_action


def _check(args: argparse.Namespace) -> int:
    report = examine(args.file)
    for finding in sorted(
        (*report.errors, *report.warnings), key=lambda one: _place(one.file)
    ):
        print(finding, file=sys.stderr)
    if report.configuration is None:
        return 2
    print(f"{args.file}: {_summarise(report.configuration)}")
    return 1 if args.strict and report.warnings else 0


def _show(args: argparse.Namespace) -> int:
    read_configuration(args.file)
    print(configuration_text(args.file), end="")
    return 0


def _place(file: str) -> tuple[int, ...]:
    """Return line and column at the end of a file's name."""
    return tuple(int(part) for part in file.rsplit(":", 2)[1:])


def _summarise(configuration: Configuration) -> str:
    one = configuration
    counts = {
        "queue": len(one.queues),
        "host": len(one.hosts),
        "processor": len(one.processors),
        "group": len(one.groups),
        "level": one.levels,
        "constraint": len(one.constraints),
    }
    parts = [with_noun(n, what) for what, n in counts.items()]
    if one.lookahead is not None:
        parts.append(f"lookahead after {one.lookahead}")
    return ", ".join(parts)
