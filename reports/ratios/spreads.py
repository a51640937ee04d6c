"""Statistics of ratios and times: spreads, comparable means, summaries of methods."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from statistics import fmean

from ...instances.words import with_noun
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
class Shared:
    """The instances on which the means of methods can be set side by side.

    These have a proved optimum and are taken by all methods compared: all that have a
    ratio (``of`` so many); or, if they have no instance in common, those with one on at
    least half of the instances. ``whole``: every method takes these and no other.
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
        many = with_noun(count, "instance")
        if len(self.methods) == self.of:
            return f"'mean alike' averages over the {many} that all methods take."
        return (
            "No instance is taken by all methods. 'mean alike' averages over the "
            f"{many} common to {len(self.methods)} of the {self.of} methods: those "
            "with a ratio on at least half of all instances."
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


def spread_of(ratios: Sequence[Ratio]) -> Spread | None:
    """Summarise ratios exactly; None if there are none.

    >>> from fractions import Fraction
    >>> spread_of([Fraction(3, 2), Fraction(1), Fraction(1)])  # doctest: +ELLIPSIS
    Spread(least=Fraction(1, 1), mean=Fraction(7, 6), median=Fraction(1, 1), ...
    """
    if not ratios:
        return None
    ranked = sorted(ratios)
    n = len(ranked)
    return Spread(
        least=ranked[0],
        mean=sum(ranked) / n,
        median=(ranked[(n - 1) // 2] + ranked[n // 2]) / 2,
        p95=ranked[-(-95 * n // 100) - 1],
        most=ranked[-1],
    )


def level_spreads(ratios: Sequence[tuple[Ratio, ...]]) -> tuple[Spread, ...]:
    """Summarise ratios level by level; of each level, the rows that have it."""
    height = max(map(len, ratios), default=0)
    columns = ([r[i] for r in ratios if len(r) > i] for i in range(height))
    return tuple(spread for column in columns if (spread := spread_of(column)))


def shifted_mean(times: Sequence[float | None], shift: float = 1e-3) -> float | None:
    """Return the geometric mean of times plus a shift, less the shift, in seconds.

    >>> round(shifted_mean([0.0, 0.003]), 6), shifted_mean([None])
    (0.001, None)
    """
    known = [log(time + shift) for time in times if time is not None]
    return exp(fmean(known)) - shift if known else None


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """Statistics of one method.

    Runs are its rows but for refused ones, instances proved infeasible, and those that
    were built against a method where there are others; of these
    ``judged`` have a proved optimum, and ``optimal`` reach it. ``spread`` is of exact
    ratios, ``levels`` of those of each level where costs are lexicographic. ``shared``
    is their mean, level by level, over the instances that all compared methods take.
    ``seconds`` are those of the runs and of infeasible instances, ``mean_seconds`` is
    their geometric mean, shifted by 1 ms.
    ``guarantee`` is the greatest proven factor over the ``covered`` of ``everywhere``
    runs, built instances included, that one is about, ``covered_most`` their greatest
    exact ratio. ``broken`` are rows whose ratio is certainly above their guarantee,
    ``worst`` that of the greatest exact ratio (levels compared lexicographically) on
    the smallest instance, ``built`` the same of the instances built against a method.
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
    everywhere: int
    covered: int
    covered_most: Ratio | None
    shared: tuple[Ratio, ...]
    broken: tuple[ScoredRun, ...]
    worst: ScoredRun | None
    built: ScoredRun | None
    seconds: float
    mean_seconds: float | None

    @property
    def coverage(self) -> str:
        """On how many runs the guarantee holds and the worst of those; "" for all."""
        if self.guarantee is None or self.covered == self.everywhere:
            return ""
        most = decimal(self.covered_most)
        return f"on {self.covered} of {self.everywhere}, max there {most}"


def summary(
    name: str,
    exact: bool,
    own: Sequence[ScoredRun],
    shared: Shared,
    apart: Collection[str] = (),
) -> MethodSummary:
    """Summarise the rows of a method that it did not refuse.

    ``apart`` are the names of instances that count in no mean.
    """
    everywhere = [j for j in own if not j.verdict.infeasible]
    runs = [j for j in everywhere if j.row.instance not in apart]
    with_ratio = [(j, ratios) for j in runs if (ratios := j.ratios) is not None]
    single = [j.ratio for j, _ in with_ratio if j.ratio is not None]
    lexicographic = [ratios for j, ratios in with_ratio if j.ratio is None]
    covered = [j for j in everywhere if j.covered]
    times = [j.row.seconds for j in own if j.row.instance not in apart]
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
        infeasible=len(own) - len(everywhere),
        spread=spread_of(single),
        levels=level_spreads(lexicographic),
        guarantee=max(
            (j.guarantee for j in covered if j.guarantee is not None), default=None
        ),
        everywhere=len(everywhere),
        covered=len(covered),
        covered_most=max((j.ratio for j in covered if j.ratio), default=None),
        shared=tuple(spread.mean for spread in level_spreads(alike)),
        broken=tuple(j for j in own if j.broken),
        worst=_worst(runs),
        built=_worst([j for j in everywhere if j.row.instance in apart]),
        seconds=sum(time or 0.0 for time in times),
        mean_seconds=shifted_mean(times),
    )


def _worst(runs: Iterable[ScoredRun]) -> ScoredRun | None:
    """Return the run of the greatest exact ratio, on the smallest instance."""
    known = [j for j in runs if j.ratios is not None]
    top = max((j.ratios for j in known if j.ratios is not None), default=())
    return min(
        (j for j in known if j.ratios == top),
        key=lambda j: (j.row.n, j.row.k, j.row.instance),
        default=None,
    )
