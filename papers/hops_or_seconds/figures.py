"""What choices lose, what objectives predict, and how long jobs of streams take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from ...instances import IntArray
from ...reports.pages.bootstrap import Estimate, estimate, resampled_sums
from .choices import CHOICES, PAIR_SUM, RANDOM, STREAM, Floats
from .machines import LOADS, MACHINES
from .parts import Found
from .streams import USUAL, StreamFound

BUSY = tuple(load for load, (_, send) in LOADS.items() if send)
"""Loads at which others send."""
DRAWN = "random"
"""The drawn sets are judged together, by their mean."""
SHOWN = (*(name for name in CHOICES if name not in RANDOM), DRAWN)


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


def losses(found: Found) -> Floats:
    """Return the per cent of time above the least of the list, (patterns, choices)."""
    least = found.times.min(axis=1, keepdims=True)
    above: Floats = 100 * (found.times / least - 1)
    return above


def rhos(found: Found) -> Floats:
    """Return the correlation of objectives with time, shape (patterns, objectives).

    Sets that several choices have in common count once.
    """
    rows = []
    for times, costs in zip(found.times, found.costs, strict=True):
        sets = np.unique(np.column_stack([times, costs]), axis=0)
        rows.append(correlations(sets[:, 1:], sets[:, 0]))
    return np.array(rows)


def others(found: Found) -> Floats:
    """Return per cent that others get above that with the pair sum, by choice.

    Of all patterns together: while a job is short, few messages arrive.
    """
    rates: Floats = found.others.sum(axis=0)
    above: Floats = 100 * (rates / rates[CHOICES.index(PAIR_SUM)] - 1)
    return above


def means(rows: Floats) -> list[Estimate]:
    """Return the mean of every column; rows are of states, or of streams.

    The interval tells how far other ones might differ; it is infinite for a single one.
    """
    whole = rows.mean(axis=0)
    if len(rows) == 1:
        return [Estimate(float(value), -np.inf, np.inf) for value in whole]
    drawn = resampled_sums(rows, block=1) / len(rows)
    return [estimate(float(value), drawn[:, i]) for i, value in enumerate(whole)]


def over_draws(rows: Floats) -> Floats:
    """Return rows of `CHOICES` as rows of `SHOWN`."""
    at = [CHOICES.index(name) for name in SHOWN[:-1]]
    drawn = rows[:, [CHOICES.index(name) for name in RANDOM]].mean(axis=1)
    return np.column_stack([rows[:, at], drawn])


@dataclass(frozen=True, eq=False)
class AllRuns:
    """All runs.

    Parameters
    ----------
    states
        Outcomes by machine and load, in the same order of states for all loads.
    streams
        Outcomes by machine and rule, in the same order of streams for all rules.
    """

    states: Mapping[tuple[str, str], Sequence[Found]]
    streams: Mapping[tuple[str, str], Sequence[StreamFound]]

    @property
    def machines(self) -> list[str]:
        """Names of the machines."""
        return list(dict.fromkeys(machine for machine, _ in self.states))

    @property
    def rules(self) -> list[str]:
        """Names of the rules."""
        return list(dict.fromkeys(rule for _, rule in self.streams))

    def losses(
        self, machine: str, loads: Sequence[str] = BUSY, pattern: int | None = None
    ) -> dict[str, Estimate]:
        """Return the mean per cent lost, by choice."""
        rows = self._losses(machine, loads, pattern)
        return dict(zip(SHOWN, means(over_draws(rows)), strict=True))

    def gap(
        self, machine: str, worse: str, better: str, loads: Sequence[str] = BUSY
    ) -> Estimate:
        """Return by how much one choice loses more than another, paired."""
        rows = over_draws(self._losses(machine, loads, None))
        one, other = SHOWN.index(worse), SHOWN.index(better)
        return means(rows[:, [one]] - rows[:, [other]])[0]

    def rhos(self, machine: str, loads: Sequence[str] = BUSY) -> list[Estimate]:
        """Return the mean correlations with time, by objective."""
        found = [[rhos(one) for one in self.states[machine, load]] for load in loads]
        return means(np.array(found).mean(axis=(0, 2)))

    def others(self, machine: str, loads: Sequence[str] = BUSY) -> dict[str, Estimate]:
        """Return what others get above that with the pair sum, in per cent."""
        found = [[others(one) for one in self.states[machine, load]] for load in loads]
        rows = over_draws(np.array(found).mean(axis=0))
        return dict(zip(SHOWN, means(rows), strict=True))

    def proven(self, machine: str) -> tuple[int, int]:
        """Return of how many least pair sums there is a proof, and all."""
        found = [
            int(one.proven[0])
            for (name, _), some in self.states.items()
            for one in some
            if name == machine
        ]
        return sum(found), len(found)

    def flow(
        self, machine: str, rule: str, base: str = PAIR_SUM, *, run: bool = False
    ) -> Estimate:
        """Return the mean flow time above that under another rule, in per cent.

        With ``run``, of the time from start to end.
        """
        if (machine, rule) not in self.streams and rule == USUAL:
            rule = STREAM
        pairs = zip(
            self.streams[machine, rule], self.streams[machine, base], strict=True
        )
        ratios = [_mean(a.spans, run) / _mean(b.spans, run) for a, b in pairs]
        return means(100 * (np.array(ratios)[:, None] - 1))[0]

    def busy(self, machine: str) -> float:
        """Return the share held under the pair sum until the last job comes."""
        processors = MACHINES[machine].processors
        shares = []
        for found in self.streams[machine, PAIR_SUM]:
            submit, start, end, k = found.spans.T
            held = (np.minimum(end, submit[-1]) - np.minimum(start, submit[-1])) * k
            shares.append(held.sum() / submit[-1] / processors)
        return float(np.mean(shares))

    def _losses(
        self, machine: str, loads: Sequence[str], pattern: int | None
    ) -> Floats:
        found = np.array(
            [[losses(one) for one in self.states[machine, load]] for load in loads]
        )
        chosen = found.mean(axis=2) if pattern is None else found[:, :, pattern]
        rows: Floats = chosen.mean(axis=0)
        return rows


def _mean(spans: IntArray, run: bool) -> float:
    """Return the mean flow or run time without the first tenth of the jobs."""
    later = spans[len(spans) // 10 :]
    return float((later[:, 2] - later[:, 1 if run else 0]).mean())
