"""Gaps between incumbent and bound: over time, and what exact methods leave open."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from statistics import median

import numpy as np
import numpy.typing as npt
from matplotlib.ticker import FuncFormatter, NullLocator

from ...instances import Value
from ..campaigns.rows import REFUSED, Row
from ..pages.document import Name, Plot, Ref, Section, Table
from ..pages.numbers import percent
from ..pages.plot_style import as_plot, in_style, sheet, time_label
from .profiles import WIDE, curves
from .report import Report

_TIMES = 160
"""Times at which a curve is drawn, at equal quotients."""
_SOONEST = 1e-3
"""Seconds at which a curve begins."""


def gap_between(cost: Value | None, bound: Value | None) -> Fraction | None:
    """Return the gap between cost and bound as a share of the greater; at most 1.

    1 if either is missing, None for lexicographic costs.

    >>> gap_between(10, 8), gap_between(-8, -10), gap_between(5, None)
    (Fraction(1, 5), Fraction(1, 5), Fraction(1, 1))
    """
    if isinstance(cost, tuple) or isinstance(bound, tuple):
        return None
    if cost is None or bound is None:
        return Fraction(1)
    greater = max(abs(cost), abs(bound)) or 1
    return min(Fraction(abs(cost - bound), greater), Fraction(1))


def final_gap(row: Row) -> Fraction | None:
    """Return the gap that a run leaves; 0 if it proves that there is no solution."""
    if row.status == "infeasible":
        return Fraction(0)
    return gap_between(row.cost, row.bound)


def gap_steps(row: Row) -> list[tuple[float, float]]:
    """Return when each gap of a run begins; before the first time it is 1."""
    steps = []
    for seconds, cost, bound in row.trace or ():
        gap = gap_between(cost, bound)
        assert gap is not None
        steps.append((seconds, float(gap)))
    if row.seconds is not None:
        last = final_gap(row)
        assert last is not None
        steps.append((max([row.seconds, *(t for t, _ in steps)]), float(last)))
    return steps


def _exact_rows(report: Report) -> dict[str, list[Row]]:
    """Return the runs of each exact method whose costs are single integers."""
    names = [s.name for s in report.summaries if s.exact]
    rows = [row for row in report.rows if row.status != REFUSED]
    own = {name: [row for row in rows if row.method == name] for name in names}
    return {
        name: found
        for name, found in own.items()
        if all(final_gap(row) is not None for row in found)
    }


@in_style
def gap_over_time(report: Report) -> Plot | None:
    """Draw the mean gap of every exact method over time; None if no run has a trace."""
    recorded = {
        name: [row for row in rows if row.instance not in report.apart]
        for name, rows in _exact_rows(report).items()
        if all(row.trace is not None or row.seconds is None for row in rows)
    }
    if not any(row.trace for rows in recorded.values() for row in rows):
        return None
    runs = {name: [*map(gap_steps, rows)] for name, rows in recorded.items() if rows}
    # The last report of a run may come after the end of its clock.
    ends = [steps[-1][0] for own in runs.values() for steps in own if steps]
    times = np.geomspace(_SOONEST, max([*ends, 10 * _SOONEST]), _TIMES)
    means = {name: _mean_gaps(own, times) for name, own in runs.items()}
    order = sorted(means, key=lambda name: float(means[name].sum()))
    figure, axes = sheet(WIDE, 3.4)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(time_label))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(times[0], times[-1])
    curves(axes, [(name, times, 100 * means[name]) for name in order], falling=True)
    axes.set_ylabel("mean gap, %")
    axes.set_xlabel("time since a run began")
    return as_plot(
        figure,
        "Gap over time",
        "Incumbent less bound over the greater of the two, the mean over all runs of a "
        "method. A run without a solution or a bound counts as 100 %, and so does one "
        "that reports nothing until it ends; one that ended keeps its last gap.",
        "; ".join(
            f"{name}: {100 * means[name][_TIMES // 2]:.1f} % after "
            f"{times[_TIMES // 2]:.2g} s, {100 * means[name][-1]:.1f} % in the end"
            for name in order
        ),
    )


def _mean_gaps(
    runs: Sequence[Sequence[tuple[float, float]]], times: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the mean gap of runs at times: what each knew by then, or earlier."""
    total = np.zeros(len(times))
    for steps in runs:
        known = np.array([1.0, *(gap for _, gap in steps)])
        since = [seconds for seconds, _ in steps]
        total += known[np.searchsorted(since, times, side="right")]
    return total / len(runs)


def gaps_section(report: Report) -> Section | None:
    """Tabulate the gaps that exact methods leave; None if they prove everything."""
    rows = []
    for name, own in _exact_rows(report).items():
        gaps = [(gap, row) for row in own if (gap := final_gap(row)) is not None]
        if not gaps:
            continue
        ranked = sorted(gap for gap, _ in gaps)
        most, worst = max(gaps, key=lambda it: it[0])
        on = Ref(Name(worst.instance), report.marks[worst.instance]) if most else None
        rows.append(
            (
                *(Name(name), len(own), sum(not gap for gap in ranked)),
                *map(_percent, (ranked[0], median(ranked), most)),
                on,
            )
        )
    if all(proved == runs for _, runs, proved, *_ in rows):
        return None
    return Section(
        title="Gaps of exact methods",
        text=(
            "What a run leaves open in the end: its own cost less its own bound, over "
            "the greater of the two; 100 % without a solution or a bound.",
        ),
        tables=(
            Table(
                columns=(
                    *("*method", "runs", "proved", "best gap", "median", "worst"),
                    "*worst on",
                ),
                rows=rows,
            ),
        ),
    )


def _percent(gap: Fraction) -> str:
    return percent(gap.numerator, gap.denominator)
