"""Beam search over skylines: packings that leave little free, of many boxes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count as counted
from math import prod

import numpy as np

from ....instances import IntArray as Ints
from ....instances.submesh import Box, box_at
from ....instances.submesh.packed import volume
from ....instances.submesh.packing import Packing, ways
from ..direct import in_two_ways
from . import kernels as kernels

_FIRST, _GROWTH = 60, 1.01
"""States kept in the first runs, and by how much they grow after each pair."""
_KEPT = 0.1, 1.0, 3.0
"""Share of them when nothing, half of the items, and all are placed."""
_SEGMENT, _POWER = 0.02, 3.0
"""Cost of a segment of the skyline, as a share of an item of mean area, and the power
of the area placed."""
_NOISE = 0.5
"""Part of its cost, at most, that chance adds to a state."""
_CHILDREN = 32
"""Children of a state for which there is room, on average."""


def pack_by_beam(
    packing: Packing,
    *,
    stop: Callable[[], bool],
    runs: float = float("inf"),
    seed: int = 0,
) -> tuple[Box, ...] | None:
    """Return a packing into a mesh, or None if none was found.

    Items go into the lowest gap of the skyline, at either end; what may stay free
    stays free there. Of all states with equally many items placed those are kept that
    leave little free, have a plain skyline and have placed large items, and that
    chance favours; others are dropped. Many short runs, along both axes in turn, find
    more than few long ones; they slowly keep more states.

    Parameters
    ----------
    packing
        Two-dimensional, nothing fixed or blocked, no torus; each item fits alone.
    stop
        Ends the search when it returns True; called after every item placed.
    runs
        Number of runs after which the search ends.
    seed
        Of chance; the same seed gives the same answer.

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
        if all(whole) or run >= runs or stop():
            return None
        states = _FIRST * _GROWTH ** (run // 2)
        noise = kernels.Noise(_NOISE, hash((seed, run)))
        boxes, whole[run % 2] = _run(packing, run % 2, states, noise, stop)
        if boxes is not None:
            return boxes
    return None


def _run(
    packing: Packing,
    axis: int,
    states: float,
    noise: kernels.Noise,
    stop: Callable[[], bool],
) -> tuple[tuple[Box, ...] | None, bool]:
    """Search along an axis, keeping about so many states; say also if that was all."""
    sizes = [tuple(ways(packing, item)) for item in packing.items]
    alike = Counter(sizes)
    order = sorted(alike, key=lambda several: (-prod(several[0]), several))
    wide, high, many = in_two_ways(order, axis)
    side, roof = packing.shape[axis], packing.shape[1 - axis]
    free = side * roof - volume(packing)
    kinds = kernels.Kinds(roof, free, wide, high, many)
    share = np.interp(np.linspace(0, 1, len(sizes)), (0, 0.5, 1), _KEPT)
    kept = np.ceil(states * share).astype(int)
    layer, deeper = (_layer(kept[-1], len(sizes), len(order)) for _ in range(2))
    layer.edges[0, 1] = side
    layer.counts[0] = 1
    layer.left[0] = [alike[several] for several in order]
    room = _CHILDREN * kept[-1] + 4 * len(sizes)
    found = kernels.Children(
        np.zeros(room), np.zeros(room, np.int64), np.zeros((room, 7), np.int64)
    )
    segment = _SEGMENT * volume(packing) / len(sizes)
    count, steps, whole = 1, [], True
    for most in kept:
        if stop():
            return None, False
        some = kernels.follow(kinds, layer, count, found, segment, _POWER, noise)
        _, first = np.unique(found.mixed[:some], return_index=True)
        cheap = np.argsort(found.cost[first], kind="stable")[:most]
        whole = whole and some < room and len(cheap) == len(first)
        count = len(cheap)
        if not count:
            return None, whole
        kernels.keep(kinds, layer, found, first[cheap], deeper)
        layer, deeper = deeper, layer
        steps.append(layer.step[:count].copy())
    return _boxes_of(packing, sizes, order, axis, steps), whole


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


def _boxes_of(
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
