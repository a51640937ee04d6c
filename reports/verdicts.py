"""What all rows together say: optimum of an instance, ratio of a row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from ..heuristics import AnyMethod
from ..instances import Instance, Value, sha256
from ..instances.value import ordered
from ..solvers import Grade, Proof
from .rows import Row

Ratio = Fraction | float
"""An exact fraction, or infinity: a positive cost where the optimum is 0."""

_GRADES = tuple(Grade)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of the optimum of an instance.

    Parameters
    ----------
    instance
        The instance.
    best
        A row of least cost; None if nothing was found.
    proved
        A row of greatest bound, of the best grade; None if nothing was proved.
    """

    instance: Instance
    best: Row | None
    proved: Row | None

    @property
    def contradiction(self) -> str:
        """Say so if a solution costs less than what was proved; else ""."""
        if self.best is None or self.proved is None:
            return ""
        assert self.best.cost is not None
        assert self.proved.bound is not None
        if ordered(self.proved.bound) <= ordered(self.best.cost):
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
        return self.best.cost if self.best.cost == self.proved.bound else None

    @property
    def bound(self) -> Value | None:
        """The greatest bound; None if there is none or it is contradicted."""
        return None if self.proved is None or self.contradiction else self.proved.bound

    @property
    def proof(self) -> Proof | None:
        """Who vouches for the bound."""
        return self.proved.proof if self.proved and self.bound is not None else None


@dataclass(frozen=True, slots=True)
class Judged:
    """A row beside the optimum of its instance.

    Parameters
    ----------
    row
        What was run.
    verdict
        Of its instance.
    guarantee
        Proven factor of the method on this instance; None if there is none.
    """

    row: Row
    verdict: Verdict
    guarantee: Fraction | None = None

    @property
    def ratio(self) -> Ratio | None:
        """Cost over proved optimum; None if either is missing."""
        if self.row.cost is None or self.verdict.optimum is None:
            return None
        return quotient(self.row.cost, self.verdict.optimum)

    @property
    def interval(self) -> tuple[Ratio, Ratio] | None:
        """Between what the ratio must lie: cost/incumbent and cost/bound.

        None without a cost; also for lexicographic costs, which have no ratio.
        """
        best, bound = self.verdict.best, self.verdict.bound
        if not isinstance(self.row.cost, int) or best is None:
            return None
        assert isinstance(best.cost, int)
        low = quotient(self.row.cost, best.cost)
        high = quotient(self.row.cost, bound) if isinstance(bound, int) else inf
        if low is None or high is None:
            return None
        return low, high

    @property
    def broken(self) -> bool:
        """Whether the ratio, or the least that it can be, is above the guarantee."""
        if self.guarantee is None or self.verdict.contradiction:
            return False
        least = self.ratio
        if least is None and self.interval is not None:
            least = self.interval[0]
        return least is not None and least > self.guarantee


def judge(
    instances: Iterable[Instance],
    rows: Sequence[Row],
    methods: Mapping[str, AnyMethod],
    *,
    witnesses: Iterable[Row] = (),
) -> list[Judged]:
    """Put every row beside the optimum of its instance.

    Parameters
    ----------
    instances
        All that rows are about.
    rows
        What is reported on.
    methods
        By name, for their guarantees.
    witnesses
        Further rows, of other settings: their solutions and proofs count too,
        if they are about the same problem (by digest).
    """
    by_digest: dict[str, list[Row]] = {}
    for row in {row.key: row for row in (*rows, *witnesses)}.values():
        by_digest.setdefault(row.sha256, []).append(row)
    known: dict[str, tuple[Instance, Verdict]] = {}
    for instance in instances:
        evidence = sorted(by_digest.get(sha256(instance), ()), key=lambda r: r.key)
        known[instance.name] = instance, _verdict(instance, evidence)
    judged = []
    for row in rows:
        instance, verdict = known[row.instance]
        method = methods.get(row.method)
        promise = method.guarantee if method else None
        judged.append(Judged(row, verdict, promise(instance) if promise else None))
    return judged


def quotient(cost: Value, divisor: Value) -> Ratio | None:
    """Divide exactly; 0/0 is 1, and lexicographic costs have only the ratio 1.

    >>> quotient(7, 4), quotient(0, 0), quotient(3, 0), quotient((8, 1), (8, 0))
    (Fraction(7, 4), Fraction(1, 1), inf, None)
    """
    if cost == divisor:
        return Fraction(1)
    if isinstance(cost, int) and isinstance(divisor, int):
        return Fraction(cost, divisor) if divisor else inf
    return None


def _verdict(instance: Instance, evidence: Sequence[Row]) -> Verdict:
    found = [row for row in evidence if row.cost is not None]
    proved = [row for row in evidence if row.bound is not None]
    best = min(found, key=_price, default=None)
    if not proved:
        return Verdict(instance, best, None)
    height = max(ordered(row.bound) for row in proved if row.bound is not None)
    highest = [
        row for row in proved if row.bound is not None and ordered(row.bound) == height
    ]
    return Verdict(instance, best, min(highest, key=_trust))


def _price(row: Row) -> tuple[tuple[int, ...], bool, str]:
    """Cheapest first; of equal ones the row that also proves something."""
    assert row.cost is not None
    return ordered(row.cost), row.status != "optimal", row.method


def _trust(row: Row) -> tuple[int, str]:
    assert row.proof is not None
    return _GRADES.index(row.proof.grade), row.method
