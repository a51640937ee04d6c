"""The table of networks beside other simulators, in fewer cycles."""

from __future__ import annotations

import pytest

from closeknit.network.open_loop import Phases
from closeknit.papers import network_validation
from closeknit.papers.catalogue import RunOptions
from closeknit.papers.network_validation import (
    ROWS,
    RowDemand,
    ValidationRow,
    bisection_rows,
    measure_rows,
    permutation_row,
)
from closeknit.papers.table import REPRODUCTIONS
from closeknit.reports.pages.document import ErrorText
from closeknit.reports.pages.markdown import markdown_of


def test_rows_that_are_far_off_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    some = [
        ValidationRow("near", "somebody", 100.0, 114.0, RowDemand.CLOSE),
        ValidationRow("far", "somebody", 100.0, 116.0, RowDemand.CLOSE),
        ValidationRow("cut", "bisection", 0.5, 0.51, RowDemand.AT_MOST),
    ]
    monkeypatch.setattr(network_validation, "rows", lambda phases, seed: iter(some))
    page = REPRODUCTIONS["network-validation"](RunOptions())
    assert page.verdict == "1 of 3 rows are as demanded."
    near, far, cut = page.tables[0].rows
    assert near[-1] == "yes"
    assert isinstance(far[-1], ErrorText)
    assert isinstance(cut[-1], ErrorText)
    assert "| far | somebody | 100.0 | 116.0 | 16.00 | within 15 % | **no** |" in (
        markdown_of(page)
    )


def test_worms_keep_to_bisections() -> None:
    found = list(bisection_rows(Phases(200, 600, 0), seed=1))
    assert len(found) == 2
    assert all(row.holds and row.ours > 0.3 * row.theirs for row in found)


def test_permutations_of_a_tree_pass_as_theory_says() -> None:
    found = permutation_row(seed=1)
    assert found.holds
    assert found.ours < found.theirs


def test_every_row_is_measured() -> None:
    told: list[int] = []
    options = RunOptions(progress=lambda done, total, what: told.append(done))
    page = measure_rows(options, Phases(500, 1500, 1500))
    assert len(page.tables[0].rows) == ROWS
    assert told == list(range(1, ROWS + 1))
    assert page.verdict == f"{ROWS} of {ROWS} rows are as demanded."
