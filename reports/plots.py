"""Plots of ratios and times as SVG that takes its colours from the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from io import StringIO
from math import inf
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from .report import Report
from .summary import MethodSummary
from .verdicts import Judged
from .wording import decimal

# Colours that stand for the page's own, which are put in afterwards.
_INK, _FAINT, _RULE, _CLOUD = "#010101", "#020202", "#030303", "#040404"
_A, _B = "#050505", "#060606"
_NAMES = {
    _INK: "ink",
    _FAINT: "faint",
    _RULE: "rule",
    _CLOUD: "cloud",
    _A: "a",
    _B: "b",
}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "closeknit",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.edgecolor": _RULE,
    "axes.labelcolor": _FAINT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "text.color": _INK,
    "xtick.color": _RULE,
    "ytick.color": _RULE,
    "xtick.labelcolor": _FAINT,
    "ytick.labelcolor": _FAINT,
    "grid.color": _RULE,
    "grid.linewidth": 0.5,
    "path.simplify": False,
}
_TICKS = (1, 1.01, 1.03, 1.1, 1.25, 1.5, 2, 3, 5, 10, 30, 100, 1000)
_NEAR = 0.01
"""Below this excess the ratio scale is linear, beyond it logarithmic."""
_WIDE = 9.8
"""Inches."""

Number = Callable[[Judged], float]


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture and what is said of it."""

    title: str
    caption: str
    svg: str


def plots(report: Report) -> list[Plot]:
    """Draw all plots for which there is data."""
    with mpl.rc_context(_STYLE):
        drawn = []
        heuristics = [s for s in report.summaries if not s.exact]
        measured = [s for s in heuristics if s.spread]
        if measured:
            drawn.append(_distribution(report, measured))
        if any(s.judged for s in report.summaries):
            drawn.append(_shares(report.summaries))
        names = [s.name for s in measured]
        with_ratio = [j for j in report.judged if j.ratio not in (None, inf)]
        if names:
            drawn.append(
                _facets(
                    "Ratio against k",
                    "One panel a method, all other methods in grey. Dashes: what is "
                    "proven for the method on that instance.",
                    names,
                    with_ratio,
                    (lambda j: j.row.k, "k, processors to choose"),
                    (_ratio, "ratio"),
                    promised=True,
                )
            )
            drawn.append(
                _facets(
                    "Ratio against occupancy",
                    "Share of the processors that are busy when the choice is made.",
                    names,
                    with_ratio,
                    (lambda j: 100 - 100 * j.row.n / j.row.locations, "busy, %"),
                    (_ratio, "ratio"),
                )
            )
        timed = [j for j in report.judged if j.row.seconds is not None]
        if timed:
            drawn.append(
                _facets(
                    "Time against n",
                    "Wall-clock seconds of one run against the number of free "
                    "processors, both logarithmic.",
                    [s.name for s in report.summaries],
                    timed,
                    (lambda j: j.row.n, "n, free processors"),
                    (lambda j: max(j.row.seconds or 0, 1e-6), "time"),
                )
            )
        return drawn


def _ratio(j: Judged) -> float:
    assert j.ratio is not None
    return float(j.ratio)


def _distribution(report: Report, measured: Sequence[MethodSummary]) -> Plot:
    figure = Figure(figsize=(_WIDE, 0.9 + 0.46 * len(measured)), layout="constrained")
    axes = figure.add_subplot()
    top = 1.0
    for place, summary in enumerate(measured):
        ratios = sorted(
            float(j.ratio)
            for j in report.judged
            if j.row.method == summary.name and j.ratio not in (None, inf)
        )
        if not ratios:
            continue
        top = max(top, ratios[-1])
        jitter = [
            place + 0.26 * (2 * ((i * 0.618034) % 1) - 1) for i in range(len(ratios))
        ]
        _dots(axes, ratios, jitter, _A, 3.6, alpha=0.6)
        axes.boxplot(
            [ratios],
            positions=[place],
            orientation="horizontal",
            widths=0.62,
            whis=(0, 95),
            showfliers=False,
            manage_ticks=False,
            boxprops={"color": _INK, "linewidth": 0.9},
            whiskerprops={"color": _INK, "linewidth": 0.9},
            capprops={"color": _INK, "linewidth": 0.9},
            medianprops={"color": _INK, "linewidth": 2},
        )
        if summary.guarantee is not None:
            bound = float(summary.guarantee)
            top = max(top, bound)
            axes.plot([bound, bound], [place - 0.36, place + 0.36], color=_B, lw=2.2)
    _ratio_axis(axes.xaxis, axes.set_xscale, top)
    axes.set_xlim(1 - 0.001, top + 0.08 * (top - 1) + 0.002)
    axes.set_yticks(range(len(measured)), [s.name for s in measured])
    axes.tick_params(axis="y", length=0, labelcolor=_INK)
    axes.set_ylim(len(measured) - 0.5, -0.5)
    axes.set_xlabel("cost / proven optimum (scale stretched near 1)")
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    return Plot(
        "Distribution of exact ratios",
        "Each dot is an instance with a proven optimum; boxes hold the middle half, "
        "whiskers reach from the least to the 95th percentile, the thick line is the "
        "median. Orange bars: the greatest factor proven for the method on these "
        "instances.",
        _svg(
            figure,
            "; ".join(
                f"{s.name}: median {decimal(s.spread.median)}, "
                f"at most {decimal(s.spread.most)}"
                for s in measured
                if s.spread
            ),
        ),
    )


