"""Run a command; turn every error into one line and an exit status.

Exit status: 0 solved or all holds; 1 a claim, a check or a comparison failed; 2 bad
input or usage; 3 proved infeasible; 4 nothing found within the limit; 130 interrupted;
141 the reader of standard output is gone.

Nothing that takes long is imported before it is known which command is run, so that
``--help`` and mistyped commands are answered quickly.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import NoReturn

from .commands import COMMANDS, GROUPS, Module, parser_of
from .frame import outputs, streams
from .frame.parser import Parser

_DESCRIPTION = """Choose processors that lie close together, and prove how close to
optimal the choice is."""


class _Version(argparse.Action):
    """Looks the version up only when it is asked for, which takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print it and leave."""
        from importlib.metadata import version

        print(f"closeknit {version('closeknit')}")
        parser.exit()


def overview() -> Parser:
    """Return the parser of the words before a command; it knows commands by name."""
    top = Parser(prog="closeknit", description=_DESCRIPTION)
    top.add_argument(
        "--version", action=_Version, nargs=0, help="print the version and exit"
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for title, group in GROUPS.items():
        if title:
            top.heading(commands, title)
        for name, (_, summary) in group.items():
            top.subcommand(commands, name, help=summary, add_help=False)
    top.refuse_old_word("batsim", "whatif replays a trace under rules of schedulers")
    top.examples(
        "solve instance.json --time-limit 10",
        "compare instance.json --methods mm,mc1x1",
    )
    return top


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        streams.prepare()
        status = _run(words)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        streams.complain("interrupted")
        return 130
    except Exception as error:
        return _status_of(error)


def parse(words: Sequence[str]) -> tuple[argparse.Namespace, Module]:
    """Return the options of a command line, and the module that runs it."""
    return _parse(words)[1:]


def _parse(words: Sequence[str]) -> tuple[Parser, argparse.Namespace, Module]:
    name = next(
        (one for one in map(" ".join, (words[:2], words[:1])) if one in COMMANDS), ""
    )
    if not name:
        overview().parse_args(words)  # prints help or version, or refuses
    parser, module = parser_of(name)
    return parser, parser.parse_args(words[len(name.split()) :]), module


def parsers() -> Iterator[tuple[str, Parser]]:
    """Yield every parser, by the words that lead to it."""
    yield "", overview()
    for name in COMMANDS:
        parser, _ = parser_of(name)
        yield name, parser
        for sub, inner in parser.subcommands.items():
            yield f"{name} {sub}", inner


def _run(words: Sequence[str]) -> int:
    try:
        parser, args, module = _parse(words)
    except SystemExit:
        sys.stdout.flush()
        raise
    outputs.try_all(args)
    args.parsers = parsers  # for completion, which describes all commands
    try:
        return module.run(args)
    except ValueError as error:
        parser.in_options(error, words)
        raise


def _status_of(error: Exception) -> int:
    """Describe an error in one line; raise it again if it is none of the user's."""
    from ..instances.errors import InputError
    from ..solvers.running.errors import Contradiction, SolverError

    if isinstance(error, InputError | SolverError):
        streams.complain(str(error))
        streams.annotate("closeknit", [str(error)])
        return 1 if isinstance(error, Contradiction) else 2
    if isinstance(error, MemoryError):
        streams.complain("out of memory")
        return 2
    if isinstance(error, OSError):
        return streams.lost(error)
    raise error
