"""``closeknit ratios``: from instance files to a report, killed or not."""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

import closeknit.methods
from closeknit.cli.app import run
from closeknit.instances import InputError, write_ksubset
from closeknit.methods import METHODS
from closeknit.reports.campaigns.row_fields import document_of
from closeknit.reports.campaigns.store import FILE, rows_in
from closeknit.solvers.running.method import AnyMethod

from ..in_process import stay_in_process
from ..paths import ROOT
from ..toys import HELD, SABOTEURS, TOYS, small

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three instance files, and one of another format."""
    place = tmp_path / "instances"
    place.mkdir()
    for k, name in enumerate("abc", start=2):
        write_ksubset(small(name, k, busy=k), place / f"{name}.json")
    (place / "other.json").write_text('{"format": "closeknit/solution"}')
    return place


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Run the command with toys in place of the methods."""
    monkeypatch.syspath_prepend(ROOT)

    def call(
        *words: object, methods: Mapping[str, AnyMethod] = TOYS
    ) -> tuple[int, str, str]:
        tables = {**METHODS, "ksubset": methods}
        monkeypatch.setattr(closeknit.methods, "METHODS", tables)
        status = run(["ratios", *map(str, words)])
        told = capsys.readouterr()
        return status, told.out, told.err

    return call


@pytest.fixture
def here(command: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The same without processes and pictures."""
    stay_in_process(monkeypatch)
    return command


def ratios(out: Path) -> list[dict[str, str]]:
    with (out / "ratios.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


def results(out: Path) -> list[dict[str, Any]]:
    """What was found, without what differs from run to run; in a fixed order."""
    changing = ("seconds", "finished", "memory_peak")
    kept = [
        {k: v for k, v in document_of(row).items() if k not in changing}
        for row in rows_in(out / FILE)
    ]
    return sorted(kept, key=lambda row: (row["instance"], row["method"]))


def test_a_folder_becomes_a_report(
    command: Command, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "deep" / "out"
    status, said, complained = command(folder, "--out", out, "--jobs", 2)
    assert (status, complained) == (0, "")
    timed = r"machine code \d+ s, runs, proofs and report \d+ s\."
    assert re.sub(timed, "TIMED", said).splitlines() == [
        "3 instances, 5 methods, 14 rows; 14 of them (100 %) against a proven optimum.",
        "No row has a proven guarantee, no run failed.",
        "TIMED",
        str(out / "report.html"),
        "3 of 3 proven answers derived again; 1 of 1 rows interpreted.",
    ]
    rows = ratios(out)
    assert [(r["instance"], r["method"]) for r in rows] == [
        (i, m)
        for i in "abc"
        for m in ("first", "last", "slow", "shy", "auto")
        if (i, m) != ("c", "shy")
    ]
    for row in rows:
        assert Fraction(row["ratio"]) == Fraction(int(row["cost"]), int(row["optimum"]))
    assert all(row["ratio"] == "1" for row in rows if row["method"] == "auto")
    assert "<h1>How close to optimal</h1>" in (out / "report.html").read_text()
    assert "# How close to optimal" in (out / "report.md").read_text()


def test_files_folders_and_repeats_may_be_mixed(
    here: Command, folder: Path, tmp_path: Path
) -> None:
    words = (folder / "b.json", folder, "--methods", "first", "--out", tmp_path / "o")
    assert here(*words)[0] == 0
    assert [r["instance"] for r in ratios(tmp_path / "o")] == list("bbaacc")


def test_a_named_method_that_refuses_is_a_row(
    here: Command, folder: Path, tmp_path: Path
) -> None:
    status, _, _ = here(folder, "--methods", "shy", "--out", tmp_path / "o")
    assert status == 0
    shy = [r for r in ratios(tmp_path / "o") if r["method"] == "shy"]
    assert [r["status"] for r in shy] == ["feasible", "feasible", "refused"]
    assert shy[2]["ratio"] == ""


@pytest.mark.parametrize(
    ("methods", "finding"),
    [
        (["--methods", "dearest"], "3 rows above a proven guarantee."),
        (["--methods", "killed"], "1 run failed."),
        (["--methods", "broken,first"], "3 runs failed."),
        (
            ["--methods", "first", "--exact", "liar"],
            "3 instances with a contradicted proof.",
        ),
    ],
)
def test_what_does_not_hold_ends_with_status_1(
    command: Command,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    methods: list[str],
    finding: str,
) -> None:
    given = folder
    if "killed" in methods:  # in a process of its own
        given = folder / "a.json"
    else:
        stay_in_process(monkeypatch)
    out = tmp_path / "out"
    table = {**TOYS, **SABOTEURS}
    status, said, complained = command(given, "--out", out, *methods, methods=table)
    assert (status, said.splitlines()[1]) == (1, finding)
    contradicted = 3 if "contradicted" in finding else 0  # each is named
    assert complained.count("closeknit: ") == contradicted == complained.count("\n")
    assert 'class="finding bad"' in (out / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            "--methods first,best",
            "--methods: no such method for ksubset: 'best' (known",
        ),
        ("--methods=", "--methods: no such method"),
        ("--exact first", "--exact: is not an exact method: 'first'"),
        ("--exact magic", "--exact: no such method"),
        ("--jobs 0", "--jobs: must be at least 1, not 0"),
        ("--jobs many", "argument --jobs: must be a whole number, not 'many'"),
        ("--time-limit 0", "--time-limit: must be seconds above 0 and at most 1000000"),
        ("--seed -1", "--seed: must be an integer from 0 to 2^31 - 1"),
    ],
)
def test_bad_options_are_one_line(
    here: Command, folder: Path, tmp_path: Path, words: str, complaint: str
) -> None:
    status, said, complained = here(folder, "--out", tmp_path / "out", *words.split())
    assert (status, said) == (2, "")
    assert complained.startswith(f"closeknit: {complaint}")
    assert complained.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_inputs_that_cannot_be_used_are_one_line(
    here: Command, folder: Path, tmp_path: Path
) -> None:
    def refused(*words: object) -> str:
        out = tmp_path / "out"
        status, said, complained = here(*words, "--out", out)
        assert (status, said, complained.count("\n")) == (2, "", 1)
        assert not out.exists()
        return complained.removeprefix("closeknit: ").rstrip()

    empty = tmp_path / "empty"
    empty.mkdir()
    none = f"{empty}: no instance file (*.json, *.txt, *.txt.xz) in this folder"
    assert refused(empty) == none
    (empty / "no.json").write_text("[1, 2]")
    (empty / "readme.txt").write_text("m is not here")
    assert refused(empty) == none
    assert refused("nowhere.json").startswith(
        "nowhere.json: no such file, folder or suite (suites: bundled"
    )
    (empty / "cut.json").write_text('{"format": "closeknit/ks')
    assert refused(empty).startswith(f"{empty / 'cut.json'}: not JSON: ")
    (empty / "cut.json").unlink()
    (empty / "bad.json").write_text(
        '{"format": "closeknit/ksubset", "version": 1, '
        '"topology": {"kind": "mesh", "shape": [2, 2]}, "k": 5}'
    )
    assert refused(empty).startswith(f"{empty / 'bad.json'}: k: must be at most")
    write_ksubset(small("a", 5), empty / "bad.json")
    assert refused(folder, empty) == (
        f"{empty / 'bad.json'}: name: 'a' is also the name of another instance, in "
        f"{folder / 'a.json'}"
    )


def test_output_that_cannot_be_written_is_refused_before_anything_runs(
    here: Command, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*args: object, **more: object) -> None:
        raise AssertionError("it ran")

    monkeypatch.setattr("closeknit.reports.campaigns.campaign.run", never)
    page = tmp_path / "out" / "report.html"
    page.mkdir(parents=True)
    status, _, complained = here(folder, "--out", tmp_path / "out")
    assert status == 2
    assert complained == f"closeknit: {page}: cannot be written: Is a directory\n"


def test_fresh_begins_anew_and_failed_runs_can_be_retried(
    here: Command, folder: Path, tmp_path: Path
) -> None:
    table, out = {**TOYS, **SABOTEURS}, tmp_path / "out"
    words = (folder, "--methods", "broken", "--out", out)

    def finished(*more: str, method: str) -> set[str]:
        assert here(*words, *more, methods=table)[0] == 1
        rows = rows_in(out / FILE)
        assert len(rows) == 6
        return {r.finished for r in rows if r.method == method}

    first = {method: finished(method=method) for method in ("broken", "auto")}
    assert finished("--resume", method="broken") == first["broken"]
    sleep(1)
    assert not finished("--retry-failed", method="broken") & first["broken"]
    assert finished(method="auto") == first["auto"]
    assert not finished("--fresh", method="auto") & first["auto"]


# Killed, interrupted, resumed


def started(folder: Path, out: Path) -> subprocess.Popen[str]:
    program = "from tests.toys import main; main()"
    words = ["ratios", folder, "--out", out, "--jobs", "2"]
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), HELD: str(folder.parent)},
        start_new_session=True,
    )


def count_rows(out: Path) -> int:
    try:
        return len(rows_in(out / FILE))
    except InputError:  # not made yet
        return 0


def wait_for_rows(out: Path, count: int) -> None:
    end = monotonic() + 300
    while count_rows(out) < count:
        assert monotonic() < end, "no rows came"
        sleep(0.03)


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(1, marks=pytest.mark.slow),
        4,
        pytest.param(8, marks=pytest.mark.slow),
    ],
)
def test_a_killed_run_goes_on_where_it_stopped(
    here: Command, folder: Path, tmp_path: Path, rows: int
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert here(folder, "--out", whole)[0] == 0
    (tmp_path / "c").touch()
    with started(folder, parts) as process:
        wait_for_rows(parts, rows)
        process.kill()
    stopped_at = rows_in(parts / FILE)
    assert rows <= len(stopped_at) < 14
    assert not (parts / "report.html").exists()
    (tmp_path / "c").unlink()
    with started(folder, parts) as process:
        assert process.wait(60) == 0
    assert rows_in(parts / FILE)[: len(stopped_at)] == stopped_at
    assert len(results(parts)) == 14
    assert results(parts) == results(whole)


def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(
    here: Command, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    (tmp_path / "c").touch()
    with started(folder, out) as process:
        wait_for_rows(out, 3)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        said, complained = process.communicate(timeout=300)
    assert process.returncode == 130
    assert said == ""
    assert complained.startswith("closeknit: interrupted after ")
    assert complained.endswith(" of 14 runs; give the same command again to go on\n")
    assert complained.count("\n") == 1
    done = int(complained.split()[3])
    assert len(results(out)) == done < 14
    (tmp_path / "c").unlink()
    assert here(folder, "--out", out)[0] == 0
    assert len(results(out)) == 14


# The real methods


def test_real_methods_on_a_small_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stay_in_process(monkeypatch)
    out = tmp_path / "out"
    assert run(["ratios", str(folder), "--out", str(out), "--jobs", "2"]) == 0
    rows = ratios(out)
    assert {"mm", "mm-inc", "mc1x1", "random", "row-major", "auto"} <= {
        r["method"] for r in rows
    }
    assert all(row["optimum"] for row in rows)
    assert all(
        Fraction(r["ratio"]) <= Fraction(7, 4) for r in rows if r["method"] == "mm"
    )


def test_without_inputs_the_bundled_suite_is_run(here: Command, tmp_path: Path) -> None:
    """One heuristic of each problem answers, and the exact route."""
    quick = {"first": TOYS["first"], "auto": SABOTEURS["quick"]}
    out = tmp_path / "out"
    words = ("--methods", "first,lookahead,tabu,fs-n", "--time-limit", "1")
    assert here("--out", out, *words, methods=quick)[0] == 0
    from closeknit.instances.library import suite

    names = [instance.name for instance in suite("bundled")]
    assert names
    assert list(dict.fromkeys(r["instance"] for r in ratios(out))) == names
    assert {r["problem"] for r in ratios(out)} == {
        "ksubset",
        "procset",
        "sukp",
        "submesh",
    }
