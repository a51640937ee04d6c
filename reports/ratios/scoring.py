"""The optimum of an instance and the ratio of a row, from all rows together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from types import MappingProxyType

from ...instances import Instance, Value, problem_of, sha256
from ...instances.outcome import confirmation
from ...instances.result import NOTHING
from ...instances.value import as_tuple
from ...methods import AnyMethod
from ...proofs.checking.folder import BY_DEFINITION, Entry
from ...proofs.checking.kinds import FILE_KINDS
from ...solvers import Grade, Proof
from ..campaigns.rows import FAILED, Row
from ..pages.numbers import Ratio, decimal, within

Interval = tuple[Ratio, Ratio]
"""Lower and upper end of a ratio."""

PROOFS = {kind: Proof(Grade.CHECKED, kind) for kind in FILE_KINDS}
PROOFS[BY_DEFINITION] = NOTHING
"""What vouches for a bound, by the kind of the proof in a file."""
FOLDER = "proofs"
"""Where proofs are kept, next to the report."""
_GRADES = tuple(Grade)


@dataclass(frozen=True, slots=True)
class InstanceVerdict:
    """What is known about the optimum of an instance.

    ``best`` is a row of least cost, ``proved`` one of greatest bound, ``refuted`` one
    that proves that there is no solution, both of the best grade; None without any.
    ``kept`` is the proof in a file, if one was written, and ``before`` what vouched
    for the bound without it. ``doubt`` is what contradicts an answer that was derived
    again, in one line.
    """

    instance: Instance
    best: Row | None
    proved: Row | None
    refuted: Row | None = None
    kept: Entry | None = None
    before: Proof | None = None
    doubt: str = ""

    @property
    def problem(self) -> str:
        """Name of the problem of the instance."""
        return problem_of(self.instance).name

    @property
    def infeasible(self) -> bool:
        """Whether it is proved that there is no solution."""
        return self.refuted is not None and self.best is None

    @property
    def contradiction(self) -> str:
        """Which proof is contradicted, and by what; "" if none."""
        if self.doubt:
            return self.doubt
        if self.best is not None and self.refuted is not None:
            return (
                f"{self.refuted.method} ({self.refuted.proof}) claims that there is no "
                f"solution, but {self.best.method} found one"
            )
        if self.best is None or self.proved is None:
            return ""
        assert self.best.cost is not None
        assert self.proved.bound is not None
        if as_tuple(self.proved.bound) <= as_tuple(self.best.cost):
            return ""
        return (
            f"{self.proved.method} ({self.proved.proof}) claims at least "
            f"{self.proved.bound}, but {self.best.method} found {self.best.cost}"
        )

    @property
    def optimum(self) -> Value | None:
        """The cost that was both reached and proved; None if there is none."""
        if self.best is None or self.proved is None:
            return None
        if self.contradiction:
            return None
        return self.best.cost if self.best.cost == self.proved.bound else None

    @property
    def bound(self) -> Value | None:
        """The greatest bound; None if there is none or it is contradicted."""
        return None if self.proved is None or self.contradiction else self.proved.bound

    @property
    def settled(self) -> Proof | None:
        """The proof of the optimum, or of infeasibility; None if neither is known."""
        return self.proof if self.infeasible or self.optimum is not None else None

    @property
    def proof(self) -> Proof | None:
        """The proof of the bound, or of infeasibility."""
        if self.infeasible and self.refuted is not None:
            return self.refuted.proof
        return self.proved.proof if self.proved and self.bound is not None else None


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A row with what is known of its instance, and the proven factor of its method."""

    row: Row
    verdict: InstanceVerdict
    guarantee: Fraction | None = None

    @property
    def ratios(self) -> tuple[Ratio, ...] | None:
        """Cost over proved optimum, level by level; None if either is missing.

        A cost that is an integer has one level. Of a lexicographic cost the ratios
        below the first that is not 1 say little; they may be less than 1.
        """
        if self.row.cost is None or self.verdict.optimum is None:
            return None
        levels = zip(
            as_tuple(self.row.cost), as_tuple(self.verdict.optimum), strict=True
        )
        return tuple(quotient(cost, optimum) for cost, optimum in levels)

    @property
    def optimal(self) -> bool:
        """Whether the cost is the proved optimum."""
        return self.row.cost is not None and self.row.cost == self.verdict.optimum

    @property
    def ratio(self) -> Ratio | None:
        """Cost over proved optimum; None if either is missing, or lexicographic."""
        single = isinstance(self.row.cost, int)
        return self.ratios[0] if single and self.ratios else None

    @property
    def intervals(self) -> tuple[Interval, ...] | None:
        """Intervals of the ratios, from cost/incumbent to cost/bound.

        None without a cost. Of a lexicographic cost, levels are distinguished up to the
        first on which incumbent and bound differ: nothing is known of those below.
        """
        best, bound = self.verdict.best, self.verdict.bound
        if self.row.cost is None or best is None or best.cost is None:
            return None
        cost, reached = as_tuple(self.row.cost), as_tuple(best.cost)
        if bound is None:
            return ((quotient(cost[0], reached[0]), inf),)
        found = []
        for here, incumbent, proved in zip(cost, reached, as_tuple(bound), strict=True):
            found.append((quotient(here, incumbent), quotient(here, proved)))
            if incumbent != proved:
                break
        return tuple(found)

    @property
    def interval(self) -> Interval | None:
        """The same of a cost that is an integer; None if it is not."""
        single = isinstance(self.row.cost, int)
        return self.intervals[0] if single and self.intervals else None

    @property
    def covered(self) -> bool:
        """Whether there is a cost that the guarantee of the method is about."""
        return (
            self.guarantee is not None
            and self.interval is not None
            and not self.verdict.contradiction
        )

    @property
    def least_ratio(self) -> Ratio | None:
        """The ratio, or the lower end of its interval."""
        if self.ratio is not None or self.interval is None:
            return self.ratio
        return self.interval[0]

    @property
    def broken(self) -> bool:
        """Whether the ratio, or the least that it can be, is above the guarantee."""
        if self.guarantee is None or not self.covered or self.least_ratio is None:
            return False
        return self.least_ratio > self.guarantee

    @property
    def kept(self) -> bool:
        """Whether the ratio, or the most that it can be, is within the guarantee."""
        if self.guarantee is None or not self.covered or self.interval is None:
            return False
        return self.interval[1] <= self.guarantee

    @property
    def problem(self) -> str:
        """What is wrong: the run failed, or is above its guarantee; else ""."""
        if self.row.status == FAILED:
            return f"failed: {self.row.error}"
        if not self.broken:
            return ""
        least, best = self.least_ratio, self.verdict.best
        cost = f"{best.cost if best else None}, above its guarantee {self.guarantee}"
        if self.ratio is not None:
            ratio = f"ratio {least} ({decimal(least)}) to the optimum"
        else:
            ratio = f"ratio at least {least} ({decimal(least)}) to the least found"
        return f"cost {self.row.cost}, {ratio} {cost}"


