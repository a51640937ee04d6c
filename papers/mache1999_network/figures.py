"""Means over streams, paired differences, ranks and how well they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import rankdata, spearmanr, t

from ...reports.pages.bootstrap import LEVEL, Estimate
from .parts import Floats, Found
from .printed import MC, SERVICE, SHARES, SIX

BY_ROWS = "mc"
"""MC with ties by rows."""


@dataclass(frozen=True, kw_only=True)
class Figures:
    """One column of the table: rows are streams, columns strategies."""

    share: int  # per cent of I/O
    strategies: tuple[str, ...]
    interarrival: float
    service: Floats
    wait: Floats
    utilisation: Floats
    proved: Floats

    @classmethod
    def of_streams(
        cls,
        share: int,
        strategies: tuple[str, ...],
        interarrival: float,
        found: Sequence[Sequence[Found]],
    ) -> Figures:
        """Collect what every stream gave, in parts of some of the strategies."""

        def stack(name: str) -> Floats:
            return np.stack(
                [np.concatenate([getattr(one, name) for one in row]) for row in found]
            )

        return cls(
            share=share,
            strategies=strategies,
            interarrival=interarrival,
            **{name: stack(name) for name in Found.__dataclass_fields__},
        )

    def by_rows(self) -> Figures:
        """Return the figures with the ties of MC by rows in place of columns."""
        names = {BY_ROWS: MC, MC: ""}
        strategies = tuple(names.get(name, name) for name in self.strategies)
        return replace(self, strategies=strategies)

    def some(self, streams: int) -> Figures:
        """Return the figures of the first streams."""
        return replace(
            self,
            **{
                name: getattr(self, name)[:streams]
                for name in Found.__dataclass_fields__
            },
        )

    @property
    def busy(self) -> Floats:
        """Mean utilisation of each of the paper's strategies, in per cent."""
        at = [self.strategies.index(name) for name in SIX]
        values: Floats = self.utilisation[:, at].mean(axis=0)
        return values

    def of(self, name: str) -> Floats:
        """Return the mean service time on every stream."""
        values: Floats = self.service[:, self.strategies.index(name)]
        return values

    def mean(self, name: str) -> float:
        """Return the service time of all streams."""
        return float(self.of(name).mean())

    def less(self, one: str, other: str) -> tuple[float, float]:
        """Return the mean of one less that of the other, and its standard error."""
        gap = self.of(one) - self.of(other)
        return float(gap.mean()), error(gap)

    def gap(self, one: str, other: str) -> Estimate:
        """Return the same with its 95 % interval by Student's distribution."""
        mean, deviation = self.less(one, other)
        streams = len(self.service)
        reach = float("inf")
        if streams > 1:
            reach = float(t.ppf((1 + LEVEL) / 2, streams - 1)) * deviation
        return Estimate(mean, mean - reach, mean + reach)

    @property
    def ranks(self) -> dict[str, int]:
        """Ranks of the paper's six strategies by mean; equals share the lower one."""
        ranks = rankdata([self.mean(name) for name in SIX], method="min")
        return dict(zip(SIX, map(int, ranks), strict=True))

    @property
    def order(self) -> list[str]:
        """The paper's six strategies, the one of least mean first."""
        return sorted(SIX, key=self.mean)

    @property
    def rho(self) -> float:
        """Spearman's rank correlation of our mean service times with the paper's."""
        printed = [SERVICE[name][SHARES.index(self.share)] for name in SIX]
        return float(spearmanr([self.mean(name) for name in SIX], printed).statistic)


def error(values: Floats) -> float:
    """Return the standard error of a mean.

    >>> error(np.array([1.0, 3.0])), error(np.array([1.0]))
    (1.0, nan)
    """
    if len(values) < 2:
        return float("nan")
    return float(values.std(ddof=1) / np.sqrt(len(values)))
