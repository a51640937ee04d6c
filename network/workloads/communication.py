"""Patterns of communication by name: who sends to whom."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import prod

import numpy as np

from ...instances import InputError, IntArray
from ..mapping.instance import MOST_RANKS
from .causal import sides_of

_SHAPE = re.compile(r"[1-9]\d{0,3}(?:x[1-9]\d{0,3})*", re.ASCII)
ALL_TO_ALL = "all-to-all"


def units_of(pattern: str, tasks: int) -> list[tuple[int, int, int]]:
    """Return who sends how much to whom in a pattern; nothing for all-to-all.

    Both of a pair send one unit to the other.

    >>> units_of("ring", 3)
    [(0, 1, 1), (0, 2, 1), (1, 0, 1), (1, 2, 1), (2, 0, 1), (2, 1, 1)]

    Raises
    ------
    InputError
        If there is no such pattern, or its sides do not match: the field ``traffic``.
    """
    if pattern == ALL_TO_ALL:
        return []
    try:
        found = traffic_of(pattern, tasks)
    except InputError as error:
        raise InputError(error.problem, "traffic", pattern) from None
    if found is None:
        raise InputError(f"must be {KNOWN}", "traffic", pattern)
    both = found + found.T
    return [(int(s), int(t), 1) for s, t in np.argwhere(both)]


def traffic_of(pattern: str, ranks: int) -> IntArray | None:
    """Return who sends to whom in a pattern, each pair of neighbours once.

    Parameters
    ----------
    pattern
        ``ring``, ``all-to-all``, ``recursive-doubling``, ``halo2d`` or ``halo3d``, the
        last two perhaps with their sides: ``halo2d:4x8``. The sides are by default as
        equal as can be; there is no wrap-around.
    ranks
        Number of ranks.

    Returns
    -------
    IntArray
        Shape (ranks, ranks), or None if there is no such pattern.

    Raises
    ------
    InputError
        If the sides of a halo do not match the ranks: the field ``map``.

    Examples
    --------
    >>> traffic_of("halo2d:2x2", 4).tolist()
    [[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
    """
    name, colon, sides = pattern.partition(":")
    if name not in _PATTERNS:
        return None
    if ranks > MOST_RANKS:
        raise InputError(f"is for at most {MOST_RANKS} ranks", "map", pattern)
    axes = {"halo2d": 2, "halo3d": 3}.get(name)
    if axes is None:
        if colon:
            raise InputError(f"{name} has no sides", "map", pattern)
        return _PATTERNS[name](ranks, ())
    shape = sides_of(ranks, axes)
    if colon:
        if not _SHAPE.fullmatch(sides) or sides.count("x") != axes - 1:
            form = "x".join("ABC"[:axes])
            raise InputError(f"must be {name}:{form}", "map", pattern)
        shape = tuple(map(int, sides.split("x")))
    if prod(shape) != ranks:
        problem = f"has {prod(shape)} ranks, the job has {ranks} nodes"
        raise InputError(problem, "map", pattern)
    return _PATTERNS[name](ranks, shape)


def _ring(ranks: int, shape: tuple[int, ...]) -> IntArray:
    traffic = np.zeros((ranks, ranks), dtype=np.int64)
    if ranks > 1:
        i = np.arange(ranks if ranks > 2 else 1)
        traffic[i, (i + 1) % ranks] = 1
    return traffic


def _all_to_all(ranks: int, shape: tuple[int, ...]) -> IntArray:
    return np.triu(np.ones((ranks, ranks), dtype=np.int64), 1)


def _doubling(ranks: int, shape: tuple[int, ...]) -> IntArray:
    a, b = np.indices((ranks, ranks))
    apart = a ^ b
    found: IntArray = ((a < b) & (apart & (apart - 1) == 0)).astype(np.int64)
    return found


def _halo(ranks: int, shape: tuple[int, ...]) -> IntArray:
    traffic = np.zeros((ranks, ranks), dtype=np.int64)
    grid = np.arange(ranks).reshape(shape)
    for axis in range(len(shape)):
        lines = np.moveaxis(grid, axis, 0)
        traffic[lines[:-1], lines[1:]] = 1
    return traffic


_PATTERNS: dict[str, Callable[[int, tuple[int, ...]], IntArray]] = {
    "ring": _ring,
    "halo2d": _halo,
    "halo3d": _halo,
    "all-to-all": _all_to_all,
    "recursive-doubling": _doubling,
}
KNOWN = f"one of {', '.join(_PATTERNS)}"
"""Their names, for messages."""
