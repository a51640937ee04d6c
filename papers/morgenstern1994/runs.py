"""Queues of requests under every method of Morgenstern's tables, run by run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np
from scipy import stats

from ...instances.submesh import Box, sides
from ...methods.allocators.submesh import ALLOCATORS
from ...simulation.submesh.migration import Migrating, migration_judge
from ...simulation.submesh.simulator import Fixed, Judge, Measures, first_come
from ...simulation.submesh.stream import BoxRequest, Normal, Sides, Uniform, queue
from ...solvers import Settings
from .printed import Printed

FIVE = 5
"""Runs of the paper, behind every figure it prints."""
RUNS = 20
"""Runs of ours, behind means and intervals."""
SECONDS = 10.0
"""For a single decision whether residents can make room."""
LIMITS = Settings(time_limit=SECONDS)
_SLOW = {("64", "fs-f"), ("1024", "mbv")}
"""Run five times only: they take longest, and fs-f places as iss does."""


@dataclass(frozen=True, slots=True)
class RunGroup:
    """Runs that differ only in their seeds: one part of a table."""

    name: str
    shape: tuple[int, int]
    requests: int
    sides: Sides
    rotate: bool = False

    def queue(self, seed: int) -> list[BoxRequest]:
        """Draw the queue of a run."""
        return queue(self.shape, self.requests, self.sides, seed=seed)

    def occupancy(self, method: str) -> Fixed:
        """Return the empty mesh under a method."""
        if method == "mig":
            return Migrating(self.shape, rotate=self.rotate, settings=LIMITS)
        return Fixed(ALLOCATORS[method](self.shape, rotate=self.rotate))

    def runs(self, method: str) -> int:
        """Return how often a method is run."""
        return FIVE if (self.name, method) in _SLOW else RUNS


Part = tuple[RunGroup, list[Printed]]
"""A group, and its rows in the paper."""


def small_groups(n: int, *, rotate: bool = False) -> list[RunGroup]:
    """Return the two groups of Tables 1 and 2: 256x256, sides uniform and normal."""
    turned = ", turned" if rotate else ""
    return [
        RunGroup(f"uniform{turned}", (256, 256), n, Uniform(1, 256), rotate),
        RunGroup(f"normal{turned}", (256, 256), n, Normal(128, 43), rotate),
    ]


@dataclass(slots=True)
class Laboratory:
    """Runs methods on queues, the first with this seed, and caches the measures."""

    seed: int
    undecided: Counter[str] = field(default_factory=Counter)
    """Decisions of ``mig`` that were not reached, by group."""
    _found: dict[tuple[str, str, int, bool], Measures] = field(default_factory=dict)
    _judged: dict[object, bool | None] = field(default_factory=dict)

    def measure(
        self, group: RunGroup, method: str, run: int, *, judged: bool = False
    ) -> Measures:
        """Return the measures of a method in a run, numbered from 0.

        ``judged``: whether failures are judged; ``mig`` fails only where it has been
        decided.
        """
        key = group.name, method, run, judged
        if key not in self._found:
            self._found[key] = self._run(group, method, run, judged)
        return self._found[key]

    def values(
        self,
        group: RunGroup,
        method: str,
        name: str,
        runs: int,
        *,
        judged: bool = False,
    ) -> list[float]:
        """Return a measure of the first runs, where it is defined; five are judged."""
        found = (
            getattr(
                self.measure(group, method, run, judged=judged and run < FIVE), name
            )
            for run in range(min(runs, group.runs(method)))
        )
        return [value for value in found if value is not None]

    def _run(self, group: RunGroup, method: str, run: int, judged: bool) -> Measures:
        occupancy = group.occupancy(method)
        judge = self._judge(group) if judged and method != "mig" else None
        found = first_come(group.queue(self.seed + run), occupancy, judge=judge)
        if isinstance(occupancy, Migrating):
            self.undecided[group.name] += occupancy.undecided
        return found

    def _judge(self, group: RunGroup) -> Judge:
        """Cache answers: methods that place alike decide the same packings."""
        decide = migration_judge(group.shape, rotate=group.rotate, settings=LIMITS)

        def judge(boxes: Sequence[Box], size: tuple[int, ...]) -> bool | None:
            key = (group.shape, group.rotate, size, tuple(sorted(map(sides, boxes))))
            if key not in self._judged:
                self._judged[key] = decide(boxes, size)
            return self._judged[key]

        return judge


def values_of(
    laboratory: Laboratory, group: RunGroup, row: Printed, name: str, runs: int = RUNS
) -> list[float]:
    """Return a measure of a row's method, run by run."""
    judged = bool(row.migration_fragmentation_pct)
    return laboratory.values(group, row.method, name, runs, judged=judged)


def off(ours: float, paper: float) -> float:
    """Return by how many per cent a figure differs from the paper's."""
    return 100 * (ours / paper - 1)


def deviations(
    laboratory: Laboratory, parts: Sequence[Part], name: str
) -> list[tuple[float, RunGroup, Printed]]:
    """Return by how many per cent each row's mean differs from the paper's."""
    return [
        (off(fmean(values_of(laboratory, g, row, name)), getattr(row, name)), g, row)
        for g, rows in parts
        for row in rows
    ]


def rank(rows: Sequence[Printed]) -> list[Printed]:
    """Order rows by the printed values; of equivalent methods, keep the first."""
    kept = {row.completion_time: row for row in reversed(rows)}
    return sorted(kept.values(), key=lambda row: row.completion_time)


def gap_of(laboratory: Laboratory, group: RunGroup, a: Printed, b: Printed) -> Mean:
    """Return by how many per cent a method takes longer than another, run by run."""
    runs = min(group.runs(a.method), group.runs(b.method))
    return relative(
        values_of(laboratory, group, b, "completion_time", runs),
        values_of(laboratory, group, a, "completion_time", runs),
    )


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
