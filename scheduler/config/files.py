"""Configuration files: text or compiled, on disk or bundled."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from ...instances.errors import InputError
from ...instances.files import stem, write_bytes
from . import binary
from .model import Configuration

if TYPE_CHECKING:
    from .check import Report

_DATA = files("closeknit.instances.data")
_LARGEST = 4 * 2**20
"""Bytes of a text; the parser keeps a hundred times as much."""
_LARGEST_COMPILED = 16 * 2**20


def bundled_configurations() -> list[str]:
    """Names of the configurations that come with the package, sorted.

    >>> bundled_configurations()
    ['drakenberg-figure-6']
    """
    return sorted(
        entry.name.removesuffix(".conf")
        for entry in _DATA.iterdir()
        if entry.name.endswith(".conf")
    )


def read_configuration(path: str | Path) -> Configuration:
    """Read a configuration, text or compiled; a bundled one by its name.

    Raises
    ------
    InputError
        One line naming the file, and for text the line and column, of the first
        fault.
    """
    content = _content(path)
    if binary.is_compiled(content):
        return binary.loads(content, file=path)
    report = examine_text(_decoded(content, path), name=stem(path), file=path)
    if report.configuration is None:
        raise report.errors[0]
    return report.configuration


def parse_configuration(text: str, *, name: str = "unnamed") -> Configuration:
    """Build a configuration from text.

    Raises
    ------
    InputError
        For the first fault.
    """
    report = examine_text(text, name=name)
    if report.configuration is None:
        raise report.errors[0]
    return report.configuration


def examine(path: str | Path) -> Report:
    """Read a text and return all that is wrong or odd with it, not just the first.

    Raises
    ------
    InputError
        When there is no such file, or it is no text.
    """
    content = _content(path)
    if binary.is_compiled(content):
        from .check import Report

        return Report(binary.loads(content, file=path), (), ())
    return examine_text(_decoded(content, path), name=stem(path), file=path)


def examine_text(text: str, *, name: str, file: str | Path = "") -> Report:
    """Return all that is wrong or odd with a text.

    Of what the grammar does not allow, only the first fault.
    """
    from .check import Report, check
    from .parse import parse_source

    try:
        source = parse_source(text, file=file)
    except InputError as error:
        return Report(None, (error,), ())
    return check(source, name=name, file=file)


def load(path: str | Path) -> Configuration:
    """Load a compiled configuration, and nothing else.

    Raises
    ------
    InputError
        When it is none, newer than this program, cut off or damaged.
    """
    return binary.loads(_content(path), file=path)


def write_compiled(configuration: Configuration, path: str | Path) -> None:
    """Write the compiled form; it appears whole or not at all."""
    write_bytes(path, binary.dumps(configuration))


def _content(path: str | Path) -> bytes:
    try:
        place = Path(path)
        if not place.exists() and str(path) in bundled_configurations():
            return (_DATA / f"{path}.conf").read_bytes()
        regular = S_ISREG(place.stat().st_mode)  # not a FIFO, nor a device
        if regular:
            with open(place, "rb", opener=_opened) as stream:
                content = stream.read(_LARGEST_COMPILED + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    except ValueError:  # a null character in the name
        raise InputError("is no name of a file", file=repr(str(path))) from None
    if not regular:
        raise InputError("must be a regular file", file=path)
    most = _LARGEST_COMPILED if binary.is_compiled(content) else _LARGEST
    if len(content) > most:
        raise InputError(f"is larger than {most // 2**20} MiB", file=path)
    return content


def _opened(path: str, flags: int) -> int:
    """Open a file without waiting for a writer, should it be a FIFO by now."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _decoded(content: bytes, path: str | Path) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - before.rfind(b"\n")
        raise InputError(
            f"expected UTF-8 text, found byte {content[error.start]:#04x}",
            file=f"{path}:{line}:{column}",
        ) from None
