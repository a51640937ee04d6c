"""The picture: what rules lose for one job, and in a stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...reports.pages.bootstrap import Estimate
from ...reports.pages.document import Plot
from ...reports.pages.page_style import CSS
from ...reports.pages.plot_style import (
    FAINT,
    INK,
    RULE,
    A,
    B,
    as_plot,
    in_style,
    named_rows,
    sheets,
)
from .choices import BEST, FEW, GREEDY, PAIR_SUM
from .figures import AllRuns
from .streams import FIRST_FIT, USUAL

_WIDE = 540
"""Pixels of the picture where there is room."""
_Marks = Mapping[str, tuple[str, str, str]]
ONE_JOB: _Marks = {
    FEW: ("s", FAINT, "few switches, runs of numbers"),
    PAIR_SUM: ("o", INK, "least pair sum"),
    "links, all-to-all alone": ("^", B, "least busy link, others unknown"),
    BEST: ("D", A, "least contention, others known"),
}
IN_STREAMS: _Marks = {
    FIRST_FIT: ("v", FAINT, "first fit"),
    FEW: ("s", FAINT, "few switches, runs of numbers"),
    GREEDY: ("^", B, "least busy link, others known"),
    USUAL: ("D", A, "allocator contention, with a reserve"),
}


@in_style
def overview(outcome: AllRuns) -> Plot:
    """Draw the losses of one job, and flow times of streams."""
    figure, (one, stream) = sheets(5.2, 7.2, 2, 1)
    names = outcome.machines
    _panel(
        one,
        names,
        ONE_JOB,
        lambda machine, rule: outcome.losses(machine)[rule],
        "One job joins: time above the best set tried, %",
    )
    one.set_xlim(left=-2)
    _panel(
        stream,
        names,
        IN_STREAMS,
        lambda machine, rule: outcome.flow(machine, rule),
        "A stream of jobs: flow time against the pair sum, %",
    )
    stream.axvline(0, color=INK, linewidth=1)
    stream.set_xscale("symlog", linthresh=20, linscale=1.2)
    ticks = [-20, -10, 0, 10, 20, 50, 200, 1000]
    least, most = stream.get_xlim()
    shown = [x for x in ticks if least <= x <= most]
    stream.set_xticks(shown, [f"{x:+d}" if x else "0" for x in shown])
    stream.minorticks_off()
    return as_plot(
        figure,
        "What to minimise: one job, and a stream of jobs",
        "Above, one job joins a machine in use: time of the set that each rule "
        "chooses, above the least of the list. Below, the mean flow time of streams "
        "under each rule against that under the pair sum; to the left is faster. "
        "Lines are 95 % intervals.",
    )


def _panel(
    axes: Any,
    names: Sequence[str],
    marks: _Marks,
    value: Callable[[str, str], Estimate],
    title: str,
) -> None:
    for i, (rule, (mark, colour, label)) in enumerate(marks.items()):
        shift = 0.18 * (i - (len(marks) - 1) / 2)
        for y, machine in enumerate(names):
            one = value(machine, rule)
            at = y + shift
            axes.plot([one.low, one.high], [at, at], color=colour, linewidth=1.4)
            axes.plot(
                *([one.value], [at], mark),
                color=colour,
                markersize=5,
                label=label if y == 0 else None,
            )
    named_rows(axes, names)
    for y in range(1, len(names)):
        axes.axhline(y - 0.5, color=RULE, linewidth=0.5)
    axes.set_title(title, fontsize=10, loc="left", x=-0.26, pad=34)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.28, 1.0),
        ncols=2,
        frameon=False,
        fontsize=8,
    )


def alone(plot: Plot) -> str:
    """Return a picture as a file of its own, light or dark as the reader's screen."""
    style = CSS.partition("*{box-sizing")[0] + "svg{font-family:var(--sans)}"
    head, end, rest = plot.svg.partition(">")
    return f'{head} width="{_WIDE}"{end}<style>{style}</style>{rest}\n'
