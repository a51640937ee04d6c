"""Differences between the answers of two stores of results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...instances import Value
from ...instances.value import as_tuple, cost_text
from ...solvers import Grade
from ..campaigns.rows import FAILED, REFUSED, Row

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
    contradictions: Sequence[ContradictedProof]

    @property
    def worse_answers(self) -> bool:
        """Whether a cost, bound, proof or status is worse, or a row is missing."""
        return bool(self.missing or self.contradictions or self._runs(better=False))

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
    """Compare the answers run by run.

    Runs belong together if instance (name and digest), method, seed, repeat and limits
    are the same; of several in one store, of other versions, the one that finished last
    is taken. A run that has no counterpart is missing, which is worse.
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
