"""Tables of decisions and situations."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from ...pages.bootstrap import Estimate
from ...pages.document import Cell, Table
from ...pages.numbers import decimal, fraction
from .entries import Row, relative
from .parts import OPTIMAL
from .printed import IN_A_ROW, NAMES, PRINTED, VARIANTS, Variant

Rows = Mapping[str, Row]
"""By situation."""


def printed_table(state: str, rows: Rows) -> Table:
    """Compare the 4x4 tables with the paper's."""
    lines: list[tuple[Cell, ...]] = []
    for i, situation in enumerate(NAMES):
        cells: list[Cell] = [situation, *PRINTED[i]]
        for variant in VARIANTS.values():
            row = rows[variant[situation]]
            cells += [row.mean(variant[name]) for name in NAMES]
        lines.append(tuple(cells))
    heads = [f"{name}, paper" for name in NAMES]
    heads += [f"{name}, {variant}" for variant in VARIANTS for name in NAMES]
    return Table(
        name=f"table1_{state}",
        caption="Average sum of pairwise distances of the decision (columns) in the "
        "situation (rows)",
        columns=("*situation", *heads),
        rows=lines,
    )


def means_table(state: str, rows: Rows) -> Table:
    """Tabulate the intervals of the 4x4 tables."""
    lines: list[tuple[Cell, ...]] = []
    for variant, methods in VARIANTS.items():
        for situation in NAMES:
            row = rows[methods[situation]]
            means = row.means([methods[name] for name in NAMES])
            cells = [between(means[methods[name]]) for name in NAMES]
            lines.append((variant, methods[situation], row.n, *cells))
    return Table(
        name=f"means_{state}",
        caption="The same with 95 % intervals; most of their width all columns share",
        columns=("*variant", "*situation", "jobs", *(f"*{name}" for name in NAMES)),
        rows=lines,
    )


def between(found: Estimate) -> str:
    """Write a mean and its interval.

    >>> between(Estimate(5000.2, 4800.0, 5200.9))
    '5000 [4800, 5201]'
    """
    return f"{found.value:.0f} [{found.low:.0f}, {found.high:.0f}]"


def gaps(row: Row, variant: Variant) -> dict[str, Estimate]:
    """Compare neighbours in the paper's ranking: the worse one, in per cent."""
    return {
        worse: row.gap(variant[better], variant[worse])
        for better, worse in pairwise(IN_A_ROW)
    }


def printed_gap(situation: str, better: str, worse: str) -> float:
    """Return by how many per cent they differ in the paper's row."""
    row = dict(zip(NAMES, PRINTED[NAMES.index(situation)], strict=True))
    return 100 * (row[worse] / row[better] - 1)


def gaps_table(state: str, rows: Rows) -> Table:
    """Tabulate by how much decisions differ within a row."""
    lines: list[tuple[Cell, ...]] = []
    for variant, methods in VARIANTS.items():
        for situation in NAMES:
            row = rows[methods[situation]]
            found = gaps(row, methods)
            for better, worse in pairwise(IN_A_ROW):
                gap = found[worse]
                lines.append(
                    (
                        variant,
                        methods[situation],
                        methods[worse],
                        methods[better],
                        printed_gap(situation, better, worse),
                        gap.value,
                        gap.low,
                        gap.high,
                        row.n,
                    )
                )
    return Table(
        name=f"gaps_{state}",
        caption="By how many per cent a decision is dearer than the next better one "
        "of the paper, in the same situation, with its 95 % interval",
        columns=(
            *("*variant", "*situation", "*decision", "*than"),
            *("paper", "ours", "low", "high", "jobs"),
        ),
        rows=lines,
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
    asked = next(iter(rows.values())).part.decisions
    decisions = [name for name in asked if name != OPTIMAL]
    lines: list[tuple[Cell, ...]] = []
    for situation, row in rows.items():
        cells: list[Cell] = []
        for name in decisions:
            ratio = row.ratios(name).of_sums
            cells.append(f"{float(ratio):.4f}" if ratio is not None else None)
        lines.append((situation, row.compared, row.open, *cells))
    return Table(
        name=f"ratios_{state}",
        caption="Cost over proven optimum, sum over sum: decision (columns) in the "
        "situation (rows); at how many jobs, of which without a proof",
        columns=("*situation", "jobs", "open", *decisions),
        rows=lines,
    )


def entries_table(state: str, rows: Rows) -> Table:
    """Tabulate everything known about every entry."""
    lines: list[tuple[Cell, ...]] = []
    for situation, row in rows.items():
        for decision in row.part.decisions:
            ratios = row.ratios(decision)
            lines.append(
                (
                    situation,
                    decision,
                    ratios.jobs,
                    ratios.average,
                    ratios.refused,
                    ratios.proven,
                    ratios.optimal,
                    *(_exact(ratios.of_sums), decimal(ratios.of_sums)),
                    None if ratios.mean is None else f"{ratios.mean:.12f}",
                    *(_exact(ratios.worst), decimal(ratios.worst)),
                    *(_exact(ratios.low), _exact(ratios.high)),
                )
            )
    return Table(
        name=f"entries_{state}",
        caption=f"Every decision in every situation ({state})",
        columns=(
            *("*situation", "*decision", "compared", "average sum", "refused"),
            *("proved", "optimal", "*sum over sum", "ratio", "mean of ratios"),
            *("*worst", "worst ratio", "*at least", "*at most"),
        ),
        rows=lines,
    )


def _exact(ratio: Fraction | None) -> str | None:
    return None if ratio is None else fraction(ratio)
