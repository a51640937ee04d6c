"""Reading configuration files, on disk or bundled."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from ...instances.errors import InputError
from ...instances.reading.files import open_without_waiting, stem
from .model import Configuration

if TYPE_CHECKING:
    from .check import ConfigurationReport

_DATA = files("closeknit.instances.data")
_LARGEST = 4 * 2**20
"""Maximal size of a file; the parser needs about a hundred times that memory."""


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
    """Read a configuration: a file, or the name of a bundled one.

    Raises
    ------
    InputError
        If the file is invalid: one line with file, line and column of the first error.
    """
    report = examine(path)
    if report.configuration is None:
        raise report.errors[0]
    return report.configuration


def parse_configuration(text: str, *, name: str = "unnamed") -> Configuration:
    """Build a configuration from text.

    Raises
    ------
    InputError
        If the text is invalid; describes the first error.
    """
    report = examine_text(text, name=name)
    if report.configuration is None:
        raise report.errors[0]
    return report.configuration


def examine(path: str | Path) -> ConfigurationReport:
    """Read a configuration and return all its errors and warnings.

    Raises
    ------
    InputError
        If the file cannot be read or is not text.
    """
    return examine_text(configuration_text(path), name=stem(path), file=path)


def configuration_text(path: str | Path) -> str:
    """Return the text of a configuration: a file, or the name of a bundled one.

    Raises
    ------
    InputError
        If the file cannot be read or is not text.
    """
    return _decode(_content(path), path)


def examine_text(text: str, *, name: str, file: str | Path = "") -> ConfigurationReport:
    """Return all errors and warnings of a text, or its first syntax error."""
    from .check import ConfigurationReport, check
    from .parse import parse_source

    try:
        source = parse_source(text, file=file)
    except InputError as error:
        return ConfigurationReport(None, (error,), ())
    return check(source, name=name, file=file)


def _content(path: str | Path) -> bytes:
    try:
        place = Path(path)
        if not place.exists() and str(path) in bundled_configurations():
            return (_DATA / f"{path}.conf").read_bytes()
        regular = S_ISREG(place.stat().st_mode)  # not a FIFO, nor a device
        if regular:
            with open(place, "rb", opener=open_without_waiting) as stream:
                content = stream.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    except ValueError:  # a null character in the name
        raise InputError("is not a valid file name", file=repr(str(path))) from None
    if not regular:
        raise InputError("must be a regular file", file=path)
    if content.startswith(b"\x89CKCONF"):
        raise InputError("is a compiled configuration: give its text", file=path)
    if len(content) > _LARGEST:
        raise InputError(f"is larger than {_LARGEST // 2**20} MiB", file=path)
    return content


def _decode(content: bytes, path: str | Path) -> str:
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
