"""Thrifty: keep both the job's processors and the remaining ones close together."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np

from ...instances import IntArray, KSubset, Topology, arrays
from ..ksubset.stars import star_sums
from . import thrifty_kernels as kernels
from .allocator import Allocation, Allocator
from .shells import FAR, grid_of

REGARD = Fraction(3, 10)
"""Weight of the processors left over, to be multiplied by (k / free)^(3/4)."""
STARTS = 4
"""Number of balls from which a descent begins."""
_SCALE = 2**10
_STEPS = 10**7
"""Steps of a kernel between two checks for Ctrl-C."""


class Thrifty(Allocator):
    """Take processors close to one another so that those left are close as well.

    Of the free processors F, it chooses a set S of k processors with a small value of

        w(S) + λ w(F - S),  λ = regard (k / |F|)^(3/4),

    where w is the pair sum. As w(F - S) = w(F) - sum over S of D(p) + w(S), where D(p)
    is the sum of distances from p to all of F, this is w(S) with a bonus for processors
    far from the others: remote corners are used up, large open areas are kept.

    The balls of k free processors round every location of the machine are ranked by
    this cost; from the best few, the best exchanges of a chosen for a free processor
    are made until none improves the cost. The rule depends only on k and on which
    processors are free; it accepts a higher pair sum of this job for lower ones of the
    next jobs.

    Guarantee: none; a single choice may cost more than that of mm, on purpose.
    Time: O(n |F| d) for the balls, O(k (|F| - k) d) an exchange, for n processors.
    Ties: a ball takes the nearest, then by coordinates; of equal balls the centre
        least in lexicographic order; of equal exchanges the least processor given
        up, then the least taken; of equal ends the one of the better ball.
    Source: derived for closeknit, see docs/papers/online-rule.md; the question is that
    of
        Bender et al. 2008, section 5.

    Parameters
    ----------
    topology
        A mesh or torus; all of it is idle at first.
    seed
        Not used; the rule is deterministic.
    regard
        Weight of the processors left over, at least 0; with 0 only the job counts.
    starts
        Number of balls from which a descent begins.
    """

    def __init__(
        self,
        topology: Topology,
        *,
        seed: int = 0,
        regard: Fraction = REGARD,
        starts: int = STARTS,
    ) -> None:
        super().__init__(topology, seed=seed)
        grid = grid_of(topology)
        self.regard = regard
        self.starts = starts
        self.side = np.array(grid.shape, dtype=np.int64)
        self.ring = np.array(grid.ring_lengths, dtype=np.int64)
        self.sites = np.array(self.places, dtype=np.int64)
        most = len(self.places) ** 2 * int(self.side.sum())
        self.scale = max(1, min(_SCALE, 2**60 // most))

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        numbers = np.flatnonzero(self.idle)
        if k == len(numbers):
            return Allocation.of(numbers)
        spared = self._weight(k, len(numbers))
        free = kernels.Free(
            self.sites[numbers],
            self.side,
            self.ring,
            self._to_free(numbers),
            self.scale + spared,
            spared,
        )
        best, chosen = FAR, numbers[:k]
        for cost, centre in zip(*self._balls(free, k), strict=True):
            away = arrays.distances(self.topology, free.site, self.sites[centre])
            picked = np.zeros(len(numbers), dtype=np.bool_)
            picked[np.argsort(away, kind="stable")[:k]] = True
            cost += _descend(free, picked)
            if cost < best:
                best, chosen = cost, numbers[picked]
        return Allocation.of(chosen)

    def _weight(self, k: int, free: int) -> int:
        """Return λ times the scale, rounded down."""
        p, q = self.regard.numerator, self.regard.denominator
        return isqrt(isqrt((p * self.scale) ** 4 * k**3 // (q**4 * free**3)))

    def _to_free(self, numbers: IntArray) -> IntArray:
        places = tuple(self.places[i] for i in numbers)
        instance = KSubset("free", self.topology, places, 1)
        return star_sums(instance, np.arange(len(numbers)))

    def _balls(self, free: kernels.Free, k: int) -> tuple[list[int], IntArray]:
        """Return the costs and centres of the cheapest balls, the cheapest first."""
        costs = np.full(self.starts, FAR, dtype=np.int64)
        winners = np.full(self.starts, -1, dtype=np.int64)
        chunk = max(1, _STEPS // free.site.size)
        for first in range(0, len(self.sites), chunk):
            centres = self.sites[first : first + chunk]
            kernels.scan(free, k, centres, first, costs, winners)
        found = winners >= 0
        return costs[found].tolist(), winners[found]


def _descend(free: kernels.Free, picked: kernels.Flags) -> int:
    """Exchange until no exchange improves; return the change of the cost."""
    value = kernels.values(free, picked)
    steps = max(1, _STEPS // len(picked) ** 2)
    change, done = 0, False
    while not done:
        more, done = kernels.descend(free, picked, value, steps)
        change += more
    return change
