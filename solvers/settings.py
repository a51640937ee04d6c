"""How to run a method: limits, seed, threads, ties."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


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
        Wall-clock seconds; the best solution and bound so far come back.
    node_limit
        Nodes of a search, or None.
    memory_mb
        Memory of a solver's child process, in MiB, or None.
    seed
        Of every random choice. Same seed, same thread count, same answer.
    threads
        Workers of a solver.
    ties
        See `Ties`; only methods that say so take anything but ``LEX``.
    """

    time_limit: float = 60.0
    node_limit: int | None = None
    memory_mb: int | None = None
    seed: int = 0
    threads: int = 1
    ties: Ties = Ties.LEX


DEFAULT = Settings()
