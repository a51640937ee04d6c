"""Worst instances that the page loads, without a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from closeknit.instances import InputError
from closeknit.reports.explorer.cases import ledger
from closeknit.reports.explorer.explorer import Explorer
from closeknit.solvers.running.kernels import interpreted


@pytest.fixture(autouse=True)
def source() -> Iterator[None]:
    with interpreted():
        yield


@pytest.fixture
def explorer() -> Explorer:
    return Explorer()


def test_the_worst_instances_known(explorer: Explorer) -> None:
    index, entry = next(
        (i, one) for i, one in enumerate(ledger()) if one["method"] == "mm"
    )
    found = explorer.answer("worst", {"index": index})
    assert (found["k"], found["case"]["ratio"]) == (entry["k"], entry["ratio"])
    assert found["case"]["agrees"]
    assert len(found["labels"]) - len(found["busy"]) >= found["k"]


def test_no_entry_of_the_ledger(explorer: Explorer) -> None:
    with pytest.raises(InputError, match="index: must be below"):
        explorer.answer("worst", {"index": len(ledger())})
