"""Pictures of the table: heat maps, and the diagonal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from ...reports.pages.document import Plot
from ...reports.pages.plot_style import (
    INK,
    A,
    B,
    as_plot,
    in_style,
    named_rows,
    per_cent,
    sheet,
    sheets,
)
from .entries import relative
from .parts import OPTIMAL
from .printed import NAMES, PRINTED, VARIANTS
from .tables import Rows, diagonal_order

_WIDE = 9.8
"""Width in inches."""


@in_style
def paper_plot(state: str, rows: Rows) -> Plot:
    """Draw the 4x4 tables, printed and ours, as heat maps."""
    panels: list[tuple[str, list[list[float]]]] = [
        ("paper", [[float(x) for x in row] for row in PRINTED])
    ]
    for name, variant in VARIANTS.items():
        table = [
            [rows[variant[one]].mean(variant[other]) or 0.0 for other in NAMES]
            for one in NAMES
        ]
        panels.append((f"ours, {name}", table))
    figure, grid = sheets(_WIDE, 3.1, 1, len(panels), sharey=True)
    full = max(_spread(table) for _, table in panels) or 1.0
    for axes, (title, table) in zip(grid, panels, strict=True):
        least = min(map(min, table)) or 1.0
        shades = [[(x / least - 1) / full for x in row] for row in table]
        shown = [[f"{x:.0f}" for x in row] for row in table]
        _heat(axes, NAMES, NAMES, shades, shown)
        axes.set_title(title, fontsize=9, loc="left", pad=6)
        axes.set_xlabel("decision")
    grid[0].set_ylabel("situation")
    return as_plot(
        figure,
        f"Table 1, the paper's and ours ({state})",
        "Average sum of pairwise distances; the darker, the farther above "
        f"the least of its own panel (full shade: {100 * full:.0f} %).",
    )


def _spread(table: Sequence[Sequence[float]]) -> float:
    least = min(map(min, table))
    return max(map(max, table)) / least - 1 if least else 0.0


@in_style
def ratio_plot(state: str, rows: Rows) -> Plot:
    """Draw the ratio of every decision in every situation as a heat map."""
    decisions = [
        name for name in next(iter(rows.values())).part.decisions if name != OPTIMAL
    ]
    situations = list(rows)
    shades, shown = [], []
    for row in rows.values():
        ratios = [row.ratios(name).of_sums for name in decisions]
        excess = [float(r) - 1 if r is not None else 0.0 for r in ratios]
        shades.append(
            [float(np.log1p(e / 0.01) / np.log1p(0.5 / 0.01)) for e in excess]
        )
        shown.append(
            [f"{1 + e:.3f}" if r else "–" for e, r in zip(excess, ratios, strict=True)]
        )
    height = 1.1 + 0.3 * len(situations)
    figure, axes = sheet(_WIDE, height)
    _heat(axes, situations, decisions, shades, shown)
    axes.set_ylabel("situation")
    axes.set_xlabel("decision")
    return as_plot(
        figure,
        f"Cost over proven optimum ({state})",
        "Sum over sum. Who has placed the stream, by row; who is asked, by "
        "column. Shade by the logarithm of the excess (full shade: 1.5).",
    )


def _heat(
    axes: Axes,
    rows: Sequence[str],
    columns: Sequence[str],
    shades: Sequence[Sequence[float]],
    shown: Sequence[Sequence[str]],
) -> None:
    """Draw cells as shaded squares with numbers in them."""
    for y, (line, words) in enumerate(zip(shades, shown, strict=True)):
        for x, (shade, word) in enumerate(zip(line, words, strict=True)):
            axes.add_patch(
                Rectangle(
                    (x - 0.48, y - 0.46),
                    0.96,
                    0.92,
                    facecolor=A,
                    alpha=0.06 + 0.6 * min(max(shade, 0.0), 1.0),
                    linewidth=0,
                )
            )
            axes.text(x, y, word, ha="center", va="center", fontsize=8, color=INK)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), rows)
    turned = {"rotation": 35, "ha": "right"} if len(columns) > len(NAMES) else {}
    axes.set_xticks(range(len(columns)), columns, **turned)  # type: ignore[arg-type]
    axes.tick_params(length=0, labelcolor=INK)
    for spine in axes.spines.values():
        spine.set_visible(False)


@in_style
def diagonal_plot(state: str, rows: Rows) -> Plot:
    """Draw the costs of each over the stream that it places, relative to optimal."""
    order = diagonal_order(rows)
    optimal = rows[OPTIMAL].found.own
    figure, axes = sheet(_WIDE, 0.9 + 0.27 * len(order))
    axes.axvline(0, color=B, lw=1.6)
    for y, name in enumerate(order):
        if name == OPTIMAL:
            axes.plot([0], [y], "o", color=B, ms=5)
            continue
        per_cent(axes, y, relative(optimal, rows[name].found.own))
    axes.set_xscale("symlog", linthresh=10, linscale=2)
    ticks = [-5, 0, 5, 10, 20, 50, 100]
    axes.set_xticks(ticks, labels=list(map(str, ticks)))
    axes.minorticks_off()
    axes.margins(x=0.08)
    named_rows(axes, order)
    axes.set_xlabel("mean pair sum over the whole stream, % above deciding optimally")
    return as_plot(
        figure,
        f"Placing the whole stream ({state})",
        "Everyone in the situations that it has made itself, with 95 % "
        "intervals; left of the line is better than deciding optimally each time. "
        "Linear up to 10 %, logarithmic beyond.",
    )
