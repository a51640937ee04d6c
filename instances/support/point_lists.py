"""Points as users give them: lists, arrays and decimals, rounded if asked for."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Any

from ..errors import InputError
from ..reading.decimals import MOST_DECIMALS, scale_points
from ..reading.fields import integer
from ..reading.json_types import to_json_types
from ..reading.numbers import between
from ..topologies import Site
from ..value import LARGEST

_EXACT = Context(prec=MOST_DECIMALS + 30)
_ROUND = "write ck.Points(array, digits=3)"


def convert_points(
    rows: object, digits: int | None, field: str
) -> tuple[tuple[Site, ...], int]:
    """Scale coordinates to integers, after rounding them if ``digits`` is given."""
    if digits is not None:
        between(integer(digits, "digits"), 0, MOST_DECIMALS, "digits")
        rows = _round(to_json_types(rows), digits)
    try:
        coordinates, scale = scale_points(rows, field)
    except InputError as error:
        if "decimals" in error.problem:
            raise InputError(f"{error.problem}: {_ROUND}", error.field) from None
        raise
    spread = sum(max(axis) - min(axis) for axis in zip(*coordinates, strict=False))
    if scale > 1 and 8 * spread >= LARGEST:  # no two could be chosen, see `KSubset`
        raise InputError(f"more digits than can be summed: {_ROUND}", field)
    return coordinates, scale


def _round(value: Any, digits: int) -> Any:
    """Round numbers in lists, half to even; leave everything else as it is."""
    if isinstance(value, list):
        return [_round(each, digits) for each in value]
    if isinstance(value, Decimal) and abs(value) < LARGEST:
        return value.quantize(Decimal(1).scaleb(-digits), context=_EXACT)
    return value
