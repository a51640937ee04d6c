"""What tables say about an instance of any problem."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What a table states about an instance."""

    structure: str
    """Kind of network, ``sets`` or ``items``."""
    shape: tuple[int, ...]
    """Its sides; numbers of sets and levels; numbers of items and elements."""
    n: int
    k: int
    """How many there are to choose from, how many are wanted (capacity for sukp)."""
    d: int
    """Axes of the network; levels of the cost."""
    locations: int
    """Processors, free or not; elements."""
