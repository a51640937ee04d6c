"""Statistics of the rows of one method."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..pages.numbers import Ratio, decimal
from .scoring import ScoredRun
from .spreads import Shared, Spread, level_spreads, shifted_mean, spread_of


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """Statistics of one method.

    Runs are its rows but for refused ones, instances proved infeasible, and those that
    were built against a method where there are others; of these
    ``judged`` have a proved optimum, and ``optimal`` reach it. ``spread`` is of exact
    ratios, ``levels`` of those of each level where costs are lexicographic. ``shared``
    is their mean, level by level, over the instances that all compared methods take.
    ``mean_seconds`` is the geometric mean of times, shifted by 1 ms.
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
        guarantee=max((j.guarantee for j in covered if j.guarantee), default=None),
        everywhere=len(everywhere),
        covered=len(covered),
        covered_most=max((j.ratio for j in covered if j.ratio), default=None),
        shared=tuple(spread.mean for spread in level_spreads(alike)),
        broken=tuple(j for j in own if j.broken),
        worst=_worst(runs),
        built=_worst([j for j in everywhere if j.row.instance in apart]),
        seconds=sum(j.row.seconds or 0.0 for j in own),
        mean_seconds=shifted_mean([j.row.seconds for j in own]),
    )


def _worst(runs: Iterable[ScoredRun]) -> ScoredRun | None:
    """Return the run of the greatest exact ratio, on the smallest instance."""
    known = [(j, ratios) for j in runs if (ratios := j.ratios) is not None]
    if not known:
        return None
    first = min(
        known,
        key=lambda it: (
            *(tuple(-ratio for ratio in it[1]), it[0].row.n),
            *(it[0].row.k, it[0].row.instance),
        ),
    )
    return first[0]
