"""Helpers for worst cases: placing points in space, and sums of distances."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, islice, product

from ...topologies import Points, Site
from ..instance import KSubset


def free_points(name: str, points: Iterable[Site], k: int, source: str) -> KSubset:
    """Return an instance of points in space, all free."""
    everything = tuple(points)
    return KSubset(name, Points(everything), everything, k, source=source)


def along(d: int, axis: int, x: int) -> Site:
    """Return the point x from the origin along an axis."""
    return tuple(x if i == axis else 0 for i in range(d))


def moved(point: Site, by: int) -> Site:
    """Return a point shifted along the first axis."""
    return (point[0] + by, *point[1:])


def packed(m: int, d: int) -> list[Site]:
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
