"""The construction of Theorem 1 for every k, not only multiples of 4d."""

from __future__ import annotations

from fractions import Fraction

from ...errors import InputError
from ...numbers import at_least, at_most
from ...topologies import MOST_PROCESSORS, Site
from .case import WorstCase
from .layout import along, free_points


def median_decoys(d: int, k: int, eps: Fraction) -> WorstCase:
    """Theorem 1's construction for every k: ``mm`` comes as near rho_k(d) as asked.

    Let m = ⌊k/2⌋ be split as evenly as possible into 2d parts x_1 ≤ … ≤ x_2d. Two
    centres of k - m points lie a unit apart; each has decoy clusters of x_2, …, x_2d
    points at distance 1 - eps on all sides but towards the other centre, which stands
    in for x_1. The optimum is m (k - m), and the cost of ``mm`` tends to rho_k(d) times
    that as eps tends to 0; derived, see docs/theory.md. k is at least 4 (below that
    ``mm`` is exact), eps as for `theorem1`. Raises InputError for any other d, k or
    eps.

    >>> median_decoys(2, 11, Fraction(1, 10000)).ratio  # rho is 8/5
    Fraction(239981, 150000)
    """
    at_least(d, 1, "d")
    at_least(k, 4, "k")
    at_most(d * k, MOST_PROCESSORS, "d times k")
    if not 0 < eps < 1:
        raise InputError("must lie between 0 and 1", "eps", str(eps))
    m = k // 2
    parts = [(m + i) // (2 * d) for i in range(2 * d)]
    a, b = eps.numerator, eps.denominator
    near = b - a  # 1 - eps
    points: list[Site] = []
    for x in (0, b):  # the two centres
        points += [along(d, 0, x)] * (k - m)
    for centre, outward in ((0, -near), (b, b + near)):
        sizes = iter(parts[1:])
        points += [along(d, 0, outward)] * next(sizes)
        for axis in range(1, d):
            for side in (near, -near):
                decoy = (centre, *along(d, axis, side)[1:])
                points += [decoy] * next(sizes)
    inner, rest = parts[0], m - parts[0]
    pairs = (rest * rest - sum(x * x for x in parts[1:])) // 2
    # centre to decoys, centre to centre, decoys to decoys, decoys to other centre
    cost = (
        (k - m) * rest * near
        + (k - m) * inner * b
        + pairs * 2 * near
        + rest * inner * (b + near)
    )
    optimum = b * m * (k - m)
    if cost < optimum:
        raise InputError(
            f"must be smaller for d = {d}, k = {k}: decoys become optimal",
            "eps",
            str(eps),
        )
    return WorstCase(
        instance=free_points(
            f"median-decoys-d{d}-k{k}-eps{a}-{b}",
            points,
            k,
            f"median decoys: d = {d}, k = {k}, eps = {eps}, lengths in 1/{b}",
        ),
        method="mm",
        cost=cost,
        optimum=optimum,
        statement="mm tends to rho_k(d) as eps tends to 0",
        source="Bender et al. 2008, Theorem 1, extended to every k; derived",
    )
