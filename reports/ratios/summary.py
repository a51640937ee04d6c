"""Distribution of exact ratios, method by method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...solvers import Grade
from ..pages.numbers import Ratio, decimal
from .scoring import ScoredRun


@dataclass(frozen=True, slots=True)
class Spread:
    """Five numbers of a set of ratios, exact.

    The median of an even number is the mean of the two in the middle; ``p95`` is
    the nearest rank: the least ratio that at least 95 % do not exceed.
    """

    least: Ratio
    mean: Ratio
    median: Ratio
    p95: Ratio
    most: Ratio


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """Statistics of one method.

    Parameters
    ----------
    name, exact
        Of the method.
    runs
        Its rows; refused ones, and instances proved infeasible, left out.
    judged
        Those of them whose instance has a proved optimum.
    optimal
        Those of them that reach it.
    infeasible
        Instances of its that are proved to have no solution.
    spread
        Of the exact ratios; None if there is none, or costs are lexicographic.
    levels
        Of lexicographic costs: of the exact ratios of each level; else empty.
    guarantee
        Greatest proven factor over the runs that one covers; None if there is none.
    covered
        Number of these runs; on all others nothing is proven for the method.
    covered_most
        Greatest exact ratio of these runs; None if there is none.
    shared
        Mean of the exact ratios, level by level, over the instances that all compared
        methods take; empty if the method does not take them all.
    broken
        Rows whose ratio is certainly above their guarantee.
    worst
        Row of the greatest exact ratio: on the smallest instance of those. Ratios
        of several levels are compared lexicographically.
    seconds
        Total time of its runs.
    """

    name: str
    exact: bool
    runs: int
    judged: int
    optimal: int
    infeasible: int
    spread: Spread | None
    levels: tuple[Spread, ...]
    guarantee: Fraction | None
    covered: int
    covered_most: Ratio | None
    shared: tuple[Ratio, ...]
    broken: tuple[ScoredRun, ...]
    worst: ScoredRun | None
    seconds: float

    @property
    def coverage(self) -> str:
        """On how many runs the guarantee holds and the worst of those; "" for all."""
        if self.guarantee is None or self.covered == self.runs:
            return ""
        most = decimal(self.covered_most)
        return f"on {self.covered} of {self.runs}, max there {most}"


@dataclass(frozen=True, slots=True)
class Shared:
    """The instances on which the means of methods can be set side by side.

    Parameters
    ----------
    instances
        Names of those with a proved optimum that all compared methods take.
    methods
        Names of the methods compared: all that have a ratio; or, if they have no
        instance in common, those with one on at least half of the instances.
    of
        Number of methods that have a ratio.
    whole
        Whether every method takes these instances and no other.
    """

    instances: frozenset[str]
    methods: frozenset[str]
    of: int
    whole: bool

    @property
    def tells(self) -> bool:
        """Whether means over these instances say more than those over each one's."""
        return bool(self.instances) and len(self.methods) > 1 and not self.whole

    @property
    def explanation(self) -> str:
        """Over which instances the second means are; "" if there are none."""
        if not self.tells:
            return ""
        count = len(self.instances)
        many = "1 instance" if count == 1 else f"{count} instances"
        if len(self.methods) == self.of:
            return f"Means alike are over the {many} that all methods take."
        return (
            f"No instance is taken by all methods. Means alike are over the {many} "
            f"that {len(self.methods)} of the {self.of} methods take: those with a "
            "ratio on at least half of all instances."
        )


def shared_by(judged: Sequence[ScoredRun]) -> Shared:
    """Find the instances that all compared methods of one problem take."""
    taken: dict[str, set[str]] = {}
    for j in judged:
        if j.ratios is not None:
            taken.setdefault(j.row.method, set()).add(j.row.instance)
    every = set().union(*taken.values())
    compared = taken
    common = every.intersection(*compared.values())
    if not common:
        compared = {m: own for m, own in taken.items() if 2 * len(own) >= len(every)}
        common = every.intersection(*compared.values())
    whole = all(own == every for own in taken.values())
    return Shared(frozenset(common), frozenset(compared), len(taken), whole)


