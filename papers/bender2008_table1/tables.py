"""Tables of decisions and situations."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from ...reports.pages.bootstrap import Estimate
from ...reports.pages.document import Cell, Table
from ...reports.pages.numbers import decimal, fraction
from .entries import SituationRow, relative
from .parts import OPTIMAL
from .printed import IN_A_ROW, NAMES, PRINTED, VARIANTS

Rows = Mapping[str, SituationRow]
"""By situation."""


def printed_table(state: str, rows: Rows) -> Table:
    """Compare the 4x4 tables with the paper's."""
    return Table.of(
        f"table1_{state}",
        "Average sum of pairwise distances of the decision (columns) in the situation "
        "(rows)",
        [
            {"*situation": situation}
            | {f"{name}, paper": PRINTED[i][j] for j, name in enumerate(NAMES)}
            | {
                f"{name}, {variant}": rows[methods[situation]].mean(methods[name])
                for variant, methods in VARIANTS.items()
                for name in NAMES
            }
            for i, situation in enumerate(NAMES)
        ],
    )


def means_table(state: str, rows: Rows) -> Table:
    """Tabulate the intervals of the 4x4 tables."""
    lines: list[dict[str, Cell]] = []
    for variant, methods in VARIANTS.items():
        for situation in NAMES:
            row = rows[methods[situation]]
            means = row.means([methods[name] for name in NAMES])
            lines.append(
                {
                    "*variant": variant,
                    "*situation": methods[situation],
                    "jobs": row.n,
                    **{f"*{name}": between(means[methods[name]]) for name in NAMES},
                }
            )
    return Table.of(
        f"means_{state}",
        "The same with 95 % intervals; most of their width all columns share",
        lines,
    )


def between(found: Estimate) -> str:
    """Write a mean and its interval.

    >>> between(Estimate(5000.2, 4800.0, 5200.9))
    '5000 [4800, 5201]'
    """
    return f"{found.value:.0f} [{found.low:.0f}, {found.high:.0f}]"


def printed_gap(situation: str, better: str, worse: str) -> float:
    """Return by how many per cent they differ in the paper's row."""
    row = dict(zip(NAMES, PRINTED[NAMES.index(situation)], strict=True))
    return 100 * (row[worse] / row[better] - 1)


def gaps_table(state: str, rows: Rows) -> Table:
    """Tabulate by how much decisions differ within a row."""
    lines: list[dict[str, Cell]] = []
    for variant, methods in VARIANTS.items():
        for situation in NAMES:
            row = rows[methods[situation]]
            for better, worse in pairwise(IN_A_ROW):
                gap = row.gap(methods[better], methods[worse])
                lines.append(
                    {
                        "*variant": variant,
                        "*situation": methods[situation],
                        "*decision": methods[worse],
                        "*than": methods[better],
                        "paper": printed_gap(situation, better, worse),
                        "ours": gap.value,
                        "low": gap.low,
                        "high": gap.high,
                        "jobs": row.n,
                    }
                )
    return Table.of(
        f"gaps_{state}",
        "By how many per cent a decision is dearer than the next better one of the "
        "paper, in the same situation, with its 95 % interval",
        lines,
    )


def diagonal_order(rows: Rows) -> list[str]:
    """Order situations by the mean pair sum of what they give, best first."""
    return sorted(rows, key=lambda name: float(rows[name].found.own.mean()))


def diagonal_table(state: str, rows: Rows) -> Table:
    """Tabulate what the placing strategies give to the jobs of the stream."""
    lines: list[tuple[Cell, ...]] = []
    order = diagonal_order(rows)
    best = rows[order[0]].found.own
    optimal = rows[OPTIMAL].found.own
    for name in order:
        row = rows[name]
        gap, over = relative(best, row.found.own), relative(optimal, row.found.own)
        lines.append(
            (
                name,
                row.n,
                float(row.found.own.mean()),
                *(gap.value, gap.low, gap.high),
                *(over.value, over.low, over.high),
                float((row.found.free - row.found.k).mean()),
            )
        )
    return Table(
        name=f"diagonal_{state}",
        caption="Average sum of pairwise distances of those that decide and place; in "
        f"per cent above {order[0]}, and above deciding optimally all along",
        columns=(
            *("*allocator", "jobs", "average sum"),
            *(f"above {order[0]}, %", "low", "high"),
            *("above optimal, %", "low", "high"),
            "idle left over",
        ),
        rows=lines,
    )


def ratio_matrix(state: str, rows: Rows) -> Table:
    """Tabulate the ratio of the sums of every decision in every situation."""
    return Table.of(
        f"ratios_{state}",
        "Cost over proven optimum, sum over sum: decision (columns) in the situation "
        "(rows); at how many jobs, of which without a proof",
        [
            {
                "*situation": situation,
                "jobs": row.compared,
                "open": row.open,
                **{
                    name: None if ratio is None else f"{float(ratio):.4f}"
                    for name in row.part.decisions
                    if name != OPTIMAL
                    for ratio in [row.ratios(name).of_sums]
                },
            }
            for situation, row in rows.items()
        ],
    )


def entries_table(state: str, rows: Rows) -> Table:
    """Tabulate everything known about every entry."""
    lines: list[dict[str, Cell]] = []
    for situation, row in rows.items():
        for decision in row.part.decisions:
            ratios = row.ratios(decision)
            lines.append(
                {
                    "*situation": situation,
                    "*decision": decision,
                    "compared": ratios.jobs,
                    "average sum": ratios.average,
                    "refused": ratios.refused,
                    "proved": ratios.proven,
                    "optimal": ratios.optimal,
                    "*sum over sum": _exact(ratios.of_sums),
                    "ratio": decimal(ratios.of_sums),
                    "mean of ratios": ratios.mean and f"{ratios.mean:.12f}",
                    "*worst": _exact(ratios.worst),
                    "worst ratio": decimal(ratios.worst),
                    "*at least": _exact(ratios.low),
                    "*at most": _exact(ratios.high),
                }
            )
    return Table.of(
        f"entries_{state}", f"Every decision in every situation ({state})", lines
    )


def _exact(ratio: Fraction | None) -> str | None:
    return None if ratio is None else fraction(ratio)
