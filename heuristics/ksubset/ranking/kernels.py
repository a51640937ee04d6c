"""Kernels of the Manhattan median: price the k nearest of many centres.

Each scans a list of centres in order and returns the least pair sum met and the
first centre that has it. Nothing is sorted for a centre: its radius, that of the
smallest ball holding k free processors, differs from the radius of another centre
by no more than their distance, which leaves few processors in doubt.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....instances import IntArray as Ints
from ....solvers.running.kernels import kernel
from .selection_kernels import select

FAR = 2**62
"""Beyond every distance."""


class Cloud(NamedTuple):
    """Free processors with coordinates, in order of the last one."""

    site: Ints  # (n, d)
    last: Ints  # (n,) the last coordinates, ascending
    number: Ints  # (n,) index into the instance
    side: Ints  # (d,) nodes of each ring, 0 where an axis does not wrap
    place: Ints  # (n, d) rank of the coordinate among the values of its axis
    value: Ints  # values of all axes, one axis after the other
    offset: Ints  # (d + 1,) where the values of an axis begin


class Sides(NamedTuple):
    """The cuts of a topology, with positions of all axes numbered through."""

    weight: Ints  # (m,)
    start: Ints  # (m,) first position inside
    stop: Ints  # (m,) first position beyond
    position: Ints  # (n, axes)
    size: int  # number of positions
    denominator: int


class RankedTree(NamedTuple):
    """A tree and the nodes of its free processors."""

    parent: Ints
    weight: Ints
    order: Ints  # parents before children
    node: Ints  # (n,) of the free processors


@kernel
def _sort(values: Ints) -> None:
    """Sort a heap; much quicker to compile than numpy's sort."""
    n = len(values)
    for end in range(n + n // 2 - 1, 0, -1):
        # first make a heap from the middle down, then move its top behind it
        if end >= n:
            at, size = end - n, n
        else:
            values[0], values[end] = values[end], values[0]
            at, size = 0, end
        while 2 * at + 1 < size:
            child = 2 * at + 1
            if child + 1 < size and values[child + 1] > values[child]:
                child += 1
            if values[child] <= values[at]:
                break
            values[at], values[child] = values[child], values[at]
            at = child


@kernel
def _margin(near: Ints, number: Ints, m: int, k: int, room: Ints) -> tuple[int, int]:
    """Radius of the k nearest, and the largest index taken at that distance."""
    room[:m] = near[:m]
    radius = select(room[:m], k - 1)
    closer = equal = 0
    for j in range(m):
        if near[j] < radius:
            closer += 1
        elif near[j] == radius:
            room[equal] = number[j]
            equal += 1
    missing = k - closer
    if missing == equal:
        return radius, FAR
    return radius, select(room[:equal], missing - 1)


@kernel
def _hops(p: int, q: int, side: int) -> int:
    """Distance along one axis, round a ring if ``side`` is positive."""
    step = abs(p - q)
    return min(step, side - step) if side > 0 else step


@kernel
def _by_cuts(sides: Sides, k: int, below: Ints) -> int:
    """Pair sum from how many are chosen at each position; clears the counts."""
    total = 0
    running = 0
    for at in range(sides.size):  # what was at a position becomes what is below
        here = below[at]
        below[at] = running
        running += here
    below[sides.size] = running
    for h in range(len(sides.weight)):
        count = below[sides.stop[h]] - below[sides.start[h]]
        total += sides.weight[h] * count * (k - count)
    below[:] = 0
    return total // sides.denominator


@kernel
def _by_values(cloud: Cloud, axis: int, counts: Ints, ranks: Ints, k: int) -> int:
    """Pair sum along one axis from the ranks of the chosen coordinates."""
    first, last = ranks[0], ranks[0]
    for j in range(k):
        first, last = min(first, ranks[j]), max(last, ranks[j])
    value = cloud.value[cloud.offset[axis] : cloud.offset[axis + 1]]
    total = 0
    if last - first > 16 * k:  # few among many values: sort them
        _sort(ranks[:k])
        for j in range(k - 1):
            total += (j + 1) * (k - j - 1) * (value[ranks[j + 1]] - value[ranks[j]])
        return total
    for j in range(k):
        counts[ranks[j]] += 1
    left = 0
    for v in range(first, last):
        left += counts[v]
        counts[v] = 0
        total += left * (k - left) * (value[v + 1] - value[v])
    counts[last] = 0
    return total


@kernel
def _below(ascending: Ints, limit: int) -> int:
    """Count the values below a limit by bisection."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < limit:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _window(last: Ints, z: int, reach: int, ring: int, window: Ints) -> None:
    """Find who lies within reach on the last axis: two ranges, one may be empty."""
    least, most = z - reach, z + reach
    window[0, 0] = _below(last, least)
    window[0, 1] = _below(last, most + 1)
    if ring > 0 and least < 0:
        window[1, 0] = _below(last, least + ring)
        window[1, 1] = len(last)
    elif ring > 0 and most >= ring:
        window[1, 1] = _below(last, most - ring + 1)


@kernel
def scan_cloud(
    cloud: Cloud, sides: Sides, wraps: bool, k: int, centres: Ints, best: int
) -> tuple[int, int]:
    """Scan any mesh, torus or set of points.

    O(n) a centre to find the k nearest, O(k log k) or better to price them
    (on a torus O(k d + cuts)).

    ``wraps`` states whether pairs are priced by the cuts in ``sides`` and not by
    coordinates. Centres are in lexicographic order. Returns the least pair sum below
    ``best`` and where in ``centres`` it is first met, or ``best`` and -1.
    """
    n, d = cloud.site.shape
    outer = np.empty(n, dtype=np.int64)
    near = np.empty(n, dtype=np.int64)
    who = np.empty(n, dtype=np.int64)
    perhaps = np.empty(n, dtype=np.int64)
    number = np.empty(n, dtype=np.int64)
    room = np.empty(n, dtype=np.int64)
    ranks = np.empty((d, k), dtype=np.int64)
    counts = np.zeros(max(sides.size, n) + 1, dtype=np.int64)
    window = np.empty((2, 2), dtype=np.int64)
    ring = cloud.side[d - 1]
    where = -1
    radius = head = 0
    head_radius = 0
    for i in range(len(centres)):
        same_row = i > 0
        for a in range(d - 1):
            same_row = same_row and centres[i, a] == centres[i - 1, a]
        if not same_row:
            for p in range(n):
                outer[p] = 0
                for a in range(d - 1):
                    outer[p] += _hops(cloud.site[p, a], centres[i, a], cloud.side[a])
        low, high = 0, FAR
        if i > 0:
            reference = i - 1 if same_row else head
            if not same_row:
                radius = head_radius
            gap = 0
            for a in range(d):
                gap += _hops(centres[i, a], centres[reference, a], cloud.side[a])
            low, high = radius - gap, radius + gap
        z = centres[i, d - 1]
        window[:] = 0
        window[0, 1] = n
        if high < FAR and (ring == 0 or 2 * high < ring - 1):
            _window(cloud.last, z, high, ring, window)
        inside = doubtful = 0
        for half in range(2):
            for p in range(window[half, 0], window[half, 1]):
                distance = outer[p] + _hops(cloud.last[p], z, ring)
                if distance < low:
                    who[inside] = p
                    inside += 1
                elif distance <= high:
                    near[doubtful] = distance
                    perhaps[doubtful] = p
                    number[doubtful] = cloud.number[p]
                    doubtful += 1
        radius, index = _margin(near, number, doubtful, k - inside, room)
        if not same_row:
            head, head_radius = i, radius
        for j in range(doubtful):
            if near[j] < radius or (near[j] == radius and number[j] <= index):
                who[inside] = perhaps[j]
                inside += 1
        total = 0
        if wraps:
            for j in range(k):
                for a in range(d):
                    counts[sides.position[cloud.number[who[j]], a]] += 1
            total = _by_cuts(sides, k, counts)
        else:
            for j in range(k):
                for a in range(d):
                    ranks[a, j] = cloud.place[who[j], a]
            for a in range(d):
                total += _by_values(cloud, a, counts, ranks[a], k)
                if total >= best:
                    break
        if total < best:
            best, where = total, i
    return best, where


@kernel
def tree_distances(branches: RankedTree, centre: int, away: Ints) -> None:
    """Fill in the distance of every node from one of them. O(nodes)."""
    away[:] = -1
    away[centre] = 0
    v = centre
    while branches.parent[v] >= 0:
        up = branches.parent[v]
        away[up] = away[v] + branches.weight[v]
        v = up
    for v in branches.order:
        if away[v] < 0:
            away[v] = away[branches.parent[v]] + branches.weight[v]


@kernel
def scan_tree(
    branches: RankedTree, sides: Sides, k: int, centres: Ints, best: int
) -> tuple[int, int]:
    """Scan nodes of a tree, O(nodes) each; the result is that of `scan_cloud`."""
    n = len(branches.node)
    away = np.empty(len(branches.parent), dtype=np.int64)
    near = np.empty(n, dtype=np.int64)
    room = np.empty(n, dtype=np.int64)
    number = np.arange(n)
    counts = np.zeros(sides.size + 1, dtype=np.int64)
    where = -1
    for i in range(len(centres)):
        tree_distances(branches, centres[i, 0], away)
        for p in range(n):
            near[p] = away[branches.node[p]]
        radius, index = _margin(near, number, n, k, room)
        for p in range(n):
            if near[p] < radius or (near[p] == radius and p <= index):
                counts[sides.position[p, 0]] += 1
        total = _by_cuts(sides, k, counts)
        if total < best:
            best, where = total, i
    return best, where
