"""The Gilmore-Lawler bound on the cost of every order of ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....instances import IntArray
from ..instance import RankMapping
from .gilmore_lawler_kernels import BoundWorkspace, Matrices, bound

MOST_RANKS = 2**10
"""Above this many ranks no bound is computed: it takes n^3 operations."""


def matrices_of(mapping: RankMapping) -> Matrices:
    """Return flows and hops, and for every rank and processor all others in order."""
    heavy = np.argsort(-mapping.flow, axis=1, kind="stable")
    near = np.argsort(mapping.hops, axis=1, kind="stable")
    return Matrices(mapping.flow, mapping.hops, heavy, near)


def room_for(n: int) -> BoundWorkspace:
    """Return the room that bounds of n ranks need."""
    square = [np.zeros((n, n), np.int64) for _ in range(3)]
    rows = [np.zeros(n + 1, np.int64) for _ in range(8)]
    return BoundWorkspace(*rows[:2], *square, *rows[2:])


def gilmore_lawler(mapping: RankMapping, order: Sequence[int] = ()) -> int:
    """Return a lower bound on the cost of every order that begins with this one.

    A rank sends what it exchanges with others at best over the shortest ways from its
    processor, the most over the shortest; of these costs of ranks on processors the
    least assignment is a bound (Gilmore 1962, Lawler 1963).

    Parameters
    ----------
    mapping
        Ranks and processors.
    order
        Processors of the first ranks.

    Examples
    --------
    >>> line = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    >>> gilmore_lawler(RankMapping([[0, 4, 4], [0, 0, 4], [0, 0, 0]], line))
    16
    """
    place: IntArray = np.full(mapping.ranks, -1, np.int64)
    holder = place.copy()
    place[: len(order)] = order
    holder[list(order)] = np.arange(len(order))
    twice, _ = bound(matrices_of(mapping), place, holder, room_for(mapping.ranks))
    return round_up(twice, mapping.unit)


def round_up(twice: int, unit: int) -> int:
    """Return the least cost, a multiple of the unit, of at least half of a bound."""
    return -(-twice // (2 * unit)) * unit
