"""Options that name what a command writes: tried before any work is done."""

from __future__ import annotations

import argparse
from argparse import ArgumentTypeError
from pathlib import Path

PICTURES = (".svg", ".png", ".pdf")


class OutputFile(str):
    """A file that will be written; ``-`` is a file of that name."""

    __slots__ = ()


class OutputFolder(str):
    """A folder that will be made, if need be, and filled."""

    __slots__ = ()


class Picture(OutputFile):
    """A file whose ending says in which form a drawing is written."""

    __slots__ = ()

    @property
    def form(self) -> str:
        """``svg``, ``png`` or ``pdf``."""
        return Path(self).suffix.lower().removeprefix(".")


def output(text: str) -> str:
    """Read an option that names a file, or with ``-`` standard output."""
    return text if text == "-" else file(text)


def file(text: str) -> OutputFile:
    """Read an option that names a file."""
    return OutputFile(_named(text))


def folder(text: str) -> OutputFolder:
    """Read an option that names a folder."""
    return OutputFolder(_named(text))


def picture(text: str) -> Picture:
    """Read an option that names a drawing.

    >>> picture("a.PNG").form
    'png'
    """
    if Path(text).suffix.lower() not in PICTURES:
        raise ArgumentTypeError(f"must end in {', '.join(PICTURES)}, not {text!r}")
    return Picture(text)


def try_all(args: argparse.Namespace) -> None:
    """Find out now, and not after hours, whether all can be written; leave no trace.

    Raises
    ------
    InputError
        Naming the file.
    """
    from ..instances.files import try_file, try_folder

    for value in vars(args).values():
        if isinstance(value, OutputFile):
            try_file(value)
        elif isinstance(value, OutputFolder):
            try_folder(value)


def _named(text: str) -> str:
    if not text:
        raise ArgumentTypeError("must not be empty")
    return text
