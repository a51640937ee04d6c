"""Which of the paper's statements on dispersal and balance hold, from the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise

from ...reports.pages.bootstrap import Estimate
from ...reports.pages.document import Finding, all_hold, judge
from .curves import BALANCE, CONTIGUITY, DISPERSAL, SYSTEM, Curves, Measure

ELONGATED, PLAS, MC, RANDOM, MBS, PAGING = SIX = (
    *("mc-elongated", "plas", "mc", "random", "mbs", "paging"),
)
"""The strategies of the paper."""


_SURELY = (
    "the 95 % interval of the difference lies above 0 at every load; not judged where "
    "one contains 0"
)


_OUTCOMES = {True: "holds", False: "does not hold", None: "is not decided"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """How the mean of a strategy depends on the load, and how it is stated to."""

    strategy: str
    direction: int  # 1 if it is said to rise, -1 if to fall
    means: Sequence[tuple[Fraction, float]]  # the mean at every load
    ends: Estimate  # from the lowest load to the highest
    steps: Sequence[tuple[Fraction, Fraction, Estimate]]  # from each to the next

    @property
    def against(self) -> list[tuple[Fraction, Fraction, Estimate]]:
        """Steps that go the other way, beyond chance."""
        return [step for step in self.steps if self.direction * step[2].sign < 0]

    @property
    def holds(self) -> bool | None:
        """Whether the stated trend holds from end to end, and nowhere the opposite."""
        if self.against:
            return False
        return judge([self.direction * self.ends.sign])

    @property
    def as_text(self) -> str:
        """The first and last mean, and where the trend turns, as text."""
        (low, first), (high, last) = self.means[0], self.means[-1]
        far = max(self.means, key=lambda one: -self.direction * one[1])
        turn = ""
        if self.against and far[0] not in (low, high):
            turn = f" by way of {far[1]:.2f} at {float(far[0]):.1f}"
        return f"{self.strategy} {first:.2f}{turn} to {last:.2f}"

    @property
    def astray(self) -> str:
        """Describe steps against the stated trend; "" if there are none."""
        if self.holds:
            return ""
        parts = [
            f"{gap} from load {float(a):.1f} to {float(b):.1f}"
            for a, b, gap in self.against
        ]
        if self.direction * self.ends.sign <= 0:
            parts.append(f"{self.ends} from end to end")
        return f"{self.strategy}: {', '.join(parts)}"


def trend(curves: Curves, measure: Measure, strategy: str, direction: int) -> Trend:
    """Follow a mean from the lowest load to the highest."""
    loads = curves.loads(strategy)
    return Trend(
        strategy=strategy,
        direction=direction,
        means=[(load, curves.mean(measure, strategy, load).value) for load in loads],
        ends=curves.step(measure, strategy, loads[0], loads[-1]),
        steps=[
            (low, high, curves.step(measure, strategy, low, high))
            for low, high in pairwise(loads)
        ],
    )


def statements(workloads: Sequence[Curves]) -> Iterator[list[Finding]]:
    """Test each of the paper's statements on every workload."""
    for test in _STATEMENTS:
        yield [test(curves) for curves in workloads]


def findings(workloads: Sequence[Curves]) -> list[Finding]:
    """List the findings, each with its workload."""
    return [
        replace(finding, claim=f"{curves.name}: {finding.claim}")
        for same in statements(workloads)
        for curves, finding in zip(workloads, same, strict=True)
    ]


def summary(workloads: Sequence[Curves]) -> Iterator[str]:
    """Summarise in a few sentences what holds, and what does not."""
    everywhere: list[str] = []
    for same in statements(workloads):
        outcomes = [finding.holds for finding in same]
        if all(outcomes):
            everywhere.append(same[0].claim)
            continue
        sides: dict[str, list[str]] = {words: [] for words in _OUTCOMES.values()}
        for curves, outcome in zip(workloads, outcomes, strict=True):
            sides[_OUTCOMES[outcome]].append(curves.name)
        shown = [f"{how} on {', '.join(on)}" for how, on in sides.items() if on]
        yield f"“{same[0].claim}” {'; '.join(shown)}."
    if everywhere:
        yield f"On every workload holds: {'; '.join(everywhere)}."


def _below(
    measure: Measure, better: str, worse: str, claim: str, paper: str, curves: Curves
) -> Finding:
    """Judge that one mean is below another at every load."""
    loads = curves.loads(better, worse)
    gaps = [(load, curves.gap(measure, better, worse, load)) for load in loads]
    factors = [
        (
            curves.mean(measure, worse, load).value
            / (curves.mean(measure, better, load).value or 1e-9),
            load,
        )
        for load in loads
    ]
    (low, at_low), (high, at_high) = min(factors), max(factors)
    return Finding(
        claim=claim,
        paper=paper,
        ours=f"{worse} has {_times(low)} that of {better}"
        + (
            f" (load {float(at_low):.1f}) to {_times(high)} ({float(at_high):.1f})"
            if low < _MANY
            else " at every load"
        ),
        holds=judge(gap.sign for _, gap in gaps),
        criterion=f"{worse} less {better}: {_SURELY}",
        remark=_unsure(gaps, f"{worse} less {better}"),
    )


