"""``closeknit grade`` as an operator calls it, and in a pipeline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from closeknit.clusters.rules import RULES, HierarchyState
from closeknit.clusters.topologies import read_cluster

from ...paths import ROOT
from ..asking import Ask
from ..clusters import hierarchy
from ..reports import sacct

CASES = ROOT / "examples" / "grade"


@pytest.fixture
def ask(ask: Ask) -> Ask:
    """Grade the decisions of an example, or those in FILE, on its topology."""

    def grade(case: str, words: str, text: str = "") -> tuple[int, str, str]:
        given = "FILE" if text else str(CASES / f"{case}.jsonl")
        topology = CASES / f"{case}.conf"
        return ask("grade", given, f"--topology {topology} {words}", FILE=text)

    return grade


def test_segments_that_slurm_cut(ask: Ask) -> None:
    """Slurm pull request 225: 17+17+2 in place of 12+12+12."""
    status, out, _ = ask("slurm-225", "--max-ratio 100")
    assert status == 1
    assert "failed: 1 decision with broken groups" in out
    [line] = [line for line in out.splitlines() if "17+17+2" in line]
    assert line.split()[-1] == "12+12+12"
    status, out, _ = ask("slurm-225", "--json")
    *rows, totals = map(json.loads, out.splitlines())
    assert status == 0
    assert [row["status"] for row in rows] == ["broken groups", "graded"]
    assert rows[0]["instead"] == (
        "worker-rack0-[0-11],worker-rack1-[0-11],worker-rack2-[0-11]"
    )
    assert totals["totals"]["broken_groups"] == totals["totals"]["optimal"] == 1


def test_the_greedy_choice_of_kueue(ask: Ask) -> None:
    """Kueue issue 10574: a job of 20 on 19, 10 and 10 free nodes."""
    cluster = read_cluster(CASES / "kueue-10574.conf")
    fabric = hierarchy(cluster)
    free = fabric.home >= 0
    chosen = RULES["kueue-best-fit"].choose(HierarchyState(fabric, free), 20)
    assert chosen is not None
    status, out, _ = ask("kueue-10574", "--json --max-ratio 1.5")
    greedy, best, totals = map(json.loads, out.splitlines())
    assert status == 1
    assert sorted(fabric.count(chosen).tolist())[-2:] == [1, 19]
    assert (greedy["split"], greedy["ratio"]) == ("19+1", "19/10")
    assert (best["split"], best["ratio"]) == ("10+10", "1")
    assert greedy["cost"]["scattering"] == 380
    assert greedy["best"] == best["cost"]
    assert totals["totals"]["passed"] is False
    assert ask("kueue-10574", "--max-ratio 19/10")[0] == 0


def test_other_objectives_and_excluded_nodes(ask: Ask) -> None:
    row = {"job": {"k": 12}, "busy": "", "chosen": "b[01-10],c[01-02]"}
    past = json.dumps(row)
    _, out, _ = ask("kueue-10574", "--json", past)
    found = json.loads(out.splitlines()[0])
    assert (found["ratio"], found["best"]["switches"]) == ("2", 1)
    _, out, _ = ask("kueue-10574", "--json --exclude a[01-19] --objective hops", past)
    found = json.loads(out.splitlines()[0])
    assert (found["ratio"], found["objective"]) == ("1", "hops")
    status, out, _ = ask("kueue-10574", "--exclude b01 --max-ratio 2", past)
    assert status == 1
    assert "failed: no decision could be graded" in out
    assert "1 with chosen nodes that were not free" in out
    assert "b01 was not free" in out
    status, _, err = ask("kueue-10574", "--strict --exclude b01", past)
    assert (status, err) == (2, "closeknit: FILE:1: b01 was not free\n")


def test_text_and_rows(ask: Ask, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    _, out, _ = ask("kueue-10574", f"--json {rows} --max-ratio 1.5")
    assert "2 decisions; 1 of 2 optimal (50.0 %)" in out
    assert "failed: 1 decision above 1.5000" in out
    assert "19+1" in out
    assert "10+10" in out
    assert "b[01-10],c[01-10]" in rows.read_text(encoding="utf-8")
    assert len(rows.read_text(encoding="utf-8").splitlines()) == 3


def test_nothing_is_half_written(ask: Ask, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    good = (CASES / "kueue-10574.jsonl").read_text(encoding="utf-8")
    status, out, err = ask("kueue-10574", f"--json {rows}", good + good[:50])
    assert (status, out) == (2, "")
    assert err.startswith("closeknit: FILE:3: not JSON")
    assert err.count("\n") == 1
    assert not rows.exists()


def test_since_is_a_time(ask: Ask) -> None:
    jobs = [sacct(1, "a01", 60, 70), sacct(2, "a01", 80, 90)]
    jobs[0]["state"] = {"current": "COMPLETED"}  # as older versions write it
    for since, expected in (("0", 2), ("80", 1), ("1970-01-01T00:01:10", 1)):
        _, out, _ = ask("kueue-10574", f"--since {since}", json.dumps({"jobs": jobs}))
        assert f"{expected} decision" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--max-ratio 0.9", "--max-ratio: must be a number of at least 1"),
        ("--html x", "--html was removed: --json has all decisions"),
        ("--max-ratio nan", "a number of at least 1, such as 1.1, not 'nan'"),
        ("--worst 0", "--worst: must be from 1 to 10000, not 0"),
        ("--since soon", "--since: must be a time, not 'soon'"),
        ("--since 5", "kueue-10574.jsonl: --since: is for reports of jobs"),
        ("--exclude x", "--exclude: is not in the topology: 'x'"),
        ("--objective hop", "did you mean hops?"),
        ("--time-limit -1", "--time-limit"),
    ],
)
def test_bad_options(ask: Ask, words: str, message: str) -> None:
    status, out, err = ask("kueue-10574", words)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_status_1_where_nothing_is_graded(ask: Ask) -> None:
    job = {"job_id": 1, "job_state": ["RUNNING"], "nodes": "worker-rack0-0"}
    times = {"start_time": 5, "node_count": 1}
    failed = "failed: no decision could be graded"
    for jobs, words, wanted in (
        ([job, job | times | {"job_id": 2, "nodes": "x"}], "", (1, failed)),
        ([job, job | times], "", (0, "1 of 1 optimal (100 %)")),
        ([job, job | times], "--since 6", (1, "0 decisions\n" + failed)),
    ):
        status, out, err = ask("slurm-225", words, json.dumps({"jobs": jobs}))
        assert status == wanted[0]
        assert wanted[1] in out
        said = "left out 1 running job without a time of start"
        assert err == f"closeknit: FILE: {said}\n"
    broken = '{"jobs": [], "errors": [{"description": "no"}]}'
    status, _, err = ask("slurm-225", "", broken)
    assert (status, err.count("\n")) == (2, 1)
    assert "errors: is the report of a command that failed: 'no'" in err
