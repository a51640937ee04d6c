"""Optimal towns in space: the cheapest k distinct points of the 3-D grid.

As in the plane (see ``towns``), with plane partitions: some cheapest set is
{(pos(h), pos(i), pos(j))} over the cells of one. Proof in docs/theory.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np

from .diagrams import partition_cost, pos

Layer = tuple[int, ...]
"""A Young diagram, by its columns; each layer contains the next."""

Cell = tuple[int, int]

_PLAIN = 12
"""Largest k for which the search is not worth compiling."""

_known: list[tuple[int, tuple[Layer, ...]]] = [(0, ()), (0, ((1,),))]
"""Cost and shape of the optimal towns found so far, by k."""


def town_in_space(k: int) -> int:
    """Return the least pair sum of k distinct points of the grid in space.

    Time: the whole table takes 0.1 s up to k = 12, 0.6 s up to k = 40, 2 s up to
    k = 48, 16 s up to k = 60. Source: docs/theory.md.

    Raises
    ------
    ValueError
        If k is negative.

    >>> [town_in_space(k) for k in range(1, 9)]
    [0, 1, 4, 8, 16, 25, 36, 48]
    """
    return _town(k)[0]


def town_sites_in_space(k: int) -> tuple[tuple[int, int, int], ...]:
    """Return the points of an optimal town, shifted to coordinates from 0.

    >>> town_sites_in_space(4)
    ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1))
    """
    cells = _sites(_town(k)[1])
    low = [min((cell[axis] for cell in cells), default=0) for axis in range(3)]
    return tuple(sorted((x - low[0], y - low[1], z - low[2]) for x, y, z in cells))


def _sites(layers: tuple[Layer, ...]) -> list[tuple[int, int, int]]:
    return [
        (pos(h), pos(i), pos(j))
        for h, layer in enumerate(layers)
        for i, j in _cells(layer)
    ]


def _town(k: int) -> tuple[int, tuple[Layer, ...]]:
    if k < 0:
        raise ValueError(f"A town has at least 0 points, not {k}.")
    while len(_known) <= k:
        n = len(_known)
        _known.append(_search(n) if n <= _PLAIN else _compiled_search(n))
    return _known[k]


def _compiled_search(k: int) -> tuple[int, tuple[Layer, ...]]:
    """Run `_search` in machine code, faster by two orders of magnitude."""
    from .towns_kernels import search_space

    best, first = _likely(k)
    shape = np.zeros((k + 2, k + 2), dtype=np.int64)
    for h, layer in enumerate(first):
        shape[h, : len(layer)] = layer
    known = np.array([cost for cost, _ in _known], dtype=np.int64)
    best, _ = search_space(k, known, best, shape)
    layers = (tuple(int(a) for a in layer if a) for layer in shape)
    return int(best), tuple(layer for layer in layers if layer)


def _likely(k: int) -> tuple[int, tuple[Layer, ...]]:
    """Return the cheapest extension of the previous town by one cell."""
    return min((_cost(grown), grown) for grown in _grown(_known[k - 1][1]))


def _grown(layers: tuple[Layer, ...]) -> Iterator[tuple[Layer, ...]]:
    """Yield the plane partitions with one cell more."""
    for h in range(len(layers) + 1):
        layer = layers[h] if h < len(layers) else ()
        for i in range(len(layer) + 1):
            a = (layer[i] if i < len(layer) else 0) + 1
            outer = layers[h - 1] if h else None
            if i and layer[i - 1] < a:
                continue
            if outer is not None and (i >= len(outer) or outer[i] < a):
                continue
            yield (*layers[:h], (*layer[:i], a, *layer[i + 1 :]), *layers[h + 1 :])


def _cost(layers: tuple[Layer, ...]) -> int:
    """Return the pair sum of the points of a town, axis by axis."""
    total = 0
    for axis in zip(*_sites(layers), strict=True):
        ordered = sorted(axis)
        total += sum((2 * r - len(ordered) + 1) * x for r, x in enumerate(ordered))
    return total


def _search(k: int) -> tuple[int, tuple[Layer, ...]]:
    """Find an optimal town, given all smaller ones.

    Layers are placed from the middle outwards; the bound is that of the plane. By
    symmetry there are at most as many layers as the first has rows or columns.
    """
    best, shape = _likely(k)
    layers: list[Layer] = []

    def lay(paid: int, laid: int, field: dict[Cell, int]) -> None:
        nonlocal best, shape
        left = k - laid
        if not left:
            if paid < best:
                best, shape = paid, tuple(layers)
            return
        height, last = len(layers), layers[-1]
        further = min(len(layers[0]), layers[0][0]) - height
        most = sum(last)
        if left > further * most:
            return
        near, next_near = _way(layers, pos(height)), _way(layers, pos(height + 1))
        places: list[int] = []
        x, next_x = near, next_near
        for _ in range(further):
            places += [x + field[cell] for cell in _cells(last)]
            x, next_x = next_x, x + laid
        places.sort()
        uneven = min(most, left)
        uneven -= (left - uneven) % 2
        across = (left + uneven) // 2 * ((left - uneven) // 2)
        if paid + sum(places[:left]) + _known[left][0] + height * across >= best:
            return
        for layer in _within(last, left):
            cells = _cells(layer)
            if left > further * len(cells):
                continue
            layers.append(layer)
            lay(
                paid
                + len(cells) * near
                + sum(field[cell] for cell in cells)
                + partition_cost(layer),
                laid + len(cells),
                _added(field, layer),
            )
            layers.pop()

    for layer in _within((k,) * k, k):
        layers[:] = [layer]
        lay(
            partition_cost(layer),
            sum(layer),
            _added(dict.fromkeys(_cells(layer), 0), layer),
        )
    return best, shape


def _within(outer: Layer, most: int) -> Iterator[Layer]:
    """Yield the Young diagrams inside another, of 1 to ``most`` cells."""

    def extend(layer: Layer, left: int) -> Iterator[Layer]:
        if layer:
            yield layer
        if len(layer) < len(outer):
            tallest = min(outer[len(layer)], layer[-1] if layer else most, left)
            for a in range(tallest, 0, -1):
                yield from extend((*layer, a), left - a)

    return extend((), most)


@cache
def _cells(layer: Layer) -> tuple[Cell, ...]:
    return tuple((i, j) for i, a in enumerate(layer) for j in range(a))


def _added(field: dict[Cell, int], layer: Layer) -> dict[Cell, int]:
    """Add the distances, within the plane, to the points of a layer."""
    rows = [sum(1 for a in layer if a > j) for j in range(layer[0])]
    wide = max(i for i, _ in field) + 1
    high = max(j for _, j in field) + 1
    x = [
        sum(a * abs(pos(i) - pos(c)) for c, a in enumerate(layer)) for i in range(wide)
    ]
    y = [sum(r * abs(pos(j) - pos(c)) for c, r in enumerate(rows)) for j in range(high)]
    return {
        (i, j): field[i, j] + x[i] + y[j]
        for i, j in product(range(wide), range(high))
        if (i, j) in field
    }


def _way(layers: list[Layer], x: int) -> int:
    """Return the sum of the distances along the first axis from x to the points."""
    return sum(sum(layer) * abs(x - pos(h)) for h, layer in enumerate(layers))
