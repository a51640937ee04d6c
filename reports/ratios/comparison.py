"""Differences between two stores of results, beyond noise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, exp, log
from statistics import median

import numpy as np

from ...instances import Value
from ...instances.value import cost_text, ordered
from ...solvers import Grade
from ..campaigns.rows import Row
from ..pages.bootstrap import Estimate, estimate, resampled_sums

SHORT = 1e-3
"""Runs of less than so many seconds in both stores are not compared."""
SLIGHT = 0.05
"""Relative changes of times below this are ignored."""
CHANCE = 0.05
"""Probability that some method is called slower or faster by chance alone."""

Match = tuple[str, str, int, int]
"""Digest of the instance, method, seed, repeat: what is compared."""
_GRADES = tuple(Grade)
_PROVEN = ("optimal", "infeasible")


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between the answers of one run.

    Parameters
    ----------
    before, after
        The rows.
    what
        ``answer`` (there is one or none), ``cost``, ``proof`` or ``bound``.
    better
        Whether the later one is the better one.
    old, new
        What is compared, in words.
    """

    before: Row
    after: Row
    what: str
    better: bool
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class TimeChange:
    """How the times of a method changed.

    Parameters
    ----------
    problem, method
        Whose.
    instances
        Number of instances compared.
    slower
        Those of them on which the later store has the longer time.
    ratio
        Geometric mean of later by earlier times, with the interval that 95 % of
        the resampled sets of instances give.
    probability
        Of as uneven a split into slower and faster if both were as likely (sign
        test, two-sided).
    methods
        How many methods are compared: the more, the more must be shown.
    """

    problem: str
    method: str
    instances: int
    slower: int
    ratio: Estimate
    probability: float
    methods: int

    @property
    def sign(self) -> int:
        """1 if slower, -1 if faster beyond noise, else 0."""
        sure = self.probability <= CHANCE / self.methods
        if not sure or abs(log(self.ratio.value)) < log(1 + SLIGHT):
            return 0
        return int(self.ratio.low > 1) - int(self.ratio.high < 1)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A proof of one store that a solution of the other refutes."""

    proved: Row
    found: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two stores, run by run."""

    before: Sequence[Row]
    after: Sequence[Row]
    pairs: int
    changes: Sequence[Change]
    times: Sequence[TimeChange]
    contradictions: Sequence[Contradiction]

    @property
    def worse_answers(self) -> bool:
        """Whether a cost, a proof or a bound is worse, or an answer is missing."""
        lost = any(not change.better for change in self.changes)
        return lost or bool(self.contradictions)

    @property
    def worse(self) -> bool:
        """Whether anything is worse, times beyond noise included."""
        return self.worse_answers or any(time.sign > 0 for time in self.times)


def compare(before: Iterable[Row], after: Iterable[Row]) -> Comparison:
    """Compare run by run: answers exactly, times as far as they are no noise.

    Runs belong together if instance (by digest), method, seed and repeat are the
    same; of several in one store, with other limits or of other versions, the one
    that finished last is taken. Times are the medians of the repeats; the instances
    are what is resampled.
    """
    first, second = _latest(before), _latest(after)
    both = [match for match in first if match in second]
    pairs = [(first[match], second[match]) for match in both]
    return Comparison(
        before=list(first.values()),
        after=list(second.values()),
        pairs=len(pairs),
        changes=[change for pair in pairs for change in _changes(*pair)],
        times=_times(pairs),
        contradictions=_contradictions([*first.values(), *second.values()]),
    )


def _latest(rows: Iterable[Row]) -> Mapping[Match, Row]:
    found: dict[Match, Row] = {}
    for row in rows:
        match = (row.sha256, row.method, row.seed, row.repeat)
        if match not in found or row.finished >= found[match].finished:
            found[match] = row
    return found


