"""What paired seconds of two commits say, row by row: the rule of ``compare.py``.

Nothing here is measured. The ratio B/A of a row is the Hodges-Lehmann estimate of the
logarithms of its pairs; its interval holds the ratios that Wilcoxon's signed-rank test
does not reject at 5 % (Hodges and Lehmann 1963). So a few pairs that something else on
the machine spoiled move neither far; six pairs are the fewest that can say anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from statistics import median
from typing import Any

import numpy as np

WARN, FAIL = 1.15, 1.5
"""The lower end of an interval from which a row is named, and is run again."""
FEWEST_PAIRS = 6


class Verdict(Enum):
    """What a row came to."""

    EVEN = "even"
    FASTER = "faster"
    SLOWER = "slower"
    MUCH_SLOWER = "much slower"
    FAILS = "fails now"
    NOT_COMPARED = "not compared"


@dataclass
class Runs:
    """The runs of a row: seconds of each pair, answers, and what went wrong where."""

    seconds: list[tuple[float, float]] = field(default_factory=list)
    answers: tuple[set[str], set[str]] = field(default_factory=lambda: (set(), set()))
    trouble: dict[str, str] = field(default_factory=dict)
    """By side, ``A`` or ``B``: ``unknown: ...`` or ``failed: ...``."""

    def add(self, pair: dict[str, dict[str, Any]], clock: str) -> None:
        """Take what both sides said of one pair."""
        for place, (side, found) in enumerate(sorted(pair.items())):
            for kind in ("unknown", "failed"):
                if kind in found:
                    self.trouble.setdefault(side, f"{kind}: {found[kind]}")
            self.answers[place].update(map(str, enumerate(found.get("answers", ()))))
        if not self.trouble:
            self.seconds.append((pair["A"][clock], pair["B"][clock]))


@dataclass(frozen=True)
class Comparison:
    """One row of the table."""

    row: str
    verdict: Verdict
    medians: tuple[float, float] | None = None
    ratio: tuple[float, float, float] | None = None
    """The estimate, and both ends of its interval."""
    note: str = ""


def signed_rank_quantile(pairs: int, level: float = 0.05) -> int:
    """Return how many of the least averages of pairs lie outside the interval.

    The largest c with P(W < c) <= level / 2, W being the sum of the ranks of positive
    differences where none is expected; 0 where no c >= 1 has that.
    """
    ways = np.ones(1)
    for rank in range(1, pairs + 1):
        longer = np.zeros(len(ways) + rank)
        longer[: len(ways)] += ways
        longer[rank:] += ways
        ways = longer
    below = np.cumsum(ways) / 2.0**pairs
    return int(np.searchsorted(below, level / 2, side="right"))


def ratio_of(seconds: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Return the ratio B/A and its interval of 95 %; at least six pairs are needed."""
    if len(seconds) < FEWEST_PAIRS:
        raise ValueError(f"{len(seconds)} pairs: at least {FEWEST_PAIRS} are needed")
    logs = np.array([np.log(b / a) for a, b in seconds])
    first, second = np.triu_indices(len(logs))
    averages = np.sort((logs[first] + logs[second]) / 2)
    outside = signed_rank_quantile(len(logs))
    low, high = averages[outside - 1], averages[len(averages) - outside]
    middle, low, high = np.exp([np.median(averages), low, high])
    return float(middle), float(low), float(high)


def compare(row: str, runs: Runs) -> Comparison:
    """Return what the runs of a row come to."""
    if runs.trouble:
        note = "; ".join(
            f"{side} {text}" for side, text in sorted(runs.trouble.items())
        )
        fails = "A" not in runs.trouble and runs.trouble["B"].startswith("failed")
        verdict = Verdict.FAILS if fails else Verdict.NOT_COMPARED
        return Comparison(row, verdict, note=note)
    ratio = ratio_of(runs.seconds)
    medians = tuple(median(side) for side in zip(*runs.seconds, strict=True))
    _, low, high = ratio
    if low > WARN:
        verdict = Verdict.MUCH_SLOWER if low > FAIL else Verdict.SLOWER
    else:
        verdict = Verdict.FASTER if high < 1 / WARN else Verdict.EVEN
    return Comparison(row, verdict, (medians[0], medians[1]), ratio, _differs(runs))


def _differs(runs: Runs) -> str:
    """Name an answer that one side gave and the other did not."""
    only = [sorted(runs.answers[i] - runs.answers[1 - i]) for i in (0, 1)]
    if not any(only):
        return ""
    shown = (f"{side} {some[0]}" for side, some in zip("AB", only, strict=True) if some)
    return f"ANSWERS DIFFER: {', '.join(shown)}"


SUSPICIOUS = {Verdict.MUCH_SLOWER, Verdict.FAILS}
"""Verdicts for which a row is run again."""


def failures(first: Sequence[Comparison], again: Sequence[Comparison]) -> list[str]:
    """Return the rows that are suspicious in both runs: the comparison fails."""
    twice = {one.row for one in again if one.verdict in SUSPICIOUS}
    return [one.row for one in first if one.verdict in SUSPICIOUS and one.row in twice]


def summary(comparisons: Sequence[Comparison]) -> str:
    """Count the verdicts; what was not compared is never counted as good."""
    counts = [
        (verdict.value, sum(one.verdict is verdict for one in comparisons))
        for verdict in Verdict
    ]
    differ = sum("ANSWERS DIFFER" in one.note for one in comparisons)
    parts = [f"{count} {name}" for name, count in counts if count]
    if differ:
        parts.append(f"answers differ in {differ}")
    return f"{len(comparisons)} rows: {', '.join(parts)}"
