"""Families on which fewest hops and least loads part."""

from __future__ import annotations

from fractions import Fraction

import pytest

from closeknit.cli.app import run
from closeknit.network.commands import worst
from closeknit.solvers import Settings


def test_on_trees_the_load_is_a_quarter_of_the_job_times_the_least(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two full switches against one processor under each; no more is possible."""
    monkeypatch.setattr(worst, "TREES", (4, 8, 12))
    monkeypatch.setattr(worst, "SIDES", (4,))
    rows = worst.run(Settings(time_limit=60))
    assert "links: load" in capsys.readouterr().out
    for row in rows[:3]:
        k = row["k"]
        assert row["load"] == Fraction(k * k, 4 * (k - 1))
        assert row["hops"] < Fraction(4, 3)
    assert [row["network"] for row in rows[3:]] == ["mesh 4x4"]
    assert all(row["load"] >= 1 <= row["hops"] for row in rows)


def test_the_option_stands_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(worst, "TREES", (4,))
    monkeypatch.setattr(worst, "SIDES", ())
    assert run(["worst", "--objectives"]) == 0
    assert "tree 4x2 " in capsys.readouterr().out
    assert run(["worst", "mm", "--objectives"]) == 2
    assert "--objectives: stands alone" in capsys.readouterr().err
