"""The time that a campaign still takes, and how a terminal shows it."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from closeknit.cli.frame.progress import time_left
from closeknit.instances import write_ksubset
from closeknit.reports.campaigns.forecast import Forecast

from ...paths import ROOT
from ...toys import small


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_is_left_is_unknown_at_first_and_then_ever_better() -> None:
    clock = Clock()
    found = Forecast(jobs=2, clock=clock)
    takes = {"exact": 4.0, "slow": 1.0, "quick": 0.0}
    due = ["exact"] * 20 + ["slow", "quick"] * 40
    whole = sum(takes[kind] + 0.05 for kind in due) / 2
    found.begin(due, [])
    assert found.left() is None
    errors: list[float] = []
    for number, kind in enumerate(due):
        clock.now += (takes[kind] + 0.05) / 2
        found.record(kind, takes[kind])
        left = found.left()
        assert left is not None
        true = whole - (clock.now - 100)
        errors.append(abs(left - true))
        if number < len(due) - 1:
            assert left > 0
    assert max(errors[22:]) < 1e-9
    assert errors[-1] < 1e-9


def test_rows_of_before_count_from_the_start() -> None:
    found = Forecast(jobs=1, clock=Clock())
    found.begin(["a"] * 10, [("a", 2.0), ("a", 4.0)])
    assert found.left() == pytest.approx(30.5)


def test_a_run_that_takes_longer_than_expected_moves_the_end() -> None:
    clock = Clock()
    found = Forecast(jobs=1, clock=clock)
    found.begin(["a", "a"], [])
    clock.now += 1
    found.record("a", 0.95)
    before = found.left()
    clock.now += 30
    after = found.left()
    assert before is not None
    assert after is not None
    assert after > before


def test_times_left_are_written_in_full() -> None:
    assert time_left(0) == "0:00:01 left"
    assert time_left(65.2) == "0:01:06 left"
    assert time_left(3 * 86400) == "3 days left"


def test_a_terminal_is_told_the_time_left(tmp_path: Path) -> None:
    for name in "abc":
        write_ksubset(small(name), tmp_path / f"{name}.json")
    above, below = pty.openpty()
    program = "from tests.toys import main; main()"
    words = ["ratios", str(tmp_path), "--out", str(tmp_path / "out"), "--jobs", "1"]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=below,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "120"},
    ) as process:
        os.close(below)
        shown = b""
        while part := _read(above):
            shown += part
        assert process.wait(60) == 0
    os.close(above)
    text = shown.decode()
    assert "0 of " in text
    assert "at most" not in text
    assert re.search(r"\d:\d\d:\d\d left", text)
    assert "-:--" not in text


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the other end was closed
        return b""
