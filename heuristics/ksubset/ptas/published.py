"""The PTAS as published: every subdivision of the axes, every table of cell counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np

from ....instances import IntArray, KSubset, Mesh, arrays
from ....solvers import Result, Settings, answer
from ....solvers.running import clock
from ....solvers.running.limits import limits
from ....solvers.running.method import Variant
from ..strips import even_sizes, slopes

STRIPS = {"ptas-published": 3, "ptas-published/5": 5}
"""Number of strips per axis, by the name of the method."""
MOST_CASES = 50_000
"""Largest number of cases, subdivisions times tables, that are enumerated."""

_COUNTED = {1: 2**20, 2: 6, 3: 2}
"""Points per strip, by dimension, up to which tables are counted."""

Cell = tuple[int, ...]
Table = dict[Cell, int]
"""Number of points in each cell; empty cells are left out."""


def cases(n: int, sizes: tuple[int, ...], d: int) -> int:
    """Count the cases of the enumeration: subdivisions times tables.

    On each axis the n free processors, in their order, are cut into strips that hold at
    least as many as are chosen there; in every table of cell counts the sums of the
    strips are the sizes.

    >>> cases(12, (2, 2, 2), 2), cases(12, (1, 1, 1, 1, 1), 2)
    (16464, 13068000)
    """
    return _subdivisions(n, sizes, d) * tables(sizes, d)


def _subdivisions(n: int, sizes: tuple[int, ...], d: int) -> int:
    return int(comb(n - sum(sizes) + len(sizes) - 1, len(sizes) - 1) ** d)


@cache
def tables(sizes: tuple[int, ...], d: int) -> int:
    """Count the tables of d axes whose strips add up to their sizes.

    >>> tables((1, 1, 1), 2), tables((2, 2, 2), 2), tables((1, 1), 3)
    (6, 21, 4)
    """
    if d == 1:
        return 1
    m = len(sizes)

    @cache
    def left(cell: int, sums: tuple[tuple[int, ...], ...]) -> int:
        if cell == m**d:
            return 1
        at = _place(cell, m, d)
        most = min(axis[i] for axis, i in zip(sums, at, strict=True))
        # the first axis changes slowest: a strip must be full at its last cell
        last = not any(i < m - 1 for i in at[1:])
        least = sums[0][at[0]] if last else 0
        return sum(
            left(cell + 1, alike(cell + 1, _without(sums, at, count)))
            for count in range(least, most + 1)
        )

    def alike(cell: int, sums: tuple[tuple[int, ...], ...]) -> tuple[Cell, ...]:
        """Put strips in order whose cells are all still to come, or all filled."""
        return tuple(
            tuple(sorted(axis)) if a and not cell % m ** (d - a) else axis
            for a, axis in enumerate(sums)
        )

    return left(0, (sizes,) * d)


def refusal(m: int, instance: KSubset) -> str | None:
    """Return why an instance cannot be solved with m strips; None if it can."""
    if not instance.topology.is_flat:
        return "needs a mesh or points"
    d = instance.topology.dimension
    if d > 3:
        return "needs at most three axes"
    counted = min(instance.k, _COUNTED[d] * m)
    shape = instance.n - instance.k + counted, even_sizes(counted, m), d
    least = _subdivisions(*shape)  # to count tables takes seconds
    if least > MOST_CASES or (counted < instance.k):
        return f"would go through more than {least} cases; at most {MOST_CASES}"
    if (count := cases(*shape)) > MOST_CASES:
        return f"would go through {count} cases; at most {MOST_CASES}"
    return None


def guarantee(m: int, instance: KSubset) -> Fraction | None:
    """Return 1/(1 - 1/(m - 2) - 2/(m - 1)) for m from 5 on, where m divides k.

    >>> from closeknit.instances import mesh
    >>> guarantee(5, mesh(3, 3, k=5)), guarantee(4, mesh(3, 3, k=4))
    (Fraction(6, 1), None)
    """
    if m < 5 or instance.k % m:
        return None
    return 1 / (1 - Fraction(1, m - 2) - Fraction(2, m - 1))


def method(m: int) -> Variant[KSubset]:
    """Return the method that cuts each axis into m strips."""
    promise = "none; a factor is proven from five strips on."
    if m >= 5:
        promise = (
            f"{guarantee(m, _divisible(m))} where {m} divides k: 1/(1 - 1/(m - 2) - "
            "2/(m - 1))."
        )
    doc = f"""Cut each axis into {m} strips in all ways, with all counts of cells.

    Processors are treated as if no two shared a coordinate: ties are broken by index.
    Each strip holds k/{m} chosen points; if {m} does not divide k, the first ones hold
    one more. For every subdivision and every feasible table of cell counts, each cell
    contributes the points least in the direction of its gradient; the cheapest choice
    is returned. Refused if the cases, counted beforehand, are too many.

    Guarantee: {promise}
    Time: O(n^({m - 1} d)) subdivisions times the tables, k^({m}^d) of them at most.
    Ties: the first subdivision and table.
    Source: Bender et al. 2008, section 4, Theorems 4 and 5.
    """
    return Variant(run, (m,), doc)


def _divisible(m: int) -> KSubset:
    sites = tuple((i,) for i in range(m))
    return KSubset("divisible", Mesh((m,)), sites, m)


def run(m: int, instance: KSubset, settings: Settings) -> Result:
    """Enumerate all cases of m strips."""
    start = clock.now()
    sizes = even_sizes(instance.k, m)
    slope = slopes(sizes)
    points = arrays.points(instance)
    # in the order of an axis, ties by index, as a small shift would have it
    rank = np.argsort(np.argsort(points, axis=0, kind="stable"), axis=0)
    # the pair sum of k points, axis by axis in their order
    weight = np.array(slopes((1,) * instance.k), dtype=np.int64)[:, None]
    best, chosen = 2**62, tuple(range(instance.k))
    seen = 0
    ended = None
    with limits(start + settings.time_limit, settings.node_limit) as watch:
        for cuts in product(_cuts(instance.n, sizes), repeat=points.shape[1]):
            if ended := watch.reached(seen):
                break
            cells = _cells(points, rank, cuts, slope)
            for table in _tables(sizes, points.shape[1], cells):
                seen += 1
                pick = [i for cell, count in table.items() for i in cells[cell][:count]]
                paid = int((np.sort(points[pick], axis=0) * weight).sum())
                if paid < best:
                    best, chosen = paid, tuple(pick)
    return answer(instance, chosen, start=start, limit=ended)


def _cuts(n: int, sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ends of strips, by rank, that leave each at least its size."""

    def extend(ends: tuple[int, ...], strip: int) -> Iterator[tuple[int, ...]]:
        if strip == len(sizes) - 1:
            yield ends
            return
        least = (ends[-1] if ends else 0) + sizes[strip]
        for end in range(least, n - sum(sizes[strip + 1 :]) + 1):
            yield from extend((*ends, end), strip + 1)

    return extend((), 0)


