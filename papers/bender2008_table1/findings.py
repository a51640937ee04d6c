"""Which of the paper's rankings hold, and by how much, from the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...instances import IntArray
from ...reports.pages.bootstrap import Estimate
from ...reports.pages.document import Finding, all_hold
from .entries import SituationRow, relative
from .parts import OPTIMAL
from .printed import IN_A_ROW, NAMES, ON_THE_DIAGONAL, PRINTED, VARIANTS, Variant
from .streams import SHORT
from .tables import Rows, diagonal_order

States = Mapping[str, Rows]
_SURELY = (
    "each exceeds the one before, paired by job: the 95 % interval of every difference "
    "lies above 0; not judged where one contains 0"
)


@dataclass(frozen=True, slots=True)
class RankingFinding:
    """A ranking of the paper, with our differences to the next worse, in per cent."""

    steps: tuple[tuple[str, Estimate], ...]

    @property
    def holds(self) -> bool | None:
        """Whether every step goes up; None where one may be chance."""
        return all_hold({1: True, 0: None, -1: False}[s.sign] for _, s in self.steps)

    @property
    def in_order(self) -> bool:
        """Whether the means are ranked so, significantly or not."""
        return all(step.value > 0 for _, step in self.steps)

    @property
    def as_text(self) -> str:
        """The steps as text."""
        return ", ".join(f"{name} {step}" for name, step in self.steps)


def judge(steps: Sequence[RankingFinding]) -> bool | None:
    """Whether all of several rankings hold."""
    return all_hold(verdict.holds for verdict in steps)


def _ranking(order: Sequence[str], costs: Callable[[str], IntArray]) -> RankingFinding:
    """Compare each with the next worse one."""
    return RankingFinding(
        tuple(
            (worse, relative(costs(better), costs(worse)))
            for better, worse in pairwise(order)
        )
    )


def row_verdict(row: SituationRow, variant: Variant) -> RankingFinding:
    """Judge the ranking of decisions within one situation."""
    return _ranking(IN_A_ROW, lambda name: row.costs(variant[name]))


def column_verdict(rows: Rows, variant: Variant, decision: str) -> RankingFinding:
    """Judge the ranking of situations under one decision."""
    column = variant[decision]
    return _ranking(ON_THE_DIAGONAL, lambda name: rows[variant[name]].costs(column))


def diagonal_verdict(rows: Rows, variant: Variant) -> RankingFinding:
    """Judge the ranking of those that decide and place."""
    return _ranking(ON_THE_DIAGONAL, lambda name: rows[variant[name]].found.own)


def findings(states: States) -> Iterator[Finding]:
    """Test the paper's statements in every state and variant."""
    for state, rows in states.items():
        for name, variant in VARIANTS.items():
            where = f"{state}, {name}"
            yield _rows_finding(where, rows, variant)
            yield _diagonal_finding(where, rows, variant)
            yield _columns_finding(where, rows, variant)


def _rows_finding(where: str, rows: Rows, variant: Variant) -> Finding:
    found = {name: row_verdict(rows[variant[name]], variant) for name in NAMES}
    good = sum(verdict.holds is True for verdict in found.values())
    spans = []
    for i, step in enumerate(IN_A_ROW[1:]):
        values = [verdict.steps[i][1].value for verdict in found.values()]
        spans.append(f"{step} {min(values):+.2f} to {max(values):+.2f} %")
    return Finding(
        claim=f"{where}: in every row {' < '.join(IN_A_ROW)}",
        paper=", ".join(_printed_spans()),
        ours=f"{good} of {len(NAMES)} rows; above the one before: {', '.join(spans)}",
        holds=judge(list(found.values())),
        criterion=_SURELY,
        remark=_astray(found),
    )


def _printed_spans() -> Iterator[str]:
    for better, worse in pairwise(IN_A_ROW):
        a, b = NAMES.index(better), NAMES.index(worse)
        values = [100 * (row[b] / row[a] - 1) for row in PRINTED]
        yield f"{worse} {min(values):+.2f} to {max(values):+.2f} %"


def _astray(found: Mapping[str, RankingFinding]) -> str:
    """List the steps that are not surely upward."""
    astray = [
        f"{name}: {step} {gap} %"
        for name, verdict in found.items()
        for step, gap in verdict.steps
        if gap.sign <= 0
    ]
    return "; ".join(astray)