def open_levels(
    judged: ScoredRun,
    write: Callable[[Ratio], str] | None = None,
) -> str:
    """Write what is known of ratios without a proven optimum, level by level.

    Levels of which nothing is known are left out, with a question mark at the end.
    Rounded outwards, or by ``write``.
    """
    if judged.intervals is None or judged.row.cost is None:
        return "–"
    shown = []
    for low, high in judged.intervals:
        if low == high:
            shown.append((write or decimal)(low))
        elif write is None:
            shown.append(within(low, high))
        else:
            shown.append(f"{write(low)} .. {write(high)}")
    if len(judged.intervals) < len(as_tuple(judged.row.cost)):
        shown.append("?")
    return "; ".join(shown)


def judge(
    instances: Iterable[Instance],
    rows: Sequence[Row],
    methods: Mapping[str, Mapping[str, AnyMethod]],
    *,
    witnesses: Iterable[Row] = (),
    kept: Mapping[str, Entry] = MappingProxyType({}),
    wrong: Mapping[str, str] = MappingProxyType({}),
    confirmed: Mapping[str, Proof] = MappingProxyType({}),
) -> list[ScoredRun]:
    """Compare every row with the optimum of its instance.

    Parameters
    ----------
    instances
        All that rows are about.
    rows
        What is reported on.
    methods
        Of every problem, by name, for their guarantees.
    witnesses
        Further rows, of other settings: their solutions and proofs count too,
        if they are about the same problem (by digest).
    kept
        By name of the instance, the proofs that were kept in files.
    wrong, confirmed
        By name of the instance, what contradicts an answer that was derived again, and
        what vouches for its bound now.
    """
    by_digest: dict[str, list[Row]] = {}
    for row in {row.key: row for row in (*rows, *witnesses)}.values():
        by_digest.setdefault(row.sha256, []).append(row)
    known: dict[str, tuple[Instance, InstanceVerdict]] = {}
    for instance in instances:
        evidence = sorted(by_digest.get(sha256(instance), ()), key=lambda r: r.key)
        verdict = replace(
            _vouch(_verdict(instance, evidence), confirmed.get(instance.name)),
            doubt=wrong.get(instance.name, ""),
        )
        if entry := kept.get(instance.name):
            verdict = _cite(verdict, entry)
        known[instance.name] = instance, verdict
    judged = []
    for row in rows:
        instance, verdict = known[row.instance]
        method = methods.get(row.problem, {}).get(row.method)
        promise = method.promise(instance) if method and row.ran else None
        judged.append(ScoredRun(row, verdict, promise))
    return judged


