"""Theorem 1 of Bender et al.: decoys that ``mm`` takes for a cluster."""

from __future__ import annotations

from fractions import Fraction

from ...errors import InputError
from ...numbers import at_least
from ..instance import KSubset
from .case import WorstCase
from .medians import median_decoys


def theorem1(d: int, k: int, eps: Fraction) -> WorstCase:
    """Lure ``mm`` into a cross-polytope of decoys (Theorem 1), in any dimension.

    Two clusters of k/2 points lie a unit apart and are optimal; 4d - 2 decoy
    clusters of k/(4d) points lie at distance 1 - eps around them. With k = 4dq
    and b the denominator of eps,

    - ``mm`` pays b q² (4d - 1)(2d - eps (2d - 1)),
    - the optimum is b k²/4,
    - the ratio (2 - 1/(2d)) (1 - eps (1 - 1/(2d))) does not depend on k.

    The closed forms are derived, see docs/theory.md. k is a multiple of 4d,
    and 0 < eps < 1, not so large that a cross-polytope becomes optimal (up to 1/2 it
    never is).

    >>> theorem1(2, 8, Fraction(1, 132)).ratio
    Fraction(1225, 704)
    """
    at_least(d, 1, "d")
    if k < 4 * d or k % (4 * d):
        raise InputError(f"must be a multiple of 4d = {4 * d}", "k", k)
    q = k // (4 * d)
    case = median_decoys(d, k, eps)
    b = eps.denominator
    cost = b * q * q * (4 * d - 1) * (2 * d - eps * (2 * d - 1))
    ratio = (2 - Fraction(1, 2 * d)) * (1 - eps * (1 - Fraction(1, 2 * d)))
    return WorstCase(
        instance=KSubset(
            f"theorem1-d{d}-k{k}-eps{eps.numerator}-{b}",
            case.instance.topology,
            case.instance.free,
            k,
            source=f"theorem1: d = {d}, k = {k}, eps = {eps}, lengths in 1/{b}",
        ),
        method="mm",
        cost=_whole(cost),
        optimum=b * k * k // 4,
        statement=f"mm reaches (2 - 1/(2d))(1 - eps(1 - 1/(2d))) = {ratio}",
        source="Bender et al. 2008, Theorem 1; closed form derived",
    )


def _whole(value: Fraction) -> int:
    assert value.denominator == 1, value
    return value.numerator