def _diagonal_finding(where: str, rows: Rows, variant: Variant) -> Finding:
    verdict = diagonal_verdict(rows, variant)
    means = {name: rows[variant[name]].found.own.mean() for name in NAMES}
    order = sorted(NAMES, key=lambda name: float(means[name]))
    printed = {name: PRINTED[i][i] for i, name in enumerate(NAMES)}
    printed_order = " < ".join(f"{name} {printed[name]}" for name in ON_THE_DIAGONAL)
    return Finding(
        claim=f"{where}: diagonal {' < '.join(ON_THE_DIAGONAL)}",
        paper=printed_order,
        ours=" < ".join(f"{name} {means[name]:.0f}" for name in order),
        holds=verdict.holds,
        criterion=_SURELY,
        remark=f"each above the one before, %: {verdict.as_text}",
    )


def _columns_finding(where: str, rows: Rows, variant: Variant) -> Finding:
    found = {name: column_verdict(rows, variant, name) for name in NAMES}
    good = sum(verdict.holds is True for verdict in found.values())
    first = [
        min(NAMES, key=lambda name: float(rows[variant[name]].mean(variant[one]) or 0))
        for one in NAMES
    ]
    return Finding(
        claim=f"{where}: in every column the situations rank like the diagonal, "
        f"{ON_THE_DIAGONAL[0]} leaving the best ones",
        paper="4 of 4 columns (read off the table; the text does not say it)",
        ours=f"{good} of {len(NAMES)} columns; best situation in each: "
        + ", ".join(first),
        holds=judge(list(found.values())),
        criterion=_SURELY,
    )


def lead(states: States) -> Iterator[str]:
    """Summarise the results, in a few sentences for each state."""
    for state, rows in states.items():
        yield f"{_rankings(state, rows)} {_optimum(rows)}"
        yield _corner(state, rows)


def _rankings(state: str, rows: Rows) -> str:
    words = []
    for name, variant in VARIANTS.items():
        in_rows = _does([row_verdict(rows[variant[one]], variant) for one in NAMES])
        diagonal = _does([diagonal_verdict(rows, variant)])
        words.append(
            f"with centres {_AT[name]} the ranking within rows {in_rows} and that of "
            f"the diagonal {diagonal}"
        )
    return f"{state.capitalize()} ({SHORT[state]}): {'; '.join(words)}."


_AT = {"every location": "at every location", "as defined": "as defined"}


def _does(verdicts: Sequence[RankingFinding]) -> str:
    holds = judge(verdicts)
    if holds is None:
        met = all(verdict.in_order for verdict in verdicts)
        return "is met, though some steps may be chance" if met else "is not decided"
    return "holds" if holds else "does not hold"


def _optimum(rows: Rows) -> str:
    """Describe how near the decisions are to optimal ones."""
    compared = sum(row.compared for row in rows.values())
    still_open = sum(row.open for row in rows.values())
    ratios = []
    for variant in VARIANTS.values():
        for one in NAMES:
            own = rows[variant[one]].ratios(variant[one])
            if own.of_sums is not None and own.worst is not None:
                ratios.append((float(own.of_sums), float(own.worst), variant[one]))
    ratios = sorted(set(ratios))
    near = "; ".join(
        f"{name} {mean:.4f} (worst {worst:.3f})" for mean, worst, name in ratios
    )
    return (
        f"Of {compared} decisions at which an optimum was looked for, "
        f"{compared - still_open} were proved ({still_open} stayed open). Cost over "
        f"optimum, sum over sum, where each has placed the stream itself: {near}."
    )


def _corner(state: str, rows: Rows) -> str:
    """Describe whether deciding optimally each time is best in the long run."""
    order = diagonal_order(rows)
    place = order.index(OPTIMAL) + 1
    optimal = rows[OPTIMAL].found.own
    sides: dict[int, list[str]] = {-1: [], 0: [], 1: []}
    for name in order:
        if name != OPTIMAL:
            gap = relative(optimal, rows[name].found.own)
            sides[gap.sign].append(f"{name} {gap} %")
    better, alike, worse = (", ".join(sides[sign]) or "none" for sign in (-1, 0, 1))
    return (
        f"{state.capitalize()}, deciding optimally every time comes {_nth(place)} of "
        f"{len(order)} over the stream. Against it, better: {better}; not told apart: "
        f"{alike}; worse: {worse}."
    )


def _nth(place: int) -> str:
    """Write a place.

    >>> _nth(1), _nth(12), _nth(23)
    ('1st', '12th', '23rd')
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{'th' if 10 < place % 100 < 14 else ending}"
