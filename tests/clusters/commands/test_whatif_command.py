"""``closeknit whatif`` as an operator calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ...paths import ROOT
from ..asking import Ask
from ..reports import sacct

RACKS = ROOT / "examples" / "grade" / "kueue-10574.conf"
SWF = "; Version: 2\n" + "".join(
    f"{i} {10 * i} -1 {60 + 7 * i} {3 + 5 * (i % 7)} {'-1 ' * 3}200 {'-1 ' * 8}-1\n"
    for i in range(1, 25)
)


@pytest.fixture
def ask(ask: Ask) -> Ask:
    """Replay the trace in FILE, or another one, on racks."""

    def whatif(words: str = "", trace: str = SWF) -> tuple[int, str, str]:
        given = "" if "--trace" in words else "--trace FILE"
        return ask(f"whatif --topology {RACKS} {given} {words}", FILE=trace)

    return whatif


def test_a_trace_under_all_rules(ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    words = f"--json {file} --replays 1"
    status, out, _ = ask(words)
    assert "optimum by switches" in out
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["objective"] == "switches"
    assert {row["objective"] for row in found["measures"]} == {"switches"}
    by_hops = f"{words} --objective hops"
    status, out, _ = ask(by_hops)
    assert status == 0
    assert "24 jobs" in out
    assert "no choice of nodes changes a wait" in " ".join(out.split())
    found = json.loads(file.read_text(encoding="utf-8"))
    means = {
        (row["measure"], row["method"]): row["mean"][0] for row in found["measures"]
    }
    assert means["regret_pct", "optimum"] == 0
    assert means["hops", "optimum"] <= means["hops", "volcano-binpack"]
    assert means["wait_s", "optimum"] == means["wait_s", "thrifty"] > 0
    assert ask(by_hops)[1] == out


def test_segments_and_communication(ask: Ask) -> None:
    words = "--segment 4 --communication 1/2 --method slurm-block,optimum"
    status, out, _ = ask(f"{words} --replays 1 --json")
    found = json.loads(out)
    assert status == 0
    assert "50 % of run times grow with hops" in found["notes"][1]
    assert {row["method"] for row in found["measures"]} == {"slurm-block", "optimum"}
    status, _, err = ask("--segment 4 --method slurm-tree")
    assert (status, "knows no segments" in err) == (2, True)


def test_reports_of_jobs_and_what_is_skipped(ask: Ask) -> None:
    sizes = (5, 20, 40)
    jobs = [sacct(i, f"x[1-{n}]", 5 + i, 50 + i) for i, n in enumerate(sizes)]
    _, out, _ = ask("--replays 1", trace=json.dumps({"jobs": jobs}))
    assert "2 jobs, 1 skipped (1 larger than the machine)" in out
    status, _, err = ask("--divide 2", trace=json.dumps({"jobs": jobs}))
    assert (status, "--divide: is for traces in SWF" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--method slurm", "no such method"),
        ("--method optimum,optimum", "--method: is given twice: 'optimum'"),
        ("--replays 0", "--replays: must be from 1 to 100, not 0"),
        ("--communication 2", "--communication: must be from 0 to 1"),
        ("--divide 0", "--divide: must be at least 1, not 0"),
        ("--first 0", "first: must be at least 1"),
        ("--scale-arrivals 0", "--scale-arrivals: must be above 0"),
        ("--trace -", "--trace: must be a file"),
        ("--trace /nowhere", "/nowhere: cannot be read"),
        ("--html x.html", "--html was removed: the text and --json have"),
        ("--range 90:", "no job of these could be run"),
    ],
)
def test_bad_options(ask: Ask, words: str, message: str) -> None:
    status, out, err = ask(words)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_bad_traces(ask: Ask) -> None:
    for trace, message in (
        ("", "has no jobs"),
        ("1 2 3\n", "FILE:1: run time"),
        ('{"jobs": [', "not JSON"),
        ('{"jobs": []}', "is no report of sacct"),
        (SWF[:-30], "is missing"),
    ):
        status, out, err = ask(trace=trace)
        assert (status, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1
