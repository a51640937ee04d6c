"""Exact decimal coordinates, scaled to integers."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from . import fields
from .errors import InputError
from .plain import plain
from .value import LARGEST

MOST_DECIMALS = 18
"""Maximal number of digits after the decimal point of a coordinate."""


def scaled(rows: Any, field: str) -> tuple[tuple[tuple[int, ...], ...], int]:
    """Scale points to integers by the least power of ten; return both.

    Raises InputError if a coordinate is not a number, is too large, or has too many
    decimals.

    Examples
    --------
    >>> scaled([[0.5, 1], [2, 1.25]], "points")
    (((50, 100), (200, 125)), 100)
    """
    listed = fields.lists(plain(rows), field)
    numbers = [decimals(row, f"{field}[{i}]") for i, row in enumerate(listed)]
    scale: int = 10 ** max((digits(x) for row in numbers for x in row), default=0)
    return tuple(tuple(int(x * scale) for x in row) for row in numbers), scale


def decimals(value: Any, field: str) -> list[Decimal]:
    """Read the coordinates of a point; refuse those that do not scale to 62 bits."""
    numbers = []
    for i, x in enumerate(fields.lists(value, field)):
        number = Decimal(fields.number(x, f"{field}[{i}]"))
        if number and (number.adjusted() > MOST_DECIMALS or abs(number) >= LARGEST):
            raise InputError("must be smaller than 2^62", f"{field}[{i}]", str(x))
        if digits(number) > MOST_DECIMALS:
            raise InputError(
                f"more than {MOST_DECIMALS} decimals", f"{field}[{i}]", str(x)
            )
        numbers.append(number)
    return numbers


def digits(number: Decimal) -> int:
    """Count the digits after the decimal point, without trailing zeros."""
    if not number:
        return 0
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)  # NaN and infinity were refused
    if exponent < -MOST_DECIMALS - 30:
        return -exponent
    found = number.as_tuple().digits
    zeros = next(i for i, d in enumerate(reversed(found)) if d)
    return max(0, -exponent - zeros)


def refuse_scale(scale: int, numbers: Iterable[int]) -> None:
    """Refuse a scale that is not the least power of ten making these integers."""
    if str(scale).rstrip("0") != "1":
        raise InputError("must be a power of ten", "scale", scale)
    if scale > 1 and not any(x % 10 for x in numbers):
        raise InputError("must be the least that these decimals need", "scale", scale)
