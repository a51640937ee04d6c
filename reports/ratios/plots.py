"""Plots of ratios and times as SVG that takes its colours from the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

import numpy as np
from matplotlib.ticker import FuncFormatter, NullLocator

from ..drawing.problems import LABELS
from ..pages.document import Plot
from ..pages.numbers import decimal
from ..pages.plot_style import (
    CLOUD,
    FAINT,
    A,
    B,
    as_plot,
    box,
    dots,
    in_style,
    plain_axis,
    ratio_axis,
    sheet,
    sheets,
    time_label,
)
from .gaps import gap_over_time
from .profiles import WIDE, method_rows, profile, proved_in_time, ratio_of
from .report import Report
from .scoring import ScoredRun
from .spreads import MethodSummary

_MOST_PANELS = 3
"""Side by side."""
_MOST_PLOTTED = 8
"""Methods with a panel of their own, the closest to optimal."""

Number = Callable[[ScoredRun], float]


@in_style
def plots(report: Report) -> list[Plot]:
    """Draw all plots for which there is data, of a report on one problem."""
    subject = LABELS[next(iter(report.parts))]
    drawn = []
    heuristics = [s for s in report.summaries if not s.exact]
    measured = [s for s in heuristics if s.spread]
    if measured:
        drawn.append(profile(report, measured))
    if by_level := [s for s in heuristics if s.levels]:
        drawn.append(_level_by_level(report, by_level))
    if any(s.judged for s in report.summaries):
        drawn.append(_shares([s for s in report.summaries if s.runs]))
    if in_time := proved_in_time(report):
        drawn.append(in_time)
    if gaps := gap_over_time(report):
        drawn.append(gaps)
    names = [s.name for s in report.ranked if s.spread][:_MOST_PLOTTED]
    with_ratio = [j for j in report.judged if j.ratio not in (None, inf)]
    if names and subject.k:
        drawn.append(
            _facets(
                "Ratio against k",
                "One panel for each of the closest methods, the others in grey. "
                "Dashes: what is proven for the method on that instance.",
                names,
                with_ratio,
                (lambda j: j.row.k, subject.k),
                (ratio_of, "ratio"),
                promised=True,
            )
        )
    if names:
        drawn.append(
            _facets(
                "Ratio against n",
                "How many there are to choose from.",
                names,
                with_ratio,
                (lambda j: j.row.n, subject.n),
                (ratio_of, "ratio"),
            )
        )
    if names and subject.has_busy:
        drawn.append(
            _facets(
                "Ratio against occupancy",
                "Share of the processors that are busy when the choice is made.",
                names,
                with_ratio,
                (lambda j: 100 - 100 * j.row.n / j.row.locations, "busy, %"),
                (ratio_of, "ratio"),
            )
        )
    timed = [
        j
        for j in report.judged
        if j.row.seconds is not None and not j.verdict.infeasible
    ]
    if timed:
        drawn.append(
            _facets(
                "Time against n",
                "Wall-clock seconds of one run against how many there are to "
                "choose from, both logarithmic.",
                [
                    *[s.name for s in report.ranked][:_MOST_PLOTTED],
                    *[s.name for s in report.summaries if s.exact],
                ],
                timed,
                (lambda j: j.row.n, subject.n),
                (lambda j: max(j.row.seconds or 0, 1e-6), "time"),
            )
        )
    return drawn


def _level_by_level(report: Report, measured: Sequence[MethodSummary]) -> Plot:
    """One panel per level, with one row of dots per method."""
    height = max(len(s.levels) for s in measured)
    columns = min(height, _MOST_PANELS)
    rows = -(-height // columns)
    height_of_all = rows * (0.8 + 0.36 * len(measured))
    figure, grid = sheets(
        *(WIDE, height_of_all, rows, columns), sharey=True, squeeze=False
    )
    for level, axes in enumerate(grid.flat):
        if level >= height:
            axes.set_visible(False)
            continue
        low, top, endless = 1.0, 1.0, 0
        for place, summary in enumerate(measured):
            ratios = sorted(
                float(j.ratios[level])
                for j in report.counted
                if j.row.method == summary.name and j.ratios and len(j.ratios) > level
            )
            finite = [ratio for ratio in ratios if ratio != inf]
            endless += len(ratios) - len(finite)
            if finite:
                low, top = min(low, finite[0]), max(top, finite[-1])
                box(axes, place, finite)
        ratio_axis(axes.xaxis, axes.set_xscale, top, low)
        margin = 0.08 * (top - low) + 0.002
        axes.set_xlim(low - min(margin, 0.05), top + margin)
        title = f"level {level + 1}" + (f" ({endless} beyond: ∞)" if endless else "")
        axes.set_title(title, loc="left", fontsize=9.5, fontweight="bold")
        method_rows(axes, measured)
        axes.tick_params(axis="x", labelsize=7.5)
    label = "cost / proven optimum of the level (scale stretched near 1)"
    figure.supxlabel(label, fontsize=9, color=FAINT)
    return as_plot(
        figure,
        "Exact ratios level by level",
        "Each dot is an instance with a proven optimum, boxes hold the middle half. "
        "The first level counts most; below a level that is not 1, a ratio says little "
        "and may be less than 1. Positive costs where the optimum is 0 are counted, "
        "not drawn.",
        "; ".join(
            f"{s.name}: {s.optimal} of {s.runs} optimal, means "
            f"{', '.join(decimal(spread.mean) for spread in s.levels)}"
            for s in measured
        ),
    )


def _shares(summaries: Sequence[MethodSummary]) -> Plot:
    figure, axes = sheet(6, 0.8 + 0.22 * len(summaries))
    for place, s in enumerate(summaries):
        optimal = 100 * s.optimal / s.runs
        beaten = 100 * (s.judged - s.optimal) / s.runs
        axes.barh(place, optimal, color=A, height=0.62)
        axes.barh(place, beaten, left=optimal, color=CLOUD, height=0.62)
    method_rows(axes, summaries, grid=False)
    # Next to the names, where a narrow window shows them too.
    names = [f"{s.name}: {s.optimal} of {s.runs}" for s in summaries]
    axes.set_yticks(range(len(names)), names)
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of runs, %")
    axes.spines["bottom"].set_visible(False)
    return as_plot(
        figure,
        "How often the answer is optimal",
        "Blue: proved optimal. Grey: proved not optimal. What is left open is not "
        "proved either way, or no answer came.",
        "; ".join(names),
    )


_CLOUD = 4000
"""Dots of other methods in all panels, so that many runs still make a page."""


def _facets(
    title: str,
    caption: str,
    names: Sequence[str],
    judged: Sequence[ScoredRun],
    across: tuple[Number, str],
    up: tuple[Number, str],
    *,
    promised: bool = False,
) -> Plot:
    """One small panel per method, with the same axes; the others as a cloud."""
    shown = [j for j in judged if j.row.method in names]
    xs = np.array([across[0](j) for j in shown])
    ys = np.array([up[0](j) for j in shown])
    own = np.array([j.row.method for j in shown])
    stated = (np.nan if j.guarantee is None else j.guarantee for j in shown)
    promise = np.array([float(min(factor, 10**6)) for factor in stated])
    columns = min(len(names), _MOST_PANELS)
    rows = -(-len(names) // columns)
    figure, grid = sheets(
        WIDE, 0.6 + 1.6 * rows, rows, columns, sharex=True, sharey=True, squeeze=False
    )
    for axes, name in zip(grid.flat, names, strict=False):
        mine = own == name
        others = np.flatnonzero(~mine)
        others = others[:: 1 + len(others) * len(names) // _CLOUD]
        dots(axes, xs[others], ys[others], CLOUD, 2)
        if promised:
            marks = np.unique(np.column_stack([xs[mine], promise[mine]]), axis=0)
            axes.plot(*marks.T, "_", markersize=6, color=B, markeredgewidth=1.2)
        dots(axes, xs[mine], ys[mine], A, 3.6, alpha=0.75)
        axes.set_title(name, loc="left", fontsize=9.5, fontweight="bold")
        axes.grid(axis="y")
        axes.set_axisbelow(True)
    for axes in list(grid.flat)[len(names) :]:
        axes.set_visible(False)
    first = grid.flat[0]
    if up[1] == "ratio":
        top = max([*ys, *promise[~np.isnan(promise)]] if promised else ys)
        ratio_axis(first.yaxis, first.set_yscale, float(top))
        first.set_ylim(1 - 0.0012, top + 0.1 * (top - 1) + 0.002)
    else:
        first.set_yscale("log")
        first.set_ylim(ys.min() / 2, ys.max() * 2)
        first.yaxis.set_major_formatter(FuncFormatter(time_label))
        first.yaxis.set_minor_locator(NullLocator())
    if across[1].endswith("%"):
        first.set_xlim(-4, 104)
    else:
        plain_axis(first, xs)
    for row in grid:
        row[0].set_ylabel(up[1])
    for i, axes in enumerate(grid.flat[: len(names)]):
        axes.tick_params(labelbottom=i + columns >= len(names))
    figure.supxlabel(across[1], fontsize=9, color=FAINT)
    return as_plot(figure, title, caption, f"{title}, {len(shown)} points")
