"""Differences between two stores of results, beyond noise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, exp, log
from statistics import median

import numpy as np

from ...instances import Value
from ...instances.value import as_tuple, cost_text
from ...solvers import Grade
from ..campaigns.rows import FAILED, REFUSED, Row
from ..pages.bootstrap import Estimate, estimate, resampled_sums

SHORT = 1e-3
"""Runs of less than so many seconds in both stores are not compared."""
SLIGHT = 0.05
"""Relative changes of times below this are ignored."""
CHANCE = 0.05
"""Probability that some method is called slower or faster by chance alone."""

Match = tuple[str, str, str, int, int, float, int | None, int | None]
"""Digest and name of the instance, method, seed, repeat, and the limits of time, nodes
and memory: what two runs must share to be compared."""
_GRADES = tuple(Grade)
_PROVEN = ("optimal", "infeasible")
_UNANSWERED = (FAILED, REFUSED, "unknown")
"""How a run ends without an answer, worst first."""


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between the answers of one run, in words, and whether it is better.

    ``what`` is ``answer`` (there is one or none), ``status`` (why there is none),
    ``cost``, ``proof`` or ``bound``.
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

    On ``slower`` of the instances compared the later store has the longer time.
    ``ratio`` is the geometric mean of later by earlier times, with the interval that
    95 % of the resampled sets of instances give; ``probability`` that of as uneven a
    split into slower and faster if both were as likely (sign test, two-sided). The
    more ``methods`` are compared, the more must be shown.
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
class ContradictedProof:
    """A proof of one store that a solution of the other refutes."""

    proved: Row
    found: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreComparison:
    """Two stores, run by run.

    ``missing`` are the rows of ``before`` that have none like them in ``after``,
    ``added`` those of ``after``; ``pairs`` counts the runs that are in both.
    """

    before: Sequence[Row]
    after: Sequence[Row]
    pairs: int
    missing: Sequence[Row]
    added: Sequence[Row]
    changes: Sequence[Change]
    times: Sequence[TimeChange]
    contradictions: Sequence[ContradictedProof]

    @property
    def worse_answers(self) -> bool:
        """Whether a cost, bound, proof or status is worse, or a row is missing."""
        return bool(self.missing or self.contradictions or self._runs(better=False))

    @property
    def worse(self) -> bool:
        """Whether anything is worse, times beyond noise included."""
        return self.worse_answers or any(time.sign > 0 for time in self.times)

    @property
    def counts(self) -> str:
        """How many runs were compared and could not be, are better, and are worse."""
        return (
            f"{self.pairs} compared, {len(self.missing)} only in A, "
            f"{len(self.added)} only in B, {self._runs(better=True)} better, "
            f"{self._runs(better=False)} worse"
        )

    @property
    def problems(self) -> Iterator[str]:
        """List the answers that are worse, what they were and are, one line each."""
        for found in self.contradictions:
            yield (
                f"{found.proved.instance}: {found.found.method} found "
                f"{cost_text(found.found.cost)}, which {found.proved.method} "
                f"({found.proved.proof}) excludes"
            )
        for one in self.changes:
            if not one.better:
                run = f"{one.before.method} on {one.before.instance}"
                yield f"{run}: {one.what}: {one.old or 'none'}, now {one.new or 'none'}"
        for row in self.missing:
            yield f"{row.method} on {row.instance}: missing"

    def _runs(self, *, better: bool) -> int:
        """Count the runs of which something is better, or worse."""
        return len({one.before.key for one in self.changes if one.better is better})


def compare(before: Iterable[Row], after: Iterable[Row]) -> StoreComparison:
    """Compare run by run: answers exactly, times as far as they are no noise.

    Runs belong together if instance (name and digest), method, seed, repeat and limits
    are the same; of several in one store, of other versions, the one that finished last
    is taken. A run that has no counterpart is missing, which is worse. Times are the
    medians of the repeats; the instances are what is resampled.
    """
    first, second = _latest(before), _latest(after)
    both = [match for match in first if match in second]
    pairs = [(first[match], second[match]) for match in both]
    return StoreComparison(
        before=list(first.values()),
        after=list(second.values()),
        pairs=len(pairs),
        missing=[row for match, row in first.items() if match not in second],
        added=[row for match, row in second.items() if match not in first],
        changes=[change for pair in pairs for change in _changes(*pair)],
        times=_times(pairs),
        contradictions=_contradictions([*first.values(), *second.values()]),
    )


def _latest(rows: Iterable[Row]) -> Mapping[Match, Row]:
    found: dict[Match, Row] = {}
    for row in rows:
        match = (
            *(row.sha256, row.instance, row.method, row.seed, row.repeat),
            *(row.time_limit, row.node_limit, row.memory_limit),
        )
        if match not in found or row.finished >= found[match].finished:
            found[match] = row
    return found


def _changes(before: Row, after: Row) -> Iterator[Change]:
    """Yield differences; those that follow from another one are left out."""
    both = before, after
    if _answered(before) != _answered(after):
        words = outcome(before), outcome(after)
        yield Change(*both, "answer", _answered(after), *words)
        return
    if not _answered(before) and before.status != after.status:
        better = _UNANSWERED.index(after.status) > _UNANSWERED.index(before.status)
        yield Change(*both, "status", better, outcome(before), outcome(after))
    if before.cost is not None and after.cost is not None:
        old, new = as_tuple(before.cost), as_tuple(after.cost)
        if old != new:
            words = cost_text(before.cost), cost_text(after.cost)
            yield Change(*both, "cost", new < old, *words)
    (was, grade), (now, new_grade) = _trust(before), _trust(after)
    if not was and not now and _height(before.bound) != _height(after.bound):
        better = _height(after.bound) > _height(before.bound)
        words = cost_text(before.bound), cost_text(after.bound)
        yield Change(*both, "bound", better, *words)
    if was != now or (grade != new_grade and grade and new_grade):
        better = (now, new_grade) > (was, grade)
        yield Change(*both, "proof", better, _proof(before), _proof(after))


def _answered(row: Row) -> bool:
    return row.cost is not None or row.status == "infeasible"


def outcome(row: Row) -> str:
    """Describe how a run ended."""
    if row.status == "infeasible":
        return row.status
    if row.cost is None:
        return f"{row.status}: {row.error}" if row.error else row.status
    return f"cost {cost_text(row.cost)}"


def _trust(row: Row) -> tuple[bool, int]:
    """Return whether the answer is proved, and the grade: the greater the better.

    An answer that is not proved may have a bound that is; the grade is 0 without.
    """
    if row.proof is None:
        return False, 0
    return row.status in _PROVEN, len(_GRADES) - _GRADES.index(row.proof.grade)


def _proof(row: Row) -> str:
    proved, grade = _trust(row)
    if proved:
        return str(row.proof)
    return f"only its bound: {row.proof}" if grade else "not proven"


def _height(bound: Value | None) -> tuple[int, ...]:
    """Return a bound as it compares; no bound is below every bound."""
    return () if bound is None else as_tuple(bound)


def _contradictions(rows: Iterable[Row]) -> list[ContradictedProof]:
    """Compare the highest bound of each instance with the lowest cost.

    A proof that there is no solution is above every bound.
    """
    by_digest: dict[str, list[Row]] = {}
    for row in rows:
        by_digest.setdefault(row.sha256, []).append(row)
    found = []
    for own in by_digest.values():
        costly = [row for row in own if row.cost is not None]
        if not costly:
            continue
        best = min(costly, key=lambda row: _height(row.cost))
        proved = max(own, key=lambda row: (impossible(row), _height(row.bound)))
        if impossible(proved) or _height(proved.bound) > _height(best.cost):
            found.append(ContradictedProof(proved, best))
    return found


def impossible(row: Row) -> bool:
    """Whether a run proved that there is no solution."""
    return row.status == "infeasible"


def _times(pairs: Sequence[tuple[Row, Row]]) -> list[TimeChange]:
    taken: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for before, after in pairs:
        if before.seconds is not None and after.seconds is not None:
            run = before.problem, before.method, before.sha256
            taken.setdefault(run, []).append((before.seconds, after.seconds))
    logs: dict[tuple[str, str], list[float]] = {}
    for (problem, method, _), repeats in taken.items():
        old, new = (median(seconds) for seconds in zip(*repeats, strict=True))
        if max(old, new) >= SHORT:
            tiny = SHORT / 1000
            ratio = log(max(new, tiny) / max(old, tiny))
            logs.setdefault((problem, method), []).append(ratio)
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
