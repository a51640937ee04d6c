"""Instances on which a heuristic is as bad as it can be, with what it pays there.

Each function returns the instance together with the cost that the named method
must reach on it, under every order of ties, and the optimum. Both are formulas;
the tests hold them against a naive run of the method and against enumeration.

Fractions are cleared, not rounded: where a construction has a parameter
eps = a/b, all coordinates are multiplied by b, so that files are exact whatever
eps is. Lengths and costs are then in units of 1/b.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice, product

from .errors import InputError
from .ksubset import KSubset
from .topology import MOST_PROCESSORS, Points, Site, Tree

_LARGEST_K = 2048
"""Where every pair is visited, or there are k² processors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """An instance, and how badly a method does on it.

    Parameters
    ----------
    instance
        The instance; costs below are in its units.
    method
        Name of the method in the registry.
    cost
        What the method pays, whichever of equally near processors it takes.
    optimum
        The least cost.
    statement
        What this shows, in one line.
    source
        Who found it.
    """

    instance: KSubset
    method: str
    cost: int
    optimum: int
    statement: str
    source: str

    @property
    def ratio(self) -> Fraction:
        """The method's cost over the optimum, exact."""
        return Fraction(self.cost, self.optimum)


def theorem1(d: int, k: int, eps: Fraction) -> WorstCase:
    """Lure ``mm`` into a cross-polytope of decoys (Theorem 1), in any dimension.

    Two clusters of k/2 points lie a unit apart and are optimal; 4d - 2 decoy
    clusters of k/(4d) points lie at distance 1 - eps around them. With k = 4dq
    and b the denominator of eps,

    - ``mm`` pays b q² (4d - 1)(2d - eps (2d - 1)),
    - the optimum is b k²/4,
    - the ratio (2 - 1/(2d)) (1 - eps (1 - 1/(2d))) does not depend on k.

    The closed forms are derived, see docs/theory.md.

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
    _at_least(d, 1, "d")
    if k < 4 * d or k % (4 * d):
        raise InputError(f"must be a multiple of 4d = {4 * d}", field="k", value=k)
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


def median_decoys(d: int, k: int, eps: Fraction) -> WorstCase:
    """Theorem 1's construction for every k: ``mm`` comes as near rho_k(d) as asked.

    Let m = ⌊k/2⌋ be split as evenly as possible into 2d parts x_1 ≤ … ≤ x_2d. Two
    centres of k - m points lie a unit apart; each has decoy clusters of x_2, …,
    x_2d points at distance 1 - eps on all sides but towards the other centre,
    which stands in for x_1. The optimum is m (k - m), and the cost of ``mm`` tends
    to rho_k(d) times that as eps tends to 0; derived, see docs/theory.md.

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
    _at_least(d, 1, "d")
    _at_least(k, 4, "k")
    _at_most(d * k, MOST_PROCESSORS, "d times k")
    if not 0 < eps < 1:
        raise InputError("must lie between 0 and 1", field="eps", value=str(eps))
    m = k // 2
    parts = [(m + i) // (2 * d) for i in range(2 * d)]
    a, b = eps.numerator, eps.denominator
    near = b - a  # 1 - eps
    points: list[Site] = []
    for x in (0, b):  # the two centres
        points += [_along(d, 0, x)] * (k - m)
    for centre, outward in ((0, -near), (b, b + near)):
        sizes = iter(parts[1:])
        points += [_along(d, 0, outward)] * next(sizes)
        for axis in range(1, d):
            for side in (near, -near):
                decoy = (centre, *_along(d, axis, side)[1:])
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
            field="eps",
            value=str(eps),
        )
    return WorstCase(
        instance=_points(
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


def mm_distinct(L: int) -> WorstCase:
    """Build distinct points in the plane, k = 8, that cost ``mm`` 28L - 47.

    Two 2x2 squares lie L apart and are optimal, 16L + 24; six single decoys lie
    at distance L - 3 around them. L = 555 gives 1.74000; the limit is 7/4.
    Derived, see docs/theory.md.

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
    _at_least(L, 6, "L")
    far = L - 3
    squares = [(x, y) for x in (0, 1, L, L + 1) for y in (0, 1)]
    decoys = [(-far, 0), (L + 1 + far, 0)]
    decoys += [(x, y) for x in (0, L + 1) for y in (far, -far)]
    return WorstCase(
        instance=_points(
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


def mc1x1_family(k: int, r: int, d: int = 2) -> WorstCase:
    """Show that (2 - 2/k) d is tight for ``mc1x1``: it tends there as r grows.

    k - 1 packed points and one at s(1, …, 1) form one group; k/2 packed points and
    as many r further along the first axis form another, far away. Counted in
    shells, the first group is nearer by one, since a shell costs the same in its
    corner as on its axis; counted in hops it costs about d times as much. s is the
    largest number for which that holds. The optimum is the second group: a set
    with points of both costs more than either. Derived, see docs/theory.md.

    Parameters
    ----------
    k
        Processors to choose; even.
    r
        Distance of the two halves; large against k^(1 + 1/d).
    d
        Dimension, at least 1.

    Raises
    ------
    InputError
        For other k or d, or an r too small for the second group to be cheaper.

    Examples
    --------
    >>> case = mc1x1_family(8, 50)
    >>> case.cost, case.optimum
    (2752, 824)
    """
    _at_least(d, 1, "d")
    _at_least(r, 1, "r")
    if k < 2 or k % 2:
        raise InputError("must be even and at least 2", field="k", value=k)
    _at_most(k * d, _LARGEST_K, "k times d")
    half = _packed(k // 2, d)
    pair = half + [_moved(p, r) for p in half]
    block = _packed(k - 1, d)
    s = _shells(pair, pair) - _shells(block, [(0,) * d]) - 1
    group = [*block, (s,) * d]
    cost, optimum = _pair_sum(group), _pair_sum(pair)
    if s <= max(map(max, block)) or optimum >= cost:
        raise InputError(f"is too small for k = {k}", field="r", value=r)
    far = 10 * (s + r)
    return WorstCase(
        instance=_points(
            f"mc1x1-worst-d{d}-k{k}-r{r}",
            group + [_moved(p, far) for p in pair],
            k,
            f"worst case of mc1x1: k = {k}, r = {r}, d = {d}",
        ),
        method="mc1x1",
        cost=cost,
        optimum=optimum,
        statement=f"mc1x1 tends to (2 - 2/k)d = {(2 - Fraction(2, k)) * d} as r grows",
        source="derived",
    )


def genalg(L: int = 100) -> WorstCase:
    """Show that 4/3 is tight for ``mm-free`` (GenAlg) at k = 3: 8L - 4 against 6L.

    Three points lie 2L apart around an empty centre; each has two decoys at
    distance 2L - 1, on opposite sides of it along the third axis. Derived, see
    docs/theory.md.

    Parameters
    ----------
    L
        Distance of the optimal points from their centre, at least 3.

    Raises
    ------
    InputError
        When L is smaller.

    Examples
    --------
    >>> genalg(1000).ratio
    Fraction(1999, 1500)
    """
    _at_least(L, 3, "L")
    points = [
        (x, y, z)
        for x, y in ((L, 0), (0, L), (-L, 0))
        for z in (0, 2 * L - 1, 1 - 2 * L)
    ]
    return WorstCase(
        instance=_points(f"genalg-L{L}", points, 3, f"worst case of GenAlg: L = {L}"),
        method="mm-free",
        cost=8 * L - 4,
        optimum=6 * L,
        statement="mm-free tends to 4/3 at k = 3",
        source="derived; the bound is Krumke et al. 1997",
    )


def genalg_tree(k: int, L: int = 100) -> WorstCase:
    """Show that 2 - 2/k is tight for ``mm-free`` on trees, for every k.

    k optimal leaves hang L below a root that is no processor; below each hang
    k - 1 decoys, 2L - 1 away from it and twice that from one another. ``mm-free``
    pays (k - 1)² (2L - 1), the optimum is k (k - 1) L. Derived, see docs/theory.md.

    Parameters
    ----------
    k
        Processors to choose, at least 3.
    L
        Hops between the root and the optimal processors, at least k.

    Raises
    ------
    InputError
        When k or L is smaller.

    Examples
    --------
    >>> genalg_tree(4, 1000).ratio
    Fraction(5997, 4000)
    """
    _at_least(k, 3, "k")
    _at_most(k, _LARGEST_K, "k")
    _at_least(L, k, "L")
    centres = range(1, k + 1)
    parent = [-1] + [0] * k + [v for v in centres for _ in range(k - 1)]
    weight = [0] + [L] * k + [2 * L - 1] * (k * (k - 1))
    tree = Tree(tuple(parent), tuple(weight), tuple(range(1, len(parent))))
    return WorstCase(
        instance=KSubset(
            f"genalg-tree-k{k}-L{L}",
            tree,
            tuple(tree.locations()),
            k,
            source=f"worst case of GenAlg on a tree: k = {k}, L = {L}",
        ),
        method="mm-free",
        cost=(k - 1) ** 2 * (2 * L - 1),
        optimum=k * (k - 1) * L,
        statement=f"mm-free tends to 2 - 2/k = {2 - Fraction(2, k)} as L grows",
        source="derived; the bound is Krumke et al. 1997",
    )


def _at_least(value: int, least: int, field: str) -> None:
    if value < least:
        raise InputError(f"must be at least {least}", field=field, value=value)


def _at_most(value: int, most: int, field: str) -> None:
    if value > most:
        raise InputError(f"must be at most {most}", field=field, value=value)


def _whole(value: Fraction) -> int:
    assert value.denominator == 1, value
    return value.numerator


def _along(d: int, axis: int, x: int) -> Site:
    return tuple(x if i == axis else 0 for i in range(d))


def _moved(point: Site, by: int) -> Site:
    """Shift along the first axis."""
    return (point[0] + by, *point[1:])


def _points(name: str, points: Iterable[Site], k: int, source: str) -> KSubset:
    everything = tuple(points)
    return KSubset(name, Points(everything), everything, k, source=source)


def _packed(m: int, d: int) -> list[Site]:
    """Fill the smallest cube that holds m points, centred on the origin."""
    side = next(side for side in range(1, m + 1) if side**d >= m)
    steps = [(i + 1) // 2 * (-1) ** (i + 1) for i in range(side)]  # 0, 1, -1, 2, …
    return list(islice(product(steps, repeat=d), m))


def _shells(points: list[Site], centres: list[Site]) -> int:
    """Return the least sum of L-infinity distances from one of the centres."""
    return min(
        sum(max(abs(a - b) for a, b in zip(p, c, strict=True)) for p in points)
        for c in centres
    )


def _pair_sum(points: list[Site]) -> int:
    distance = Points.distance
    space = Points(tuple(points))
    return sum(distance(space, p, q) for p, q in combinations(points, 2))
