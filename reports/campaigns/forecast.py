"""The remaining time of a campaign: from limits at first, then from ended runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from time import monotonic

_APART = 0.05
"""Overhead of a run in seconds: passing it on, writing its row."""


@dataclass(slots=True)
class Forecast:
    """An estimate of the time left, better with every run that ends.

    A run is expected to take what others of its kind took; one of a kind not met yet,
    what all took. How many are made at once is ``jobs`` at the start; then it is seen
    from how fast they end.
    """

    jobs: int = 1
    clock: Callable[[], float] = monotonic
    _limit: float = 0.0
    _began: float = 0.0
    _work: float = 0.0
    _due: Counter[Hashable] = field(default_factory=Counter)
    _count: Counter[Hashable] = field(default_factory=Counter)
    _total: Counter[Hashable] = field(default_factory=Counter)

    def begin(
        self,
        due: Iterable[Hashable],
        known: Iterable[tuple[Hashable, float]],
        *,
        limit: float,
    ) -> None:
        """Start the clock.

        Takes the kind of each run that is due, kind and seconds of runs made before,
        and the limit in seconds of one run.
        """
        self._due.update(due)
        for kind, seconds in known:
            self._learn(kind, seconds)
        self._limit = limit
        self._began = self.clock()

    def ended(self, kind: Hashable, seconds: float) -> None:
        """Record a run that has just ended."""
        self._learn(kind, seconds)
        self._due[kind] -= 1
        self._work += seconds + _APART

    @property
    def bound(self) -> bool:
        """Whether the remaining time is only an upper bound."""
        return not self._work and any(
            due and not self._count[kind] for kind, due in self._due.items()
        )

    def left(self) -> float:
        """Return the seconds that the runs still due are expected to take together."""
        every = self._total.total() / max(1, self._count.total())
        waiting = 0.0
        for kind, due in self._due.items():
            if self._count[kind]:
                one = self._total[kind] / self._count[kind]
            else:
                one = every if self._work else self._limit
            waiting += due * (one + _APART)
        if not self._work:
            return waiting / self.jobs
        return waiting * (self.clock() - self._began) / self._work

    def _learn(self, kind: Hashable, seconds: float) -> None:
        self._count[kind] += 1
        self._total[kind] += seconds  # type: ignore[assignment]
