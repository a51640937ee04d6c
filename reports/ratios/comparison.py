"""Differences between two stores of results, beyond noise, and as a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from ..pages.document import Document, Inline, Name, Section, Table, Text

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
    """A difference between the answers of one run, in words, and whether it is better.

    ``what`` is ``answer`` (there is one or none), ``cost``, ``proof`` or ``bound``.
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


def _changes(before: Row, after: Row) -> Iterator[Change]:
    """Yield differences; those that follow from another one are left out."""
    both = before, after
    if _answered(before) != _answered(after):
        words = _outcome(before), _outcome(after)
        yield Change(*both, "answer", _answered(after), *words)
        return
    if not _answered(before):
        return
    if before.cost is not None and after.cost is not None:
        old, new = ordered(before.cost), ordered(after.cost)
        if old != new:
            words = cost_text(before.cost), cost_text(after.cost)
            yield Change(*both, "cost", new < old, *words)
    if _trust(before) != _trust(after):
        better = _trust(after) > _trust(before)
        yield Change(*both, "proof", better, _proof(before), _proof(after))
    elif not _trust(before) and _height(before.bound) != _height(after.bound):
        better = _height(after.bound) > _height(before.bound)
        words = cost_text(before.bound), cost_text(after.bound)
        yield Change(*both, "bound", better, *words)


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
    """Compare the highest bound of each instance with the lowest cost."""
    by_digest: dict[str, list[Row]] = {}
    for row in rows:
        by_digest.setdefault(row.sha256, []).append(row)
    found = []
    for own in by_digest.values():
        proved = max(own, key=lambda row: _height(row.bound))
        costly = [row for row in own if row.cost is not None]
        best = min(costly, key=lambda row: _height(row.cost), default=proved)
        if best.cost is not None and _height(proved.bound) > ordered(best.cost):
            found.append(Contradiction(proved, best))
    return found


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


# The document, short enough for a terminal

_SHOWN = 50
"""Changes of a kind that are listed; the others are counted."""


def comparison_document(found: Comparison, first: str, second: str) -> Document:
    """Build the document; ``first`` and ``second`` name the stores."""
    worse = [change for change in found.changes if not change.better]
    better = [change for change in found.changes if change.better]
    sections = [
        _listed("Worse in B", worse),
        _listed("Better in B", better),
        _timed(found.times),
    ]
    if found.contradictions:
        sections.insert(0, _refuted(found))
    return Document(
        name="comparison",
        title="Two stores compared",
        source=(
            *("A: ", Name(first), ", ", *_made_by(found.before)),
            *("; B: ", Name(second), ", ", *_made_by(found.after)),
        ),
        lead=(_counts(found, worse, better),),
        sections=tuple(sections),
    )


def _made_by(rows: Sequence[Row]) -> tuple[Inline, ...]:
    return (
        *("closeknit ", *_names(row.version for row in rows)),
        *(" on ", *_names(row.machine for row in rows)),
        *(" (", *_names(row.solvers for row in rows if row.solvers), ")"),
    )


def _names(values: Iterable[str]) -> tuple[Inline, ...]:
    names = [Name(value) for value in sorted(set(values))]
    pieces = [piece for name in names for piece in ("; ", name)]
    return tuple(pieces[1:]) or ("nothing",)


def _counts(
    found: Comparison, worse: Sequence[Change], better: Sequence[Change]
) -> str:
    only_a = len(found.before) - found.pairs
    only_b = len(found.after) - found.pairs
    slower = sum(time.sign > 0 for time in found.times)
    faster = sum(time.sign < 0 for time in found.times)
    return (
        f"{found.pairs} runs are in both ({only_a} in A only, {only_b} in B only): "
        f"{len(worse)} answers worse, {len(better)} better; {slower} methods slower, "
        f"{faster} faster beyond noise; {len(found.contradictions)} contradictions."
    )


def _refuted(found: Comparison) -> Section:
    rows = tuple(
        (
            Name(c.proved.instance),
            (
                Name(c.proved.method),
                f" at least {cost_text(c.proved.bound)} (",
                Name(str(c.proved.proof)),
                ")",
            ),
            (Name(c.found.method), f" {cost_text(c.found.cost)}"),
        )
        for c in found.contradictions
    )
    columns = ("*instance", "*proved", "*found")
    table = Table(columns=columns, rows=rows)
    return Section(title="Contradicted proofs", tables=(table,))


def _listed(title: str, changes: Sequence[Change]) -> Section:
    if not changes:
        return Section(title=title, text=("Nothing.",))
    rows = tuple(
        (
            Name(change.before.instance),
            Name(change.before.method),
            *(change.before.repeat, change.what),
            *(Name(change.old), Name(change.new)),
        )
        for change in changes[:_SHOWN]
    )
    columns = ("*instance", "*method", "repeat", "*what", "*A", "*B")
    table = Table(columns=columns, rows=rows)
    left = len(changes) - _SHOWN
    after: tuple[Text, ...] = (f"and {left} more.",) * (left > 0)
    return Section(title=title, tables=(table,), after=after)


def _timed(times: Sequence[TimeChange]) -> Section:
    if not times:
        text = "No method takes long enough to be compared."
        return Section(title="Times", text=(text,))
    signs = {1: "slower", -1: "faster", 0: "no"}
    rows = tuple(
        (
            *(Name(t.method), t.problem, t.instances, t.slower),
            *(f"{t.ratio.value:.3f}", f"{t.ratio.low:.3f} .. {t.ratio.high:.3f}"),
            *(f"{t.probability:.2g}", signs[t.sign]),
        )
        for t in times
    )
    table = Table(
        columns=(
            *("*method", "*problem", "instances", "slower on", "B / A", "95 %", "p"),
            "*beyond noise",
        ),
        rows=rows,
    )
    explanation = (
        "B / A is the geometric mean over instances, with the interval of the "
        "bootstrap over instances; p is that of the sign test. A change is beyond "
        "noise if the interval excludes 1, the change is 5 % or more, and p is at most "
        f"{CHANCE:g} divided by the number of methods."
    )
    return Section(title="Times", tables=(table,), after=(explanation,))
