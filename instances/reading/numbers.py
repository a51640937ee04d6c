"""Ranges of the numbers that users give: refused with one line that names the field."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from ..errors import InputError


def at_least(value: int, least: int, field: str, what: str = "") -> None:
    """Refuse a smaller value; ``what`` tells what the limit is."""
    if value < least:
        limit = f"{what} ({least})" if what else least
        raise InputError(f"must be at least {limit}", field, value)


def at_most(value: int, most: int, field: str, what: str = "") -> None:
    """Refuse a larger value; ``what`` tells what the limit is."""
    if value > most:
        limit = f"{what} ({most})" if what else most
        raise InputError(f"must be at most {limit}", field, value)


def between(value: int | Fraction | Decimal, low: int, high: int, field: str) -> None:
    """Refuse a value outside a range.

    >>> between(Fraction(3, 2), 0, 1, "eps")
    Traceback (most recent call last):
    closeknit.instances.errors.InputError: eps: must lie between 0 and 1, not '3/2'
    """
    if not low <= value <= high:
        shown = value if isinstance(value, int) else str(value)
        text = f"must lie between {_limit(low)} and {_limit(high)}"
        raise InputError(text, field, shown)


def _limit(value: int) -> str:
    """Write a limit; a long power of two as such."""
    bits = abs(value).bit_length() - 1
    if bits < 64 or abs(value) != 1 << bits:
        return str(value)
    return f"{'-' * (value < 0)}2^{bits}"


def positive(**numbers: int) -> None:
    """Refuse numbers below 1; the keywords are their fields."""
    for field, value in numbers.items():
        at_least(value, 1, field)
