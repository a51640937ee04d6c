"""Kernels of the swap descent: find an improving exchange, carry it out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...instances import IntArray as Ints
from ...solvers.running.kernels import kernel

Flags = npt.NDArray[np.bool_]


class Places(NamedTuple):
    """Where the free processors are, and how to measure between them."""

    site: Ints  # (n, d)
    side: Ints  # (d,) nodes of each ring, 0 where an axis does not wrap
    parent: Ints  # of a tree's nodes; empty if there is none
    weight: Ints
    rank: Ints  # (nodes,) place in an order with parents before children
    table: Ints  # (n, n) distances on a graph; empty elsewhere


@kernel
def distance(places: Places, p: int, q: int) -> int:
    """Hops between two free processors; on a tree O(length of the path)."""
    hops = 0
    if len(places.table) > 0:
        return int(places.table[p, q])
    if len(places.parent) == 0:
        for a in range(len(places.side)):
            step = abs(places.site[p, a] - places.site[q, a])
            side = places.side[a]
            hops += min(step, side - step) if side > 0 else step
        return hops
    u, v = places.site[p, 0], places.site[q, 0]
    while u != v:  # climb from whichever comes later, it is no ancestor
        if places.rank[u] < places.rank[v]:
            u, v = v, u
        hops += places.weight[u]
        u = places.parent[u]
    return hops


@kernel
def find(
    places: Places, picked: Flags, star: Ints, k: int, first: bool
) -> tuple[int, int, int]:
    """Look for an exchange of a chosen p for a free q that lowers the pair sum.

    It changes the pair sum by D(q) - D(p) - d(p, q), where D are the ``star``
    sums. As k d(p, q) ≤ D(p) + D(q), only q with (k - 1) D(q) < (k + 1) D(p) can
    help, which are few.

    Returns p, q and the change, which is negative, of the best exchange, or with
    ``first`` of the first, in order of (p, q); -1, -1, 0 if there is none.
    """
    n = len(picked)
    dearest = 0
    for p in range(n):
        if picked[p]:
            dearest = max(dearest, star[p])
    outside = np.empty(n, dtype=np.int64)
    m = 0
    for q in range(n):
        if not picked[q] and (k - 1) * star[q] < (k + 1) * dearest:
            outside[m] = q
            m += 1
    out, into, change = -1, -1, 0
    for p in range(n):
        if not picked[p]:
            continue
        limit = (k + 1) * star[p]
        for j in range(m):
            q = outside[j]
            if (k - 1) * star[q] >= limit:
                continue
            difference = star[q] - star[p] - distance(places, p, q)
            if difference < change:
                out, into, change = p, q, difference
                if first:
                    return out, into, change
    return out, into, change


@kernel
def exchange(places: Places, picked: Flags, star: Ints, out: int, into: int) -> None:
    """Choose ``into`` instead of ``out``."""
    picked[out] = False
    picked[into] = True
    for p in range(len(picked)):
        star[p] += distance(places, p, into) - distance(places, p, out)
