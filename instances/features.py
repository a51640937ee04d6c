"""What tables say about an instance of any problem."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What a table says about an instance.

    Parameters
    ----------
    structure
        Kind of network, ``sets`` or ``items``.
    shape
        Its sides; numbers of sets and levels; numbers of items and elements.
    n, k
        How many there are to choose from, how many are wanted (capacity for sukp).
    d
        Axes of the network; levels of the cost.
    locations
        Processors, free or not; elements.
    """

    structure: str
    shape: tuple[int, ...]
    n: int
    k: int
    d: int
    locations: int
