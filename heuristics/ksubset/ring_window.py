"""Processors on a ring: the best window of k consecutive free processors."""

from __future__ import annotations

import numpy as np

from ...instances import IntArray, KSubset
from ...solvers import DEFAULT, Result, Settings, answer
from ...solvers.running import clock
from .one_axis import along, ring_of


def ring_window(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Choose the cheapest k consecutive free processors of a ring.

    It never costs more than mm-free: the k nearest to a processor are those within some
    distance r, except for one or two at exactly r, of which there is at most one on
    either side; so they are consecutive.

    Unlike on a line, it is not exact: on a ring of 46 nodes with {2, 11, 14, 15, 17,
    26, 29, 31, 32, 39, 44, 45} free, the best window of 10 costs 532, the optimum 530.
    By exhaustive search, all rings of up to 20 nodes have an optimal window.

    Guarantee: 2 - 2/k, by the star of the best member.
    Time: O(n log n).
    Ties: the window that starts at the lowest coordinate.
    Source: derived for closeknit, see docs/science/theory.md.
    """
    start = clock.now()
    first, _ = best_window(instance)
    window = [i % instance.n for i in range(first, first + instance.k)]
    return answer(instance, window, start=start)


def best_window(instance: KSubset) -> tuple[int, int]:
    """Return where the best window starts, by index, and its cost in hops."""
    n, k = instance.n, instance.k
    at, side = along(instance), ring_of(instance)
    x = np.concatenate([at, at + side])  # window i is x[i : i + k]
    before = np.concatenate([[0], np.cumsum(x)])

    def ahead(i: IntArray, stop: IntArray) -> IntArray:
        """Sum the hops from x[i] to x[i + 1], ..., x[stop - 1]."""
        turn = np.minimum(np.searchsorted(x, x[i] + side // 2, "right"), stop)
        near = before[turn] - before[i] - (turn - i) * x[i]
        far = (stop - turn) * (side + x[i]) - (before[stop] - before[turn])
        hops: IntArray = near + far
        return hops

    def behind(j: IntArray, begin: IntArray) -> IntArray:
        """Sum the hops from x[j] back to x[begin], ..., x[j - 1]."""
        turn = np.maximum(np.searchsorted(x, x[j] - side // 2, "left"), begin)
        near = (j - turn) * x[j] - (before[j] - before[turn])
        far = before[turn] - before[begin] - (turn - begin) * (x[j] - side)
        hops: IntArray = near + far
        return hops

    window = np.arange(k)
    price = int(ahead(window, np.full(k, k)).sum())
    left = np.arange(n - 1 if k < n else 0)
    step = behind(left + k, left + 1) - ahead(left, left + k)
    prices = price + np.concatenate([[0], np.cumsum(step)])
    first = int(prices.argmin())
    return first, int(prices[first])
