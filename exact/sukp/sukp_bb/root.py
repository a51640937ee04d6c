"""Root bound for the set-union knapsack, by the number of excluded elements.

For each number k that R can have there is a bound by pairs. Let a_e be the profit of
the items with e, a_ef of those with e and f. An item hit h times counts 1/h for each
hit, and 1/h >= (2 c + 1 - h) / (c (c + 1)) for every whole c >= 1. Hence the loss of R
is at least the sum over e in R of

    (2 a_e / (c_e + 1)) - sum over f in R, f != e, of a_ef / (c_e (c_e + 1)),

which with the best c_e is the bound of Kuai, Alajaji and Takahara for the union of
events. Pairs are strong where R has few elements and items are hit often, where shares
are not. The least over k is the result; the k where it is least is improved first, so
the computation can stop at any time.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heapreplace

import numpy as np

from ....instances import IntArray
from . import kernels_bound as shares
from . import pairs_kernels as pairs
from .layout import Problem

_BITS = 40
"""Profit counted once for every two elements of an item sums to less than 2^40."""
_PAIR_STEPS = 100
_PAIR_WORK = 2**22
"""Matrix entries processed by an ascent, about 0.5 s; at least 10 steps."""
_MOST_ELEMENTS = 4000
"""Number of elements beyond which no matrices of all pairs are made."""


class ByNumber:
    """Bounds for each number of elements that R can have; see the module.

    Starts from the plain bounds by pairs, for all numbers at once; ``improve``
    continues where the bound is least. Time: initially O(elements² log elements), and
    for each number 60 times O(elements log elements); then
    O(steps elements² log elements).
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._waiting: list[tuple[int, int, bool]] = []
        self._own: PairSums | None = None
        if problem.need <= 0:
            return
        fewest, most = numbers(problem.weight, problem.need)
        bounds = [0] * (most - fewest + 1)
        if len(problem.weight) <= _MOST_ELEMENTS:
            self._own = PairSums(problem)
            bounds = pairs_plain(problem, self._own, fewest, most)
        self._waiting = [(bound, fewest + i, False) for i, bound in enumerate(bounds)]
        heapify(self._waiting)

    @property
    def least(self) -> int:
        """The bound on the whole problem; 0 if nothing must be excluded."""
        return self._waiting[0][0] if self._waiting else 0

    @property
    def work(self) -> int:
        """Approximate number of values processed in one round of ``improve``."""
        return (
            _pair_steps(self._own) * len(self._problem.weight) ** 2 if self._own else 1
        )

    def improve(
        self, best: int, stop: Callable[[], bool], rounds: int | None = None
    ) -> None:
        """Improve the least bounds, until they reach the best cost known.

        Each round is one ascent for one number; ``stop`` is asked between two.
        """
        done = 0
        while self._own and done != rounds and self.least < best and not stop():
            known, k, moved = self._waiting[0]
            if moved:
                return
            found = pairs_moved(self._problem, self._own, k, best)
            heapreplace(self._waiting, (max(known, found), k, True))
            done += 1


def numbers(weight: IntArray, need: int) -> tuple[int, int]:
    """Return the least size of R, and the greatest if R is irreducible.

    Weights decrease, and their sum is at least ``need``, which is more than 0.
    """
    fewest = int(np.searchsorted(np.cumsum(weight), need)) + 1
    most = int(np.searchsorted(np.cumsum(weight[::-1]), need)) + 1
    return fewest, min(most, len(weight))


class PairSums:
    """Profits of the items that contain an element, or two."""

    def __init__(self, problem: Problem) -> None:
        size = [int(d) for d in np.diff(problem.item)]
        weighty = sum(int(p) * d * d for p, d in zip(problem.profit, size, strict=True))
        self.shift = _BITS - weighty.bit_length()
        profit = problem.profit
        profit = profit << self.shift if self.shift >= 0 else profit >> -self.shift
        m = len(problem.weight)
        self.pair = np.zeros((m, m), dtype=np.int64)
        for j, p in enumerate(profit):
            of = problem.member[problem.item[j] : problem.item[j + 1]]
            self.pair[np.ix_(of, of)] += p
        self.own = self.pair.diagonal().copy()


def pairs_plain(problem: Problem, own: PairSums, fewest: int, most: int) -> list[int]:
    """Bound by plain pairs, for each number from fewest to most."""
    wanted = -((-problem.need) >> problem.drop)
    found = pairs.plain(own.own, own.pair, problem.mass, wanted, fewest, most)
    return [max(0, int(shares.unscaled(int(v), own.shift))) for v in found]


def pairs_moved(problem: Problem, own: PairSums, k: int, best: int) -> int:
    """Bound by pairs, with each pair's part moved between its two elements."""
    wanted = -((-problem.need) >> problem.drop)
    target = shares.scaled(best - 1, own.shift)
    value = pairs.by_pairs(
        own.own, own.pair, problem.mass, wanted, k, _pair_steps(own), target
    )
    return max(0, int(shares.unscaled(value, own.shift)))


def _pair_steps(own: PairSums) -> int:
    return min(_PAIR_STEPS, max(10, _PAIR_WORK // max(1, own.pair.size)))
