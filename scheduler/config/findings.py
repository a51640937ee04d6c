"""Errors and warnings about a configuration, with their positions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from ...instances.errors import InputError

_MOST_LISTED = 8


class Place(Protocol):
    """A thing with a position in the source."""

    @property
    def line(self) -> int:
        """Counted from 1."""

    @property
    def column(self) -> int:
        """Counted from 1."""


def fault(file: str | Path, line: int, column: int, problem: str) -> InputError:
    """Return an error at a position of a file."""
    return InputError(problem, file=f"{file or '<text>'}:{line}:{column}")


class Diagnostics:
    """Collects errors and warnings."""

    def __init__(self, file: str | Path) -> None:
        self._file = file
        self._errors: list[tuple[int, int, str]] = []
        self._warnings: list[tuple[int, int, str]] = []

    def error(self, place: Place, problem: str) -> None:
        """Record a problem that makes the configuration unusable."""
        self._errors.append((place.line, place.column, problem))

    def warning(self, place: Place, problem: str) -> None:
        """Record something valid that is probably not intended."""
        self._warnings.append((place.line, place.column, f"warning: {problem}"))

    @property
    def errors(self) -> tuple[InputError, ...]:
        """All errors, sorted by position."""
        return self._lines(self._errors)

    @property
    def warnings(self) -> tuple[InputError, ...]:
        """All warnings, sorted by position."""
        return self._lines(self._warnings)

    def _lines(self, found: list[tuple[int, int, str]]) -> tuple[InputError, ...]:
        return tuple(fault(self._file, *one) for one in sorted(found))


def list_some(names: Iterable[str]) -> str:
    """List the first few of some names.

    >>> list_some("abc"), list_some(str(i) for i in range(20))
    ('a, b, c', '0, 1, 2, 3, 4, 5, 6, 7, ...')
    """
    listed = list(names)
    more = ["..."] if len(listed) > _MOST_LISTED else []
    return ", ".join(listed[:_MOST_LISTED] + more)
