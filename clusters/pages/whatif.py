"""What a trace gives under several rules: means with intervals, paired by job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...reports.pages.bootstrap import Estimate, estimate, resampled_sums
from ...reports.pages.document import format_cell
from ..placement import Objective
from ..whatif.simulator import FIXED, ReplayOutcome

_REGRET = "regret_pct"
_SAYS = {
    "wait_s": "wait of a job, seconds",
    "hops": "hops between two nodes of a job",
    "switches": "leaf switches (or blocks) of a job",
    _REGRET: "cost above the optimum for the same free nodes, %",
}


@dataclass(frozen=True, slots=True)
class PairedMean:
    """A measure under a method, and what it differs from that under the first."""

    measure: str
    method: str
    own: Estimate
    difference: Estimate | None
    """None for the first method."""
    relative_pct: Estimate | None
    """The difference in per cent; None for the first, or where that has 0."""


def means(outcomes: Sequence[ReplayOutcome], seed: int = 0) -> list[PairedMean]:
    """Return all means over jobs, with the middle 95 % of resampled streams.

    Streams are put together from blocks of consecutive jobs, the same for all methods,
    so that differences are between the same jobs.

    Parameters
    ----------
    outcomes
        Of at least one method, over the same jobs.
    seed
        Of the draws.
    """
    columns, n = outcomes[0].columns, len(outcomes[0].values)
    found = []
    for i, measure in enumerate(columns):
        values = np.column_stack([one.values[:, i] for one in outcomes])
        sums = resampled_sums(values, seed=seed)
        totals = values.sum(axis=0)
        for j, outcome in enumerate(outcomes):
            own = estimate(float(totals[j]) / n, sums[:, j] / n)
            paired = relative = None
            if j:
                more = float(totals[j] - totals[0])
                paired = estimate(more / n, (sums[:, j] - sums[:, 0]) / n)
                if sums[:, 0].all():
                    relative = estimate(
                        100 * more / float(totals[0]),
                        100 * (sums[:, j] / sums[:, 0] - 1),
                    )
            found.append(PairedMean(measure, outcome.method, own, paired, relative))
    return found


def as_rows(found: Sequence[PairedMean], objective: Objective) -> list[dict[str, Any]]:
    """Return the means as objects of JSON; the objective is what regret means."""

    def numbers(one: Estimate | None) -> list[float] | None:
        return None if one is None else [one.value, one.low, one.high]

    return [
        {
            "measure": one.measure,
            "method": one.method,
            "objective": objective.value,
            "mean": numbers(one.own),
            "difference": numbers(one.difference),
            "difference_pct": numbers(one.relative_pct),
        }
        for one in found
    ]


def says(measure: str) -> str:
    """Return what a measure is.

    >>> says("largest_in_switch")
    'largest job that still fits in one switch'
    """
    level = measure.removeprefix("largest_in_")
    return _SAYS.get(measure, f"largest job that still fits in one {level}")


def interval(one: Estimate) -> str:
    """Return the ends of an interval.

    >>> interval(Estimate(1.0, 0.5, 1.25))
    '0.50 .. 1.25'
    """
    return f"{format_cell(one.low)} .. {format_cell(one.high)}"


def difference(one: Estimate | None) -> tuple[str, str]:
    """Return a difference and the ends of its interval.

    >>> difference(Estimate(0.5, -0.25, 1.0)), difference(Estimate(0.0, 0.0, 0.0))
    (('+0.50', '-0.25 .. +1.00'), ('same', ''))
    """
    if one is None:
        return "", ""
    if not (one.value or one.low or one.high):
        return "same", ""
    value, low, high = (
        f"{'-' if number < 0 else '+'}{format_cell(abs(number))}"
        for number in (one.value, one.low, one.high)
    )
    return value, f"{low} .. {high}"


def remark(found: Sequence[PairedMean]) -> str:
    """Say so if no method changes when jobs start."""
    waits = {one.own.value for one in found if one.measure == FIXED[0]}
    if len(waits) > 1 or len({one.method for one in found}) < 2:
        return ""
    return (
        "All methods let every job start at the same time: where any free nodes will "
        "do and run times do not depend on them, no choice of nodes changes a wait. "
        "Groups (`--segment`), a cluster in parts, or `--communication` do."
    )
