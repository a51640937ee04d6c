"""Settings of a run: limits, seed, threads, tie-breaking."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from operator import index
from typing import Any

from ...instances.errors import InputError
from ...instances.option_values import renaming
from . import clock

MOST = 2**31
"""Exclusive upper bound of node and memory limits, seeds and numbers of threads."""


class Ties(Enum):
    """How a heuristic chooses among equally near processors."""

    LEX = "lex"
    """By the documented order: distance, then coordinates."""
    BEST = "best"
    """For the cheapest solution (by enumeration; small instances)."""
    WORST = "worst"
    """For the most expensive solution (by enumeration; small instances)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of a run; methods ignore those that do not apply to them.

    Parameters
    ----------
    time_limit
        Wall-clock seconds, at least 0; at the limit the best solution is returned.
    node_limit
        Maximal number of search nodes, or None.
    memory_mb
        Memory of a solver's child process, in MiB, or None.
    seed
        Random seed. Equal seeds and thread counts give equal results.
    threads
        Number of threads of a general solver, and of ``sukp-bb``.
    ties
        A `Ties` or its value; see `Method.takes_ties` for values other than ``LEX``.

    Raises
    ------
    InputError
        If a setting is out of range.

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
        """Refuse settings that are out of range; convert numbers of numpy."""
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

    def remaining(self, start: float) -> Settings:
        """Return the same settings with what is left of the time.

        Parameters
        ----------
        start
            When the time began, by closeknit's clock, which excludes compiling.
        """
        spent = clock.now() - start
        return replace(self, time_limit=max(0.0, self.time_limit - spent))


def _seconds(value: object) -> float:
    """Return a number of seconds; infinity is allowed."""
    if type(value) is float and value >= 0:  # the usual case, quickly
        return value
    try:
        seconds = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        seconds = -1.0
    if isinstance(value, bool | str | bytes) or not seconds >= 0:
        raise InputError("must be at least 0 s", "time_limit", value)
    return seconds


def _count(value: object, name: str, least: int) -> int:
    if type(value) is int and least <= value < MOST:
        return value
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number < MOST:
        raise InputError(f"must be an integer from {least} to 2^31 - 1", name, value)
    return number


def _ties(value: object) -> Ties:
    try:
        return Ties(value)
    except ValueError:
        known = ", ".join(ties.value for ties in Ties)
        raise InputError(f"must be one of {known}", "ties", value) from None


DEFAULT = Settings()


def settings_named(names: Mapping[str, str], **values: Any) -> Settings:
    """Return settings; errors name the option or the key of a file.

    ``names`` holds these for each setting. Raises InputError if a setting is out of
    range; names its option or key.
    """
    with renaming(names):
        return Settings(**values)


def cpus() -> int:
    """Return how many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
