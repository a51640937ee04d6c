"""Lower bounds that answers cite, derived a second time from the definition.

``formulations.ksubset.bounds`` computes them fast, for searches; nothing is shared with
it but their names. Arrays of numpy hold the numbers; nothing is compiled. Proofs are in
docs/theory.md, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from math import inf
from time import monotonic

import numpy as np

from ..errors import InputError
from ..topologies import Grid, IntArray, Site, Tree
from .certificate import Checker
from .instance import KSubset
from .towns import least_sum

STAR = "star bound"
TOWN = "town bound"
AXIS = "axis bound"

_MOST_PAIRS = 2**26
"""Pairs of processors up to which all distances of each are sorted; then, on grids,
rings around them are searched."""


def derive_bound(
    instance: KSubset,
    by: str,
    *,
    seconds: float = inf,
    checker: type[Checker] = Checker,
) -> int | None:
    """Derive the bound of a name: no k processors cost less.

    Returns None if there is no such bound for the instance.

    Raises
    ------
    InputError
        If it takes longer than ``seconds``, or a certificate of a town does not hold.

    >>> from closeknit.instances import mesh
    >>> [derive_bound(mesh(5, 5, k=5), by) for by in (STAR, TOWN, AXIS)]
    [10, 16, None]
    """
    until = monotonic() + seconds

    def look_at_clock() -> None:
        if monotonic() > until:
            raise InputError(f"takes more than {seconds:g} s to derive", "bound")

    if by == STAR:
        stars = _stars(instance, look_at_clock)
        return -(-sum(sorted(stars)[: instance.k]) // 2)
    if by == TOWN and _is_lattice(instance):
        dimension = instance.topology.dimension
        return least_sum(instance.k, dimension, seconds=seconds, by=checker)
    if by == AXIS and instance.topology.is_flat and not instance.topology.grid:
        axes = zip(*instance.free, strict=True)
        return sum(_cheapest_run(sorted(axis), instance.k) for axis in axes)
    return None


def _is_lattice(instance: KSubset) -> bool:
    """Whether the processors are distinct points of a grid with L1 distances."""
    return instance.topology.is_flat and len(set(instance.free)) == instance.n


def _cheapest_run(x: Sequence[int], k: int) -> int:
    """Return the least pair sum of k numbers of a sorted list: that of a run of them.

    In a run from place s on, the number at place i counts 2 (i - s) - k + 1 times.
    """
    sums = list(accumulate(x, initial=0))
    placed = list(accumulate((i * a for i, a in enumerate(x)), initial=0))
    return min(
        2 * (placed[s + k] - placed[s]) - (2 * s + k - 1) * (sums[s + k] - sums[s])
        for s in range(len(x) - k + 1)
    )


def _stars(instance: KSubset, look_at_clock: Callable[[], None]) -> list[int]:
    """Sum the distances from every processor to its k nearest, itself included."""
    topology, k = instance.topology, instance.k
    if topology.grid and instance.n**2 > _MOST_PAIRS:
        return _grid_stars(instance.points, topology.grid, k, look_at_clock)
    stars = []
    for site in instance.free:
        look_at_clock()
        if topology.tree:
            lengths = _tree_lengths(topology.tree, site[0])
            row = np.array([lengths[v] for (v,) in instance.free], dtype=np.int64)
        else:
            one = np.array([site], dtype=np.int64)
            row = topology.distances(one, instance.points)
        stars.append(int(np.sort(row)[:k].sum()))
    return stars


def _tree_lengths(tree: Tree, node: int) -> list[int]:
    """Return the distances of all nodes from one: up to the root, and down again."""
    lengths = [-1] * len(tree.parent)
    length = 0
    while node >= 0:
        lengths[node] = length
        length += tree.weight[node]
        node = tree.parent[node]
    for v in tree.order:
        if lengths[v] < 0:
            lengths[v] = lengths[tree.parent[v]] + tree.weight[v]
    return lengths


def _grid_stars(
    points: IntArray, grid: Grid, k: int, look_at_clock: Callable[[], None]
) -> list[int]:
    """Count the free processors at distance 0, 1, … from all, until each has k."""
    shape, rings = np.array(grid.shape), np.array(grid.rings)
    free = np.zeros(grid.shape, dtype=np.int64)
    free[tuple(points.T)] = 1
    missing = np.full(len(points), k)
    stars = np.zeros(len(points), dtype=np.int64)
    radius = 0
    while missing.any():
        ring = np.zeros(len(points), dtype=np.int64)
        for offset in _ring(radius, grid.shape, grid.rings):
            look_at_clock()
            cells = np.where(rings, (points + offset) % shape, points + offset)
            there = ((cells >= 0) & (cells < shape)).all(axis=1)
            ring[there] += free[tuple(cells[there].T)]
        taken = np.minimum(ring, missing)
        stars += radius * taken
        missing -= taken
        radius += 1
    found: list[int] = stars.tolist()
    return found


def _ring(radius: int, shape: Sequence[int], rings: Sequence[bool]) -> Iterator[Site]:
    """Yield the offsets to all cells at a distance; round a ring each cell once."""
    if not shape:
        if not radius:
            yield ()
        return
    side = shape[0]
    first, last = (-((side - 1) // 2), side // 2) if rings[0] else (1 - side, side - 1)
    for step in range(max(first, -radius), min(last, radius) + 1):
        for rest in _ring(radius - abs(step), shape[1:], rings[1:]):
            yield (step, *rest)
