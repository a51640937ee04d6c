"""Exact decimal coordinates, scaled to integers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation, localcontext
from typing import Any, TypeVar

from ..errors import InputError
from ..value import LARGEST
from . import fields
from .json_types import to_json_types

MOST_DECIMALS = 18
"""Maximal number of digits after the decimal point of a coordinate."""
_MOST_DIGITS = 40
_ROUNDED = 2**40
Pair = TypeVar("Pair", bound=Hashable)
"""What has a length: the two ends."""


def scale_points(rows: Any, field: str) -> tuple[tuple[tuple[int, ...], ...], int]:
    """Scale points to integers by the least power of ten; return both.

    Raises InputError if a coordinate is not a number, is too large, or has too many
    decimals.

    Examples
    --------
    >>> scale_points([[0.5, 1], [2, 1.25]], "points")
    (((50, 100), (200, 125)), 100)
    """
    listed = fields.lists(to_json_types(rows), field)
    numbers = [decimals(row, f"{field}[{i}]") for i, row in enumerate(listed)]
    scale: int = 10 ** max((digits(x) for row in numbers for x in row), default=0)
    return tuple(tuple(int(x * scale) for x in row) for row in numbers), scale


def unscale(x: int, unit: Decimal) -> int | Decimal:
    """Return what a scaled integer stands for, as an integer if it is one."""
    number = x * unit
    return int(number) if number == int(number) else number.normalize()


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


def length_of(value: Any, beyond: int, field: str) -> Decimal:
    """Read a positive length below a bound; a float is read as its shortest decimal."""
    try:
        if isinstance(value, bool):
            raise InvalidOperation
        number = Decimal(repr(value) if isinstance(value, float) else value)
    except (InvalidOperation, TypeError, ValueError):
        raise InputError("must be a number", field, str(value)) from None
    if not number.is_finite() or not 0 < number < beyond:
        bound = f"2^{beyond.bit_length() - 1}"
        raise InputError(f"must be positive and below {bound}", field, str(value))
    if max(len(number.as_tuple().digits), digits(number)) > _MOST_DIGITS:
        raise InputError(f"has more than {_MOST_DIGITS} digits", field, str(value))
    return number


def scaled_lengths(
    lengths: Mapping[Pair, Decimal], beyond: int
) -> tuple[dict[Pair, int], int, str]:
    """Scale lengths to integers by the least power of ten; return both, and a note.

    Lengths whose sum, scaled, would reach the bound are all rounded, half to even, to
    as many decimals as keep it below 2^40: so long are computed lengths, such as 1/3 in
    Python, and sums over many pairs have to stay below 2^62. The note states it.

    >>> scaled_lengths({"ab": Decimal("132.60086260053723")}, 2**53)
    ({'ab': 132600862601}, 1000000000, 'lengths rounded to 9 decimals')
    """
    places, note = max(map(digits, lengths.values()), default=0), ""
    with localcontext(prec=2 * _MOST_DIGITS):
        total = sum(lengths.values())
        if places and total * 10**places >= beyond:
            while places and total * 10**places >= _ROUNDED:
                places -= 1
            note = f"lengths rounded to {places} decimals"
        scaled = {
            pair: int((length * 10**places).to_integral_value(ROUND_HALF_EVEN))
            for pair, length in lengths.items()
        }
    if lost := next((pair for pair, length in scaled.items() if not length), None):
        problem = f"is 0 when all lengths are rounded to {places} decimals"
        raise InputError(problem, "length", str(lengths[lost]))
    while places and not any(length % 10 for length in scaled.values()):
        scaled = {pair: length // 10 for pair, length in scaled.items()}
        places -= 1
    return scaled, 10**places, note


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
