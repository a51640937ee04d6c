"""Parsing of values of command-line options and study files.

Each function parses one kind of value (counts, shapes, shares, fractions, ranges) and
raises `InputError` without a field, which the caller adds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction

from .errors import InputError

_RINGS = re.compile(r"grid:[1-9]\d?(,[1-9]\d?)*", re.ASCII)
LONGEST = 10**6
"""Maximal time limit in seconds, eleven days; waits for processes allow twenty-four."""


def number(text: str) -> int:
    """Read a count: 0 or a positive integer below 2^31."""
    return _integer(text, f"must be an integer from 0 to 2^31 - 1, not {text!r}")


def shape(text: str) -> tuple[int, ...]:
    """Read the sides of a network.

    >>> shape("16x22")
    (16, 22)
    """
    wrong = f"must be sides such as 16x22, not {text!r}"
    sides = tuple(_integer(side, wrong) for side in text.split("x"))
    if 0 in sides:
        raise InputError(wrong)
    return sides


def network_kind(text: str) -> str:
    """Read a kind of network; of a grid with its rings, as in ``grid:1,3``.

    >>> network_kind("torus"), network_kind("grid:1,3")
    ('torus', 'grid:1,3')
    """
    from .topologies.topology import BY_SIDES

    axes = text.partition(":")[2].split(",")
    mixed = _RINGS.fullmatch(text) and len(set(axes)) == len(axes)
    if text not in BY_SIDES and not mixed:
        known = ", ".join(BY_SIDES)
        raise InputError(
            f"must be {known}, or grid with the axes that are rings, as in grid:1,3, "
            f"not {text!r}"
        )
    return text


def share(text: str) -> int | Fraction:
    """Read a count, or a percentage as a `Fraction`.

    >>> share("40"), share("12.5%")
    (40, Fraction(1, 8))
    """
    if text.endswith("%"):
        return percentage(text)
    return _integer(
        text, f"must be a count such as 128 or a share such as 50%, not {text!r}"
    )


def percentage(text: str) -> Fraction:
    """Read a percentage.

    >>> percentage("75%")
    Fraction(3, 4)
    """
    if not re.fullmatch(r"\d{1,3}(\.\d{1,6})?%", text, re.ASCII):
        raise InputError(f"must be a percentage such as 50%, not {text!r}")
    return Fraction(text[:-1]) / 100


def fraction(text: str) -> Fraction:
    """Read a fraction or a decimal.

    >>> fraction("1/132"), fraction("0.01")
    (Fraction(1, 132), Fraction(1, 100))
    """
    wrong = f"must be a fraction such as 1/132 or 0.01, not {text!r}"
    if not re.fullmatch(r"\d{1,9}(/\d{1,9}|\.\d{1,9})?", text, re.ASCII):
        raise InputError(wrong)
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise InputError(wrong) from None


def half_open(text: str) -> tuple[int, int | None]:
    """Read a half-open range; without an end it is unbounded.

    >>> half_open("100:4000"), half_open("100:")
    ((100, 4000), (100, None))
    """
    wrong = f"must be A:B with A below B, such as 0:4000, not {text!r}"
    begin, colon, end = text.partition(":")
    if not colon:
        raise InputError(wrong)
    first = _integer(begin, wrong) if begin else 0
    last = _integer(end, wrong) if end else None
    if last is not None and first >= last:
        raise InputError(wrong)
    return first, last


def seconds(value: float, field: str = "time_limit") -> float:
    """Return a time limit.

    Raises InputError if it is not above 0 and at most `LONGEST`.
    """
    if not 0 < value <= LONGEST:
        raise InputError(f"must be seconds above 0 and at most {LONGEST}", field, value)
    return float(value)


def _integer(text: str, wrong: str) -> int:
    if not re.fullmatch(r"\d{1,10}", text, re.ASCII) or int(text) >= 2**31:
        raise InputError(wrong)
    return int(text)


@contextmanager
def renaming(names: Mapping[str, str]) -> Iterator[None]:
    """Let errors of arguments with these names name the options that stand for them."""
    try:
        yield
    except InputError as error:
        if error.file or error.field not in names:
            raise
        raise InputError(error.problem, names[error.field], error.value) from None
