"""Statistics of ratios and times: spreads, and means that can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean

from ...instances.words import counted
from ..pages.numbers import Ratio
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
        many = counted(count, "instance")
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
