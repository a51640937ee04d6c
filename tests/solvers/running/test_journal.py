"""Lines of answers: what was asked and answered, and no times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import closeknit as ck
from closeknit.instances import InputError
from closeknit.solvers.running.journal import ANSWERS

JOB = ck.ksubset(ck.Mesh(3, 3), k=4)


def test_every_answer_of_a_method_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "answers"
    ck.solve(JOB, "mm")
    assert not path.exists()
    monkeypatch.setenv(ANSWERS, str(path))
    cost = ck.solve(JOB, "mm").cost
    ck.solve(JOB, "cuts-bb")
    first, *_, last = map(json.loads, path.read_text().splitlines())
    assert (first["method"], first["cost"], first["bound"]) == ("mm", cost, None)
    assert (last["method"], last["cost"], last["bound"]) == ("cuts-bb", 8, 8)
    assert first["instance"] == last["instance"]
    assert not {"seconds", "date"} & first.keys()


def test_a_file_that_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ANSWERS, str(tmp_path))
    with pytest.raises(InputError, match=f"{ANSWERS}: cannot be written: Is a dir"):
        ck.solve(JOB, "mm")
