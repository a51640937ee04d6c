"""Orders of ranks that do not search."""

from __future__ import annotations

import numpy as np

from ...formulations.mapping.answer import mapping_result
from ...instances import IntArray
from ...instances.mapping import RankMapping
from ...solvers import DEFAULT, Result, Settings, clock


def identity(mapping: RankMapping, /, settings: Settings = DEFAULT) -> Result:
    """Put rank i on the i-th processor.

    Guarantee: none.
    Time: O(n^2).
    Ties: none.
    Source: what launchers of jobs do by default.
    """
    start = clock.now()
    return mapping_result(mapping, range(mapping.ranks), start=start)


def random(mapping: RankMapping, /, settings: Settings = DEFAULT) -> Result:
    """Put the ranks on the processors at random.

    Guarantee: none.
    Time: O(n^2).
    Ties: seeded random.
    Source: the usual baseline.
    """
    start = clock.now()
    order = np.random.default_rng(settings.seed).permutation(mapping.ranks)
    return mapping_result(mapping, order.tolist(), start=start, seed=settings.seed)


def greedy(mapping: RankMapping, /, settings: Settings = DEFAULT) -> Result:
    """Put next the rank that exchanges most with those placed, where that costs least.

    Guarantee: none.
    Time: O(n^3).
    Ties: the lowest number; among processors the one nearest to all, then the lowest.
    Source: Mueller-Merbach 1970.
    """
    start = clock.now()
    return mapping_result(mapping, greedy_order(mapping).tolist(), start=start)


def greedy_order(mapping: RankMapping) -> IntArray:
    """Return the processors of the ranks; see `greedy`."""
    flow, hops = mapping.flow, mapping.hops
    order: IntArray = np.full(mapping.ranks, -1, np.int64)
    central = np.argsort(hops.sum(axis=0), kind="stable")
    free = central.copy()
    exchanged = flow.sum(axis=1)
    for _ in range(mapping.ranks):
        waiting = np.flatnonzero(order < 0)
        rank = waiting[exchanged[waiting].argmax()]
        placed = np.flatnonzero(order >= 0)
        costs = hops[np.ix_(free, order[placed])] @ flow[rank, placed]
        site = int(costs.argmin())
        order[rank] = free[site]
        free = np.delete(free, site)
        exchanged = flow[rank] if not len(placed) else exchanged + flow[rank]
    return order
