"""Kernels of the thrifty choice: balls round centres, and exchanges, on a grid.

What is minimised is ``own`` w(S) - ``spared`` sum over p in S of D(p), where w(S) is
the pair sum of the chosen processors and D(p) the distances from p to all free ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...instances import IntArray as Ints
from ...solvers.running.kernels import kernel

Flags = npt.NDArray[np.bool_]


class Free(NamedTuple):
    """The free processors of a grid, and the weights of what is minimised."""

    site: Ints  # (n, d) in order of coordinates
    side: Ints  # (d,) of the grid
    ring: Ints  # (d,) its length where an axis is one, else 0
    to_free: Ints  # (n,) D: from each the sum of distances to all
    own: int
    spared: int


@kernel
def _hops(site: Ints, p: int, other: Ints, q: int, ring: Ints) -> int:
    """Distance of two cells."""
    hops = 0
    for axis in range(len(ring)):
        step = abs(site[p, axis] - other[q, axis])
        hops += min(step, ring[axis] - step) if ring[axis] else step
    return hops


@kernel
def _pairs_along(counts: Ints, k: int, wraps: bool) -> int:
    """Pair sum along an axis, by how many are at each coordinate."""
    side = len(counts)
    total = 0
    if not wraps:
        left = 0
        for a in range(side):
            left += counts[a]
            total += left * (k - left)
        return total
    half = side // 2
    within = 0
    for a in range(half):
        within += counts[a]
    for a in range(side):  # each half ring is a cut of weight 1/2
        total += within * (k - within)
        within += counts[(a + half) % side] - counts[a]
    return total // 2


@kernel
def scan(
    free: Free, k: int, centres: Ints, first: int, costs: Ints, winners: Ints
) -> None:
    """Rank the balls of k free processors round some centres by what they cost.

    A ball takes the nearest, then those of least index. Of balls of the same cost only
    the first counts. ``costs`` and ``winners`` are the cheapest so far, ascending, and
    the numbers of their centres, of which the first here is ``first``. O(n d + sides)
    a centre.
    """
    site, side, ring = free.site, free.side, free.ring
    n, d = site.shape
    most = len(costs)
    longest = 0
    for axis in range(d):
        longest = max(longest, side[axis])
    at = np.zeros((d, longest), dtype=np.int64)
    away = np.empty(n, dtype=np.int64)
    shell = np.zeros(side.sum() + 1, dtype=np.int64)
    for c in range(len(centres)):
        shell[:] = 0
        for p in range(n):
            away[p] = _hops(site, p, centres, c, ring)
            shell[away[p]] += 1
        radius = 0
        inside = 0
        while inside + shell[radius] < k:
            inside += shell[radius]
            radius += 1
        missing = k - inside
        at[:] = 0
        cost = 0
        for p in range(n):
            if away[p] > radius:
                continue
            if away[p] == radius:
                if missing == 0:
                    continue
                missing -= 1
            cost -= free.spared * free.to_free[p]
            for axis in range(d):
                at[axis, site[p, axis]] += 1
        for axis in range(d):
            cost += free.own * _pairs_along(at[axis, : side[axis]], k, ring[axis] > 0)
        place = most
        for t in range(most):
            if cost <= costs[t]:
                place = t
                break
        if place == most or cost == costs[place]:
            continue
        for t in range(most - 1, place, -1):
            costs[t], winners[t] = costs[t - 1], winners[t - 1]
        costs[place], winners[place] = cost, first + c


@kernel
def values(free: Free, picked: Flags) -> Ints:
    """Return ``own`` times the distances to the picked less ``spared`` times D."""
    site, ring = free.site, free.ring
    n = len(picked)
    value = np.empty(n, dtype=np.int64)
    for q in range(n):
        star = 0
        for p in range(n):
            if picked[p]:
                star += _hops(site, p, site, q, ring)
        value[q] = free.own * star - free.spared * free.to_free[q]
    return value


@kernel
def descend(free: Free, picked: Flags, value: Ints, steps: int) -> tuple[int, bool]:
    """Carry out best exchanges of a picked p for a free q, at most so many.

    One changes the cost by value(q) - value(p) - own d(p, q). Of equal ones the least
    p, then the least q. O(k (n - k) d) an exchange. Returns the change in all, and
    whether no exchange helps any more.
    """
    site, side, ring, own = free.site, free.side, free.ring, free.own
    n = len(picked)
    reach = 0
    for axis in range(len(side)):
        reach += side[axis] // 2 if ring[axis] else side[axis] - 1
    total = 0
    for _ in range(steps):
        dearest = np.int64(-(2**62))
        for p in range(n):
            if picked[p]:
                dearest = max(dearest, value[p])
        outside = np.empty(n, dtype=np.int64)
        least = np.int64(2**62)
        m = 0
        for q in range(n):
            if not picked[q] and value[q] - dearest < own * reach:
                outside[m] = q
                m += 1
                least = min(least, value[q])
        out, into, change = -1, -1, 0
        for p in range(n):
            if not picked[p] or least - value[p] - own * reach >= change:
                continue
            for j in range(m):
                q = outside[j]
                difference = value[q] - value[p]
                if difference - own * reach >= change:
                    continue
                difference -= own * _hops(site, p, site, q, ring)
                if difference < change:
                    out, into, change = p, q, difference
        if out < 0:
            return total, True
        total += change
        picked[out], picked[into] = False, True
        for q in range(n):
            value[q] += own * (
                _hops(site, into, site, q, ring) - _hops(site, out, site, q, ring)
            )
    return total, False
