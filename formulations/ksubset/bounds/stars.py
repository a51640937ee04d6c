"""Cheapest stars: a processor and its k - 1 nearest, in exact integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ....instances import Grid, IntArray, KSubset, arrays
from ....instances.arrays import CutArrays

Cells = npt.NDArray[np.int32]

_CHUNK = 2**22
"""Number of distances held at a time."""
_FEW = 2**16
"""Number of pairs up to which rows of distances are fastest."""
_MOST_PAIRS = 2**29
"""Number of pairs beyond which stars of points and trees count as 0."""
_MOST_SHIFTED = 2**32
"""Limit on cells visited; unfinished stars are then completed by a lower bound."""


def cheapest_stars(instance: KSubset) -> int:
    """Return the sum of the k cheapest stars, or a lower bound on huge instances.

    Row by row in O(n²) up to about 20 000 processors, without ever holding n² numbers.
    On larger meshes and tori shell by shell, by shifting the grid of free cells:
    O(cells * k / occupancy), and exact except where 2^32 visits do not suffice;
    then unfinished stars are completed with the least distance not yet visited.
    Larger sets of points or tree nodes give 0. Deterministic.
    """
    topology, n = instance.topology, instance.n
    if topology.grid and n * n > _FEW:
        return _by_shells(arrays.points(instance), topology.grid, instance.k)
    if n * n > _MOST_PAIRS:
        return 0
    k = instance.k
    best = np.empty(0, dtype=np.int64)
    for rows in _rows(instance):
        # A processor is at distance 0 from itself and so among its k nearest.
        stars = np.partition(rows, k - 1, axis=-1)[:, :k].sum(axis=-1)
        best = np.concatenate([best, stars])
        if len(best) > k:
            best = np.partition(best, k - 1)[:k]
    return sum(int(star) for star in best)


def _rows(instance: KSubset) -> Iterator[IntArray]:
    """Yield the matrix of distances in blocks of rows, in no particular order."""
    n, points = instance.n, arrays.points(instance)
    step = max(1, _CHUNK // (n * instance.topology.dimension))
    for first in range(0, n, step):
        block = slice(first, min(first + step, n))
        if instance.topology.tree:
            yield _tree_rows(arrays.cuts(instance), block)
        else:
            topology = instance.topology
            rows = arrays.distances(topology, points[block, None], points[None])
            if topology.together:
                rows[np.arange(len(rows)), np.arange(first, first + len(rows))] = 0
            yield rows


def _tree_rows(cuts: CutArrays, block: slice) -> IntArray:
    """Return distances from the sites at some positions to those at all positions.

    Every cut is a run of positions; its weight is added to a row by differences.
    """
    steps = np.zeros((len(cuts.position) + 1, block.stop - block.start), dtype=np.int64)
    for weight, start, stop in zip(cuts.weights, cuts.start, cuts.stop, strict=True):
        low = min(max(start, block.start), block.stop) - block.start
        high = min(max(stop, block.start), block.stop) - block.start
        steps[start] += weight
        steps[stop] -= weight
        steps[0, low:high] += weight  # from inside, this separates those outside
        steps[start, low:high] -= 2 * weight
        steps[stop, low:high] += 2 * weight
    rows: IntArray = np.cumsum(steps[:-1], axis=0).T
    return rows


def _by_shells(points: IntArray, grid: Grid, k: int) -> int:
    rings = grid.rings
    low = np.where(rings, 0, points.min(axis=0))
    high = np.where(rings, np.array(grid.shape) - 1, points.max(axis=0))
    shape = tuple(int(x) + 1 for x in high - low)
    free = np.zeros(shape, dtype=np.int32)
    free[tuple((points - low).T)] = 1
    need = np.full(shape, k, dtype=np.int32)
    stars = np.zeros(shape, dtype=np.int64)
    at = free.astype(bool)
    visited = radius = 0
    while True:
        shell = np.zeros(shape, dtype=np.int32)
        for offset in _offsets(radius, shape, rings):
            _add_shifted(shell, free, offset, rings)
            visited += free.size
        taken = np.minimum(shell, need)
        stars += radius * taken.astype(np.int64)
        need -= taken
        radius += 1
        least = (stars + need.astype(np.int64) * radius)[at]
        best = np.argpartition(least, k - 1)[:k] if k < len(least) else slice(None)
        if visited > _MOST_SHIFTED or not need[at][best].any():
            return sum(int(star) for star in least[best])


def _offsets(
    radius: int, shape: Sequence[int], rings: Sequence[bool]
) -> Iterator[list[int]]:
    """List the offsets at this distance, each cell reached once."""
    side, wraps = shape[0], rings[0]
    low = -((side - 1) // 2) if wraps else 1 - side
    high = side // 2 if wraps else side - 1
    if len(shape) == 1:
        yield from ([step] for step in {-radius, radius} if low <= step <= high)
        return
    for step in range(max(low, -radius), min(high, radius) + 1):
        for rest in _offsets(radius - abs(step), shape[1:], rings[1:]):
            yield [step, *rest]


def _add_shifted(
    total: Cells, cells: Cells, offset: Sequence[int], rings: Sequence[bool]
) -> None:
    """Add to every cell the value of the cell at an offset."""
    if any(rings):
        round_ = [step * ring for step, ring in zip(offset, rings, strict=True)]
        cells = np.roll(cells, round_, axis=tuple(range(len(offset))))
        offset = [step * (not ring) for step, ring in zip(offset, rings, strict=True)]
    ends = list(zip(offset, cells.shape, strict=True))
    into = tuple(slice(max(0, -step), side - max(0, step)) for step, side in ends)
    come = tuple(slice(max(0, step), side - max(0, -step)) for step, side in ends)
    total[into] += cells[come]
