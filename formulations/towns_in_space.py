"""Optimal towns in space: the cheapest k distinct points of the 3-D grid.

As in the plane (see ``towns``), with plane partitions: some cheapest set is
{(pos(h), pos(i), pos(j))} over the cells of one. Derived, proved in docs/theory.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from .diagrams import partition_cost, pos

Layer = tuple[int, ...]
"""A Young diagram, by its columns; layers lie in one another."""

Cell = tuple[int, int]

_known: list[int] = [0, 0]
"""Cost of the optimal towns found so far, by k."""


def town_in_space(k: int) -> int:
    """Return the least pair sum of k distinct points of the grid in space.

    Time: the whole table takes 0.1 s up to k = 12, 2 s up to k = 20. Source:
    docs/theory.md.

    Raises
    ------
    ValueError
        When k is negative.

    >>> [town_in_space(k) for k in range(1, 9)]
    [0, 1, 4, 8, 16, 25, 36, 48]
    """
    if k < 0:
        raise ValueError(f"A town has at least 0 points, not {k}.")
    while len(_known) <= k:
        _known.append(_search(len(_known)))
    return _known[k]


def _search(k: int) -> int:
    """Find the cost of an optimal town, all smaller ones being known.

    Layers are laid from the middle outwards; the bound is that of the plane. No
    more layers than the first has rows or columns, by symmetry.
    """
    best = k * (k - 1) * (k + 1) // 6  # in a row
    layers: list[Layer] = []

    def lay(paid: int, laid: int, field: dict[Cell, int]) -> None:
        nonlocal best
        left = k - laid
        if not left:
            best = min(best, paid)
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
        if paid + sum(places[:left]) + _known[left] + height * across >= best:
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
    return best


def _within(outer: Layer, most: int) -> Iterator[Layer]:
    """Give the Young diagrams inside another, of 1 to ``most`` cells."""

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
    """Sum of the distances along the first axis from x to the points laid."""
    return sum(sum(layer) * abs(x - pos(h)) for h, layer in enumerate(layers))
