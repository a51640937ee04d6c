"""Gaps of exact methods, by hand: over time, and in the end."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from closeknit.reports.campaigns.rows import Row
from closeknit.reports.pages.document import plain_text
from closeknit.reports.ratios import gaps
from closeknit.reports.ratios.gaps import (
    final_gap,
    gap_between,
    gap_over_time,
    gap_steps,
    gaps_section,
)
from closeknit.solvers import Grade, Proof

from ...toys import made, optimal
from .samples import A, B, C, report, rows
from .samples_of_levels import full

PROOF = Proof(Grade.SOLVER, "toy")


def open_run() -> Row:
    """A run of 10 s that is left with 10 against 8."""
    return made(
        C,
        "auto",
        cost=10,
        bound=8,
        proof=PROOF,
        limit="time",
        selection=(0, 1, 2),
        seconds=10.0,
        trace=((0.1, 20, None), (1.0, 16, 4), (2.0, 10, 5)),
    )


def exact_rows() -> list[Row]:
    proved = optimal(A, "auto", 4, selection=(0, 1, 4))
    failed = made(B, "auto", status="failed", error="x", seconds=None)
    return [
        replace(proved, seconds=1.0, trace=((0.5, 4, 2),)),
        replace(failed, trace=None),
        open_run(),
    ]


@pytest.mark.parametrize(
    ("cost", "bound", "gap"),
    [
        (7, 7, 0),
        (0, 0, 0),
        (10, 5, Fraction(1, 2)),
        (-5, -10, Fraction(1, 2)),
        (5, -5, 1),
        (3, 0, 1),
        (None, 3, 1),
        (None, None, 1),
        ((1, 2), (1, 1), None),
    ],
)
def test_a_gap_by_hand(cost: int, bound: int, gap: Fraction | None) -> None:
    assert gap_between(cost, bound) == gap


def test_the_gap_of_a_run_falls_step_by_step() -> None:
    steps = [(0.1, 1.0), (1.0, 0.75), (2.0, 0.5), (10.0, 0.2)]
    assert gap_steps(open_run()) == steps
    assert final_gap(made(C, "auto", status="infeasible", proof=PROOF)) == 0


def test_the_mean_gap_counts_failed_and_silent_runs_as_open() -> None:
    means = gaps._mean_gaps(
        [*map(gap_steps, exact_rows())], np.array([0.05, 0.7, 1.5, 5, 10, 99])
    )
    one, other = [1, 0.5, 0, 0, 0, 0], [1, 1, 0.75, 0.5, 0.2, 0.2]
    assert means == pytest.approx((np.array(one) + 1 + np.array(other)) / 3)


def test_the_plot_tells_the_mean_gap_in_the_end() -> None:
    plot = gap_over_time(report(exact_rows()))
    assert plot is not None
    assert "auto: " in plot.svg
    assert "40.0 % in the end" in plot.svg


def test_a_report_after_the_clock_of_a_run_counts_in_the_end() -> None:
    """A run that proves its optimum leaves no gap, whenever it says so."""
    proved = optimal(A, "auto", 4, selection=(0, 1, 4))
    late = replace(proved, seconds=1.0, trace=((0.5, 4, 2), (1.5, 4, 4)))
    plot = gap_over_time(report([late]))
    assert plot is not None
    assert ", 0.0 % in the end" in plot.svg


def test_rows_without_traces_are_not_drawn() -> None:
    assert gap_over_time(report(rows())) is None
    mixed = [*exact_rows()[:1], *rows()[5:6]]
    assert gap_over_time(report(mixed)) is None
    assert [gap_over_time(part) for part in full().parts.values()] == [None, None]


def test_the_table_lists_best_median_and_worst() -> None:
    section = gaps_section(report(exact_rows()))
    assert section is not None
    [row] = section.tables[0].rows
    assert row[:6] == ("auto", 3, 1, "0 %", "20.0 %", "100 %")
    assert plain_text(row[6]) == "b"  # type: ignore[arg-type]
    assert gaps_section(report([one for one in rows() if one.status == "optimal"])) is (
        None
    )
