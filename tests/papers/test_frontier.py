"""The frontier: a folder of instances, solutions and proofs, and a page."""

import json
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.instances import Submesh, Sukp, mesh
from closeknit.instances.submesh import Resident
from closeknit.papers.frontier import study
from closeknit.papers.frontier.cases import FrontierCase, cases
from closeknit.proofs.checking.folder import read_index
from closeknit.reports.campaigns import pool
from closeknit.reports.proofs import library

SOME = [
    FrontierCase("meshes", mesh(3, 3, k=4)),
    FrontierCase("knapsacks", Sukp("sack", (5, 4), (3, 3), ((0,), (1,)), 3)),
    FrontierCase(
        "fewest moves", Submesh("r", (4, 4), (Resident((1, 1, 2, 2)),), (4, 2))
    ),
]


def taking(
    some: list[FrontierCase], monkeypatch: pytest.MonkeyPatch, counts: list[int]
) -> None:
    monkeypatch.setattr(study, "cases", lambda full: some)
    real = pool.run

    def counted(calls: Any, **how: Any) -> Any:
        counts.append(len(calls))
        return real(calls, **how)

    monkeypatch.setattr(library, "run", counted)


@pytest.mark.slow
def test_a_stopped_run_goes_on_and_all_of_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "frontier"
    command = ["reproduce", "frontier", "--out", str(out), "--jobs", "1"]
    counts: list[int] = []
    for some in (SOME[:2], SOME, SOME):
        with monkeypatch.context() as patched:
            taking(some, patched, counts)
            assert run(command) == 0
    assert counts == [2, 1, 0]
    spoiled = read_index(out)[1].instance.file
    (out / spoiled).write_text("{}")
    with monkeypatch.context() as patched:
        taking(SOME, patched, counts)
        assert run(command) == 0
    assert counts[-1] == 1
    assert "3 of 3 instances are solved" in (out / "report.md").read_text()
    assert (out / "meshes.csv").read_text().count("\n") == 2
    capsys.readouterr()
    assert run(["verify", "--proofs", str(out), "--plain"]) == 0
    assert capsys.readouterr().out.endswith("3 of 3 hold\n")
    index = json.loads((out / "index.json").read_text())
    assert [one["name"] for one in index["entries"]] == ["3x3-full-k4", "sack", "r"]
    files = [str(out / "instances" / "sack.json"), str(out / "solutions" / "sack.json")]
    proof = str(out / "proofs" / "sack.pbp.xz")
    assert run(["check", *files, "--proof", proof]) == 0


def test_what_is_not_proved_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hard = FrontierCase("meshes", mesh(12, 12, k=60))
    monkeypatch.setattr(study, "cases", lambda full: [hard])
    monkeypatch.setattr(study, "SECONDS", 0.001)
    out = tmp_path / "frontier"
    assert run(["reproduce", "frontier", "--out", str(out), "--jobs", "1"]) == 0
    assert read_index(out) == []
    text = (out / "report.md").read_text()
    assert "0 of 1 instances are solved" in text
    assert hard.instance.name in text


def test_the_cases_have_names_of_their_own() -> None:
    every = [case.instance.name for case in cases(True)]
    assert len(set(every)) == len(every)
    some = [case.instance.name for case in cases(False)]
    assert set(some) < set(every)
    assert len({case.family for case in cases(False)}) >= 8
