"""ratios --proofs keeps proofs beside the store, and says what they take."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from closeknit.cli.app import run
from closeknit.instances import Sukp, mesh, write_instance
from closeknit.proofs.checking.folder import read_index
from closeknit.reports.campaigns import pool

from ...in_process import stay_in_process

SACK = Sukp("sack", (5, 4, 3), (3, 3, 3), ((0, 1), (1, 2), (2,)), 6)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    stay_in_process(monkeypatch)
    files = [str(tmp_path / name) for name in ("mesh.json", "sack.json")]
    write_instance(mesh(3, 3, k=4), files[0])
    write_instance(SACK, files[1])
    out = str(tmp_path / "out")
    how = ["--methods", "random,bruteforce", "--exact", "bruteforce"]
    how += ["--time-limit", "20", "--jobs", "1"]
    return ["ratios", *files, "--out", out, *how, "--proofs"]


def test_proofs_are_kept_reported_and_not_made_twice(
    command: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "out"
    assert run(command[:-1]) == 0
    with (out / "ratios.csv").open() as stream:
        before = list(csv.DictReader(stream))
    assert {row["proof"].split(":")[0] for row in before} == {"enumerated"}
    assert "proof_bytes" not in before[0]
    assert "<h2>Proofs" not in (out / "report.html").read_text()

    assert run(command) == 0
    with (out / "ratios.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    entries = {one.name: one for one in read_index(out / "proofs")}
    assert entries.keys() == {"3x3-full-k4", "sack"}
    for row in rows:
        entry = entries[row["instance"]]
        assert row["proof"] == f"checked: {entry.kind}"
        assert int(row["proof_bytes"]) == entry.size > 0
        assert float(row["proof_seconds"]) == pytest.approx(entry.checking, abs=1e-3)
    for entry in entries.values():
        for part in (entry.instance, entry.solution, entry.proof):
            assert part is not None
            assert part.file.startswith(part.sha256)
    page = (out / "report.html").read_text()
    linked = set(re.findall(r'href="(proofs/[^"]+)"', page))
    kept = [(one.instance, one.solution, one.proof) for one in entries.values()]
    assert linked == {f"proofs/{part.file}" for parts in kept for part in parts if part}
    monkeypatch.chdir(out)
    lines = re.findall(r"<code>closeknit (check [^<]+)</code>", page)
    assert len(lines) == 2
    for line in lines:
        assert run(line.split()) == 0
        assert "holds: optimal" in capsys.readouterr().out
    for page in ("report.html", "report.md"):
        text = (out / page).read_text()
        assert "Proofs" in text
        assert "checked in" in text

    calls: list[Any] = []
    real = pool.run

    def counted(some: Any, **how: Any) -> Any:
        calls.extend(some)
        return real(some, **how)

    monkeypatch.setattr(pool, "run", counted)
    assert run(command) == 0
    assert calls == []
    proof = entries["sack"].proof
    assert proof is not None
    (out / "proofs" / proof.file).write_bytes(b"spoiled")
    assert run(command) == 0
    assert len(calls) == 1
    capsys.readouterr()
    assert run(["verify", "--proofs", str(out / "proofs")]) == 0
    assert capsys.readouterr().out.endswith("2 of 2 hold\n")


def test_what_was_not_proved_is_not_tried_again(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(command[:-1]) == 0
    out = tmp_path / "out"
    made = 0
    real = pool.run

    def failing(calls: Any, **how: Any) -> Any:
        nonlocal made
        made += len(calls)
        for i in range(len(calls)):
            yield i, pool.Failure("killed")

    monkeypatch.setattr(pool, "run", failing)
    assert run(command) == 0
    assert run(command) == 0
    assert made == 2
    tried = json.loads((out / "proofs" / "open.json").read_text())
    assert all("killed" in why for why in tried.values())
    monkeypatch.setattr(pool, "run", real)
    assert run([*command, "--retry-failed"]) == 0
    assert len(read_index(out / "proofs")) == 2
