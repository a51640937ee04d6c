"""Means against load with their intervals, and the comparisons they allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from ....instances import IntArray
from ...pages.bootstrap import Estimate, Floats, estimate, resampled_sums
from .parts import Found


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What is averaged: a number of every job, over one or over its weight."""

    name: str
    unit: str
    parts: Callable[[Found], tuple[IntArray, IntArray]]  # what is added up, and over


def _of_jobs(values: Callable[[Found], IntArray]) -> Callable[[Found], Pair]:
    def parts(found: Found) -> Pair:
        return values(found), np.ones(len(found.k), dtype=np.int64)

    return parts


Pair = tuple[IntArray, IntArray]
DISPERSAL = Measure(
    name="nodes affected",
    unit="processors",
    parts=_of_jobs(lambda found: found.affected),
)
"""Processors of the smallest box around a job, idle or not: Fig. 9."""
BALANCE = Measure(
    name="balance factor of a job",
    unit="processors",
    parts=_of_jobs(lambda found: found.balance),
)
"""Fig. 10, read as that of jobs."""
SYSTEM = Measure(
    name="balance factor of the system",
    unit="processors",
    parts=lambda found: (found.lean, found.span),
)
"""Fig. 10, read as that of the system, averaged over time."""
CONTIGUITY = Measure(
    name="contiguous jobs",
    unit="%",
    parts=_of_jobs(lambda found: 100 * (found.pieces == 1).astype(np.int64)),
)
PAIRS = Measure(name="pair sum", unit="hops", parts=_of_jobs(lambda found: found.pairs))
MEASURES = (DISPERSAL, BALANCE, SYSTEM, CONTIGUITY, PAIRS)


@dataclass(frozen=True, kw_only=True)
class Curves:
    """The outcomes of every strategy on one workload at every load.

    All intervals come from the same blocks of jobs, so that strategies, and loads,
    are compared in pairs: the streams are the same jobs, and under first come first
    served start in the same order.

    Parameters
    ----------
    name
        Of the workload.
    found
        By strategy, then by load, ascending.
    processors
        Of the machine.
    """

    name: str
    processors: int
    found: Mapping[str, Mapping[Fraction, Found]]
    _ratios: dict[tuple[str, str, Fraction], Floats] = field(
        default_factory=dict, repr=False
    )
    _means: dict[tuple[str, str, Fraction], Estimate] = field(
        default_factory=dict, repr=False
    )

    @cached_property
    def jobs(self) -> int:
        """The number of jobs."""
        return max(len(found.k) for by in self.found.values() for found in by.values())

    def loads(self, *strategies: str) -> list[Fraction]:
        """Return the loads at which all of these were run."""
        first = next(iter(strategies or self.found))
        return [
            load
            for load in self.found[first]
            if all(load in self.found[name] for name in strategies)
        ]

    def utilisation(self, strategy: str, load: Fraction) -> float:
        """Return the share of the machine in use, in per cent of processor time."""
        found = self.found[strategy][load]
        time = int(found.span.sum()) * self.processors
        return 100 * int(found.work.sum()) / time if time else 0.0

    def mean(self, measure: Measure, strategy: str, load: Fraction) -> Estimate:
        """Average a measure."""
        key = measure.name, strategy, load
        if key not in self._means:
            above, below = measure.parts(self.found[strategy][load])
            value = int(above.sum()) / max(int(below.sum()), 1)
            resampled = self._resampled(measure, strategy, load)
            self._means[key] = estimate(value, resampled)
        return self._means[key]

    def gap(
        self, measure: Measure, better: str, worse: str, load: Fraction
    ) -> Estimate:
        """Return by how much the mean of one strategy is above that of another."""
        value = self._value(measure, worse, load) - self._value(measure, better, load)
        return estimate(
            value,
            self._resampled(measure, worse, load)
            - self._resampled(measure, better, load),
        )

    def step(
        self, measure: Measure, strategy: str, low: Fraction, high: Fraction
    ) -> Estimate:
        """Return by how much the mean at one load is above that at another."""
        value = self._value(measure, strategy, high) - self._value(
            measure, strategy, low
        )
        return estimate(
            value,
            self._resampled(measure, strategy, high)
            - self._resampled(measure, strategy, low),
        )

    def steps(
        self, measure: Measure, strategy: str
    ) -> list[tuple[Fraction, Fraction, Estimate]]:
        """Compare every load with the next one."""
        return [
            (low, high, self.step(measure, strategy, low, high))
            for low, high in pairwise(self.loads(strategy))
        ]

    def _value(self, measure: Measure, strategy: str, load: Fraction) -> float:
        return self.mean(measure, strategy, load).value

    def _resampled(self, measure: Measure, strategy: str, load: Fraction) -> Floats:
        key = measure.name, strategy, load
        if key not in self._ratios:
            parts = measure.parts(self.found[strategy][load])
            sums = resampled_sums(np.stack(parts, axis=1))
            self._ratios[key] = sums[:, 0] / np.maximum(sums[:, 1], 1)
        return self._ratios[key]
