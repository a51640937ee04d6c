"""Optimal towns: the cheapest k distinct points of the infinite grid.

With pos = 0, 1, -1, 2, -2, …, some cheapest set is {(pos(i), pos(j))} over the
cells (i, j) of a Young diagram, so it is enough to search partitions of k; in
space, plane partitions. Proof in docs/science/theory.md. A town costs no more than any
k distinct points of a mesh of that dimension, regardless of busy processors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import cache, lru_cache
from itertools import accumulate, count
from operator import le
from typing import TypeVar

import numpy as np

from ....instances import Site
from ....solvers.running.kernels import interpreted
from .diagrams import partition_cost, pos
from .towns_kernels import search_plane, search_space

Layer = tuple[int, ...]
"""A Young diagram, by its columns; in space each layer contains the next."""
Shape = TypeVar("Shape", Layer, tuple[Layer, ...])

TOWN_SEARCH = {2: 200, 3: 48}
"""Largest k, by dimension, for which `town_bound_value` searches."""

_PLAIN = 40
_PLAIN_IN_SPACE = 12
"""Largest k for which the search is not worth compiling."""

_known: list[tuple[int, Layer]] = [(0, ()), (0, (1,))]
_known_in_space: list[tuple[int, tuple[Layer, ...]]] = [(0, ()), (0, ((1,),))]
"""Cost and shape of the optimal towns found so far, by k."""


def town(k: int) -> int:
    """Return w(k), the least pair sum of k distinct points of the plane grid.

    Time: the whole table up to k takes 0.1 s for k = 40, 0.2 s for k = 100, 2 s for
    k = 200, 30 s for k = 280. Source: docs/science/theory.md; Demaine et al. 2011
    publish the values up to k = 80.

    Raises
    ------
    ValueError
        If k is negative.

    >>> [town(k) for k in range(1, 11)]
    [0, 1, 4, 8, 16, 25, 38, 54, 72, 96]
    """
    return _town(k)[0]


def town_sites(k: int) -> tuple[Site, ...]:
    """Return the points of an optimal town, shifted to coordinates from 0.

    >>> town_sites(4)
    ((0, 0), (0, 1), (1, 0), (1, 1))
    """
    return _from_zero(
        [(pos(i), pos(j)) for i, a in enumerate(_town(k)[1]) for j in range(a)]
    )


def town_in_space(k: int) -> int:
    """Return the least pair sum of k distinct points of the grid in space.

    Time: the whole table takes 0.1 s up to k = 12, 0.6 s up to k = 40, 2 s up to
    k = 48, 16 s up to k = 60. Source: docs/science/theory.md.

    Raises
    ------
    ValueError
        If k is negative.

    >>> [town_in_space(k) for k in range(1, 9)]
    [0, 1, 4, 8, 16, 25, 36, 48]
    """
    return _entry(_known_in_space, _search_in_space, k)[0]


def town_sites_in_space(k: int) -> tuple[Site, ...]:
    """Return the points of an optimal town, shifted to coordinates from 0.

    >>> town_sites_in_space(4)
    ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1))
    """
    return _from_zero(_sites(_entry(_known_in_space, _search_in_space, k)[1]))


def _from_zero(cells: Iterable[Site]) -> tuple[Site, ...]:
    """Sort points, shifted to coordinates from 0."""
    axes = [[x - min(axis) for x in axis] for axis in zip(*cells, strict=True)]
    return tuple(sorted(zip(*axes, strict=True)))


def town_bound_value(k: int, d: int) -> int | None:
    """Return a lower bound on the pair sum of k distinct grid points in d dimensions.

    Exact in one dimension, up to k = 200 in two and k = 48 in three; beyond by
    w(n) ≥ ⌈n w(n-1) / (n-2)⌉, the mean over all subsets of n - 1 points. None in more
    dimensions.

    >>> town_bound_value(4, 1), town_bound_value(12, 2), town_bound_value(8, 3)
    (10, 152, 48)
    """
    if d == 1:
        return (k**3 - k) // 6
    if d not in TOWN_SEARCH:
        return None
    return _extend(k, d)


@lru_cache(maxsize=1024)
def _extend(k: int, d: int) -> int:
    m = min(k, TOWN_SEARCH[d])
    value = town(m) if d == 2 else town_in_space(m)
    for n in range(m + 1, k + 1):
        value = -(-n * value // (n - 2))
    return value


def _entry(
    known: list[tuple[int, Shape]], search: Callable[[int], tuple[int, Shape]], k: int
) -> tuple[int, Shape]:
    """Return an entry of a table, which is completed up to it."""
    if k < 0:
        raise ValueError(f"A town has at least 0 points, not {k}.")
    while len(known) <= k:
        known.append(search(len(known)))
    return known[k]


def _town(k: int) -> tuple[int, Layer]:
    return _entry(
        _known, lambda n: _search(n) if n <= _PLAIN else _compiled_search(n), k
    )


def _compiled_search(k: int) -> tuple[int, Layer]:
    """Run `_search` in machine code, faster by two orders of magnitude."""
    best, first = _likely(k)
    shape = np.zeros(k + 1, dtype=np.int64)
    shape[: len(first)] = first
    known = np.array([cost for cost, _ in _known], dtype=np.int64)
    best, _ = search_plane(k, known, best, shape, np.array(_longest(k, first[0])))
    return int(best), tuple(int(a) for a in shape if a)


def _likely(k: int) -> tuple[int, tuple[int, ...]]:
    """Return the cheapest extension of the previous town by one cell."""
    return min((partition_cost(grown), grown) for grown in _grown(_known[k - 1][1]))


def _longest(k: int, near: int) -> list[int]:
    """List possible lengths of the longest column, the likeliest first."""
    least = next(a for a in count(1) if a * a >= k)
    return sorted(range(least, k + 1), key=lambda a: abs(a - near))


def _search(k: int) -> tuple[int, tuple[int, ...]]:
    """Find an optimal town of k points, given all smaller ones.

    Columns are placed from the middle outwards. The r points still to come, besides
    the s placed, cost at least: the r least distances to the s; w(r) among
    themselves, if the gap of the placed columns is closed; and for reopening it, its
    width times the pairs across it, which are fewest when the two sides are as unequal
    as one column allows. The longest column is at least as long as the longest row, by
    symmetry.
    """
    best, shape = _likely(k)
    columns: list[int] = []

    def lay(paid: int, laid: int, field: list[int]) -> None:
        nonlocal best, shape
        left = k - laid
        if not left:
            if paid < best:
                best, shape = paid, tuple(columns)
            return
        width, last = len(columns), columns[-1]
        further = columns[0] - width
        if left > further * last:
            return
        near, next_near = _way(columns, pos(width)), _way(columns, pos(width + 1))
        places: list[int] = []
        x, next_x = near, next_near
        for _ in range(further):
            places += [x + y for y in field[:last]]
            x, next_x = next_x, x + laid
        places.sort()
        uneven = min(last, left)
        uneven -= (left - uneven) % 2
        across = (left + uneven) // 2 * ((left - uneven) // 2)
        if paid + sum(places[:left]) + _known[left][0] + width * across >= best:
            return
        least = -(-left // further)
        sums = list(accumulate(field[:last], initial=0))
        for a in range(min(last, left), least - 1, -1):
            column = _column(a)
            columns.append(a)
            lay(
                paid + a * near + sums[a] + sum(column) // 2,
                laid + a,
                [y + own for y, own in zip(field, column, strict=False)],
            )
            columns.pop()

    for a in _longest(k, shape[0]):
        columns[:] = [a]
        lay(sum(_column(a)) // 2, a, list(_column(a)))
    return best, shape


def _grown(partition: tuple[int, ...]) -> list[tuple[int, ...]]:
    """List the partitions with one cell more."""
    parts = (*partition, 0)
    return [
        tuple(a for a in (*parts[:i], parts[i] + 1, *parts[i + 1 :]) if a)
        for i in range(len(parts))
        if i == 0 or parts[i] < parts[i - 1]
    ]


def _way(columns: list[int], x: int) -> int:
    """Return the sum of the horizontal distances from x to all points."""
    return sum(a * abs(x - pos(i)) for i, a in enumerate(columns))


@cache
def _column(a: int) -> tuple[int, ...]:
    """Return the distance sums from each of pos(0), …, pos(a-1) to all of them."""
    return tuple(sum(abs(pos(i) - pos(j)) for j in range(a)) for i in range(a))


def _search_in_space(k: int) -> tuple[int, tuple[Layer, ...]]:
    """Find an optimal town in space, given all smaller ones."""
    best, first = min(
        (_cost(grown), grown) for grown in _grown_in_space(_known_in_space[k - 1][1])
    )
    shape = np.zeros((k + 2, k + 2), dtype=np.int64)
    for h, layer in enumerate(first):
        shape[h, : len(layer)] = layer
    known = np.array([cost for cost, _ in _known_in_space], dtype=np.int64)
    with interpreted() if k <= _PLAIN_IN_SPACE else nullcontext():
        best, _ = search_space(k, known, best, shape)
    layers = (tuple(int(a) for a in layer if a) for layer in shape)
    return int(best), tuple(layer for layer in layers if layer)


def _grown_in_space(layers: tuple[Layer, ...]) -> Iterator[tuple[Layer, ...]]:
    """Yield the plane partitions with one cell more."""
    for h, layer in enumerate((*layers, ())):
        for grown in _grown(layer):
            inside = layers[h - 1] if h else grown
            if len(grown) <= len(inside) and all(map(le, grown, inside)):
                yield (*layers[:h], grown, *layers[h + 1 :])


def _sites(layers: tuple[Layer, ...]) -> list[Site]:
    return [
        (pos(h), pos(i), pos(j))
        for h, layer in enumerate(layers)
        for i, a in enumerate(layer)
        for j in range(a)
    ]


def _cost(layers: tuple[Layer, ...]) -> int:
    """Return the pair sum of the points of a town, axis by axis."""
    total = 0
    for axis in zip(*_sites(layers), strict=True):
        ordered = sorted(axis)
        total += sum((2 * r - len(ordered) + 1) * x for r, x in enumerate(ordered))
    return total
