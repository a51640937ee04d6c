"""Ratios, costs, shares and times as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from fractions import Fraction
from math import ceil, floor, inf, log10

from ...instances import Value

Ratio = Fraction | float
"""An exact fraction, or infinity: a positive cost where the optimum is 0."""

_MOST_BITS = 13_000
"""Python writes integers of up to 4300 digits."""
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def decimal(ratio: Ratio | None) -> str:
    """Write a ratio with four decimals; a rounded one never reads as exactly 1.

    >>> decimal(Fraction(7, 4)), decimal(Fraction(1)), decimal(Fraction(100001, 100000))
    ('1.7500', '1', '1.0001')
    """
    if ratio is None:
        return "–"
    if ratio == inf:
        return "∞"
    if ratio == int(ratio):
        return str(int(ratio))
    shown = f"{float(ratio):.4f}"
    return f"{ceil(ratio * 10_000) / 10_000:.4f}" if shown == "1.0000" else shown


def levels(ratios: Sequence[Ratio] | None, write: Callable[[Ratio], str]) -> str:
    """Write the ratio of each level, separated by semicolons.

    >>> levels((Fraction(1), Fraction(5, 4)), decimal), levels(None, decimal)
    ('1; 1.2500', '–')
    """
    return "–" if ratios is None else "; ".join(map(write, ratios))


def within(low: Ratio, high: Ratio) -> str:
    """Write an interval with four decimals, rounded outwards.

    >>> within(Fraction(1), Fraction(4, 3))
    '1 .. 1.3334'
    """

    def end(ratio: Ratio, whole: Callable[[Fraction], int]) -> str:
        if not isinstance(ratio, Fraction) or ratio == int(ratio):
            return decimal(ratio)
        return f"{whole(ratio * 10_000) / 10_000:.4f}"

    return f"{end(low, floor)} .. {end(high, ceil)}"


def fraction(ratio: Ratio | None) -> str:
    """Write a ratio exactly, whatever its length.

    >>> fraction(Fraction(7, 4)), fraction(Fraction(3))
    ('7/4', '3')
    """
    if ratio is None:
        return "–"
    if not isinstance(ratio, Fraction):
        return "∞"
    if max(ratio.numerator, ratio.denominator).bit_length() > _MOST_BITS:
        digits = int(ratio.denominator.bit_length() * log10(2))
        return f"a fraction of some {digits} digits"
    return str(ratio)


def short_fraction(ratio: Ratio | None, longest: int = 17) -> str:
    """Write a ratio exactly if that is short, else abbreviated in the middle.

    >>> short_fraction(Fraction(10**20 + 1, 10**20))
    '10000…1/10000…0'
    """
    whole = fraction(ratio)
    if len(whole) <= longest or not isinstance(ratio, Fraction):
        return whole
    if "/" not in whole:
        return whole
    return "/".join(f"{part[:5]}…{part[-1]}" for part in whole.split("/"))


def price(value: Value | None) -> str:
    """Write a cost with thin spaces between thousands.

    >>> price(5256).replace("\u202f", " "), price((8, 1)), price(None)
    ('5 256', '8; 1', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f")
    return "; ".join(map(str, value))


def seconds(time: float | None) -> str:
    """Write a time in a suitable unit.

    >>> seconds(0.00234), seconds(61.5), seconds(600)
    ('2.3 ms', '61.5 s', '10.0 min')
    """
    if time is None:
        return "–"
    if time < 1e-3:
        return f"{time * 1e6:.0f} µs"
    if time < 1:
        return f"{time * 1e3:.1f} ms"
    return f"{time:.1f} s" if time < 120 else f"{time / 60:.1f} min"


def day(date: str) -> str:
    """Write the day of an ISO date.

    >>> day("2026-11-21T09:30:00+00:00"), day("")
    ('21 November 2026', 'undated')
    """
    try:
        found = datetime.fromisoformat(date)
    except ValueError:
        return "undated"
    return f"{found.day} {_MONTHS[found.month - 1]} {found.year}"


def percent(part: int, whole: int) -> str:
    """Write a share with one decimal, never rounded to all or to none.

    >>> percent(1, 3), percent(9999, 10000), percent(2, 2), percent(0, 0)
    ('33.3 %', '99.9 %', '100 %', '0 %')
    """
    if part == whole and whole:
        return "100 %"
    if not part:
        return "0 %"
    tenths = min(max(round(Fraction(1000 * part, whole)), 1), 999)
    return f"{tenths // 10}.{tenths % 10} %"
