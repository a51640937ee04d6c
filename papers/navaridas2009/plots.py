"""Bars of execution times."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...reports.pages.document import Plot
from ...reports.pages.plot_style import (
    CLOUD,
    FAINT,
    INK,
    RULE,
    A,
    B,
    as_plot,
    in_style,
    sheet,
)
from .machines import NAMES, RANDOM
from .panels import Panel

_LOOKS: dict[str, dict[str, Any]] = {
    RANDOM: {"color": CLOUD},
    "consecutive": {"color": A},
    "shuffle": {"color": A, "alpha": 0.45},
    "row": {"color": A},
    "column": {"color": A, "alpha": 0.45},
    "quadrant": {"color": B},
    "mm-inc": {"color": INK},
    "thrifty": {"color": FAINT, "alpha": 0.6},
}
_ALL_BARS = 0.82
"""Width of the bars of one workload together."""


@in_style
def plot(panel: Panel) -> Plot:
    """Draw a panel of the figure."""
    figure, axes = sheet(9.8, 3.4)
    names = panel.placements
    width = _ALL_BARS / len(names)
    at = np.arange(len(panel.workloads))
    for i, placement in enumerate(names):
        places = at + (i - (len(names) - 1) / 2) * width
        heights = [panel.bar(name, placement) for name in panel.workloads]
        axes.bar(places, heights, width=width, label=placement, **_LOOKS[placement])
        if placement == RANDOM:
            ends = [panel.spread(name, placement) for name in panel.workloads]
            low, high = zip(*ends, strict=True)
            axes.vlines(places, low, high, color=INK, lw=0.9)
    axes.axhline(1, color=RULE, lw=0.8, zorder=0)
    axes.axvline(len(NAMES) - 0.5, color=RULE, lw=0.8, ls=":")
    axes.set_xticks(at, panel.workloads)
    axes.tick_params(axis="x", length=0, labelcolor=INK)
    axes.set_xlim(-0.6, len(at) - 0.4)
    axes.set_ylabel("time, the best placement = 1")
    axes.legend(
        frameon=False, ncols=len(names), loc="lower left", bbox_to_anchor=(0, 1)
    )
    machine = panel.machine
    return as_plot(
        figure,
        f"Figure 3: {machine.name}, {machine.instances} "
        + ("instance" if machine.instances == 1 else "instances"),
        "Time until the slowest instance has ended, relative to the best of the "
        "paper's placements. Of random the mean of five permutations, the line from "
        "the least to the most. Left skeletons, right kernels.",
    )
