"""Exhaustive search for packings of a rectangle, corner by corner."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from ....instances.submesh import Box, box_at
from ....instances.submesh.packing import Packing, ways
from ..direct import in_two_ways
from ..tightening import reachable
from . import kernels as kernels

MOST = 24
"""Number of items up to which the search pays off."""
_RUN = 20_000


def staircase(
    packing: Packing, *, most_nodes: int, stop: Callable[[], bool]
) -> tuple[bool | None, tuple[Box, ...] | None, int]:
    """Return whether the boxes pack (None: not decided), their boxes, and the nodes.

    Boxes pushed left and down can be placed in an order such that each lies in a
    corner of the staircase around those before it. So every order and every corner is
    tried, the largest box first. Of two boxes that are exchangeable in the order, the
    left one goes first; equal ones go by number; a largest box of unique size lies in
    the lower left half. A branch ends when the area above the staircase, less the
    pockets into which nothing fits any more, is less than that of the remaining boxes.
    The sides of the mesh are first cut to sums of the boxes' sides.

    The packing is two-dimensional, nothing fixed or blocked, no torus; each item fits
    alone. ``stop`` is called every 20000 nodes.

    Guarantee: exact. Time: exponential; O(n^2) per node. Source: Martello, Pisinger and
    Vigo 2000, section 4 (corner points); order, pockets and the lower left half are
    derived for closeknit.
    """
    order = sorted(range(len(packing.items)), key=lambda i: _first(packing, i))
    sizes = [ways(packing, packing.items[i]) for i in order]
    side, roof = (
        reachable(packing.shape[a], [[s[a] for s in several] for several in sizes])
        for a in range(2)
    )
    n = len(order)
    wide, high, many = in_two_ways(sizes)
    twin = np.full(n, -1, dtype=np.int64)
    for j in range(1, n):
        if sizes[j] == sizes[j - 1]:
            twin[j] = j - 1
    alone = [j for j in range(n) if sizes.count(sizes[j]) == 1]
    state = np.zeros(2, dtype=np.int64)
    stairs = kernels.Stairs(
        roof=roof,
        wide=wide,
        high=high,
        many=many,
        twin=twin,
        pivot=alone[0] if alone else -1,
        edges=np.zeros((n + 1, n + 2), dtype=np.int64),
        heights=np.zeros((n + 1, n + 2), dtype=np.int64),
        counts=np.ones(n + 1, dtype=np.int64),
        chosen=np.zeros((n + 1, 5), dtype=np.int64),
        used=np.zeros(n, dtype=np.bool_),
        state=state,
    )
    stairs.edges[0, 1] = side
    stairs.chosen[0, 2] = -1
    if sum(prod(several[0]) for several in sizes) > side * roof:
        return False, None, 0
    while True:
        left = most_nodes - int(state[kernels.NODES])
        if left <= 0 or stop():
            return None, None, int(state[kernels.NODES])
        ended = kernels.search(stairs, min(left, _RUN))
        if ended == kernels.NONE:
            return False, None, int(state[kernels.NODES])
        if ended == kernels.FOUND:
            break
    boxes: list[Box] = [()] * n
    for _, j, o, x, y in stairs.chosen[:n].tolist():
        boxes[order[j]] = box_at((x, y), sizes[j][o])
    return True, tuple(boxes), int(state[kernels.NODES])


def refusal(packing: Packing) -> str | None:
    """Return why the search does not support a packing; None if it does."""
    if packing.d != 2 or packing.torus:
        return "is for meshes in the plane"
    if packing.blocked or any(item.at is not None for item in packing.items):
        return "takes nothing that is fixed"
    return None


def _first(packing: Packing, i: int) -> tuple[int, list[tuple[int, ...]]]:
    sizes = ways(packing, packing.items[i])
    return -prod(sizes[0]), sizes
