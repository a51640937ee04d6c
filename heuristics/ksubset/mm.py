"""The Manhattan median: the k nearest processors of the best centre."""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt

from ...instances import IntArray, KSubset, Tree, arrays
from ...solvers import DEFAULT, Result, Settings, Ties, answer
from ...solvers.running import clock
from . import mm_mesh_kernels as grid
from .centres import (
    Centres,
    Scan,
    cheapest_centre,
    everywhere,
    free_sites,
    intersections,
)
from .ranking import kernels as kernels
from .ranking.distances import branches_of, nearest
from .ranking.ties import cheapest_under

_SMALL_GRID = 2**12
"""Cells up to which a mesh of two dimensions is always stored as a grid."""


def mm(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Try every intersection of the free processors' coordinates as a centre.

    A candidate is the k free processors nearest to a centre; the cheapest by pair
    sum is returned, from the first centre in lexicographic order that has it. On
    a torus distances go the shorter way round; on trees and graphs all nodes are
    centres. When a limit is reached, the best centre so far counts.

    Guarantee: 2 - 1/(2d) on meshes and points in d dimensions, and never above
        2 - 2/k on any topology; whatever the tie order.
    Time: O(radius) per centre on a mesh of two dimensions, radius being that of a
        ball of k free processors; else O(n d + k log k) per centre; on a tree
        O(nodes). Space O(cells) on such a mesh, else O(n d).
    Ties: distance, then coordinates; or with ``best`` and ``worst`` the processors of
        the boundary that make a centre's candidate cheapest or most expensive.
    Source: Bender et al. 2008, section 2, Theorems 1 and 2.
    """
    if settings.ties is Ties.LEX:
        return _cheapest(instance, intersections(instance), settings)
    return cheapest_under(instance, intersections(instance), settings)


def mm_free(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Try every free processor as a centre (GenAlg).

    Otherwise like ``mm``.

    Guarantee: 2 - 2/k on any topology.
    Time: that of mm for a centre, times n.
    Ties: distance, then coordinates; the first centre in lexicographic order.
    Source: Krumke et al. 1997 (GenAlg), quoted by Bender et al. 2008, section 2.
    """
    return _cheapest(instance, free_sites(instance), settings)


def mm_all(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Try every location of the mesh or torus, free or busy, as a centre.

    Otherwise like ``mm``; on points and trees the same as ``mm``.

    Guarantee: that of mm.
    Time: that of mm for a centre, times the number of locations.
    Ties: distance, then coordinates; the first centre in lexicographic order.
    Source: Bender et al. 2008, note to Table 1.
    """
    return _cheapest(instance, everywhere(instance), settings)


def _cheapest(instance: KSubset, centres: Centres, settings: Settings) -> Result:
    """Return the cheapest candidate, by lexicographic ties."""
    start = clock.now()
    if instance.k == instance.n:  # every candidate is everything
        return answer(instance, range(instance.n), start=start)
    scan = scanner(instance, centres)
    winner, limit = cheapest_centre(centres, scan, settings, start)
    return answer(instance, nearest(instance, winner), start=start, limit=limit)


def scanner(instance: KSubset, centres: Centres) -> Scan:
    """Choose how to scan centres: by the topology, and on meshes by the size."""
    topology = instance.topology
    if topology.is_plane:
        low, high = _box(instance, centres)
        height, width = (int(side) for side in high - low + 1)
        cells, n, k = height * width, instance.n, instance.k
        # a line of a ball takes about as long as ten processors of a cloud
        radius = min(sqrt(k * cells / n), height + width)
        sparse = cells > _SMALL_GRID and n + 4 * k < 20 * radius
        if not sparse:
            return scan_of_mesh(instance, centres)
    if topology.tree:
        return _scan_of_tree(instance, topology.tree)
    if topology.ring_lengths is None:
        return _scan_of_graph(instance)
    return scan_of_cloud(instance)


def _box(instance: KSubset, centres: Centres) -> tuple[IntArray, IntArray]:
    """Return the bounding box of free processors and centres."""
    low, high = centres.extent
    points = arrays.points(instance)
    return np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))


def scan_of_mesh(instance: KSubset, centres: Centres) -> Scan:
    """Scan a mesh of two dimensions stored as a grid."""
    low, high = _box(instance, centres)
    free = np.zeros(high - low + 1, dtype=np.int8)
    free[tuple((arrays.points(instance) - low).T)] = 1
    rows, columns = _prefix_sums(free), _prefix_sums(free.T)
    return lambda part, best: grid.scan_mesh(
        rows, columns, instance.k, part - low, best
    )


def _prefix_sums(free: npt.NDArray[np.int8]) -> grid.Counts:
    sums = np.zeros((free.shape[0], free.shape[1] + 1), dtype=np.int32)
    np.cumsum(free, axis=1, out=sums[:, 1:])
    return sums


def scan_of_cloud(instance: KSubset) -> Scan:
    """Scan free processors with coordinates, independent of the space between them."""
    points, rings = arrays.points(instance), instance.topology.ring_lengths
    assert rings is not None
    wraps = any(rings)
    order = np.argsort(points[:, -1], kind="stable")
    values, places, offset = [], [], [0]
    for axis in points.T:
        value, place = np.unique(axis, return_inverse=True)
        values.append(value)
        places.append(place[order])
        offset.append(offset[-1] + len(value))
    cloud = kernels.Cloud(
        site=points[order],
        last=points[order, -1],
        number=order,
        side=np.array(rings, dtype=np.int64),
        place=np.stack(places, axis=1),
        value=np.concatenate(values),
        offset=np.array(offset, dtype=np.int64),
    )
    sides = _sides(instance, wraps)
    return lambda part, best: kernels.scan_cloud(
        cloud, sides, wraps, instance.k, part, best
    )


def _scan_of_tree(instance: KSubset, tree: Tree) -> Scan:
    branches, sides = branches_of(instance, tree), _sides(instance, True)
    return lambda part, best: kernels.scan_tree(branches, sides, instance.k, part, best)


def _scan_of_graph(instance: KSubset) -> Scan:
    hops = arrays.hops(instance)

    def scan(part: IntArray, best: int) -> tuple[int, int]:
        where = -1
        for row, centre in enumerate(part):
            chosen = nearest(instance, centre)
            price = int(hops[np.ix_(chosen, chosen)].sum()) // 2
            if price < best:
                best, where = price, row
        return best, where

    return scan


def _sides(instance: KSubset, needed: bool) -> kernels.Sides:
    """Return the cuts for the kernels; none where pairs are priced by coordinates."""
    if not needed:
        none = np.zeros(0, dtype=np.int64)
        return kernels.Sides(none, none, none, none.reshape(0, 1), 0, 1)
    cuts = arrays.cuts(instance)
    lengths = cuts.position.max(axis=0) + 1
    offset = np.concatenate([[0], np.cumsum(lengths)])
    at = offset[cuts.axis]
    return kernels.Sides(
        weight=cuts.weights.copy(),
        start=at + cuts.start,
        stop=at + cuts.stop,
        position=cuts.position + offset[:-1],
        size=int(offset[-1]),
        denominator=cuts.denominator,
    )
