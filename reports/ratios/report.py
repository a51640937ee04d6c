"""The contents of a ratio report, method by method, independent of its wording."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

from ...instances import InputError, Instance
from ...instances.ksubset.worst_cases import is_built
from ...methods import AnyMethod
from ...proofs.checking.folder import Entry
from ...solvers import Grade, Proof
from ..campaigns.rows import FAILED, REFUSED, Row
from ..pages.numbers import Ratio, percent
from .scoring import InstanceVerdict, ScoredRun, judge
from .spreads import MethodSummary, Shared, shared_by, summary


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
    rederived
        How many answers were derived again, and how many not; "" if none was to be.
    """

    judged: Sequence[ScoredRun]
    methods: Mapping[str, Mapping[str, AnyMethod]]
    date: str
    rederived: str = ""

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
        """One summary per method, in a report on one problem."""
        taken: dict[str, list[ScoredRun]] = {}
        for j in self.judged:
            if j.row.status != REFUSED:
                taken.setdefault(j.row.method, []).append(j)
        return [
            summary(name, method.exact, taken[name], self.shared, self.apart)
            for name, method in self.table.items()
            if name in taken
        ]

    @cached_property
    def apart(self) -> frozenset[str]:
        """The instances built against a method, if there are others of the problem.

        These count in no mean: it would tell how many of them there are.
        """
        known = [verdict.instance for verdict in self.verdicts]
        built = frozenset(one.name for one in known if is_built(one.source))
        return built if len(built) < len(known) else frozenset()

    @property
    def table(self) -> Mapping[str, AnyMethod]:
        """The methods by name, in a report on one problem."""
        [problem] = self.parts
        return self.methods[problem]

    @cached_property
    def counted(self) -> list[ScoredRun]:
        """The runs that count in means: those on instances that are not `apart`."""
        return [j for j in self.judged if j.row.instance not in self.apart]

    @cached_property
    def shared(self) -> Shared:
        """The instances that all methods compared take, in a report on one problem."""
        return shared_by(self.counted)

    @cached_property
    def marks(self) -> Mapping[str, str]:
        """By which mark the row of each instance is linked to, in such a report."""
        [problem] = self.parts
        named = (verdict.instance.name for verdict in self.verdicts)
        return {name: f"instance-{problem}-{i}" for i, name in enumerate(named)}

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
        """Return the rows of methods by how they ended: ``failed``, ``refused``, ..."""
        return [row for row in self.rows if row.status == status]

    @property
    def failed(self) -> list[Row]:
        """Rows of methods that failed."""
        return self.ended(FAILED)

    @property
    def holds(self) -> bool:
        """Whether there are answers, and no run, guarantee or proof broke."""
        wrong = self.failed or self.broken or self.contradictions
        return not (wrong or self.nothing)

    @property
    def nothing(self) -> str:
        """Why nothing was measured, or no stated guarantee tested; "" if it was."""
        if not self.answered:
            return "no method answered" + f" ({self.silent})" * bool(self.silent)
        stated = [j for j in self.judged if j.covered]
        if stated and not any(j.kept or j.broken for j in stated):
            what = f"none of {many(len(stated), 'stated guarantee')} could be tested"
            return f"{what}: no optimum was proven, and no bound is high enough"
        return "" if stated else self.untested

    @property
    def untested(self) -> str:
        """Which stated guarantees are about costs without one ratio; "" for none."""
        count = sum(
            j.guarantee is not None and isinstance(j.row.cost, tuple)
            for j in self.judged
        )
        what = f"{many(count, 'stated guarantee')} could not be tested"
        return f"{what}: costs of several levels have no ratio" * (count > 0)

    @property
    def answered(self) -> bool:
        """Whether a method answered besides the exact one, if there are others.

        That the exact route found optima tells nothing of the methods to be measured.
        """
        routes = {problem: [*table][-1] for problem, table in self.methods.items()}
        alone = all(len(self.methods[problem]) == 1 for problem in self.parts)
        return any(
            row.cost is not None or row.status == "infeasible"
            for row in self.rows
            if alone or row.method != routes[row.problem]
        )

    @property
    def silent(self) -> str:
        """Why methods did not answer, each reason once."""
        rows = (r for r in self.rows if r.cost is None)
        return "; ".join({r.error or f"{r.method}: {r.status}": 0 for r in rows})

    @property
    def problems(self) -> list[str]:
        """What does not hold, one line each: which run, and which figures."""
        found = [f"{v.instance.name}: {v.contradiction}" for v in self.contradictions]
        return found + [
            f"{j.row.method} on {j.row.instance}: {j.problem}"
            for j in self.judged
            if j.problem
        ]

    @property
    def headline(self) -> str:
        """One sentence: how much is known."""
        count = len(self.judged)
        return (
            f"{many(len(self.verdicts), 'instance')}, "
            f"{many(len({(r.problem, r.method) for r in self.rows}), 'method')}, "
            f"{many(count, 'row')}; {self.proved} of them "
            f"({percent(self.proved, count)}) against a proven optimum"
            + (f", {self.infeasible} proved infeasible" if self.infeasible else "")
        )

    @cached_property
    def ranked(self) -> list[MethodSummary]:
        """Heuristics with exact ratios, the closest to optimal first.

        By `mean_of`; of lexicographic costs by the share of optimal answers, then by
        the means of levels. Of equal ones variants come after others. Methods that
        take less than half of the instances are not comparable and come last.
        """

        def key(s: MethodSummary) -> tuple[Ratio, ...]:
            return (*self.rank_of(s), bool(self.table[s.name].variant_of))

        return sorted(self._known, key=key)

    def rank_of(self, s: MethodSummary) -> tuple[Ratio, ...]:
        """Return what ranks a method; the less, the closer to optimal."""
        share, few = Fraction(-s.optimal, max(s.runs, 1)), not self.is_broad(s)
        mean = self.mean_of(s)
        if mean is None:
            return (few, share, *(level.mean for level in s.levels))
        return (few, mean, share)

    @property
    def _known(self) -> list[MethodSummary]:
        return [s for s in self.summaries if not s.exact and (s.spread or s.levels)]

    @cached_property
    def alike(self) -> bool:
        """Whether methods are ranked by their means over the same instances."""
        return self.shared.tells and all(
            s.shared for s in self._known if self.is_broad(s)
        )

    def mean_of(self, s: MethodSummary) -> Ratio | None:
        """Return the mean by which a method is ranked; None for lexicographic costs.

        Over the instances that all compared methods take, where these differ.
        """
        if s.spread is None:
            return None
        return s.shared[0] if self.alike and s.shared else s.spread.mean

    def is_broad(self, s: MethodSummary) -> bool:
        """Whether a method has a ratio on at least half as many as the one of most."""
        return 2 * s.judged >= max(one.judged for one in self.summaries)

    @property
    def finding(self) -> str:
        """One sentence: whether every guarantee holds."""
        wrong = [
            f"{many(len(cases), noun)} {what}"
            for cases, noun, what in (
                (self.broken, "row", "above a proven guarantee"),
                (self.contradictions, "instance", "with a contradicted proof"),
                (self.failed, "run", "failed"),
            )
            if cases
        ]
        if wrong:
            return "; ".join(wrong)
        if self.nothing:
            return self.nothing
        count = len(self.judged)
        held = "no row has a proven guarantee"
        if self.covered:
            held = (
                f"no ratio exceeds a proven guarantee ({self.covered} of "
                f"{many(count, 'row')} {'has' if self.covered == 1 else 'have'} one)"
            )
        return f"{held}, no run failed" + f"; {self.untested}" * bool(self.untested)


def report_on(
    instances: Sequence[Instance],
    rows: Sequence[Row],
    methods: Mapping[str, Mapping[str, AnyMethod]],
    *,
    witnesses: Sequence[Row] = (),
    kept: Mapping[str, Entry] = MappingProxyType({}),
    wrong: Mapping[str, str] = MappingProxyType({}),
    confirmed: Mapping[str, Proof] = MappingProxyType({}),
    rederived: str = "",
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
    witnesses, kept, wrong, confirmed
        See `judge`.
    rederived
        See `Report`.
    """
    judged = judge(
        *(instances, rows, methods),
        witnesses=witnesses,
        kept=kept,
        wrong=wrong,
        confirmed=confirmed,
    )
    return Report(judged, methods, _date(rows), rederived)


def _date(rows: Sequence[Row]) -> str:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        return max((row.finished for row in rows), default="")
    try:
        return datetime.fromtimestamp(int(epoch), UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        raise InputError(
            "must be seconds since 1970", "SOURCE_DATE_EPOCH", epoch
        ) from None


def many(count: int, noun: str) -> str:
    """Return a number of things, in words."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
