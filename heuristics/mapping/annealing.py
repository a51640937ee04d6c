"""Simulated annealing of the order of ranks."""

from __future__ import annotations

import numpy as np

from ...instances import IntArray
from ...instances.mapping import RankMapping
from ...solvers import Limit, Settings
from ...solvers.settings import DEFAULT
from ...solvers import clock
from ...solvers.limits import limits
from . import annealing_kernels as kernels

RUNS = 4
SWEEPS = 100
_SAMPLED = 1000
_COLDEST = 1e-3


def partners_of(mapping: RankMapping) -> kernels.Partners:
    """List the partners of every rank."""
    source, target = np.nonzero(mapping.flow)
    start = np.searchsorted(source, np.arange(mapping.ranks + 1)).astype(np.int64)
    return kernels.Partners(
        start, target.astype(np.int64), mapping.flow[source, target], mapping.hops
    )


def annealing(mapping, settings=DEFAULT, runs=RUNS, sweeps=SWEEPS):
    n = mapping.ranks
    order = np.arange(n)
    given = partners_of(mapping)
    rng = np.random.default_rng(settings.seed)
    words = rng.integers(1, 2**63, 1).astype(np.uint64)
    best = order.copy(); bestc = mapping.cost(order)
    moves = sweeps * n * (n - 1) // 2
    for r in range(runs):
        place = rng.permutation(n)
        costs = np.array([mapping.cost(place)] * 2)
        top = place.copy()
        heat = kernels.sample(given, place, words, _SAMPLED)
        if heat > 0:
            kernels.cool(given, place, top, costs, words, heat, _COLDEST ** (1 / moves), moves)
        c = costs[1] - kernels.descend(given, top)
        if c < bestc: best, bestc = top, c
    return best, bestc
