"""Rank correlations, what a choice by an objective costs, and paired differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import rankdata

from ...reports.pages.bootstrap import Estimate, estimate, resampled_sums
from .machines import OPTIMAL
from .objectives import OBJECTIVES, Floats
from .parts import Found, Part

DRAWS = ("near", "random")
"""Draws are judged together, by their geometric mean."""


@dataclass(frozen=True, eq=False)
class Run:
    """The outcome of one state of a machine.

    Parameters
    ----------
    part, found
        What was run, and what came out.
    names
        Methods and draws, in the order of ``found.which``.
    """

    part: Part
    found: Found
    names: tuple[str, ...]

    def values(self, workload: int) -> Floats:
        """Return the objectives of all sets, shape (sets, objectives)."""
        found = self.found
        return np.concatenate([found.of_set, found.of_traffic[workload]], axis=1)

    @cached_property
    def rhos(self) -> Floats:
        """Rank correlation of objectives with time, shape (workloads, objectives)."""
        return np.array(
            [
                correlations(self.values(i), times)
                for i, times in enumerate(self.found.times)
            ]
        )

    @cached_property
    def regrets(self) -> Floats:
        """Per cent lost by the least objective, shape (workloads, objectives).

        The time of the set that has it (of several the mean), against the least time.
        """
        rows = []
        for i, times in enumerate(self.found.times):
            values = self.values(i)
            best = values == values.min(axis=0)
            mean = (best * times[:, None]).sum(axis=0) / best.sum(axis=0)
            rows.append(100 * (mean / times.min() - 1))
        return np.array(rows)

    def above(self, name: str, *, others: bool = False) -> Floats:
        """Return log time over that of the optimum, by workload.

        Parameters
        ----------
        name
            Method, or one of `DRAWS`.
        others
            Of what others get per cycle, in place of times.
        """
        table = self.found.others if others else self.found.times
        chosen = [
            i
            for i, one in enumerate(self.names)
            if one == name or (name in DRAWS and one.startswith(f"{name} "))
        ]
        logs = np.log(table[:, self.found.which])
        gap: Floats = logs[:, chosen].mean(axis=1) - logs[:, self.names.index(OPTIMAL)]
        return gap


def correlations(values: Floats, times: Sequence[float] | Floats) -> Floats:
    """Return Spearman's rho of every column with times; 0 for a column of equals.

    Examples
    --------
    >>> values = np.array([[1.0, 5, 3], [2, 5, 2], [3, 5, 1]])
    >>> correlations(values, [10, 20, 30]).tolist()
    [1.0, 0.0, -1.0]
    """
    ranks = rankdata(values, axis=0)
    ranks -= ranks.mean(axis=0)
    own = rankdata(times)
    own -= own.mean()
    spread = np.sqrt((ranks**2).sum(axis=0) * (own**2).sum())
    products = (ranks * own[:, None]).sum(axis=0)
    return np.where(spread > 0, products / np.where(spread > 0, spread, 1), 0.0)


def means(runs: Sequence[Run], rows: Floats) -> list[Estimate]:
    """Return the mean of every column, whose rows are of runs.

    The interval is over states drawn again, each with all its loads: it tells how far
    other states might differ. It is infinite if there is only one.
    """
    keys = [(run.part.machine, run.part.seed) for run in runs]
    states = np.stack(
        [
            rows[[i for i, one in enumerate(keys) if one == key]].mean(axis=0)
            for key in dict.fromkeys(keys)
        ]
    )
    whole = rows.mean(axis=0)
    if len(states) == 1:
        return [Estimate(float(value), -np.inf, np.inf) for value in whole]
    drawn = resampled_sums(states, block=1) / len(states)
    return [estimate(float(value), drawn[:, i]) for i, value in enumerate(whole)]


@dataclass(frozen=True, eq=False)
class AllRuns:
    """All runs, by machine and load."""

    workloads: tuple[str, ...]
    runs: Mapping[tuple[str, str], Sequence[Run]]

    @property
    def machines(self) -> list[str]:
        """Names of the machines."""
        return list(dict.fromkeys(machine for machine, _ in self.runs))

    @property
    def loads(self) -> list[str]:
        """Names of the loads."""
        return list(dict.fromkeys(load for _, load in self.runs))

    def of(self, machine: str | None = None, load: str | None = None) -> list[Run]:
        """Return the runs of a machine, a load, or all."""
        return [
            run
            for (a, b), runs in self.runs.items()
            for run in runs
            if machine in (None, a) and load in (None, b)
        ]

    def rhos(self, runs: Sequence[Run], workload: str | None = None) -> list[Estimate]:
        """Return the mean correlations, by objective, of one workload or all."""
        return means(runs, np.stack([self._of(run.rhos, workload) for run in runs]))

    def regrets(
        self, runs: Sequence[Run], workload: str | None = None
    ) -> list[Estimate]:
        """Return the mean per cent lost, by objective, of one workload or all."""
        return means(runs, np.stack([self._of(run.regrets, workload) for run in runs]))

    def rho_gap(self, runs: Sequence[Run], better: str, worse: str) -> Estimate:
        """Return by how much the mean correlation of one is above that of another."""
        one, other = OBJECTIVES.index(better), OBJECTIVES.index(worse)
        rows = np.stack([run.rhos.mean(axis=0) for run in runs])
        return means(runs, rows[:, [one]] - rows[:, [other]])[0]

    def above(
        self, runs: Sequence[Run], name: str, *, others: bool = False
    ) -> Estimate:
        """Return by how many per cent a method is above the optimum, paired.

        The geometric mean over workloads and states.
        """
        rows = np.array([[run.above(name, others=others).mean()] for run in runs])
        (logs,) = means(runs, rows)
        return Estimate(
            *(
                100 * float(np.expm1(value))
                for value in (logs.value, logs.low, logs.high)
            )
        )

    def _of(self, table: Floats, workload: str | None) -> Floats:
        found: Floats = (
            table.mean(axis=0)
            if workload is None
            else table[self.workloads.index(workload)]
        )
        return found
