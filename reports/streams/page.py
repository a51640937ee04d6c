"""The page on streams of jobs: measures, distributions, the machine over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np
from matplotlib.axes import Axes

from ...simulation.stream.measures import JobRow, Summary, in_unit
from ..pages.document import Document, Plot, Section, Table
from ..pages.html import html_of
from ..pages.plot_style import FAINT, INK, A, B, as_plot, in_style, sheets
from .stills import Stills

Ran = tuple[str, Summary, Sequence[JobRow]]
"""Name of an allocator, and what was measured under it."""

_PERCENTILES = (5, 25, 50, 75, 95)
_PANELS: tuple[tuple[str, Callable[[JobRow], float | None]], ...] = (
    ("average distance of two processors, hops", lambda r: r.average_distance_hops),
    (
        "processors of the smallest box for each of the job's",
        lambda r: None if r.nodes_affected is None else r.nodes_affected / r.processors,
    ),
    ("connected pieces", lambda r: r.pieces),
    ("wait", lambda r: r.wait_s),
)


def stream_page(
    title: str, ran: Sequence[Ran], stills: Sequence[Stills] = (), unit: str = "s"
) -> str:
    """Write the page; the same streams give the same bytes.

    The title states what ran on what; stills show some starts of the streams. The unit
    is that of all times.
    """
    sections = [
        Section(
            title="Measures",
            text=(
                "Means over jobs, and over time from the first submission to the last "
                "event. A dash: not defined for this machine, or nothing to average.",
            ),
            tables=(measures_table(ran, unit),),
        )
    ]
    if any(rows for _, _, rows in ran):
        sections.append(
            Section(title="Distributions", plots=(distributions(ran, unit),))
        )
    if plots := tuple(plot for one in stills for plot in one.plots()):
        sections.append(Section(title="Some starts", plots=plots, folded=True))
    return html_of(
        Document(
            name="stream",
            title="A stream of jobs",
            source=title,
            lead=(),
            sections=tuple(sections),
            notes=_notes(ran),
        )
    )


def measures_table(ran: Sequence[Ran], unit: str = "s") -> Table:
    """Put the measures of several allocators side by side."""
    measures = [asdict(summary) for _, summary, _ in ran]
    return Table(
        name="measures",
        caption="What was measured, by allocator",
        columns=("*measure", *(name for name, _, _ in ran)),
        rows=tuple(
            (in_unit(measure, unit), *(one[measure] for one in measures))
            for measure in measures[0]
            if measure != "partial"
        ),
    )


@in_style
def distributions(ran: Sequence[Ran], unit: str = "s") -> Plot:
    """Draw how measures of jobs are distributed under each allocator."""
    panels = [
        (label, known)
        for label, of in _PANELS
        if any(known := [_known(rows, of) for _, _, rows in ran])
    ]
    names = [name for name, _, _ in ran]
    high = len(panels) * (0.75 + 0.3 * len(names))
    figure, column = sheets(9.8, high, len(panels), 1, squeeze=False)
    for axes, (label, known) in zip(column.flat, panels, strict=True):
        for y, values in enumerate(known):
            if values:
                _box(axes, y, values)
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlabel(f"{label}, {unit}" if label == "wait" else label)
        axes.grid(axis="x")
        axes.set_axisbelow(True)
    caption = (
        "Box: the middle half of the jobs; line: the median; whiskers: 5 and 95 per "
        "cent; dot: the mean."
    )
    return as_plot(
        figure,
        "Jobs under each allocator",
        caption,
        "Distributions of measures of jobs by allocator",
    )


def _known(rows: Sequence[JobRow], of: Callable[[JobRow], float | None]) -> list[float]:
    return [value for row in rows if (value := of(row)) is not None]


def _box(axes: Axes, y: int, values: Sequence[float]) -> None:
    low, first, middle, third, high = np.percentile(values, _PERCENTILES)
    axes.plot([low, high], [y, y], color=FAINT, lw=1)
    axes.barh(y, third - first, left=first, height=0.5, color=A, alpha=0.35)
    axes.plot([middle, middle], [y - 0.25, y + 0.25], color=A, lw=2.2)
    axes.plot([np.mean(values)], [y], "o", color=B, ms=5)


def _notes(ran: Sequence[Ran]) -> tuple[str, ...]:
    return tuple(
        f"Under {name} the run was left after {summary.jobs} starts."
        for name, summary, _ in ran
        if summary.partial
    )
