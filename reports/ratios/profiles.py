"""Curves of all methods of a report: within a factor, and proved by a time."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from ..pages.document import Plot
from ..pages.plot_style import (
    CLOUD,
    INK,
    A,
    B,
    as_plot,
    in_style,
    ratio_axis,
    sheet,
    time_label,
)
from .report import Report
from .spreads import MethodSummary

_WIDE = 6.3
"""Width in inches; a window of 400 pixels shows it without scrolling."""


_NAMED = 8
"""Curves that are named; the others are grey."""
_TOGETHER = 3
"""Names of methods whose curves coincide, in one label."""


def _shares(
    axes: Axes, shares: Sequence[tuple[str, Sequence[float], int]], end: float
) -> None:
    """Draw shares of instances as steps, up to ``end``; equal ones are one curve.

    Those without a name are grey.
    """
    alike: dict[tuple[int, tuple[float, ...]], list[str]] = {}
    for name, values, whole in shares:
        alike.setdefault((whole, tuple(sorted(values))), []).append(name)
    steps = []
    for (whole, values), names in alike.items():
        ys = [100 * (i + 1) / whole for i in range(len(values))]
        named = list(filter(None, names))
        label = ", ".join(named[:_TOGETHER])
        if (more := len(named) - _TOGETHER) > 0:
            label += f" and {more} more"
        steps.append((label, [*values, end], [*ys, ys[-1] if ys else 0]))
    _curves(axes, steps)
    axes.set_ylabel("instances, %")


def _curves(
    axes: Axes, steps: Sequence[tuple[str, Sequence[float], Sequence[float]]]
) -> None:
    """Draw shares in per cent as steps; the first that have a name are named."""
    styles = [(c, d) for d in ("-", (0, (5, 2)), (0, (1.5, 1.5))) for c in (A, B, INK)]
    for place, (name, xs, ys) in enumerate(steps):
        named = place < _NAMED and bool(name)
        colour, dashes = styles[place] if named else (CLOUD, "-")
        axes.step(
            *(xs, ys),
            where="post",
            color=colour,
            linestyle=dashes,
            linewidth=1.6 if named else 0.8,
            label=name if named else None,
            zorder=3 if named else 1,
        )
    axes.set_ylim(0, 103)
    axes.grid(axis="y")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="lower right", frameon=False, fontsize=8)


@in_style
def plots(report: Report) -> list[Plot]:
    """Draw the curves of a report on one problem for which there is data."""
    measured = [s for s in report.summaries if not s.exact and s.spread]
    first = [_profile(report, measured)] if measured else []
    return [*first, *filter(None, [_proved_in_time(report)])]


def _profile(report: Report, measured: Sequence[MethodSummary]) -> Plot:
    """Draw the share of instances on which a method is within a factor."""
    known = {s.name for s in measured}
    order = [s for s in report.ranked if s.name in known]
    own: dict[str, list[float]] = {s.name: [] for s in order}
    for j in report.counted:
        if j.row.method in own and j.ratio not in (None, inf):
            own[j.row.method].append(float(j.ratio or 0))
    figure, axes = sheet(_WIDE, 3.6)
    top = max((value for values in own.values() for value in values), default=1.0)
    ratio_axis(axes.xaxis, axes.set_xscale, top)
    broad = {s.name for s in order if report.is_broad(s)}
    _shares(
        axes, [(s.name * (s.name in broad), own[s.name], s.runs) for s in order], top
    )
    axes.set_xlim(1, top + 0.002)
    axes.set_xlabel("within this factor of the proven optimum (stretched near 1)")
    return as_plot(
        figure,
        "Performance profile",
        "On what share of its instances a method is within a factor of the proven "
        "optimum. The closest to optimal are named; grey are the others, and methods "
        "that take less than half of the instances. Methods named together have one "
        "curve; a curve that ends below 100 % lacks proven optima.",
        "; ".join(
            f"{s.name}: {sum(v <= 1.1 for v in own[s.name])} of {s.runs} within 1.1"
            for s in order[:_NAMED]
            if s.name in broad
        ),
    )


def _proved_in_time(report: Report) -> Plot | None:
    """Draw the share of instances that an exact method has proved by a time."""
    shares = []
    for name in (s.name for s in report.summaries if s.exact):
        mine = [j for j in report.judged if j.row.method == name]
        done = [
            max(j.row.seconds, 1e-6)
            for j in mine
            if j.row.seconds is not None and j.row.status in ("optimal", "infeasible")
        ]
        shares.append((name, done, max(len(mine), 1)))
    if not any(times for _, times, _ in shares):
        return None
    shares.sort(key=lambda share: -len(share[1]) / share[2])
    figure, axes = sheet(_WIDE, 3.2)
    end = max((time for _, times, _ in shares for time in times), default=1.0) * 1.5
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(time_label))
    axes.xaxis.set_minor_locator(NullLocator())
    _shares(axes, shares, end)
    axes.set_xlabel("time of a run")
    return as_plot(
        figure,
        "Proved by a time",
        "On what share of the instances an exact method has ended with a proof.",
        "; ".join(f"{name}: {len(times)} of {n}" for name, times, n in shares),
    )
