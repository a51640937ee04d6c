"""Results of a part: means with intervals, and ratios to proven optima."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
import numpy.typing as npt

from ...instances import IntArray
from ...reports.pages.bootstrap import Estimate, estimate, resampled_sums
from .parts import OPTIMAL, Found, Part

Mask = npt.NDArray[np.bool_]
_PLACES = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRatios:
    """One decision in one situation, compared with the optimum.

    Jobs of one processor are left out: there is nothing to be decided. The numbers
    from ``optimal`` to ``worst`` are over the decisions with a proven optimum, and
    None over nothing. Between ``low`` and ``high`` lies the ratio of the sums over all
    decisions compared: they are over the sums of the bounds and of the best known.
    """

    jobs: int  # decisions that were compared
    average: float | None  # their mean pair sum
    refused: int  # decisions at which the algorithm gave nothing, left out of the rest
    proven: int
    optimal: int
    of_sums: Fraction | None  # sum of costs over sum of optima
    mean: float | None  # of the ratios, in whole numbers, cut to twelve places
    worst: Fraction | None
    low: Fraction | None
    high: Fraction | None


class SituationRow:
    """All decisions in one situation."""

    def __init__(self, part: Part, found: Found) -> None:
        self.part = part
        self.found = found
        self.n = len(found.k)

    def costs(self, decision: str) -> IntArray:
        """Pair sums at all jobs; below 0 where it was not run or refused."""
        column: IntArray = self.found.costs[:, self.part.decisions.index(decision)]
        return column

    def mean(self, decision: str) -> float | None:
        """Mean pair sum over the jobs at which it ran and answered."""
        costs = self.costs(decision)
        served = costs[costs >= 0]
        return float(served.mean()) if len(served) else None

    def means(self, decisions: Sequence[str]) -> dict[str, Estimate]:
        """Mean pair sums of decisions that were run at every job."""
        columns = [self.costs(name) for name in decisions]
        sums = resampled_sums(np.stack(columns, axis=1))
        return {
            name: estimate(float(costs.mean()), sums[:, i] / self.n)
            for i, (name, costs) in enumerate(zip(decisions, columns, strict=True))
        }

    def gap(self, better: str, worse: str) -> Estimate:
        """By how many per cent the mean of one is above that of the other, paired."""
        return relative(self.costs(better), self.costs(worse))

    @cached_property
    def _with_optimum(self) -> Mask:
        asked: Mask = (self.costs(OPTIMAL) >= 0) & (self.found.k > 1)
        return asked

    @cached_property
    def _proven(self) -> Mask:
        proven: Mask = self._with_optimum & (self.costs(OPTIMAL) == self.found.bound)
        return proven

    @property
    def compared(self) -> int:
        """Number of decisions for which an optimum was searched."""
        return int(self._with_optimum.sum())

    @property
    def open(self) -> int:
        """Number of those that were not proved within the limit."""
        return self.compared - int(self._proven.sum())

    def ratios(self, decision: str) -> DecisionRatios:
        """Compare a decision with the optimum."""
        costs, best = self.costs(decision), self.costs(OPTIMAL)
        served = self._with_optimum & (costs >= 0)
        proven = self._proven & served
        mine, least = costs[proven], best[proven]
        return DecisionRatios(
            jobs=int(served.sum()),
            average=float(costs[served].mean()) if served.any() else None,
            refused=int((self._with_optimum & (costs < 0)).sum()),
            proven=len(mine),
            optimal=int((mine == least).sum()),
            of_sums=_over(mine, least),
            mean=self._mean_ratio(mine, least),
            worst=_greatest(mine, least),
            low=_over(costs[served], best[served]),
            high=_over(costs[served], self.found.bound[served]),
        )

    @cached_property
    def _weights(self) -> tuple[int, Mapping[int, int]]:
        """Bring all optima to one denominator: it, and what each is multiplied by."""
        optima = np.unique(self.costs(OPTIMAL)[self._proven]).tolist()
        common = lcm(*optima)
        return common, {value: common // value for value in optima}

    def _mean_ratio(self, costs: IntArray, optima: IntArray) -> float | None:
        if not len(costs):
            return None
        common, weights = self._weights
        sums: Counter[int] = Counter()
        for price, least in zip(costs.tolist(), optima.tolist(), strict=True):
            sums[least] += price
        total = sum(weights[least] * price for least, price in sums.items())
        return _PLACES * total // (common * len(costs)) / _PLACES


def relative(better: IntArray, worse: IntArray) -> Estimate:
    """By how many per cent the sum of one series is above that of another, paired.

    >>> relative(np.array([10, 10]), np.array([11, 11])).value
    10.0
    """
    sums = resampled_sums(np.stack([better, worse], axis=1))
    value = 100 * (int(worse.sum()) - int(better.sum())) / max(int(better.sum()), 1)
    return estimate(value, 100 * (sums[:, 1] - sums[:, 0]) / np.maximum(sums[:, 0], 1))


def _over(costs: IntArray, optima: IntArray) -> Fraction | None:
    below = int(optima.sum())
    return Fraction(int(costs.sum()), below) if below else None


def _greatest(costs: IntArray, optima: IntArray) -> Fraction | None:
    if not len(costs):
        return None
    ratios = costs / optima
    near = np.flatnonzero(ratios >= ratios.max() * (1 - 1e-9))
    return max(Fraction(int(costs[i]), int(optima[i])) for i in near)
