"""Execution times on one machine, relative to the best placement of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, median

from .machines import FilledNetwork
from .parts import Found

TIE = 1.01
"""Placements within this factor of the best are as good."""


@dataclass(frozen=True)
class Panel:
    """One panel of the figure.

    Parameters
    ----------
    machine
        The network.
    found
        By workload and placement, an outcome of every permutation of random, or one.
    sizes
        Bytes of the longest messages of every workload.
    """

    machine: FilledNetwork
    found: Mapping[str, Mapping[str, tuple[Found, ...]]]
    sizes: Mapping[str, int]

    @property
    def workloads(self) -> tuple[str, ...]:
        """Names of the workloads."""
        return tuple(self.found)

    @property
    def placements(self) -> tuple[str, ...]:
        """The paper's placements, then ours."""
        return (*self.machine.of_paper, *self.machine.ours)

    def times(self, workload: str, placement: str) -> list[int]:
        """Return the cycles of every run."""
        return [found.time for found in self.found[workload][placement]]

    def mean(self, workload: str, placement: str) -> float:
        """Return the mean of these."""
        return fmean(self.times(workload, placement))

    def best(self, workload: str) -> float:
        """Return the cycles in the best placement of the paper; of random the mean."""
        return min(self.mean(workload, name) for name in self.machine.of_paper)

    def bar(self, workload: str, placement: str) -> float:
        """Return the mean, relative to the best placement of the paper."""
        return self.mean(workload, placement) / self.best(workload)

    def spread(self, workload: str, placement: str) -> tuple[float, float]:
        """Return the shortest and the longest run, relative to the same."""
        times = self.times(workload, placement)
        best = self.best(workload)
        return min(times) / best, max(times) / best

    def worst(self, workload: str) -> str:
        """Return the worst placement of the paper."""
        return max(self.machine.of_paper, key=lambda name: self.mean(workload, name))

    def ratio(self, workload: str) -> float:
        """Return worst to best of the paper's placements."""
        return self.bar(workload, self.worst(workload))

    def is_best(self, workload: str, placement: str) -> bool:
        """Whether no placement of the paper is better by more than a hundredth."""
        return self.bar(workload, placement) <= TIE

    def is_worst(self, workload: str, placement: str) -> bool:
        """Whether no placement of the paper is worse by more than a hundredth."""
        return self.ratio(workload) <= TIE * self.bar(workload, placement)

    def beaten(self, workload: str, placement: str) -> list[str]:
        """Return the placements of the paper that are better by more than that."""
        own = self.mean(workload, placement)
        return [
            name
            for name in self.machine.of_paper
            if own > TIE * self.mean(workload, name)
        ]

    @property
    def middle(self) -> float:
        """Median of the ratios of all workloads."""
        return median(map(self.ratio, self.workloads))

    @property
    def most(self) -> tuple[str, float]:
        """The workload of the largest ratio, and that."""
        name = max(self.workloads, key=self.ratio)
        return name, self.ratio(name)
