"""Ratios, costs and times in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from fractions import Fraction
from math import ceil, floor, inf, log10

from ...instances.value import ordered
from ...solvers import Value
from .summary import MethodSummary, Shared
from .verdicts import Ratio, ScoredRun

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
    """Write the ratio of each level; a single one as it is.

    >>> levels((Fraction(1), Fraction(5, 4)), decimal), levels(None, decimal)
    ('1; 1.2500', '–')
    """
    return "–" if ratios is None else "; ".join(map(write, ratios))


def open_levels(
    judged: ScoredRun,
    write: Callable[[Ratio], str] | None = None,
) -> str:
    """Write what is known of ratios without a proven optimum, level by level.

    Levels of which nothing is known are left out, with a question mark at the end.
    Rounded outwards, or by ``write``.
    """
    if judged.intervals is None or judged.row.cost is None:
        return "–"
    shown = []
    for low, high in judged.intervals:
        if low == high:
            shown.append((write or decimal)(low))
        elif write is None:
            shown.append(within(low, high))
        else:
            shown.append(f"{write(low)} .. {write(high)}")
    if len(judged.intervals) < len(ordered(judged.row.cost)):
        shown.append("?")
    return "; ".join(shown)


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
    """Write a ratio exactly, at whatever length.

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
    """Write a ratio exactly if that is short, else with its ends only.

    >>> short_fraction(Fraction(10**20 + 1, 10**20))
    '10000…1/10000…0'
    """
    whole = fraction(ratio)
    if len(whole) <= longest or not isinstance(ratio, Fraction):
        return whole
    if "/" not in whole:
        return whole
    return "/".join(f"{part[:5]}…{part[-1]}" for part in whole.split("/"))


def coverage(summary: MethodSummary) -> str:
    """Say on how many runs a guarantee holds, if not on all, and the worst of those."""
    if summary.guarantee is None or summary.covered == summary.runs:
        return ""
    most = decimal(summary.covered_most)
    return f"on {summary.covered} of {summary.runs}, max there {most}"


def shared_means(shared: Shared) -> str:
    """Say over which instances the second means are; nothing if there are none."""
    if not shared.tells:
        return ""
    count = len(shared.instances)
    many = "1 instance" if count == 1 else f"{count} instances"
    if len(shared.methods) == shared.of:
        return f"Means alike are over the {many} that all methods take."
    return (
        f"No instance is taken by all methods. Means alike are over the {many} that "
        f"{len(shared.methods)} of the {shared.of} methods take: those with a ratio on "
        "at least half of all instances."
    )


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
    """Write a time in the unit that suits it.

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
