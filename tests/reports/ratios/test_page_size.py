"""Pages of many rows stay small enough to be sent and opened."""

from __future__ import annotations

import pytest

from ..written import html_report
from .samples_drawn import drawn

MIB = 2**20


@pytest.mark.parametrize(
    ("instances", "heuristics", "exact", "most"),
    [
        (200, 4, 1, MIB),
        pytest.param(40, 20, 5, 2 * MIB, marks=pytest.mark.slow),
        pytest.param(1000, 20, 5, 10 * MIB, marks=pytest.mark.slow),
    ],
)
def test_a_page_of_many_rows_is_small(
    instances: int, heuristics: int, exact: int, most: int
) -> None:
    report = drawn(instances, heuristics, exact)
    assert len(report.rows) == instances * (heuristics + exact)
    page = html_report(report)
    assert all(one.name in page for one in (v.instance for v in report.verdicts))
    assert len(page.encode()) < most
