"""The remaining time of a campaign, from runs that have ended."""

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
    from how fast they end. Before any has ended, nothing is stated: limits are far
    above what most runs take.
    """

    jobs: int = 1
    clock: Callable[[], float] = monotonic
    _began: float = 0.0
    _work: float = 0.0
    _due: Counter[Hashable] = field(default_factory=Counter)
    _count: Counter[Hashable] = field(default_factory=Counter)
    _total: Counter[Hashable] = field(default_factory=Counter)

    def begin(
        self,
        due: Iterable[Hashable],
        known: Iterable[tuple[Hashable, float]],
    ) -> None:
        """Start the clock.

        Takes the kind of each run that is due, and kind and seconds of runs made
        before.
        """
        self._due.update(due)
        for kind, seconds in known:
            self._learn(kind, seconds)
        self._began = self.clock()

    def record(self, kind: Hashable, seconds: float) -> None:
        """Record a run that has just ended."""
        self._learn(kind, seconds)
        self._due[kind] -= 1
        self._work += seconds + _APART

    def left(self) -> float | None:
        """Return the seconds that the runs still due are expected to take together.

        None while no run has ended.
        """
        if not self._count:
            return None
        every = self._total.total() / self._count.total()
        waiting = 0.0
        for kind, due in self._due.items():
            known = self._count[kind]
            one = self._total[kind] / known if known else every
            waiting += due * (one + _APART)
        if not self._work:
            return waiting / self.jobs
        return waiting * (self.clock() - self._began) / self._work

    def _learn(self, kind: Hashable, seconds: float) -> None:
        self._count[kind] += 1
        self._total[kind] += seconds  # type: ignore[assignment]
