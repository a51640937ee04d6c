"""Lines of a mean against utilisation, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from ...reports.pages.document import Plot
from ...reports.pages.plot_style import (
    CLOUD,
    FAINT,
    INK,
    A,
    B,
    as_plot,
    in_style,
    sheets,
)
from .curves import Curves, Measure
from .findings import ELONGATED, SIX

_WIDE = 9.8
"""Width in inches."""
_HIGH = 4.3
_LOOKS: dict[str, tuple[str, Any, str]] = {
    "mc-elongated": (B, "-", "o"),
    "plas": (A, "-", "s"),
    "mc": (INK, "-", "^"),
    "random": (FAINT, ":", "x"),
    "mbs": (A, "--", "D"),
    "paging": (INK, "--", "v"),
    "mm-inc": (A, "-", "s"),
    "hilbert/best-fit": (INK, "--", "v"),
    "thrifty": (INK, "-", "^"),
    "auto": (A, "--", "D"),
}
"""Colour, dashes and mark of each; those of the paper and ours in panels apart."""
_TICKS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 20, 30, 50, 100, 200, 300, 1000, 3000)
_WIDE_RANGE = 8
"""Means that differ by this factor are drawn on a logarithmic scale."""


@in_style
def plot(curves: Curves, measure: Measure, figure_of_paper: str) -> Plot:
    """Draw a measure against utilisation: the paper's six strategies, and ours."""
    six = [name for name in curves.found if name in SIX]
    ours = [name for name in curves.found if name not in SIX]
    figure, row = sheets(_WIDE, _HIGH, 1, 2, sharey=True)
    _panel(row[0], curves, measure, six)
    row[0].set_title("the paper's strategies", fontsize=9, loc="left")
    for name in six:
        if name != ELONGATED:
            xs, ys, _, _ = _line(curves, measure, name)
            row[1].plot(xs, ys, color=CLOUD, lw=1)
    _panel(row[1], curves, measure, [ELONGATED, *ours])
    row[1].set_title("ours, and the others in grey", fontsize=9, loc="left")
    row[0].set_ylabel(f"{measure.name}, {measure.unit}")
    _scale(row[0], curves, measure)
    for axes in row:
        axes.legend(
            loc="upper center",
            bbox_to_anchor=(0.5, -0.16),
            ncols=3,
            frameon=False,
            fontsize=8,
        )
    return as_plot(
        figure,
        f"{figure_of_paper}: {measure.name}, {curves.name}",
        f"Mean of {curves.jobs} jobs at each point against utilisation; "
        "bars are 95 % intervals.",
    )


def _line(
    curves: Curves, measure: Measure, name: str
) -> tuple[list[float], list[float], list[float], list[float]]:
    """Utilisation, mean, low end and high end at every load."""
    loads = curves.loads(name)
    means = [curves.mean(measure, name, load) for load in loads]
    return (
        [curves.utilisation(name, load) for load in loads],
        [mean.value for mean in means],
        [mean.low for mean in means],
        [mean.high for mean in means],
    )


def _panel(axes: Axes, curves: Curves, measure: Measure, names: Sequence[str]) -> None:
    for name in names:
        xs, ys, lows, highs = _line(curves, measure, name)
        colour, dashes, mark = _LOOKS[name]
        axes.vlines(xs, lows, highs, color=colour, lw=1.2, alpha=0.55)
        look = {"color": colour, "ls": dashes, "marker": mark, "ms": 4, "lw": 1.3}
        axes.plot(xs, ys, label=name, **look)
    axes.set_xlabel("utilisation, %")
    axes.set_xlim(0, 100)
    axes.xaxis.set_major_locator(FixedLocator(range(0, 101, 20)))
    axes.grid(axis="y")


def _scale(axes: Axes, curves: Curves, measure: Measure) -> None:
    """Use a logarithmic scale for wide ranges, else begin at 0."""
    values = [y for name in curves.found for y in _line(curves, measure, name)[1]]
    low, high = min(values), max(values)
    if low > 0 and high > _WIDE_RANGE * low:
        axes.set_yscale("log")
        axes.set_ylim(low / 1.4, high * 1.4)
        axes.yaxis.set_major_locator(FixedLocator(_TICKS))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.set_ylim(0, 1.06 * high or 1)