def summaries(
    judged: Sequence[ScoredRun], exact: Mapping[str, bool]
) -> list[MethodSummary]:
    """Summarise every method that has rows, in the order of ``exact``.

    Parameters
    ----------
    judged
        All rows.
    exact
        For every method, by name, whether it is an exact one.
    """
    found = []
    shared = shared_by(judged)
    for name, is_exact in exact.items():
        own = [j for j in judged if j.row.method == name and j.row.status != "refused"]
        if own:
            found.append(_summary(name, is_exact, own, shared))
    return found


def spread_of(ratios: Sequence[Ratio]) -> Spread | None:
    """Summarise ratios exactly; None if there are none.

    >>> spread_of([Fraction(3, 2), Fraction(1), Fraction(1)])  # doctest: +ELLIPSIS
    Spread(least=Fraction(1, 1), mean=Fraction(7, 6), median=Fraction(1, 1), ...
    """
    if not ratios:
        return None
    ranked = sorted(ratios)
    n = len(ranked)
    total: Ratio = Fraction(0)
    for ratio in ranked:
        total += ratio
    return Spread(
        least=ranked[0],
        mean=total / n,
        median=(ranked[(n - 1) // 2] + ranked[n // 2]) / 2,
        p95=ranked[-(-95 * n // 100) - 1],
        most=ranked[-1],
    )


def level_spreads(ratios: Sequence[tuple[Ratio, ...]]) -> tuple[Spread, ...]:
    """Summarise ratios level by level; of each level, the rows that have it."""
    height = max(map(len, ratios), default=0)
    columns = ([r[i] for r in ratios if len(r) > i] for i in range(height))
    return tuple(spread for column in columns if (spread := spread_of(column)))


def proved_rows(judged: Sequence[ScoredRun]) -> dict[Grade, int]:
    """Count the rows whose instance has a proved optimum, by grade of the proof."""
    counts = dict.fromkeys(Grade, 0)
    for j in judged:
        if j.verdict.optimum is not None and j.verdict.proof is not None:
            counts[j.verdict.proof.grade] += 1
    return counts


def _summary(
    name: str, exact: bool, own: Sequence[ScoredRun], shared: Shared
) -> MethodSummary:
    runs = [j for j in own if not j.verdict.infeasible]
    with_ratio = [(j, ratios) for j in runs if (ratios := j.ratios) is not None]
    single = [j.ratio for j, _ in with_ratio if j.ratio is not None]
    lexicographic = [ratios for j, ratios in with_ratio if j.ratio is None]
    ranked = sorted(
        with_ratio,
        key=lambda it: (
            *(tuple(-ratio for ratio in it[1]), it[0].row.n),
            *(it[0].row.k, it[0].row.instance),
        ),
    )
    covered = [j for j in runs if j.covered]
    alike = [
        ratios
        for j, ratios in with_ratio
        if name in shared.methods and j.row.instance in shared.instances
    ]
    return MethodSummary(
        name=name,
        exact=exact,
        runs=len(runs),
        judged=len(with_ratio),
        optimal=sum(j.optimal for j in runs),
        infeasible=len(own) - len(runs),
        spread=spread_of(single),
        levels=level_spreads(lexicographic),
        guarantee=max((j.guarantee for j in covered if j.guarantee), default=None),
        covered=len(covered),
        covered_most=max((j.ratio for j in covered if j.ratio), default=None),
        shared=tuple(spread.mean for spread in level_spreads(alike)),
        broken=tuple(j for j in own if j.broken),
        worst=ranked[0][0] if ranked else None,
        seconds=sum(j.row.seconds or 0.0 for j in own),
    )
