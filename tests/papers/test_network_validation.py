"""The table of networks beside other simulators, in fewer cycles."""

from __future__ import annotations

import pytest

from closeknit.network.open_loop.engine import Phases
from closeknit.network.validation import Demand, Row
from closeknit.papers import network_validation
from closeknit.papers.catalogue import RunOptions
from closeknit.papers.network_validation import ROWS, measured
from closeknit.papers.table import REPRODUCTIONS
from closeknit.reports.pages.document import Bad
from closeknit.reports.pages.markdown import markdown_of


def test_rows_that_are_far_off_are_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    some = [
        Row("near", "somebody", 100.0, 114.0, Demand.CLOSE),
        Row("far", "somebody", 100.0, 116.0, Demand.CLOSE),
    ]
    monkeypatch.setattr(network_validation, "rows", lambda phases, seed: iter(some))
    page = REPRODUCTIONS["network-validation"](RunOptions())
    assert page.verdict == "1 of 2 rows are as demanded."
    near, far = page.tables[0].rows
    assert near[-1] == "yes"
    assert isinstance(far[-1], Bad)
    assert "| far | somebody | 100.0 | 116.0 | 16.00 | within 15 % | **no** |" in (
        markdown_of(page)
    )


@pytest.mark.slow
def test_every_row_is_measured() -> None:
    told: list[int] = []
    options = RunOptions(progress=lambda done, total, what: told.append(done))
    page = measured(options, Phases(1000, 4000, 4000))
    assert len(page.tables[0].rows) == ROWS
    assert told == list(range(1, ROWS + 1))
    assert page.verdict == f"{ROWS} of {ROWS} rows are as demanded."
