"""Strips of a PTAS: how many points each holds, and the guarantee that follows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate, pairwise
from math import pi, sin


def even_sizes(k: int, m: int) -> tuple[int, ...]:
    """Split k into m parts that differ by at most one, the larger ones first.

    >>> even_sizes(8, 3)
    (3, 3, 2)
    """
    small, larger = divmod(k, m)
    return tuple(small + (i < larger) for i in range(m))


@cache
def arcsine_sizes(k: int, m: int) -> tuple[int, ...]:
    """Split k into m parts by k sin²(i pi / 2m), rounded: few at the ends.

    Strip by strip the share of the pairs across a gap that lie within the strip is then
    nearly the same. Derived, see docs/science/theory.md.

    >>> arcsine_sizes(32, 3)
    (8, 16, 8)
    """
    ends = [int(k * sin(i * pi / (2 * m)) ** 2 + 0.5) for i in range(m // 2 + 1)]
    ends += [k - end for end in reversed(ends[: (m + 1) // 2])]
    return tuple(after - before for before, after in pairwise(ends))


def slopes(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return for each strip the number of points left of it minus those right of it.

    The distances between points of different strips along an axis add up to the sum
    over all points of slope times coordinate.

    >>> slopes((8, 16, 8))
    (-24, 0, 24)
    """
    k = sum(sizes)
    before = accumulate(sizes, initial=0)
    return tuple(2 * left + t - k for left, t in zip(before, sizes, strict=False))


@cache
def hidden_share(sizes: tuple[int, ...]) -> Fraction:
    """Return phi: the largest share of the pairs across a gap that a strip hides.

    With L points left of a strip of t and R right of it, l (t - l) of the (L + l) (R +
    t - l) pairs across a gap behind its first l points lie within it.

    >>> hidden_share((8, 16, 8))
    Fraction(1, 4)
    """
    k = sum(sizes)
    worst = Fraction(0)
    for left, t in zip(accumulate(sizes, initial=0), sizes, strict=False):
        for l in range(1, t):  # noqa: E741 - as in the formula
            worst = max(worst, Fraction(l * (t - l), (left + l) * (k - left - l)))
    return worst


def factor(sizes: tuple[int, ...]) -> Fraction | None:
    """Return 1/(1 - phi), the guarantee of a PTAS with these strips; None if phi = 1.

    >>> factor((8, 16, 8)), factor((5, 11, 11, 5)), factor((32,))
    (Fraction(4, 3), Fraction(22, 19), None)
    """
    phi = hidden_share(sizes)
    return None if phi == 1 else 1 / (1 - phi)
