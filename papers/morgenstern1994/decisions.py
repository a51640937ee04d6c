"""The decisions of a simulation whether residents can make room, and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from scipy import stats

from ...exact.submesh.feasibility import Feasibility
from ...instances.submesh.packing import Packing
from ...reports.pages.document import Cell
from ...simulation.submesh.budget import Budget
from ...simulation.submesh.migration import Migrating
from ...simulation.submesh.simulator import Measures, first_come
from ...simulation.submesh.stream import BoxRequest
from ...solvers import Settings
from ...solvers.running import clock

RESIDENTS = (5, 10, 15, 20, 30, 60, 120, 240)
"""Upper ends of the classes; a last class takes the rest."""
LOADS = (70, 80, 85, 90, 96)
"""Lower ends of the classes in per cent, but for the first."""


@dataclass(frozen=True, slots=True)
class MigrationCase:
    """One decision whether residents could make room."""

    residents: int
    load: float  # processors held if the request were let in, per cent
    fits: bool | None
    by: str  # the step that decided
    seconds: float  # processor time


@dataclass(frozen=True, slots=True)
class Range:
    """The results of the queue of one range of sides."""

    longest: int
    requests: int
    no: Measures
    yes: Measures
    cases: Sequence[MigrationCase]
    again: int
    """Number of undecided cases in the run that counts them as yes."""

    @property
    def bracket(self) -> float:
        """Largest possible excess of the schedule's length, in per cent."""
        return 100 * (self.no.completion_time / self.yes.completion_time - 1)


class _Recorder:
    """Decides within a budget, and records every decision."""

    def __init__(self, budget: Budget, progress: Callable[[], None]) -> None:
        self.budget = budget
        self.progress = progress
        self.cases: list[MigrationCase] = []

    def __call__(self, packing: Packing, settings: Settings) -> Feasibility:
        self.progress()
        start = clock.cpu()
        verdict = self.budget(packing, settings)
        seconds = clock.cpu() - start
        load = 100 * sum(prod(one.size) for one in packing.items) / prod(packing.shape)
        residents = len(packing.items) - 1
        self.cases.append(
            MigrationCase(residents, load, verdict.fits, verdict.by, seconds)
        )
        return verdict


def simulate(
    requests: Sequence[BoxRequest],
    shape: tuple[int, int],
    budget: Budget,
    *,
    generous: bool = False,
    progress: Callable[[], None] = lambda: None,
) -> tuple[Measures, list[MigrationCase]]:
    """Simulate a queue; return its measures and every decision on migration."""
    recorder = _Recorder(budget, progress)
    occupancy = Migrating(shape, generous=generous, decider=recorder)
    return first_come(requests, occupancy), recorder.cases


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """Numbers of decisions that are a yes, a no, and undecided."""

    yes: int
    no: int
    undecided: int

    @property
    def n(self) -> int:
        """All of them."""
        return self.yes + self.no + self.undecided

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share that is undecided, in per cent."""
        if not self.n:
            return 0.0, 100.0
        found = stats.binomtest(self.undecided, self.n).proportion_ci(method="wilson")
        return 100 * float(found.low), 100 * float(found.high)

    @property
    def undecided_pct(self) -> float | None:
        """The share that is undecided, in per cent."""
        return 100 * self.undecided / self.n if self.n else None

    @property
    def cells(self) -> dict[str, Cell]:
        """The cells of a table by their heads."""
        low, high = self.interval
        return {
            "decisions": self.n,
            "yes": self.yes,
            "no": self.no,
            "undecided": self.undecided,
            "undecided %": self.undecided_pct,
            "from %": low,
            "to %": high,
        }


def share(cases: Iterable[MigrationCase]) -> AnswerCounts:
    """Count answers.

    >>> cases = [MigrationCase(3, 90.0, True, "annealing", 0.1)]
    >>> two = share([*cases, MigrationCase(3, 95.0, None, "", 1)])
    >>> two.yes, two.undecided, [round(x) for x in two.interval]
    (1, 1, [9, 91])
    """
    found = Counter(case.fits for case in cases)
    return AnswerCounts(found[True], found[False], found[None])


Classes = list[tuple[str, list[MigrationCase]]]


def by_residents(cases: Sequence[MigrationCase]) -> Classes:
    """Group decisions by the number of residents."""
    ends = (-1, *RESIDENTS, 10**9)
    return [
        (
            f"over {low}" if high == ends[-1] else f"{low + 1} to {high}",
            [case for case in cases if low < case.residents <= high],
        )
        for low, high in pairwise(ends)
    ]


def by_load(cases: Sequence[MigrationCase]) -> Classes:
    """Group decisions by the load with the request."""
    ends = (0, *LOADS, 101)
    return [
        (
            f"to {high}" if not low else f"{low} to {min(high, 100)}",
            [case for case in cases if low <= case.load < high],
        )
        for low, high in pairwise(ends)
    ]
