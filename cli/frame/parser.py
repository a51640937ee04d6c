"""The parser of a command: examples, defaults, old spellings and suggestions.

Errors go through the same door as every other: they are raised as `InputError`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from inspect import cleandoc
from textwrap import fill
from typing import Any, NoReturn

from .streams import complain

_WIDTH = 79


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Adds the default of every option whose help does not name it."""

    def _get_help_string(self, action: argparse.Action) -> str:
        text = action.help or ""
        default = action.default
        silent = default is None or default is False or default is argparse.SUPPRESS
        if silent or "default" in text or not action.option_strings:
            return text
        return f"{text} (default: {str(default).replace('%', '%%')})"


class Once(argparse.Action):
    """Stores a value; refuses a second one, which argparse would let replace it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store the value of an option."""
        if getattr(namespace, self.dest) is not self.default:
            parser.error(f"argument {option_string}: is given twice")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """Parser of one command, or of one of its subcommands."""

    def __init__(
        self, prog: str, description: str | None = None, *, add_help: bool = True
    ) -> None:
        super().__init__(
            prog=prog,
            description=plain(description or ""),
            formatter_class=_Formatter,
            add_help=add_help,
        )
        self._old: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._removed: dict[str, str] = {}
        self.subcommands: dict[str, Parser] = {}
        """The parsers of subcommands, by name."""

    def examples(self, *lines: str) -> None:
        """End the help with these examples."""
        self.epilog = "examples:\n" + "\n".join(f"  closeknit {line}" for line in lines)

    def old_spelling(self, old: str, option: str, *implied: str) -> None:
        """Accept another spelling of an option, which the help does not show.

        Where it is used, one line on standard error names the present one. The old
        spelling may imply further words, all with their hyphens.
        """
        self._old[old] = (option, implied)

    def refuse_old_word(self, word: str, instead: str) -> None:
        """Refuse a removed option or subcommand in one line that states why."""
        self._removed[word] = instead

    def subcommand(self, group: Any, name: str, **more: Any) -> Parser:
        """Add the parser of a subcommand to what ``add_subparsers`` returned."""
        parser: Parser = group.add_parser(name, **more)
        self.subcommands[name] = parser
        return parser

    def heading(self, group: Any, title: str) -> None:
        """Put a title before the subcommands that are added next."""
        shown = group._ChoicesPseudoAction(f"── {title} ──", [], None)
        group._choices_actions.append(shown)

    def option_names(self) -> list[str]:
        """Return the options, with their hyphens, as the usage lists them."""
        return list(dict.fromkeys(re.findall(r"--[a-zA-Z][\w-]*", self.format_usage())))

    def parse_known_args(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        namespace: argparse.Namespace | None = None,
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse; old spellings are replaced, and nothing may be left over."""
        words = self._current(sys.argv[1:] if args is None else args)
        found, strange = super().parse_known_args(words, namespace)
        if strange:
            self.error(
                f"unrecognized arguments: {' '.join(strange)}{self._near(strange)}"
            )
        return found, strange

    def _current(self, words: Iterable[str]) -> list[str]:
        found: list[str] = []
        given: dict[str, str] = {}
        notes: list[str] = []
        words = list(words)
        for place, word in enumerate(words):
            if word == "--":
                found += words[place:]
                break
            name, equals, value = word.partition("=")
            if name in self._removed and (place == 0 or name.startswith("-")):
                self.error(f"{name} was removed: {self._removed[name]}")
            option, implied = self._old.get(name, (name, ()))
            if name in self._old:
                notes.append(f"{name} is now {' '.join((option, *implied))}")
            renamed = any(option == new for new, _ in self._old.values())
            if renamed and given.setdefault(option, name) != name:
                self.error(
                    f"argument {name}: not allowed with argument {given[option]}"
                )
            found += [*implied, option + equals + value]
        for note in notes:
            complain(note)
        return found

    def _near(self, words: Sequence[str]) -> str:
        """Suggest an option for the first word that looks like one."""
        for word in words:
            if word.startswith("--"):
                close = _closest(word.partition("=")[0], self.option_names())
                return f" (did you mean {close}?)" if close else ""
        return ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not a choice; suggest one that is like it."""
        if action.choices is None or value in action.choices:
            return
        names = [str(one) for one in action.choices]
        close = _closest(str(value).lower(), names)
        hint = f"did you mean {close}?" if close else f"choose from {', '.join(names)}"
        raise argparse.ArgumentError(action, f"invalid choice: {value!r} ({hint})")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Say in words what a number must be, which argparse does by its type."""
        kind = "a whole number" if action.type is int else "a number"
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            if action.type not in (int, float):
                raise
            problem = f"must be {kind}, not {arg_string!r}"
            raise argparse.ArgumentError(action, problem) from None

    def error(self, message: str) -> NoReturn:
        """Raise InputError for what is wrong with the words given."""
        from ...instances.errors import InputError

        raise InputError(f"{message} (see {self.prog} --help)")

    def in_options(self, error: Exception, words: Sequence[str]) -> None:
        """Let an error of an argument of a Python function name its option instead.

        ``words`` are those of the command line, which name the subcommand.
        """
        from ...instances.errors import InputError

        if not isinstance(error, InputError) or error.file:
            return
        head, *rest = re.split(r"(?=\[)", error.field, maxsplit=1)
        chosen = [self.subcommands[one] for one in words if one in self.subcommands]
        for parser in (self, *chosen[:1]):
            for action in parser._actions:
                if action.dest == head and action.option_strings:
                    error.field = "".join((action.option_strings[-1], *rest))
                    error.args = (str(error),)
                    return

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help or version; argparse itself would not notice a full disk."""
        print(message, end="", file=file or sys.stderr)


def _closest(word: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, names, n=1)), "")


def flag(where: Any, name: str, says: str) -> None:
    """Declare an option without a value, in a parser or in a group of its options."""
    where.add_argument(name, action="store_true", help=says)


def once(where: Any, name: str, form: str, says: str) -> None:
    """Declare an option with a value that may be given a single time."""
    where.add_argument(name, metavar=form, action=Once, help=says)


def plain(text: str) -> str:
    """Return a docstring as the help shows it: without markup, 79 columns wide.

    >>> plain("Run ``auto``.")
    'Run auto.'
    """
    paragraphs = cleandoc(text).replace("``", "").split("\n\n")
    return "\n\n".join(
        one if one.startswith(" ") else fill(one, _WIDTH, break_on_hyphens=False)
        for one in paragraphs
    )