def _changes(before: Row, after: Row) -> list[Change]:
    """List differences; those that follow from another one are left out."""

    def change(what: str, better: bool, old: str, new: str) -> list[Change]:
        return [Change(before, after, what, better, old, new)]

    if _answered(before) != _answered(after):
        return change("answer", _answered(after), _outcome(before), _outcome(after))
    if not _answered(before):
        return []
    found: list[Change] = []
    if before.cost is not None and after.cost is not None:
        old, new = ordered(before.cost), ordered(after.cost)
        if old != new:
            words = cost_text(before.cost), cost_text(after.cost)
            found += change("cost", new < old, *words)
    if _trust(before) != _trust(after):
        better = _trust(after) > _trust(before)
        found += change("proof", better, _proof(before), _proof(after))
    elif not _trust(before) and _height(before.bound) != _height(after.bound):
        better = _height(after.bound) > _height(before.bound)
        words = cost_text(before.bound), cost_text(after.bound)
        found += change("bound", better, *words)
    return found


def _answered(row: Row) -> bool:
    return row.cost is not None or row.status == "infeasible"


def _outcome(row: Row) -> str:
    if row.status == "infeasible":
        return row.status
    if row.cost is None:
        return f"{row.status}: {row.error}" if row.error else row.status
    return f"cost {cost_text(row.cost)}"


def _trust(row: Row) -> int:
    """Return 0 without proof, else the more the better its grade is."""
    if row.status not in _PROVEN or row.proof is None:
        return 0
    return len(_GRADES) - _GRADES.index(row.proof.grade)


def _proof(row: Row) -> str:
    return str(row.proof) if _trust(row) else "not proven"


def _height(bound: Value | None) -> tuple[int, ...]:
    """Return a bound as it compares; no bound is below every bound."""
    return () if bound is None else ordered(bound)


def _contradictions(rows: Iterable[Row]) -> list[Contradiction]:
    proved: dict[str, Row] = {}
    best: dict[str, Row] = {}
    for row in rows:
        top, low = proved.get(row.sha256), best.get(row.sha256)
        height = _height(top.bound if top else None)
        if row.bound is not None and _height(row.bound) > height:
            proved[row.sha256] = row
        if row.cost is not None and (
            low is None or low.cost is None or ordered(row.cost) < ordered(low.cost)
        ):
            best[row.sha256] = row
    found = []
    for digest, row in proved.items():
        cheapest = best.get(digest)
        if cheapest is None or cheapest.cost is None:
            continue
        if _height(row.bound) > ordered(cheapest.cost):
            found.append(Contradiction(row, cheapest))
    return found


def _times(pairs: Sequence[tuple[Row, Row]]) -> list[TimeChange]:
    taken: dict[tuple[str, str], dict[str, list[tuple[float, float]]]] = {}
    for before, after in pairs:
        if before.seconds is None or after.seconds is None:
            continue
        instances = taken.setdefault((before.problem, before.method), {})
        both = before.seconds, after.seconds
        instances.setdefault(before.sha256, []).append(both)
    logs: dict[tuple[str, str], list[float]] = {}
    for whose, instances in taken.items():
        for repeats in instances.values():
            old, new = (median(seconds) for seconds in zip(*repeats, strict=True))
            if max(old, new) >= SHORT:
                tiny = SHORT / 1000
                ratio = log(max(new, tiny) / max(old, tiny))
                logs.setdefault(whose, []).append(ratio)
    return [
        _time_change(*whose, ratios, len(logs))
        for whose, ratios in sorted(logs.items())
    ]


def _time_change(
    problem: str, method: str, logs: Sequence[float], methods: int
) -> TimeChange:
    values = np.array(logs, dtype=np.float64)[:, None]
    n = len(logs)
    drawn = np.exp(resampled_sums(values, block=1)[:, 0] / n)
    slower = sum(ratio > 0 for ratio in logs)
    faster = sum(ratio < 0 for ratio in logs)
    return TimeChange(
        *(problem, method, n, slower),
        ratio=estimate(exp(sum(logs) / n), drawn),
        probability=sign_test(slower, faster),
        methods=methods,
    )


def sign_test(one: int, other: int) -> float:
    """Return the probability of a split as uneven as this, if all is even.

    Two-sided; ties have been left out.

    >>> sign_test(0, 5), sign_test(3, 3)
    (0.0625, 1.0)
    """
    n = one + other
    tail = sum(comb(n, i) for i in range(min(one, other) + 1))
    return min(1.0, float(Fraction(2 * tail, 2**n)))
