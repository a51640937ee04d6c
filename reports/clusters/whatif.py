"""What a trace gives under several rules: means with intervals, paired by job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...simulation.whatif import FIXED, Outcome
from ..pages.bootstrap import Estimate, estimate, resampled_sums
from ..pages.document import Cell, Document, Name, Plot, Section, Small, Table, shown
from ..pages.plot_style import in_style, named_rows, per_cent, plotted, sheets

_SAYS = {
    "wait_s": "wait of a job, seconds",
    "hops": "hops between two nodes of a job",
    "switches": "leaf switches (or blocks) of a job",
    "regret_pct": "cost above the optimum for the same free nodes, %",
}


@dataclass(frozen=True, slots=True)
class Mean:
    """A measure under a method, and what it differs from that under the first."""

    measure: str
    method: str
    own: Estimate
    difference: Estimate | None
    """None for the first method."""
    relative_pct: Estimate | None
    """The difference in per cent; None for the first, or where that has 0."""


def means(outcomes: Sequence[Outcome], seed: int = 0) -> list[Mean]:
    """Return all means over jobs, with the middle 95 % of resampled streams.

    Streams are put together from blocks of consecutive jobs, the same for all methods,
    so that differences are between the same jobs.

    Parameters
    ----------
    outcomes
        Of at least one method, over the same jobs.
    seed
        Of the draws.
    """
    columns, n = outcomes[0].columns, len(outcomes[0].values)
    found = []
    for i, measure in enumerate(columns):
        values = np.column_stack([one.values[:, i] for one in outcomes])
        sums = resampled_sums(values, seed=seed)
        totals = values.sum(axis=0)
        for j, outcome in enumerate(outcomes):
            own = estimate(float(totals[j]) / n, sums[:, j] / n)
            paired = relative = None
            if j:
                more = float(totals[j] - totals[0])
                paired = estimate(more / n, (sums[:, j] - sums[:, 0]) / n)
                if sums[:, 0].all():
                    relative = estimate(
                        100 * more / float(totals[0]),
                        100 * (sums[:, j] / sums[:, 0] - 1),
                    )
            found.append(Mean(measure, outcome.method, own, paired, relative))
    return found


def as_rows(found: Sequence[Mean]) -> list[dict[str, Any]]:
    """Return the means as objects of JSON."""

    def numbers(one: Estimate | None) -> list[float] | None:
        return None if one is None else [one.value, one.low, one.high]

    return [
        {
            "measure": one.measure,
            "method": one.method,
            "mean": numbers(one.own),
            "difference": numbers(one.difference),
            "difference_pct": numbers(one.relative_pct),
        }
        for one in found
    ]


def says(measure: str) -> str:
    """Return what a measure is.

    >>> says("largest_in_switch")
    'largest job that still fits in one switch'
    """
    level = measure.removeprefix("largest_in_")
    return _SAYS.get(measure, f"largest job that still fits in one {level}")


def interval(one: Estimate) -> str:
    """Return the ends of an interval.

    >>> interval(Estimate(1.0, 0.5, 1.25))
    '0.50 .. 1.25'
    """
    return f"{shown(one.low)} .. {shown(one.high)}"


def difference(one: Estimate | None) -> tuple[str, str]:
    """Return a difference and the ends of its interval.

    >>> difference(Estimate(0.5, -0.25, 1.0)), difference(Estimate(0.0, 0.0, 0.0))
    (('+0.50', '-0.25 .. +1.00'), ('same', ''))
    """
    if one is None:
        return "", ""
    if not (one.value or one.low or one.high):
        return "same", ""
    value, low, high = (
        f"{'-' if number < 0 else '+'}{shown(abs(number))}"
        for number in (one.value, one.low, one.high)
    )
    return value, f"{low} .. {high}"


def remark(found: Sequence[Mean]) -> str:
    """Say so if no method changes when jobs start."""
    waits = {one.own.value for one in found if one.measure == FIXED[0]}
    if len(waits) > 1 or len({one.method for one in found}) < 2:
        return ""
    return (
        "All methods let every job start at the same time: where any free nodes will "
        "do and run times do not depend on them, no choice of nodes changes a wait. "
        "Groups (`--segment`), a cluster in parts, or `--communication` do."
    )


def whatif_page(
    source: str, found: Sequence[Mean], jobs: int, notes: Sequence[str]
) -> Document:
    """Build the page; ``source`` describes trace and topology."""
    first = found[0].method
    text = remark(found)
    plots = (_differences(found),) if any(one.relative_pct for one in found) else ()
    sections = [
        Section(
            title="Measures",
            text=(
                "Means over jobs, each measured at its start; below each the middle "
                "95 % of streams put together from blocks of consecutive jobs.",
            ),
            tables=(_table(found),),
        )
    ]
    if any(one.difference for one in found):
        sections.append(
            Section(
                title=f"Against {first}",
                text=("Differences are between the same jobs (paired).",),
                plots=plots,
                tables=(_against(found),),
            )
        )
    return Document(
        name="whatif",
        title="The same jobs under other rules",
        source=Name(source),
        lead=(text,) if text else (),
        tiles=((str(jobs), "jobs"), (str(len({m.method for m in found})), "methods")),
        sections=tuple(sections),
        notes=tuple(notes),
    )


def _table(found: Sequence[Mean]) -> Table:
    methods = list(dict.fromkeys(one.method for one in found))
    measures = list(dict.fromkeys(one.measure for one in found))
    by = {(one.measure, one.method): one.own for one in found}
    rows: list[tuple[Cell, ...]] = []
    for measure in measures:
        cells = [by[measure, method] for method in methods]
        shown_cells = [(str(shown(one.value)), Small(interval(one))) for one in cells]
        rows.append((says(measure), *shown_cells))
    return Table(
        name="measures",
        caption="Means, by method",
        columns=("*measure", *methods),
        rows=rows,
    )


def _against(found: Sequence[Mean]) -> Table:
    rows = [
        (
            says(one.measure),
            one.method,
            *difference(one.difference),
            "yes" if one.difference.sign else "no",
        )
        for one in found
        if one.difference is not None
    ]
    return Table(
        name="differences",
        caption="More than the first method has",
        columns=("*measure", "*method", "difference", "95 %", "*beyond chance"),
        rows=rows,
    )


@in_style
def _differences(found: Sequence[Mean]) -> Plot:
    """Draw the differences in per cent, a panel for each measure."""
    drawn = [one for one in found if one.relative_pct is not None]
    measures = list(dict.fromkeys(one.measure for one in drawn))
    methods = list(dict.fromkeys(one.method for one in drawn))
    high = len(measures) * (0.7 + 0.26 * len(methods))
    figure, column = sheets(9.8, high, len(measures), 1, squeeze=False)
    for axes, measure in zip(column.flat, measures, strict=True):
        rows = [one for one in drawn if one.measure == measure]
        named_rows(axes, [one.method for one in rows])
        for place, one in enumerate(rows):
            assert one.relative_pct is not None
            per_cent(axes, place, one.relative_pct)
        axes.axvline(0, linewidth=0.8, color="grey")
        axes.margins(x=0.15)
        axes.set_xlabel(f"{says(measure)}: difference in per cent")
    return plotted(
        figure,
        "Differences",
        "Dots: the difference; lines: the middle 95 % of resampled streams.",
        "Differences of measures from the first method, in per cent",
    )
