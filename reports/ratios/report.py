"""The contents of a ratio report, independent of its wording."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from ...instances import InputError, Instance
from ...methods import AnyMethod
from ...solvers import Grade
from ..campaigns.rows import FAILED, REFUSED, Row
from ..pages.numbers import percent
from .scoring import InstanceVerdict, ScoredRun, judge
from .summary import MethodSummary, Shared, shared_by, summary


@dataclass(frozen=True)
class Report:
    """Judged rows, and what follows from them.

    Parameters
    ----------
    judged
        By instance, then by method, in the order of the report.
    methods
        Of every problem, by name, in the order of the report.
    date
        ISO date and time; not of the clock, so that a report can be made again.
    """

    judged: Sequence[ScoredRun]
    methods: Mapping[str, Mapping[str, AnyMethod]]
    date: str

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        return [j.row for j in self.judged]

    @cached_property
    def parts(self) -> Mapping[str, Report]:
        """One report per problem that has rows, by its name."""
        met = {j.row.problem for j in self.judged}
        return {
            problem: Report(
                [j for j in self.judged if j.row.problem == problem],
                {problem: table},
                self.date,
            )
            for problem, table in self.methods.items()
            if problem in met
        }

    @cached_property
    def summaries(self) -> list[MethodSummary]:
        """One summary per method, problem by problem."""
        found = []
        for problem, table in self.methods.items():
            here = [j for j in self.judged if j.row.problem == problem]
            shared, taken = (
                shared_by(here),
                [j for j in here if j.row.status != REFUSED],
            )
            for name, method in table.items():
                if own := [j for j in taken if j.row.method == name]:
                    found.append(summary(name, method.exact, own, shared))
        return found

    @cached_property
    def shared(self) -> Shared:
        """The instances that all methods compared take, in a report on one problem."""
        return shared_by(self.judged)

    @cached_property
    def verdicts(self) -> list[InstanceVerdict]:
        """One verdict per instance."""
        found = {j.row.instance: j.verdict for j in self.judged}
        return list(found.values())

    @cached_property
    def grades(self) -> dict[Grade, int]:
        """Rows with a proved optimum, by grade of the proof."""
        optimal = [j.verdict for j in self.judged if j.verdict.optimum is not None]
        counts = Counter(verdict.proof.grade for verdict in optimal if verdict.proof)
        return {grade: counts[grade] for grade in Grade}

    @property
    def proved(self) -> int:
        """Number of rows whose instance has a proved optimum."""
        return sum(self.grades.values())

    @property
    def infeasible(self) -> int:
        """Number of rows whose instance is proved to have no solution."""
        return sum(j.verdict.infeasible for j in self.judged)

    @property
    def covered(self) -> int:
        """Number of rows that a proven guarantee is about."""
        return sum(j.covered for j in self.judged)

    @property
    def broken(self) -> list[ScoredRun]:
        """Rows above the guarantee of their method."""
        return [j for j in self.judged if j.broken]

    @property
    def contradictions(self) -> list[InstanceVerdict]:
        """Instances on which a solution costs less than what was proved."""
        return [v for v in self.verdicts if v.contradiction]

    @property
    def unproved(self) -> list[ScoredRun]:
        """Rows with a cost, but without a proved optimum to compare it with."""
        return [
            j
            for j in self.judged
            if j.row.cost is not None and j.verdict.optimum is None
        ]

    def ended(self, status: str) -> list[Row]:
        """Return the rows of methods that ended so: ``failed``, ``refused``, ..."""
        return [row for row in self.rows if row.status == status]

    @property
    def failed(self) -> list[Row]:
        """Rows of methods that failed."""
        return self.ended(FAILED)

    @property
    def holds(self) -> bool:
        """Whether nothing broke: no run, no guarantee, no proof."""
        return not (self.failed or self.broken or self.contradictions)

    @property
    def headline(self) -> str:
        """One sentence: how much is known."""
        count = len(self.judged)
        return (
            f"{_many(len(self.verdicts), 'instance')}, "
            f"{_many(len({(r.problem, r.method) for r in self.rows}), 'method')}, "
            f"{_many(count, 'row')}; {self.proved} of them "
            f"({percent(self.proved, count)}) against a proven optimum"
            + (f", {self.infeasible} proved infeasible" if self.infeasible else "")
        )

    @property
    def finding(self) -> str:
        """One sentence: whether every guarantee holds."""
        wrong = [
            f"{_many(len(cases), noun)} {what}"
            for cases, noun, what in (
                (self.broken, "row", "above a proven guarantee"),
                (self.contradictions, "instance", "with a contradicted proof"),
                (self.failed, "run", "failed"),
            )
            if cases
        ]
        if wrong:
            return "; ".join(wrong)
        count = len(self.judged)
        held = "no row has a proven guarantee"
        if self.covered:
            held = (
                f"no ratio exceeds a proven guarantee ({self.covered} of "
                f"{_many(count, 'row')} {'has' if self.covered == 1 else 'have'} one)"
            )
        return f"{held}, no run failed"


def report_on(
    instances: Sequence[Instance],
    rows: Sequence[Row],
    methods: Mapping[str, Mapping[str, AnyMethod]],
    *,
    witnesses: Sequence[Row] = (),
) -> Report:
    """Judge rows and date the report: by SOURCE_DATE_EPOCH or the newest row.

    Parameters
    ----------
    instances
        In the order of the report.
    rows
        By instance, then by method.
    methods
        Of every problem, by name, in the order of the report.
    witnesses
        See `judge`.
    """
    judged = judge(instances, rows, methods, witnesses=witnesses)
    return Report(judged, methods, _date(rows))


def _date(rows: Sequence[Row]) -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        return max((row.finished for row in rows), default="")
    try:
        return datetime.fromtimestamp(int(epoch), UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        raise InputError(
            "must be seconds since 1970", field="SOURCE_DATE_EPOCH", value=epoch
        ) from None


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
