"""Mean flow times, paired differences and ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

from ...reports.pages.bootstrap import Estimate, estimate, resampled_sums
from .parts import Found

Floats = npt.NDArray[np.float64]
PRINTED = ("mc1x1", "mm", "optimal", "hilbert/best-fit")
"""The paper's ranking by mean flow time, the best first; it prints no figures."""
BLOCKS = 13
"""Blocks that a stream is cut into where it is resampled: weeks of the log."""


@dataclass(frozen=True, eq=False)
class Setting:
    """All strategies on the same runs of a stream.

    Parameters
    ----------
    name
        What distinguishes it from others.
    load
        Offered load, by the run times of the log.
    pace
        Cycles of a message.
    found
        By strategy, an outcome of every run.
    """

    name: str
    load: Fraction
    pace: float
    found: Mapping[str, Sequence[Found]]

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(next(iter(self.found.values())))

    def mean(self, strategy: str) -> float:
        """Return the mean flow time of all jobs and runs, in messages' times."""
        flows = np.concatenate([one.flow for one in self.found[strategy]])
        return float(flows.mean()) / self.pace

    def service(self, strategy: str) -> float:
        """Return the mean service time of all jobs and runs, in messages' times."""
        times = np.concatenate([one.service for one in self.found[strategy]])
        return float(times.mean()) / self.pace

    def utilisation(self, strategy: str) -> float:
        """Return the per cent of the machine in use, of all runs together."""
        used, whole = np.sum([one.used for one in self.found[strategy]], axis=0)
        return float(100 * used / whole)

    @cached_property
    def _resampled_sums(self) -> tuple[dict[str, float], dict[str, Floats]]:
        """Sums of flow times over runs, and the same of streams put together again."""
        columns = [sum(one.flow for one in runs) for runs in self.found.values()]
        values = np.stack(columns, axis=1)
        sums = resampled_sums(values, block=-(-len(values) // BLOCKS))
        names = list(self.found)
        return (
            {name: float(values[:, i].sum()) for i, name in enumerate(names)},
            {name: sums[:, i] for i, name in enumerate(names)},
        )

    def above(self, better: str, worse: str) -> Estimate:
        """By how many per cent the mean of one is above that of the other, paired."""
        plain, drawn = self._resampled_sums
        return estimate(
            100 * (plain[worse] / plain[better] - 1),
            100 * (drawn[worse] / drawn[better] - 1),
        )

    def worse_in(self, better: str, worse: str) -> int:
        """Count the runs in which the mean of one is above that of the other."""
        pairs = zip(self.found[better], self.found[worse], strict=True)
        return sum(bool(one.flow.sum() < other.flow.sum()) for one, other in pairs)

    def rho(self, run: int | None = None) -> float:
        """Return the rank correlation of the paper's four with its ranking."""
        if run is None:
            means = [self.mean(name) for name in PRINTED]
        else:
            means = [float(self.found[name][run].flow.mean()) for name in PRINTED]
        return float(spearmanr(means, range(len(PRINTED))).statistic)

    def order(self, names: Sequence[str] = PRINTED) -> list[str]:
        """Return strategies, the one of least mean flow time first."""
        return sorted((n for n in names if n in self.found), key=self.mean)


def pace_of(
    sizes: npt.NDArray[np.int64], sent: npt.NDArray[np.int64], one: Found
) -> float:
    """Return the cycles that a message of a task takes, over jobs that send some.

    Parameters
    ----------
    sizes, sent
        Processors of every job, and messages of each of its tasks.
    one
        A run.
    """
    several = sizes > 1
    weight = sizes[several]
    return float((weight * one.service[several]).sum() / (weight * sent[several]).sum())
