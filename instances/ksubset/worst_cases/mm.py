"""Worst cases of ``mm``: decoys that it takes for a cluster, after Bender et al. 2008.

Theorem 1 of the paper, the same for every k, and variants with distinct points.
"""

from __future__ import annotations

from fractions import Fraction

from ...errors import InputError
from ...reading.numbers import at_least, at_most
from ...topologies import MOST_PROCESSORS, Site
from ..instance import KSubset
from .case import LARGEST_K, WorstCase, along, free_points, pair_sum


def median_decoys(d: int, k: int, eps: Fraction) -> WorstCase:
    """Theorem 1's construction for every k: ``mm`` comes as near rho_k(d) as asked.

    Let m = ⌊k/2⌋ be split as evenly as possible into 2d parts x_1 ≤ … ≤ x_2d. Two
    centres of k - m points lie a unit apart; each has decoy clusters of x_2, …,
    x_2d points at distance 1 - eps on all sides but towards the other centre,
    which stands in for x_1. The optimum is m (k - m), and the cost of ``mm`` tends
    to rho_k(d) times that as eps tends to 0; derived, see docs/science/theory.md.

    Parameters
    ----------
    d
        Dimension, at least 1.
    k
        Processors to choose, at least 4; below that ``mm`` is exact.
    eps
        As for `theorem1`.

    Raises
    ------
    InputError
        For any other d, k or eps.

    Examples
    --------
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


def theorem1(d: int, k: int, eps: Fraction) -> WorstCase:
    """Lure ``mm`` into a cross-polytope of decoys (Theorem 1), in any dimension.

    Two clusters of k/2 points lie a unit apart and are optimal; 4d - 2 decoy
    clusters of k/(4d) points lie at distance 1 - eps around them. With k = 4dq
    and b the denominator of eps,

    - ``mm`` pays b q² (4d - 1)(2d - eps (2d - 1)),
    - the optimum is b k²/4,
    - the ratio (2 - 1/(2d)) (1 - eps (1 - 1/(2d))) does not depend on k.

    The closed forms are derived, see docs/science/theory.md.

    Parameters
    ----------
    d
        Dimension, at least 1.
    k
        Processors to choose; a multiple of 4d.
    eps
        How much nearer than the other centre the decoys lie, 0 < eps < 1; not so
        large that a cross-polytope becomes optimal (up to 1/2 it never is).

    Raises
    ------
    InputError
        For any other d, k or eps.

    Examples
    --------
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


def mm_distinct(L: int) -> WorstCase:
    """Build distinct points in the plane, k = 8, that cost ``mm`` 28L - 47.

    Two 2x2 squares lie L apart and are optimal, 16L + 24; six single decoys lie
    at distance L - 3 around them. L = 555 gives 1.74000; the limit is 7/4.
    Derived, see docs/science/theory.md.

    Parameters
    ----------
    L
        Distance of the squares, at least 6: nearer, the squares are not optimal.

    Raises
    ------
    InputError
        When L is smaller.

    Examples
    --------
    >>> case = mm_distinct(20)
    >>> case.cost, case.optimum
    (513, 344)
    """
    at_least(L, 6, "L")
    far = L - 3
    squares = [(x, y) for x in (0, 1, L, L + 1) for y in (0, 1)]
    decoys = [(-far, 0), (L + 1 + far, 0)]
    decoys += [(x, y) for x in (0, L + 1) for y in (far, -far)]
    return WorstCase(
        instance=free_points(
            f"mm-distinct-L{L}",
            squares + decoys,
            8,
            f"distinct points for mm: L = {L}",
        ),
        method="mm",
        cost=28 * L - 47,
        optimum=16 * L + 24,
        statement="mm pays 28L - 47 where 16L + 24 is enough, without repeated points",
        source="derived",
    )


_LEAST_GAP = 16
"""Gap in units of q from which the two blocks are known to be the optimum."""


def mm_blocks(k: int, L: int) -> WorstCase:
    """Build distinct points in the plane that cost ``mm`` up to 7/4, k any 8q.

    Theorem 1's construction with rows of points in the place of coinciding ones. Two
    blocks, rows of 4q points, lie a gap of L apart and are optimal. Decoys, q points
    each, lie at a distance of D = L - 4q behind each block and above and below its
    inner end. From every centre in a block the k nearest are this block, its three
    decoys and the q nearest points of the other block, in that order and without a tie
    at the end: the farthest of them is 1 nearer than the next. Other centres do no
    better. Derived, see docs/science/theory.md.

    Parameters
    ----------
    k
        Processors to choose; a multiple of 8.
    L
        Gap between the blocks, at least 16q = 2k; the ratio tends to 7/4 as L/k grows.

    Raises
    ------
    InputError
        For any other k or L.

    Examples
    --------
    >>> mm_blocks(16, 40).ratio
    Fraction(1065, 794)
    """
    if k < 8 or k % 8:
        raise InputError("must be a multiple of 8", "k", k)
    at_most(k, LARGEST_K, "k")
    q = k // 8
    at_least(L, _LEAST_GAP * q, "L")
    far = L - 4 * q
    block: list[Site] = [(-i, 0) for i in range(4 * q)]
    decoys: list[Site] = [(1 - 4 * q - far - i, 0) for i in range(q)]
    decoys += [(0, sign * (far + i)) for sign in (-1, 1) for i in range(q)]

    def mirror(points: list[Site]) -> list[Site]:
        return [(L - x, y) for x, y in points]

    cost = pair_sum(block + decoys + mirror(block[:q]))
    optimum = pair_sum(block + mirror(block))
    return WorstCase(
        instance=free_points(
            f"mm-blocks-k{k}-L{L}",
            block + decoys + mirror(block + decoys),
            k,
            f"distinct points for mm: k = {k}, L = {L}",
        ),
        method="mm",
        cost=cost,
        optimum=optimum,
        statement=f"mm tends to 7/4 as L grows; here {Fraction(cost, optimum)}",
        source="derived from Bender et al. 2008, Theorem 1",
    )
