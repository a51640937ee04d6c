"""Totals over decisions, in memory that does not grow with their number."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from .decisions import Ungraded, Why
from .grade import DecisionGrade, Ratio


@dataclass
class Totals:
    """Accumulates grades.

    Parameters
    ----------
    keep
        How many of the worst grades, and of the first decisions without one, are kept.
    most
        The limit on ratios; None if there is none.
    """

    keep: int = 10
    most: Fraction | None = None
    graded: int = 0
    """Decisions with whole groups and a ratio, exact or between two numbers."""
    optimal: int = 0
    open: int = 0
    """Of those graded: no exact ratio, as the search reached its limit."""
    broken: int = 0
    """Decisions whose groups are not whole."""
    above: int = 0
    """Decisions whose ratio is above the limit for sure."""
    worst: Ratio = Fraction(1)
    ungraded: Counter[Why] = field(default_factory=Counter)
    first_ungraded: list[Ungraded] = field(default_factory=list)
    _total: float = 0.0
    _worst: list[tuple[tuple[bool, Ratio], int, DecisionGrade]] = field(
        default_factory=list
    )

    def add(self, one: DecisionGrade | Ungraded) -> None:
        """Add a decision."""
        if isinstance(one, Ungraded):
            self.ungraded[one.why] += 1
            if len(self.first_ungraded) < self.keep:
                self.first_ungraded.append(one)
            return
        low = one.low
        if low is None:
            self.broken += 1
        else:
            self._add(one, low)
        if low != 1:
            entry = ((low is None, low or Fraction(1)), -self.seen, one)
            heapq.heappush(self._worst, entry)
            if len(self._worst) > self.keep:
                heapq.heappop(self._worst)

    def _add(self, one: DecisionGrade, low: Ratio) -> None:
        self.graded += 1
        self.above += self.most is not None and low > self.most
        self.worst = max(self.worst, low)
        if not one.exact:
            self.open += 1
            return
        self._total += float(low)
        self.optimal += low == 1

    @property
    def seen(self) -> int:
        """Decisions, graded or not."""
        return self.graded + self.broken + self.ungraded.total()

    @property
    def exact(self) -> int:
        """Decisions with an exact ratio."""
        return self.graded - self.open

    @property
    def answered(self) -> int:
        """Decisions that are known to be optimal or not: exact, or broken groups."""
        return self.exact + self.broken

    @property
    def mean(self) -> float | None:
        """The mean of the exact ratios; None if there are none."""
        return self._total / self.exact if self.exact else None

    @property
    def passed(self) -> bool:
        """Whether decisions were graded and, if there is a limit, none is above it.

        Groups that are not whole are above any limit.
        """
        if self.most is None:
            return bool(self.graded or self.broken)
        return bool(self.graded) and not self.above and not self.broken

    def worst_grades(self) -> list[DecisionGrade]:
        """Return the worst grades, those with broken groups first."""
        return [one for _, _, one in sorted(self._worst, reverse=True)]
