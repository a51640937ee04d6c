"""Options that name what a command writes: tried before any work is done."""

from __future__ import annotations

import argparse
import sys
from argparse import ArgumentTypeError
from os.path import realpath
from pathlib import Path
from typing import Any

PICTURES = (".svg", ".png", ".pdf")
_CLASH = "is also what is read"
_READ = (".json", ".txt", ".xz", ".sqlite")
"""How files end that commands read from folders."""


class OutputFile(str):
    """A file that will be written; ``-`` is a file of that name."""

    __slots__ = ()


class OutputFolder(str):
    """A folder that will be made, if need be, and filled."""

    __slots__ = ()
    keeps = "results.sqlite"
    """A file there that is read first, and changed."""


class InputFrontier(str):
    """A frontier: every file there that ends in ``.json`` is taken for a family."""

    __slots__ = ()


class OutputFrontier(OutputFolder, InputFrontier):
    """A frontier in which worst ratios are recorded."""

    __slots__ = ()
    keeps = "worst-ratios.json"


def add_json(parser: Any, what: str) -> None:
    """Declare ``--json [OUT]``: a file, or standard output where none is named."""
    parser.add_argument(
        "--json",
        nargs="?",
        const="-",
        type=output,
        metavar="OUT",
        help=f"write {what} as JSON to OUT, or instead of text to standard output "
        "if OUT is - or left out",
    )


def write_out(out: str, text: str) -> None:
    """Write text to a file, or with ``-`` to standard output."""
    from ...instances.writing.files import write_text

    if out == "-":
        sys.stdout.write(text)
    else:
        write_text(out, text)


def write_json(out: str | None, form: str, **content: Any) -> bool:
    """Write a JSON object of version 1 of a format, as `write_out` does, if asked for.

    Returns whether text is to be printed, on a standard output that has no JSON.
    """
    from ...instances.reading.json_text import dumps

    if out:
        write_out(out, dumps(start_object(form, **content)) + "\n")
    return out != "-"


def start_object(form: str, **content: Any) -> dict[str, Any]:
    """Return a JSON object that begins with a format and version 1."""
    return {"format": form, "version": 1, **content}


def output(text: str) -> str:
    """Read an option that names a file, or with ``-`` standard output."""
    return text if text == "-" else file(text)


def file(text: str) -> OutputFile:
    """Read an option that names a file."""
    return OutputFile(_nonempty_text(text))


def folder(text: str) -> OutputFolder:
    """Read an option that names a folder."""
    return OutputFolder(_nonempty_text(text))


def frontier(text: str) -> OutputFrontier:
    """Read an option that names a frontier, to which something is added."""
    return OutputFrontier(_nonempty_text(text))


def picture(text: str) -> OutputFile:
    """Read an option that names a drawing; its ending is the form.

    >>> picture("a.PNG")
    'a.PNG'
    """
    if Path(text).suffix.lower() not in PICTURES:
        raise ArgumentTypeError(f"must end in {', '.join(PICTURES)}, not {text!r}")
    return OutputFile(text)


def try_all(args: argparse.Namespace) -> None:
    """Check before any work that all outputs can be written; leave no trace."""
    from ...instances.writing.files import try_file, try_folder

    _refuse_overwriting(args)
    for value in vars(args).values():
        if isinstance(value, OutputFile):
            try_file(value)
        elif isinstance(value, OutputFolder):
            try_folder(value)


def _refuse_overwriting(args: argparse.Namespace) -> None:
    """Refuse outputs that are an input too, or another output; pipes are no matter.

    Every text that the command line gives counts as an input if it is the name of the
    file, or of its folder, maybe after ``@`` or a kind and a colon. Folders that are
    filled hold a file that is read first, if it is there, and changed. In a frontier
    whatever may be a family is kept, and nothing is added that would be taken for one.
    """
    from ...instances.errors import InputError
    from ...instances.writing.files import replaces

    written: dict[str, str] = {}
    read: dict[str, str] = {}
    kept: dict[str, str] = {}
    frontiers: list[str] = []
    for name, value in vars(args).items():
        for text in value if isinstance(value, list | tuple) else (value,):
            if isinstance(text, InputFrontier):
                frontiers.append(text)
            if isinstance(text, OutputFile) and replaces(text):
                option = f"--{name.replace('_', '-')}"
                if other := written.get(place := realpath(text)):
                    raise InputError(f"is also what {other} writes", option, str(text))
                written[place] = option
            elif isinstance(text, OutputFolder):
                kept[realpath(Path(text) / text.keeps)] = text
            elif type(text) in (str, InputFrontier) and text != "-":
                forms = (text, text.removeprefix("@"), text.partition(":")[2])
                read.update((one, text) for one in forms if one)
    for place, option in written.items():
        if place in kept:
            raise InputError(_CLASH, option, kept[place])
        for one, text in (read | kept).items():
            inside = place.endswith(_READ) and _same(str(Path(place).parent), one)
            if _same(place, one) or (inside and Path(place).exists()):
                raise InputError(_CLASH, option, text)
        for text in frontiers:
            parent = str(Path(place).parent)
            inside = parent == realpath(text) or _same(parent, text)
            if inside and place.endswith(".json"):
                what = "would be read as a family of this frontier"
                known = Path(place).exists()
                raise InputError(_CLASH if known else what, option, text)


def _same(one: str, other: str) -> bool:
    """Whether two names are of one file that exists, maybe by links."""
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        return False


def _nonempty_text(text: str) -> str:
    if not text:
        raise ArgumentTypeError("must not be empty")
    return text
