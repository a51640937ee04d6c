"""Queues of requests under every method of Morgenstern's tables, run by run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import stats

from ....instances.submesh import Box, sides
from ....methods.submesh_allocators import ALLOCATORS
from ....simulation.submesh import Fixed, Judge, Measures, Occupancy, first_come
from ....simulation.submesh_migration import Migrating, migration_judge
from ....simulation.submesh_stream import Request, Sides, queue
from ....solvers import Settings

FIVE = 5
"""Runs of the paper, behind every figure it prints."""
RUNS = 20
"""Runs of ours, behind means and intervals."""
SECONDS = 10.0
"""For a single decision whether residents can make room."""


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that differ only in their seeds: one part of a table."""

    name: str
    shape: tuple[int, int]
    requests: int
    sides: Sides
    rotate: bool = False

    def queue(self, seed: int) -> list[Request]:
        """Draw the queue of a run."""
        return queue(self.shape, self.requests, self.sides, seed=seed)


@dataclass(slots=True)
class Laboratory:
    """Runs methods on queues and caches the measures.

    Parameters
    ----------
    seed
        Of the first run; the others follow.

    Attributes
    ----------
    undecided
        Decisions of ``mig`` that were not reached, by group.
    """

    seed: int
    undecided: dict[str, int] = field(default_factory=dict)
    _found: dict[tuple[str, str, int, bool], Measures] = field(default_factory=dict)
    _judged: dict[object, bool | None] = field(default_factory=dict)

    def measured(
        self,
        group: Group,
        method: str,
        run: int,
        *,
        judged: bool = False,
        generous: bool = False,
    ) -> Measures:
        """Return the measures of a method in a run.

        Parameters
        ----------
        group, method, run
            Which; runs are numbered from 0.
        judged
            Whether failures are judged; ``mig`` fails only where it has been decided.
        generous
            Whether ``mig`` lets in whom it cannot decide on.
        """
        key = (group.name, f"{method}{'+' * generous}", run, judged)
        if key not in self._found:
            self._found[key] = self._run(group, method, run, judged, generous)
        return self._found[key]

    def values(
        self, group: Group, method: str, name: str, runs: int, *, judged: bool = False
    ) -> list[float]:
        """Return a measure of the first runs, where it is defined."""
        found = (
            getattr(self.measured(group, method, run, judged=judged), name)
            for run in range(runs)
        )
        return [value for value in found if value is not None]

    def _run(
        self, group: Group, method: str, run: int, judged: bool, generous: bool
    ) -> Measures:
        requests = group.queue(self.seed + run)
        limits = Settings(time_limit=SECONDS)
        if method == "mig":
            mig = Migrating(
                group.shape, rotate=group.rotate, generous=generous, settings=limits
            )
            found = first_come(requests, mig)
            if not generous:
                before = self.undecided.get(group.name, 0)
                self.undecided[group.name] = before + mig.undecided
            return found
        occupancy: Occupancy = Fixed(
            ALLOCATORS[method](group.shape, rotate=group.rotate)
        )
        judge = self._judge(group, limits) if judged else None
        return first_come(requests, occupancy, judge=judge)

    def _judge(self, group: Group, limits: Settings) -> Judge:
        """Cache answers: methods that place alike decide the same packings."""
        decide = migration_judge(group.shape, rotate=group.rotate, settings=limits)

        def judge(boxes: Sequence[Box], size: tuple[int, ...]) -> bool | None:
            key = (group.shape, group.rotate, size, tuple(sorted(map(sides, boxes))))
            if key not in self._judged:
                self._judged[key] = decide(boxes, size)
            return self._judged[key]

        return judge


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over runs, and half the width of its 95 % interval."""

    value: float
    half: float
    n: int

    @property
    def differs(self) -> bool:
        """Whether the mean differs from 0 significantly."""
        return abs(self.value) > self.half

    def __str__(self) -> str:
        return f"{self.value:+.2f} ± {self.half:.2f}"


def mean(values: Sequence[float]) -> Mean:
    """Return the mean, with Student's interval.

    >>> found = mean([1.0, 2.0, 3.0])
    >>> found.value, round(found.half, 2)
    (2.0, 2.48)
    """
    n = len(values)
    if n < 2:
        return Mean(float(np.mean(values)), 0.0, n)
    half = float(stats.t.ppf(0.975, n - 1) * stats.sem(values))
    return Mean(float(np.mean(values)), half, n)


def relative(one: Sequence[float], other: Sequence[float]) -> Mean:
    """Return by how many per cent one is above the other, run by run."""
    return mean([100 * (a / b - 1) for a, b in zip(one, other, strict=True)])