_MANY = 100
"""Number of times beyond which more carry no information."""


def _times(factor: float) -> str:
    return f"{factor:.2f} times" if factor < _MANY else f"more than {_MANY} times"


def _unsure(gaps: Iterable[tuple[Fraction, Estimate]], what: str) -> str:
    """List the loads at which the difference is not surely above 0."""
    unsure = [f"{gap} at load {float(load):.1f}" for load, gap in gaps if gap.sign <= 0]
    return f"{what} {_few(unsure)}" if unsure else ""


def _trends(
    measure: Measure,
    strategies: Sequence[str],
    direction: int,
    claim: str,
    paper: str,
    curves: Curves,
) -> Finding:
    """Judge that means rise or fall with the load."""
    found = [trend(curves, measure, name, direction) for name in strategies]
    good = sum(one.holds is True for one in found)
    return Finding(
        claim=claim,
        paper=paper,
        ours=f"{good} of {len(found)} strategies; from the lowest load to the "
        f"highest: {', '.join(one.as_text for one in found)}",
        holds=all_hold(one.holds for one in found),
        criterion="from the lowest load to the highest the 95 % interval of the "
        "difference lies on the side stated, and no step surely on the other; not "
        "judged where the former contains 0",
        remark="; ".join(one.astray for one in found if one.astray),
    )


def _random_and_mbs_high(curves: Curves) -> Finding:
    rest = [name for name in SIX if name not in (RANDOM, MBS)]
    low, signs = [], []
    for high in (RANDOM, MBS):
        for name in rest:
            for load in curves.loads(high, name):
                gap = curves.gap(DISPERSAL, name, high, load)
                signs.append(gap.sign)
                if gap.sign <= 0:
                    low.append(f"{high} less {name} {gap} at load {float(load):.1f}")
    means = []
    for name in (RANDOM, MBS, *rest):
        values = [
            curves.mean(DISPERSAL, name, load).value for load in curves.loads(name)
        ]
        means.append(f"{name} {min(values):.1f} to {max(values):.1f}")
    return Finding(
        claim="random and mbs have high dispersal: above the other four at every load",
        paper="section 4.3",
        ours=f"so in {sum(sign > 0 for sign in signs)} of {len(signs)} comparisons; "
        + ", ".join(means),
        holds=judge(signs),
        criterion=f"each difference to the other four: {_SURELY}",
        remark=f"not so: {_few(low)}" if low else "",
    )


def _few(words: Sequence[str]) -> str:
    """Join a list, shortened if it is long."""
    most = 6
    more = f"; and {len(words) - most} more" if len(words) > most else ""
    return "; ".join(words[:most]) + more


_FALLING = PAGING, MBS, MC
_BALANCES = {"jobs": BALANCE, "the system": SYSTEM}
_STATEMENTS: tuple[Callable[[Curves], Finding], ...] = (
    partial(
        _below,
        *(DISPERSAL, ELONGATED, PLAS),
        "dispersal of mc-elongated is much lower than that of plas",
        "section 4.2, Fig. 9",
    ),
    *(
        partial(
            _below,
            *(measure, ELONGATED, MC),
            "the balance factor of mc-elongated is much lower than that of mc (of "
            f"{whose})",
            "section 4.2, Fig. 10",
        )
        for whose, measure in _BALANCES.items()
    ),
    partial(
        _trends,
        DISPERSAL,
        SIX,
        1,
        "dispersal increases with load",
        "section 4.3, Fig. 9",
    ),
    _random_and_mbs_high,
    *(
        partial(
            _trends,
            *(measure, _FALLING, -1),
            "the balance factor of paging, mbs and mc decreases as load increases "
            f"(of {whose})",
            "section 4.3",
        )
        for whose, measure in _BALANCES.items()
    ),
    partial(
        _below,
        *(SYSTEM, PLAS, ELONGATED),
        "mc-elongated does not re-balance the system as quickly as plas: its "
        "balance factor is higher",
        "section 3.2.3, property 4",
    ),
    partial(
        _below,
        *(CONTIGUITY, ELONGATED, MC),
        "mc-elongated gives up contiguity that mc keeps: fewer of its jobs are "
        "contiguous",
        "section 3.2.3, property 3",
    ),
)
"""Tests of the paper's statements, in its order."""