def _shares(summaries: Sequence[MethodSummary]) -> Plot:
    figure = Figure(figsize=(_WIDE, 0.8 + 0.33 * len(summaries)), layout="constrained")
    axes = figure.add_subplot()
    for place, s in enumerate(summaries):
        optimal = 100 * s.optimal / s.runs
        beaten = 100 * (s.judged - s.optimal) / s.runs
        axes.barh(place, optimal, color=_A, height=0.62)
        axes.barh(place, beaten, left=optimal, color=_CLOUD, height=0.62)
        axes.text(101.5, place, f"{s.optimal} of {s.runs}", va="center", color=_INK)
    axes.set_yticks(range(len(summaries)), [s.name for s in summaries])
    axes.tick_params(axis="y", length=0, labelcolor=_INK)
    axes.set_ylim(len(summaries) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of runs, %")
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    return Plot(
        "How often the answer is optimal",
        "Blue: proved optimal. Grey: proved not optimal. What is left open is not "
        "proved either way, or no answer came.",
        _svg(
            figure, "; ".join(f"{s.name}: {s.optimal} of {s.runs}" for s in summaries)
        ),
    )


def _facets(
    title: str,
    caption: str,
    names: Sequence[str],
    judged: Sequence[Judged],
    across: tuple[Number, str],
    up: tuple[Number, str],
    *,
    promised: bool = False,
) -> Plot:
    """One small panel a method, with the same axes, the others as a cloud."""
    shown = [j for j in judged if j.row.method in names]
    xs = np.array([across[0](j) for j in shown])
    ys = np.array([up[0](j) for j in shown])
    own = np.array([j.row.method for j in shown])
    promise = np.array([float(j.guarantee or np.nan) for j in shown])
    columns = len(names)
    if columns > 4:  # as few empty places as can be
        columns = min((4, 3, 5), key=lambda c: -len(names) % c)
    rows = -(-len(names) // columns)
    figure = Figure(figsize=(_WIDE, 0.6 + 1.95 * rows), layout="constrained")
    grid: Any = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, name in zip(grid.flat, names, strict=False):
        mine = own == name
        _dots(axes, xs[~mine], ys[~mine], _CLOUD, 2)
        if promised:
            axes.plot(
                xs[mine],
                promise[mine],
                "_",
                markersize=6,
                color=_B,
                markeredgewidth=1.2,
            )
        _dots(axes, xs[mine], ys[mine], _A, 3.6, alpha=0.75)
        axes.set_title(name, loc="left", fontsize=9.5, fontweight="bold")
        axes.grid(axis="y")
        axes.set_axisbelow(True)
    for axes in list(grid.flat)[len(names) :]:
        axes.set_visible(False)
    first = grid.flat[0]
    if up[1] == "ratio":
        top = max([*ys, *promise[~np.isnan(promise)]] if promised else ys)
        _ratio_axis(first.yaxis, first.set_yscale, float(top))
        first.set_ylim(1 - 0.0012, top + 0.1 * (top - 1) + 0.002)
    else:
        first.set_yscale("log")
        first.set_ylim(ys.min() / 2, ys.max() * 2)
        first.yaxis.set_major_formatter(FuncFormatter(_time_label))
        first.yaxis.set_minor_locator(NullLocator())
    if across[1].endswith("%"):
        first.set_xlim(-4, 104)
    else:
        _plain_axis(first, xs)
    for row in grid:
        row[0].set_ylabel(up[1])
    for i, axes in enumerate(grid.flat[: len(names)]):
        axes.tick_params(labelbottom=i + columns >= len(names))
    figure.supxlabel(across[1], fontsize=9, color=_FAINT)
    return Plot(title, caption, _svg(figure, f"{title}, {len(shown)} points"))


def _dots(
    axes: Axes,
    xs: Sequence[float] | npt.NDArray[np.float64],
    ys: Sequence[float] | npt.NDArray[np.float64],
    colour: str,
    size: float,
    *,
    alpha: float = 1,
) -> None:
    """Draw all points as one path: a tenth of the size of a marker each."""
    if not len(xs):
        return
    places = np.repeat(np.column_stack([xs, ys]), 2, axis=0)
    codes = np.tile([Path.MOVETO, Path.LINETO], len(xs))
    axes.add_patch(
        PathPatch(
            Path(places, codes),
            capstyle="round",
            linewidth=size,
            edgecolor=colour,
            facecolor="none",
            alpha=alpha,
            clip_on=False,
            zorder=3,
        )
    )


def _ratio_axis(axis: Any, set_scale: Callable[..., None], top: float) -> None:
    """Linear in the excess over 1 up to 1 %, logarithmic beyond."""

    def stretch(ratio: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        excess = (np.asarray(ratio, dtype=np.float64) - 1) / _NEAR
        stretched: npt.NDArray[np.float64] = np.sign(excess) * np.log1p(np.abs(excess))
        return stretched

    def back(stretched: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        value = np.asarray(stretched, dtype=np.float64)
        ratio: npt.NDArray[np.float64] = 1 + _NEAR * np.sign(value) * np.expm1(
            np.abs(value)
        )
        return ratio

    set_scale("function", functions=(stretch, back))
    ticks = [t for t in _TICKS if t <= max(top * 1.02, 1.01)]
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _plain_axis(axes: Axes, xs: npt.NDArray[np.float64]) -> None:
    """Logarithmic with ordinary numbers if the values span much, else linear."""
    low, high = float(xs.min()), float(xs.max())
    if low > 0 and high > 8 * low:
        axes.set_xscale("log")
        powers = [2.0**e for e in range(0, 40) if low / 1.5 <= 2.0**e <= high * 1.5]
        step = 1 + len(powers) // 6
        axes.xaxis.set_major_locator(FixedLocator(powers[::step]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.0f}"))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlim(low / 1.25, high * 1.25)
    else:
        margin = 0.06 * (high - low) or 1
        axes.set_xlim(low - margin, high + margin)


def _time_label(value: float, _: object) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size * 0.999:
            return f"{value / size:g} {unit}"
    return ""


def _svg(figure: Figure, spoken: str) -> str:
    """Return the figure as SVG to be put into a page.

    The same figure gives the same bytes. Colours become the page's variables,
    fonts the page's, ids are made unique among the figures of a page.
    """
    buffer = StringIO()
    figure.savefig(
        buffer,
        format="svg",
        transparent=True,
        dpi=200,
        metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
    )
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = re.sub(r"<style.*?</style>\s*", "", text, flags=re.S)  # for all of a page
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.S)
    mark = "p" + sha256(spoken.encode() + text.encode()).hexdigest()[:8]
    text = re.sub(r'\bid="', f'id="{mark}-', text)
    text = text.replace("url(#", f"url(#{mark}-").replace('href="#', f'href="#{mark}-')
    for colour, name in _NAMES.items():
        text = text.replace(colour, f"var(--{name})")
    text = re.sub(r"font-family: [^;\"]+", "font-family: inherit", text)
    text = re.sub(r"font: ([^;\"]*?px) [^;\"]+", r"font: \1 var(--sans)", text)
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
    assert box is not None
    head = (
        f'<svg class="plot" viewBox="0 0 {box[1]} {box[2]}" role="img" '
        f'aria-labelledby="{mark}-t" xmlns="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink">'
        f'<title id="{mark}-t">{escape(spoken)}</title>'
    )
    return head + text[text.index(">") + 1 :].rstrip()
