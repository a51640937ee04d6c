"""Distances from a centre to the free processors, and the k nearest of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from ....instances import IntArray, KSubset, Tree, arrays
from . import kernels as kernels


def nearest(instance: KSubset, centre: IntArray) -> IntArray:
    """Return the k nearest free processors of a site, by distance, then index."""
    first, away = _distances_nearby(instance, centre)
    radius = np.partition(away, instance.k - 1)[instance.k - 1]
    ball = np.flatnonzero(away <= radius)
    nearest_of_ball = np.argsort(away[ball], kind="stable")[: instance.k]
    chosen: IntArray = first + ball[nearest_of_ball]
    return chosen


def _distances_nearby(instance: KSubset, centre: IntArray) -> tuple[int, IntArray]:
    """Return hops from a site to consecutive processors, the k nearest among them.

    Also returns the index of the first of them. Processors are ordered by their first
    coordinates, so that few of millions have to be examined.
    """
    rings = instance.topology.ring_lengths
    if rings is None or rings[0]:
        return 0, distances(instance, centre)
    points, k, at = arrays.points(instance), instance.k, int(centre[0])
    reach = max(1, round(k ** (1 / points.shape[1])))
    while True:
        start = bisect_left(points[:, 0], at - reach)
        stop = bisect_right(points[:, 0], at + reach)
        away = arrays.distances(instance.topology, points[start:stop], centre)
        if stop - start == len(points) or np.count_nonzero(away <= reach) >= k:
            return start, away
        reach *= 2


def distances(instance: KSubset, centre: IntArray) -> IntArray:
    """Return the hops from a site, free or not, to every free processor."""
    tree = instance.topology.tree
    if tree is None:
        return arrays.distances(instance.topology, arrays.points(instance), centre)
    branches = branches_of(instance, tree)
    away = np.empty(len(branches.parent), dtype=np.int64)
    kernels.tree_distances(branches, int(centre[0]), away)
    return away[branches.node]


def branches_of(instance: KSubset, tree: Tree) -> kernels.RankedTree:
    """Return a tree, and the nodes of its free processors, as kernels take them."""
    return kernels.RankedTree(
        parent=np.array(tree.parent, dtype=np.int64),
        weight=np.array(tree.weight, dtype=np.int64),
        order=np.array(tree.order, dtype=np.int64),
        node=arrays.points(instance)[:, 0].copy(),
    )