def quotient(cost: int, divisor: int) -> Ratio:
    """Divide exactly; 0/0 is 1.

    >>> quotient(7, 4), quotient(0, 0), quotient(3, 0)
    (Fraction(7, 4), Fraction(1, 1), inf)
    """
    if cost == divisor:
        return Fraction(1)
    return Fraction(cost, divisor) if divisor else inf


def _verdict(instance: Instance, evidence: Sequence[Row]) -> InstanceVerdict:
    found = [row for row in evidence if row.cost is not None]
    none = [row for row in evidence if row.status == "infeasible"]
    bounds = [(as_tuple(row.bound), row) for row in evidence if row.bound is not None]
    height = max((bound for bound, _ in bounds), default=())
    return InstanceVerdict(
        instance,
        best=min(found, key=_price, default=None),
        proved=_row_of_best_grade([row for bound, row in bounds if bound == height]),
        refuted=_row_of_best_grade(none),
    )


def _row_of_best_grade(rows: list[Row]) -> Row | None:
    """Return the row of best grade; the word of a solver is confirmed by another."""
    rows.sort(key=_trust)
    for other in rows:
        assert rows[0].proof is not None
        assert other.proof is not None
        if proof := confirmation(rows[0].proof, other.proof):
            return replace(rows[0], proof=proof)
    return rows[0] if rows else None


def _vouch(verdict: InstanceVerdict, proof: Proof | None) -> InstanceVerdict:
    """Let other code vouch for what a solver claims."""
    if proof is None:
        return verdict
    if verdict.infeasible and verdict.refuted is not None:
        return replace(verdict, refuted=replace(verdict.refuted, proof=proof))
    if verdict.proved is None:
        return verdict
    return replace(verdict, proved=replace(verdict.proved, proof=proof))


def _cite(verdict: InstanceVerdict, entry: Entry) -> InstanceVerdict:
    """Let a proof in a file vouch for the bound, where nothing proves a higher one."""
    verdict = replace(verdict, kept=entry, before=verdict.settled)
    proof = PROOFS.get(entry.kind)
    here = verdict.refuted if entry.cost is None else verdict.best
    if proof is None or here is None:
        return verdict
    if entry.cost is None:
        by_file = entry.kind != BY_DEFINITION
        return (
            replace(verdict, refuted=replace(here, proof=proof)) if by_file else verdict
        )
    known = verdict.proved
    if (
        known
        and known.bound is not None
        and as_tuple(known.bound) > as_tuple(entry.cost)
    ):
        return verdict
    proved = replace(here, method=entry.by, bound=entry.cost, proof=proof)
    return replace(verdict, proved=proved)


def _price(row: Row) -> tuple[tuple[int, ...], bool, str]:
    """Cheapest first; of equal ones the row that also proves something."""
    assert row.cost is not None
    return as_tuple(row.cost), row.status != "optimal", row.method


def _trust(row: Row) -> tuple[int, str]:
    assert row.proof is not None
    return _GRADES.index(row.proof.grade), row.method
