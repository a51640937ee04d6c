"""Beam search over skylines: packings that leave little free, of many boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count as counted
from math import prod

import numpy as np

from ...instances import IntArray as Ints
from ...instances.submesh import Box, box_at
from ...instances.submesh.packing import Packing, volume, ways
from . import beam_kernels as kernels
from .direct import in_two_ways

_FIRST, _GROWTH = 200, 1.25
"""States kept in the first runs, and by how much they grow after each pair."""
_COSTS = ((0.02, 3.0), (0.02, 1.5), (0.05, 3.0), (0.05, 1.5))
"""Cost of a segment of the skyline, as a share of an item of mean area, and the power
of the area placed; taken in turn, as they place different packings."""
_CHILDREN = 32
"""Children of a state for which there is room, on average."""


def pack_by_beam(
    packing: Packing, *, stop: Callable[[], bool], most: float = float("inf")
) -> tuple[Box, ...] | None:
    """Return a packing into a mesh, or None if none was found.

    Items go into the lowest gap of the skyline, at either end; what may stay free
    stays free there. Of all states with equally many items placed those are kept that
    leave little free, have a plain skyline and have placed large items; others are
    dropped. Runs along both axes keep more and more states.

    Parameters
    ----------
    packing
        Two-dimensional, nothing fixed or blocked, no torus; each item fits alone.
    stop
        Ends the search when it returns True; called after every item placed.
    most
        Number of states kept after which the search ends.

    Notes
    -----
    Guarantee: none. Time: O(n^3) for each state kept. Source: derived for closeknit;
    the skyline's lowest gap is that of Burke, Kendall and Whitwell 2004, costs that
    favour large items those of Libralesso and Fontan 2021.
    """
    if volume(packing) > prod(packing.shape):
        return None
    whole = [False, False]
    for run in counted():
        states = int(_FIRST * _GROWTH ** (run // 2))
        if all(whole) or states > most or stop():
            return None
        costs = _COSTS[(run // 2 + run) % len(_COSTS)]
        boxes, whole[run % 2] = _run(packing, run % 2, states, costs, stop)
        if boxes is not None:
            return boxes
    return None


def _run(
    packing: Packing,
    axis: int,
    states: int,
    costs: tuple[float, float],
    stop: Callable[[], bool],
) -> tuple[tuple[Box, ...] | None, bool]:
    """Search along an axis, keeping so many states; say also whether that was all."""
    sizes = [tuple(ways(packing, item)) for item in packing.items]
    alike = Counter(sizes)
    order = sorted(alike, key=lambda several: (-prod(several[0]), several))
    wide, high, many = in_two_ways(order, axis)
    side, roof = packing.shape[axis], packing.shape[1 - axis]
    free = side * roof - volume(packing)
    kinds = kernels.Kinds(roof, free, wide, high, many)
    layer, deeper = (_layer(states, len(sizes), len(order)) for _ in range(2))
    layer.edges[0, 1] = side
    layer.counts[0] = 1
    layer.left[0] = [alike[several] for several in order]
    room = _CHILDREN * states + 4 * len(sizes)
    found = kernels.Children(
        np.zeros(room), np.zeros(room, np.int64), np.zeros((room, 7), np.int64)
    )
    costs = costs[0] * volume(packing) / len(sizes), costs[1]
    count, steps, whole = 1, [], True
    for _ in sizes:
        if stop():
            return None, False
        some = kernels.follow(kinds, layer, count, found, *costs)
        _, first = np.unique(found.mixed[:some], return_index=True)
        cheap = np.argsort(found.cost[first], kind="stable")[:states]
        whole = whole and some < room and len(cheap) == len(first)
        count = len(cheap)
        if not count:
            return None, whole
        kernels.keep(kinds, layer, found, first[cheap], deeper)
        layer, deeper = deeper, layer
        steps.append(layer.step[:count].copy())
    return _placed(packing, sizes, order, axis, steps), whole


def _layer(states: int, items: int, kinds: int) -> kernels.Layer:
    def zeros(*size: int) -> Ints:
        return np.zeros((states, *size), np.int64)

    return kernels.Layer(
        zeros(items + 3),
        zeros(items + 3),
        zeros(),
        zeros(kinds),
        zeros(),
        zeros(),
        zeros(7),
    )


def _placed(
    packing: Packing,
    sizes: list[tuple[tuple[int, ...], ...]],
    order: list[tuple[tuple[int, ...], ...]],
    axis: int,
    steps: list[Ints],
) -> tuple[Box, ...]:
    """Return the boxes of the items, by the steps that lead to the first last state."""
    waiting: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for i, several in enumerate(sizes):
        waiting.setdefault(several, []).append(i)
    boxes: dict[int, Box] = {}
    state = 0
    for layer in reversed(steps):
        step = layer[state].tolist()
        several = order[step[kernels.KIND]]
        at = step[kernels.X], step[kernels.Y]
        boxes[waiting[several].pop()] = box_at(
            at if axis == 0 else at[::-1], several[step[kernels.WAY]]
        )
        state = step[kernels.PARENT]
    return tuple(boxes[i] for i in range(len(packing.items)))
