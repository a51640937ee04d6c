"""Times against what is minimised, and correlations at a glance."""

from __future__ import annotations

import numpy as np

from ...reports.pages.document import Plot
from ...reports.pages.plot_style import (
    FAINT,
    INK,
    RULE,
    A,
    B,
    as_plot,
    dots,
    in_style,
    named_rows,
    sheets,
)
from .figures import AllRuns
from .machines import LOADS, MACHINES, OPTIMAL
from .objectives import OBJECTIVES

_COLUMNS = 4


@in_style
def overview(outcome: AllRuns) -> Plot:
    """Draw the mean correlation of every objective, alone and among others."""
    figure, grid = sheets(
        9.8, 0.8 + 0.3 * len(OBJECTIVES), 1, len(outcome.machines), sharey=True
    )
    quiet = [load for load in outcome.loads if not LOADS[load].traffic]
    busy = [load for load in outcome.loads if LOADS[load].traffic]
    for axes, machine in zip(np.atleast_1d(grid), outcome.machines, strict=True):
        axes.axvline(0, color=RULE, linewidth=1)
        for loads, colour, shift in ((quiet, A, -0.14), (busy, B, 0.14)):
            runs = [run for load in loads for run in outcome.of(machine, load)]
            if not runs:
                continue
            for y, one in enumerate(outcome.rhos(runs)):
                axes.plot([one.low, one.high], [y + shift] * 2, color=colour, lw=1.8)
                axes.plot([one.value], [y + shift], "o", color=colour, markersize=4)
        named_rows(axes, OBJECTIVES)
        axes.set_xlim(-1, 1)
        axes.set_xticks([-0.5, 0, 0.5])
        axes.set_title(machine, fontsize=9, loc="left")
        axes.set_xlabel("Spearman's rho")
    return as_plot(
        figure,
        "What predicts the time of a job",
        "Rank correlation of objectives with time over the sets of a state, mean over "
        "workloads and states, with 95 % intervals. Above, in the first colour, the "
        "job alone on the wires; below among others that send.",
    )


@in_style
def scatter(outcome: AllRuns, machine: str, objective: str) -> Plot:
    """Draw times against an objective, both relative to the set of least pair sum."""
    loads = [outcome.loads[0], outcome.loads[-1]]
    colours = (
        dict(zip(loads, (A, B), strict=True)) if len(set(loads)) > 1 else {loads[0]: A}
    )
    rows = -(-len(outcome.workloads) // _COLUMNS)
    figure, grid = sheets(9.8, 2.3 * rows, rows, _COLUMNS, squeeze=False)
    at = OBJECTIVES.index(objective)
    for axes, i in zip(grid.flat, range(rows * _COLUMNS), strict=True):
        if i >= len(outcome.workloads):
            axes.set_visible(False)
            continue
        axes.axhline(1, color=RULE, linewidth=0.8)
        axes.axvline(1, color=RULE, linewidth=0.8)
        for load, colour in colours.items():
            xs, ys = [], []
            for run in outcome.of(machine, load):
                best = run.found.which[run.names.index(OPTIMAL)]
                values, times = run.values(i)[:, at], run.found.times[i]
                xs.append(values / max(values[best], 1.0))
                ys.append(times / times[best])
            dots(axes, np.concatenate(xs), np.concatenate(ys), colour, 3.4, alpha=0.6)
        axes.plot([1], [1], "o", color=INK, markersize=4)
        axes.margins(0.06)
        axes.autoscale_view()
        axes.set_title(outcome.workloads[i], fontsize=9, loc="left", color=FAINT)
    figure.supxlabel(f"{objective}, the proven least pair sum = 1", fontsize=9)
    figure.supylabel("time", fontsize=9)
    return as_plot(
        figure,
        f"Time against {objective}: {MACHINES[machine].about}",
        "Every set of every state, relative to the set of least pair sum of its state, "
        "which is the dark point. First colour: "
        + "; second: ".join(loads if len(colours) > 1 else loads[:1])
        + ".",
    )
