"""Simulated annealing of the order of ranks."""

from __future__ import annotations

import math

import numpy as np

from ....instances import IntArray
from ....solvers import DEFAULT, Limit, Result, Settings
from ....solvers.running import clock
from ....solvers.running.limits import limits
from ..instance import RankMapping
from ..models.answer import mapping_result
from . import annealing_kernels as kernels
from .baselines import LEAST, greedy_order

RUNS = 10
"""Runs, each from a random order; the best is kept."""
SWEEPS = 1000
"""Exchanges tried of each pair of ranks and run, on average."""
MOST_MOVES = 10**8
"""Exchanges tried in all runs: fewer sweeps above 140 ranks, fewer runs above 450."""
_HOT, _COLD = 0.3, 0.01
"""First and last heat, of the mean rise of the cost by an exchange at random."""
_SAMPLED = 1000


def annealing(mapping: RankMapping, /, settings: Settings = DEFAULT) -> Result:
    """Exchange ranks at random, the more rarely the more it costs, and cool down.

    The node limit counts exchanges tried. Without a limit a run ends by itself: after
    a fifth of a second for 20 ranks, a minute for 1000.

    Guarantee: none.
    Time: the partners of two ranks per exchange tried, 10^8 of these at most.
    Ties: seeded random.
    Source: Burkard and Rendl 1984.
    """
    start = clock.now()
    until = start + settings.time_limit
    search = Annealing(
        mapping, settings.seed, start + max(LEAST, settings.time_limit / 2)
    )
    limit = search.run(until, settings.node_limit)
    return mapping_result(
        mapping,
        search.best.tolist(),
        start=start,
        until=until,
        limit=limit,
        seed=settings.seed,
    )


def partners_of(mapping: RankMapping) -> kernels.Partners:
    """List the partners of every rank, and what they exchange."""
    source, target = np.nonzero(mapping.flow)
    start = np.searchsorted(source, np.arange(mapping.ranks + 1))
    amount = mapping.flow[source, target]
    return kernels.Partners(start, target.copy(), amount, mapping.hops)


class Annealing:
    """All runs on one instance, and the best order so far.

    It is never worse than the identity or the greedy order.
    """

    def __init__(
        self, mapping: RankMapping, seed: int, until: float = math.inf
    ) -> None:
        self.mapping = mapping
        self.best: IntArray = min(
            (np.arange(mapping.ranks), greedy_order(mapping, until)), key=mapping.cost
        )
        self.cost = mapping.cost(self.best)
        self.moves = 0
        pairs = mapping.ranks * (mapping.ranks - 1) // 2
        sweeps = max(1, min(SWEEPS, MOST_MOVES // max(1, pairs)))
        self._length = sweeps * pairs
        self._runs = min(RUNS, max(1, MOST_MOVES // max(1, self._length)))
        self._partners = partners_of(mapping)
        self._random = np.random.default_rng(seed)
        self._words = self._random.integers(1, 2**63, 1).astype(np.uint64)

    def run(self, deadline: float, node_limit: int | None = None) -> Limit | None:
        """Carry out all runs; return the limit that ended them, None if none did."""
        with limits(deadline, node_limit) as watch:
            for _ in range(self._runs if self._length else 0):
                self._begin()
                limit = watch.search(
                    self._step,
                    unfinished=lambda: self._left > 0,
                    nodes=lambda: self.moves,
                )
                self._end(descend=limit is None)
                if limit is not None:
                    return limit
        return None

    def _begin(self) -> None:
        self._place = self._random.permutation(self.mapping.ranks)
        self._top = self._place.copy()
        self._costs = np.full(2, self.mapping.cost(self._place))
        rise = kernels.sample(self._partners, self._place, self._words, _SAMPLED)
        self._heat = _HOT * rise
        self._left = self._length if rise else 0  # no exchange costs anything

    def _step(self, budget: int) -> None:
        moves = min(budget, self._left)
        self._heat = kernels.cool(
            self._partners,
            self._place,
            self._top,
            self._costs,
            self._words,
            self._heat,
            (_COLD / _HOT) ** (1 / self._length),
            moves,
        )
        self._left -= moves
        self.moves += moves

    def _end(self, *, descend: bool) -> None:
        if descend:
            self._costs[1] -= kernels.descend(self._partners, self._top)
        if self._costs[1] < self.cost:
            self.best, self.cost = self._top, int(self._costs[1])
