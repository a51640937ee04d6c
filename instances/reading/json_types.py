"""Conversion of Python and numpy values to those of parsed JSON."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from numbers import Integral, Real
from typing import Any


def to_json_types(value: Any) -> Any:
    """Convert a value to one of parsed JSON, so that the readers can check it.

    Numbers of numpy become those of Python, floats their shortest decimals; tuples,
    ranges, sets, arrays and other iterables become lists. Other values are unchanged,
    and refused by the readers.

    >>> to_json_types([(0, 3), (1, 0.5)])
    [[0, 3], [1, Decimal('0.5')]]
    """
    if value is None or isinstance(value, bool | int | str | bytes | Decimal):
        return value
    if hasattr(value, "tolist"):  # arrays and numbers of numpy, columns of pandas
        return to_json_types(value.tolist())
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return Decimal(repr(number)) if isfinite(number) else value
    if isinstance(value, Mapping):
        return {_key(key): to_json_types(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        try:
            return [to_json_types(each) for each in sorted(value)]
        except TypeError:  # of several kinds, for the readers to refuse
            return [to_json_types(each) for each in sorted(value, key=repr)]
    if hasattr(value, "__iter__"):
        return [to_json_types(each) for each in value]
    return value


def _key(key: Any) -> Any:
    """Convert a key; one that becomes a list stays as it is, and is refused as key."""
    converted = to_json_types(key)
    return key if isinstance(converted, list | dict) else converted