def _cells(
    points: IntArray,
    rank: IntArray,
    cuts: Sequence[Sequence[int]],
    slope: Sequence[int],
) -> dict[Cell, list[int]]:
    """Sort the points of every cell by their product with its gradient."""
    strips = np.column_stack(
        [
            np.searchsorted(np.array(ends, dtype=np.int64), rank[:, axis], side="right")
            for axis, ends in enumerate(cuts)
        ]
    )
    cost = (np.array(slope, dtype=np.int64)[strips] * points).sum(axis=1)
    cells: dict[Cell, list[int]] = {}
    for i in np.argsort(cost, kind="stable").tolist():
        cells.setdefault(tuple(strips[i].tolist()), []).append(i)
    return cells


def _tables(
    sizes: tuple[int, ...], d: int, cells: dict[Cell, list[int]]
) -> Iterator[Table]:
    """Yield the tables whose strips add up and whose cells have enough points."""
    m = len(sizes)

    def extend(cell: int, sums: tuple[tuple[int, ...], ...]) -> Iterator[Table]:
        if cell == m**d:
            yield {}
            return
        at = _place(cell, m, d)
        most = min(axis[i] for axis, i in zip(sums, at, strict=True))
        last = not any(i < m - 1 for i in at[1:])
        least = sums[0][at[0]] if last else 0
        for count in range(least, min(most, len(cells.get(at, ()))) + 1):
            for table in extend(cell + 1, _without(sums, at, count)):
                if count:
                    table[at] = count
                yield table

    return extend(0, (sizes,) * d)


def _place(cell: int, m: int, d: int) -> Cell:
    """Return the strips of a cell by its number, the last axis changing fastest."""
    return tuple(cell // m ** (d - 1 - axis) % m for axis in range(d))


def _without(
    sums: tuple[tuple[int, ...], ...], at: Cell, count: int
) -> tuple[tuple[int, ...], ...]:
    return tuple(
        (*axis[:i], axis[i] - count, *axis[i + 1 :])
        for axis, i in zip(sums, at, strict=True)
    )
