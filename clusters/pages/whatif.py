"""What a trace gives under several rules: means with intervals, paired by job."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...reports.pages.bootstrap import Estimate, estimate, resampled_sums
from ...reports.pages.document import (
    Cell,
    Document,
    Name,
    Note,
    Plot,
    Section,
    Strong,
    Table,
    format_cell,
)
from ...reports.pages.plot_style import (
    FAINT,
    as_plot,
    in_style,
    named_rows,
    per_cent,
    sheets,
)
from ..placement import Objective
from ..whatif.simulator import FIXED, ReplayOutcome

_REGRET = "regret_pct"
_SAYS = {
    "wait_s": "wait of a job, seconds",
    "hops": "hops between two nodes of a job",
    "switches": "leaf switches (or blocks) of a job",
    _REGRET: "cost above the optimum for the same free nodes, %",
}


@dataclass(frozen=True, slots=True)
class PairedMean:
    """A measure under a method, and what it differs from that under the first."""

    measure: str
    method: str
    own: Estimate
    difference: Estimate | None
    """None for the first method."""
    relative_pct: Estimate | None
    """The difference in per cent; None for the first, or where that has 0."""


def means(outcomes: Sequence[ReplayOutcome], seed: int = 0) -> list[PairedMean]:
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
            found.append(PairedMean(measure, outcome.method, own, paired, relative))
    return found


def as_rows(found: Sequence[PairedMean], objective: Objective) -> list[dict[str, Any]]:
    """Return the means as objects of JSON; the objective is what regret means."""

    def numbers(one: Estimate | None) -> list[float] | None:
        return None if one is None else [one.value, one.low, one.high]

    return [
        {
            "measure": one.measure,
            "method": one.method,
            "objective": objective.value,
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
    return f"{format_cell(one.low)} .. {format_cell(one.high)}"


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
        f"{'-' if number < 0 else '+'}{format_cell(abs(number))}"
        for number in (one.value, one.low, one.high)
    )
    return value, f"{low} .. {high}"


def remark(found: Sequence[PairedMean]) -> str:
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
    source: str, found: Sequence[PairedMean], jobs: int, notes: Sequence[str]
) -> Document:
    """Build the page; ``source`` describes trace and topology."""
    first = found[0].method
    text = remark(found)
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
        panels = _panels(found)
        sections.append(
            Section(
                title=f"Against {first}",
                text=("Differences are between the same jobs (paired).",),
                plots=(_plot(panels),) if panels else (),
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


def _table(found: Sequence[PairedMean]) -> Table:
    return _by_measure(
        "measures",
        "Means, by method",
        found,
        lambda one: (str(format_cell(one.own.value)), Note(interval(one.own))),
    )


def _against(found: Sequence[PairedMean]) -> Table:
    return _by_measure(
        "differences",
        "More than the first method has; bold if hardly by chance",
        [one for one in found if one.difference],
        _difference_cell,
    )


def _difference_cell(one: PairedMean) -> Cell:
    value, ends = difference(one.difference)
    surely = one.difference is not None and one.difference.sign
    return (Strong(value) if surely else value, Note(ends))


def _by_measure(
    name: str,
    caption: str,
    found: Sequence[PairedMean],
    cell: Callable[[PairedMean], Cell],
) -> Table:
    """Make a table with a row for each measure and a column for each method."""
    rows: dict[str, list[Cell]] = {}
    for one in found:
        rows.setdefault(one.measure, [says(one.measure)]).append(cell(one))
    methods = dict.fromkeys(one.method for one in found)
    return Table(
        name=name,
        caption=caption,
        columns=("*measure", *methods),
        rows=list(rows.values()),
    )


def _panels(found: Sequence[PairedMean]) -> dict[str, list[tuple[str, Estimate]]]:
    """Return what is drawn: the regret of all methods, differences of what differs."""
    panels: dict[str, list[tuple[str, Estimate]]] = {}
    for one in found:
        own = one.measure == _REGRET
        label = f"{says(one.measure)}{'' if own else ': difference in per cent'}"
        drawn = one.own if own else one.relative_pct
        if drawn is not None:
            panels.setdefault(label, []).append((one.method, drawn))
    return {
        label: rows
        for label, rows in panels.items()
        if any(one.low or one.high for _, one in rows)
    }


@in_style
def _plot(panels: Mapping[str, Sequence[tuple[str, Estimate]]]) -> Plot:
    """Draw a panel for each measure, a row for each method."""
    high = sum(0.75 + 0.26 * len(rows) for rows in panels.values())
    figure, column = sheets(9.8, high, len(panels), 1, squeeze=False)
    for axes, (label, rows) in zip(column.flat, panels.items(), strict=True):
        named_rows(axes, [name for name, _ in rows])
        for place, (_, one) in enumerate(rows):
            per_cent(axes, place, one)
        axes.axvline(0, linewidth=0.8, color=FAINT)
        axes.margins(x=0.15)
        axes.set_xlabel(label)
    return as_plot(
        figure,
        "Measures that differ",
        "Lines: the middle 95 % of resampled streams.",
        "Differences of measures from the first method",
    )
