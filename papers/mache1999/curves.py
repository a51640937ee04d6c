"""Means against load with their intervals, and the comparisons they allow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from ...instances import IntArray
from ...reports.pages.bootstrap import Estimate, Floats, estimate, resampled_sums
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
    """

    name: str  # of the workload
    processors: int  # of the machine
    found: Mapping[str, Mapping[Fraction, Found]]  # by strategy and load, ascending
    _points: dict[tuple[str, str, Fraction], tuple[Estimate, Floats]] = field(
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
        return self._point(measure, strategy, load)[0]

    def gap(
        self, measure: Measure, better: str, worse: str, load: Fraction
    ) -> Estimate:
        """Return by how much the mean of one strategy is above that of another."""
        return self._above(measure, (better, load), (worse, load))

    def step(
        self, measure: Measure, strategy: str, low: Fraction, high: Fraction
    ) -> Estimate:
        """Return by how much the mean at one load is above that at another."""
        return self._above(measure, (strategy, low), (strategy, high))

    def _above(
        self, measure: Measure, low: tuple[str, Fraction], high: tuple[str, Fraction]
    ) -> Estimate:
        (less, fewer), (more, others) = (
            self._point(measure, *one) for one in (low, high)
        )
        return estimate(more.value - less.value, others - fewer)

    def _point(
        self, measure: Measure, strategy: str, load: Fraction
    ) -> tuple[Estimate, Floats]:
        """Return a mean, and what it is in the resampled streams."""
        key = measure.name, strategy, load
        if key not in self._points:
            above, below = measure.parts(self.found[strategy][load])
            sums = resampled_sums(np.stack((above, below), axis=1))
            resampled = sums[:, 0] / np.maximum(sums[:, 1], 1)
            value = int(above.sum()) / max(int(below.sum()), 1)
            self._points[key] = estimate(value, resampled), resampled
        return self._points[key]
