"""Exhaustive search for packings that leave little free, gap by gap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import prod

import numpy as np

from ....instances.submesh import Box
from ....instances.submesh.packing import Packing
from ..direct import in_two_ways
from ..tightening import Tight, box_within, tighten
from . import kernels as kernels

_RUN = 20_000
"""Nodes along one axis before the search along the other continues."""
_REMEMBERED = 1 << 18
"""Infeasible states remembered along each axis: 12 MB."""


def pack_by_gaps(
    packing: Packing,
    *,
    most_nodes: int,
    stop: Callable[[], bool],
    tight: Tight | None = None,
) -> tuple[bool | None, tuple[Box, ...] | None, int]:
    """Return whether the boxes pack (None: not decided), their boxes, and the nodes.

    After `tighten`, the lowest and then leftmost undecided cell is either the lower
    left corner of a box, of each size in turn, or stays free, as long as cells may. A
    branch ends when more cells must stay free than may (rows of a gap are covered by
    sums of widths, columns above the skyline by sums of heights), when a box has no
    place, or when the same skyline or its mirror image was seen with the same boxes
    left. Two searches alternate, one with the axes exchanged, as either may take a
    hundred times as long as the other.

    The packing is two-dimensional, nothing fixed or blocked, no torus; each item fits
    alone. The limit on the nodes is one for both axes together; ``stop`` is called
    every 20000 nodes. ``tight`` is the result of `tighten`, if known.

    Guarantee: exact. Time: exponential in the boxes and in the cells that stay free;
    O(n) per node. Source: the lowest gap is that of Kenmochi et al. 2009 (perfect
    packings); remembered states, sums along both axes and free cells are derived for
    closeknit.
    """
    tight = tight or tighten(packing)
    if tight is None or tight.waste < 0:
        return False, None, 0
    if not tight.left:
        return True, _boxes(packing, tight, {}), 0
    searches = [_Search(tight, axis, most_nodes) for axis in (0, 1)]
    nodes = 0
    while nodes < most_nodes:
        for search in searches:
            if stop():
                return None, None, nodes
            fits = search.resume(min(_RUN, max(1, most_nodes - nodes)))
            nodes = sum(one.nodes for one in searches)
            if fits is False:
                return False, None, nodes
            if fits:
                return True, _boxes(packing, tight, search.places()), nodes
    return None, None, nodes


def _boxes(
    packing: Packing, tight: Tight, places: dict[int, tuple[tuple[int, int], int]]
) -> tuple[Box, ...]:
    """Return the boxes of all items, given corners and rotations of those left."""
    boxes = dict(tight.aside)
    for n, (corner, way) in places.items():
        i = tight.left[n]
        boxes[i] = box_within(packing, i, corner, tight.sizes[n][way])
    return tuple(boxes[i] for i in range(len(packing.items)))


class _Search:
    """A resumable search; segments of the skyline lie along ``axis``."""

    def __init__(self, tight: Tight, axis: int, most_nodes: int) -> None:
        self.tight = tight
        self.axis = axis
        alike = Counter(tight.sizes)
        self.kinds = sorted(alike, key=lambda several: (-prod(several[0]), several))
        side, roof = tight.shape[axis], tight.shape[1 - axis]
        wide, high, many = in_two_ways(self.kinds, axis)
        left = np.array([alike[q] for q in self.kinds], dtype=np.int64)
        bits = [x.bit_length() for x in (side, roof, *left.tolist())]
        depths = 2 * len(tight.sizes) + 2  # each gap left free joins two segments
        known = min(_REMEMBERED, max(kernels.WAYS, 1 << most_nodes.bit_length()))
        self.gaps = kernels.Gaps(
            roof=roof,
            wide=wide,
            high=high,
            many=many,
            left=left,
            bits=np.array(bits, dtype=np.int64),
            edges=np.zeros((depths, len(tight.sizes) + 3), dtype=np.int64),
            heights=np.zeros((depths, len(tight.sizes) + 3), dtype=np.int64),
            counts=np.ones(depths, dtype=np.int64),
            chosen=np.zeros((depths, 5), dtype=np.int64),
            waste=np.full(depths, tight.waste, dtype=np.int64),
            entered=np.zeros(depths, dtype=np.int64),
            table=np.full((known, kernels.WORDS + 1), -1, dtype=np.int64),
            sums=np.zeros(max(side, roof) // kernels.SUM_BITS + 1, dtype=np.int64),
            state=np.zeros(2, dtype=np.int64),
        )
        self.gaps.edges[0, 1] = side
        self.gaps.chosen[0, 2] = -1

    @property
    def nodes(self) -> int:
        """Boxes placed and gaps left free so far."""
        return int(self.gaps.state[kernels.NODES])

    def resume(self, nodes: int) -> bool | None:
        """Search ``nodes`` more; return whether the boxes pack, None if not decided."""
        ended = kernels.search(self.gaps, nodes)
        return None if ended == kernels.LONG else bool(ended == kernels.FOUND)

    def places(self) -> dict[int, tuple[tuple[int, int], int]]:
        """Return corner and rotation of each item, by its number among those left."""
        alike = {
            several: [n for n, q in enumerate(self.tight.sizes) if q == several]
            for several in self.kinds
        }
        found = {}
        for t, o, x, y, _ in self.gaps.chosen[: self.gaps.state[kernels.AT]].tolist():
            if t < len(self.kinds):
                corner = (x, y) if self.axis == 0 else (y, x)
                found[alike[self.kinds[t]].pop()] = corner, o
        return found
