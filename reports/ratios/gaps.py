"""Gaps between incumbent and bound that exact methods leave open."""

from __future__ import annotations

from fractions import Fraction
from statistics import median

from ...instances import Value
from ..campaigns.rows import REFUSED, Row
from ..pages.document import Name, Ref, Section, Table
from ..pages.numbers import percent
from .report import Report


def gap_between(cost: Value | None, bound: Value | None) -> Fraction | None:
    """Return the gap between cost and bound as a share of the greater; at most 1.

    1 if either is missing, None for lexicographic costs.

    >>> gap_between(10, 8), gap_between(-8, -10), gap_between(5, None)
    (Fraction(1, 5), Fraction(1, 5), Fraction(1, 1))
    """
    if isinstance(cost, tuple) or isinstance(bound, tuple):
        return None
    if cost is None or bound is None:
        return Fraction(1)
    greater = max(abs(cost), abs(bound)) or 1
    return min(Fraction(abs(cost - bound), greater), Fraction(1))


def final_gap(row: Row) -> Fraction | None:
    """Return the gap that a run leaves; 0 if it proves that there is no solution."""
    if row.status == "infeasible":
        return Fraction(0)
    return gap_between(row.cost, row.bound)


def _exact_rows(report: Report) -> dict[str, list[Row]]:
    """Return the runs of each exact method whose costs are single integers."""
    names = [s.name for s in report.summaries if s.exact]
    rows = [row for row in report.rows if row.status != REFUSED]
    own = {name: [row for row in rows if row.method == name] for name in names}
    return {
        name: found
        for name, found in own.items()
        if all(final_gap(row) is not None for row in found)
    }


def gaps_section(report: Report) -> Section | None:
    """Tabulate the gaps that exact methods leave; None if they prove everything."""
    rows = []
    for name, own in _exact_rows(report).items():
        gaps = [(gap, row) for row in own if (gap := final_gap(row)) is not None]
        if not gaps:
            continue
        ranked = sorted(gap for gap, _ in gaps)
        most, worst = max(gaps, key=lambda it: it[0])
        on = Ref(Name(worst.instance), report.marks[worst.instance]) if most else None
        rows.append(
            (
                *(Name(name), len(own), sum(not gap for gap in ranked)),
                *map(_percent, (ranked[0], median(ranked), most)),
                on,
            )
        )
    if all(proved == runs for _, runs, proved, *_ in rows):
        return None
    return Section(
        title="Gaps of exact methods",
        text=(
            "What a run leaves open in the end: its own cost less its own bound, over "
            "the greater of the two; 100 % without a solution or a bound.",
        ),
        tables=(
            Table(
                columns=(
                    *("*method", "runs", "proved", "best gap", "median", "worst"),
                    "*worst on",
                ),
                rows=rows,
            ),
        ),
    )


def _percent(gap: Fraction) -> str:
    return percent(gap.numerator, gap.denominator)
