"""Output of solvers reaches the logger, at DEBUG only, and never the terminal."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from closeknit.formulations.ksubset import cpsat as cp_models
from closeknit.formulations.ksubset import mip as mip_models
from closeknit.formulations.ksubset.strengthening import NONE
from closeknit.instances import mesh
from closeknit.solvers import Result, Settings, Status, cpsat, mip
from closeknit.solvers.running import logs

INSTANCE = mesh(3, 3, k=4)


def solve(backend: str) -> Result:
    """Solve the model of pairs."""
    settings = Settings(time_limit=60)
    if backend == "cpsat":
        return cpsat.solve(cp_models.pairs(INSTANCE, NONE), settings=settings)
    return mip.solve(mip_models.pairs(INSTANCE, NONE), backend, settings=settings)


@pytest.mark.parametrize(
    ("backend", "words"),
    [("cpsat", "bound"), ("highs", "HiGHS"), ("cbc", "CBC")],
)
def test_output_of_a_solver_is_logged_at_debug(
    backend: str,
    words: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    with caplog.at_level(logging.DEBUG, logger="closeknit.solvers"):
        result = solve(backend)
    assert result.status is Status.OPTIMAL
    assert any(words in record.getMessage() for record in caplog.records)
    assert {record.name for record in caplog.records} == {"closeknit.solvers"}
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("backend", ["cpsat", "highs"])
def test_nothing_is_read_or_logged_otherwise(
    backend: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(logs, "note", refuse)
    monkeypatch.setattr(logs, "LogFollower", refuse)
    with caplog.at_level(logging.INFO, logger="closeknit.solvers"):
        result = solve(backend)
    assert result.status is Status.OPTIMAL
    assert not caplog.records
    assert capfd.readouterr() == ("", "")


def test_lines_are_logged_once_and_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    output = logs.LogFollower("some", tmp_path)
    with caplog.at_level(logging.DEBUG, logger="closeknit.solvers"):
        (tmp_path / "stdout").write_text("one\ntw")
        output.follow()
        (tmp_path / "stdout").write_text("one\ntwo\n\nthr")
        (tmp_path / "cbc0.log").write_text("bound\n")
        output.follow()
        output.follow(to_the_end=True)
    said = [record.getMessage() for record in caplog.records]
    assert said == ["some: one", "some: two", "some: bound", "some: thr"]
