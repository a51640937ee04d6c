"""The type of a worst case, and helpers to place points and to sum distances."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice, product

from ...topologies import Points, Site
from ..instance import KSubset

_ORIGINS = (
    *("theorem1:", "median decoys:", "distinct points for mm:"),
    "worst case of ",
)
"""How the sources of these instances begin."""
LARGEST_K = 2048
"""Where every pair is visited, or there are k² processors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """An instance, the cost of a method on it, and the optimum."""

    instance: KSubset
    """The instance; costs below are in its units."""
    method: str
    """Name of the method."""
    cost: int
    """Cost of the method's solution, for any tie-breaking."""
    optimum: int
    """The least cost."""
    statement: str
    """What the instance shows, in one line."""
    source: str
    """Publication, or "derived"."""

    @property
    def ratio(self) -> Fraction:
        """The method's cost over the optimum, exact."""
        return Fraction(self.cost, self.optimum)


def is_built(source: str) -> bool:
    """Whether an instance was built against a method, by its source.

    >>> is_built("worst case of mc1x1: k = 4, r = 50, d = 2"), is_built("full mesh")
    (True, False)
    """
    return source.startswith(_ORIGINS)


def free_points(name: str, points: Iterable[Site], k: int, source: str) -> KSubset:
    """Return an instance of points in space, all free."""
    everything = tuple(points)
    return KSubset(name, Points(everything), everything, k, source=source)


def along(d: int, axis: int, x: int) -> Site:
    """Return the point x from the origin along an axis."""
    return tuple(x if i == axis else 0 for i in range(d))


def shift(point: Site, by: int) -> Site:
    """Return a point shifted along the first axis."""
    return (point[0] + by, *point[1:])


def packed_cube(m: int, d: int) -> list[Site]:
    """Fill the smallest cube that holds m points, centred on the origin."""
    side = next(side for side in range(1, m + 1) if side**d >= m)
    steps = [(i + 1) // 2 * (-1) ** (i + 1) for i in range(side)]  # 0, 1, -1, 2, …
    return list(islice(product(steps, repeat=d), m))


def shells(points: list[Site], centres: list[Site]) -> int:
    """Return the least sum of L-infinity distances from one of the centres."""
    return min(
        sum(max(abs(a - b) for a, b in zip(p, c, strict=True)) for p in points)
        for c in centres
    )


def pair_sum(points: list[Site]) -> int:
    """Return the sum of all pairwise distances, in hops."""
    distance = Points.distance
    space = Points(tuple(points))
    return sum(distance(space, p, q) for p, q in combinations(points, 2))
