"""The type of costs: integers, or tuples that are compared lexicographically."""

from __future__ import annotations

Value = int | tuple[int, ...]
"""A cost: an integer, or a tuple compared lexicographically."""

LARGEST = 2**62
"""Exclusive upper bound of coordinates, costs and their sums, exact in 64 bits."""


def as_tuple(value: Value) -> tuple[int, ...]:
    """Return a cost as a tuple, for comparisons.

    >>> as_tuple(7), as_tuple((8, 1, 2))
    ((7,), (8, 1, 2))
    """
    return (value,) if isinstance(value, int) else value


def cost_text(value: Value | None) -> str:
    """Write a cost with semicolons between levels; "" for None.

    >>> cost_text(5256), cost_text((8, 1, 2)), cost_text(None)
    ('5256', '8; 1; 2', '')
    """
    return "" if value is None else "; ".join(map(str, as_tuple(value)))


def shape(value: Value) -> int:
    """Return the number of levels of a lexicographic cost, -1 for an integer."""
    return -1 if isinstance(value, int) else len(value)
