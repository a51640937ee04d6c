"""Orders of ranks that do not search."""

from __future__ import annotations

import math

import numpy as np

from ....instances import IntArray
from ....solvers import DEFAULT, Limit, Result, Settings
from ....solvers.running import clock
from ..instance import RankMapping
from ..models.answer import mapping_result

LEAST = 0.1
"""Seconds that the greedy order may take whatever the limit is."""


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
    until = start + max(LEAST, settings.time_limit)
    order = greedy_order(mapping, until).tolist()
    limit = Limit.TIME if clock.now() >= until else None
    return mapping_result(mapping, order, start=start, until=until, limit=limit)


def greedy_order(mapping: RankMapping, until: float = math.inf) -> IntArray:
    """Return the processors of the ranks; see `greedy`.

    The ranks that are left at the time ``until`` are placed in the order of numbers.
    """
    flow, hops = mapping.flow, mapping.hops
    order: IntArray = np.full(mapping.ranks, -1, np.int64)
    central = np.argsort(hops.sum(axis=0), kind="stable")
    free = central.copy()
    exchanged = flow.sum(axis=1)
    for _ in range(mapping.ranks):
        waiting = np.flatnonzero(order < 0)
        rank = waiting[exchanged[waiting].argmax()]
        if clock.now() >= until:
            order[waiting] = free
            break
        partners = np.flatnonzero((order >= 0) & (flow[rank] > 0))
        costs = hops[np.ix_(free, order[partners])] @ flow[rank, partners]
        site = int(costs.argmin())
        order[rank] = free[site]
        free = np.delete(free, site)
        first = len(waiting) == mapping.ranks
        exchanged = flow[rank] if first else exchanged + flow[rank]
    return order
