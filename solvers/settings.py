"""How to run a method: limits, seed, threads, ties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from operator import index
from typing import Any

from ..instances.errors import InputError

MOST = 2**31
"""Limits of nodes and memory, seeds and numbers of threads stay below this."""


class Ties(Enum):
    """Which of several equally near processors a heuristic takes."""

    LEX = "lex"
    """The documented order: distance, then coordinates."""
    BEST = "best"
    """Whichever makes the answer cheapest (enumerated; small instances)."""
    WORST = "worst"
    """Whichever makes the answer dearest (enumerated; small instances)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to run a method. Every method takes all of these and uses what it needs.

    Parameters
    ----------
    time_limit
        Wall-clock seconds, at least 0; the best solution and bound so far come back.
    node_limit
        Nodes of a search, or None.
    memory_mb
        Memory of a solver's child process, in MiB, or None.
    seed
        Of every random choice. Same seed, same thread count, same answer.
    threads
        Workers of a solver.
    ties
        See `Ties`, or its value as text; only methods that say so take anything but
        ``LEX``.

    Raises
    ------
    InputError
        Naming the setting that is out of range.

    Examples
    --------
    >>> Settings(time_limit=-5)
    Traceback (most recent call last):
    closeknit.instances.errors.InputError: time_limit: must be at least 0 s, not -5
    """

    time_limit: float = 60.0
    node_limit: int | None = None
    memory_mb: int | None = None
    seed: int = 0
    threads: int = 1
    ties: Ties = Ties.LEX

    def __post_init__(self) -> None:
        """Refuse settings that are out of range; convert those of numpy."""
        object.__setattr__(self, "time_limit", _seconds(self.time_limit))
        for name, least in (
            ("node_limit", 1),
            ("memory_mb", 1),
            ("seed", 0),
            ("threads", 1),
        ):
            value = getattr(self, name)
            if value is not None or name in ("seed", "threads"):
                object.__setattr__(self, name, _count(value, name, least))
        if not isinstance(self.ties, Ties):
            object.__setattr__(self, "ties", _ties(self.ties))


def _seconds(value: object) -> float:
    """Return a number of seconds; infinity is allowed."""
    if type(value) is float and value >= 0:  # the usual case, quickly
        return value
    try:
        seconds = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        seconds = -1.0
    if isinstance(value, bool | str | bytes) or not seconds >= 0:
        raise InputError("must be at least 0 s", field="time_limit", value=value)
    return seconds


def _count(value: object, name: str, least: int) -> int:
    if type(value) is int and least <= value < MOST:
        return value
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number < MOST:
        raise InputError(
            f"must be an integer from {least} to 2^31 - 1", field=name, value=value
        )
    return number


def _ties(value: object) -> Ties:
    try:
        return Ties(value)
    except ValueError:
        known = ", ".join(ties.value for ties in Ties)
        raise InputError(f"must be one of {known}", field="ties", value=value) from None


DEFAULT = Settings()


def settings_named(names: Mapping[str, str], **values: Any) -> Settings:
    """Return settings; an error names the option or the key of a file.

    Parameters
    ----------
    names
        For each setting that may be out of range, what the user knows it by.
    values
        The settings.

    Raises
    ------
    InputError
        Naming the option or key that is out of range.
    """
    try:
        return Settings(**values)
    except InputError as error:
        field = names.get(error.field, error.field)
        raise InputError(error.problem, field=field, value=error.value) from None
