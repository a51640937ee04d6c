"""What a choice costs: an integer, or a tuple that is compared lexicographically."""

from __future__ import annotations

Value = int | tuple[int, ...]
"""A cost: an integer, or a tuple compared lexicographically."""

LARGEST = 2**62
"""No coordinate, cost or sum of costs may reach this (64-bit kernels stay exact)."""


def ordered(value: Value) -> tuple[int, ...]:
    """Return a cost in the form in which costs are compared.

    >>> ordered(7), ordered((8, 1, 2))
    ((7,), (8, 1, 2))
    """
    return (value,) if isinstance(value, int) else value


def cost_text(value: Value | None) -> str:
    """Write a cost for people, with semicolons between levels; nothing for none.

    >>> cost_text(5256), cost_text((8, 1, 2)), cost_text(None)
    ('5256', '8; 1; 2', '')
    """
    return "" if value is None else "; ".join(map(str, ordered(value)))


def shape(value: Value) -> int:
    """Return the number of levels of a lexicographic cost, -1 for an integer."""
    return -1 if isinstance(value, int) else len(value)
