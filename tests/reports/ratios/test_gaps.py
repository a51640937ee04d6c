"""Gaps of exact methods, by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from closeknit.reports.campaigns.rows import Row
from closeknit.reports.pages.document import plain_text
from closeknit.reports.ratios.gaps import (
    final_gap,
    gap_between,
    gaps_section,
)
from closeknit.solvers import Grade, Proof

from ...toys import made, optimal
from .samples import A, B, C, report, rows

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
    )


def exact_rows() -> list[Row]:
    proved = optimal(A, "auto", 4, selection=(0, 1, 4))
    failed = made(B, "auto", status="failed", error="x", seconds=None)
    return [
        replace(proved, seconds=1.0),
        failed,
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


def test_a_proof_that_there_is_nothing_leaves_no_gap() -> None:
    assert final_gap(open_run()) == Fraction(1, 5)
    assert final_gap(made(C, "auto", status="infeasible", proof=PROOF)) == 0


def test_the_table_lists_best_median_and_worst() -> None:
    section = gaps_section(report(exact_rows()))
    assert section is not None
    [row] = section.tables[0].rows
    assert row[:6] == ("auto", 3, 1, "0 %", "20.0 %", "100 %")
    assert plain_text(row[6]) == "b"  # type: ignore[arg-type]
    assert gaps_section(report([one for one in rows() if one.status == "optimal"])) is (
        None
    )
