"""``closeknit why``, ``defrag`` and ``fragmentation`` as an operator calls them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..asking import Ask
from ..clusters import RAILS, grid

BLOCKS = """\
BlockName=b1 Nodes=p[01-18]
BlockName=b2 Nodes=q[01-18]
BlockName=b3 Nodes=r[01-12]
BlockSizes=12
"""
JOBS = """\
{"id": "17", "nodes": "p[01-07]"}
{"id": 18, "nodes": ["q[01-03]", "r12", "login1"]}
"""
SQUEUE = {
    "jobs": [
        {"job_id": 17, "job_state": ["RUNNING"], "nodes": "p[01-07]"},
        {"job_id": 18, "job_state": ["RUNNING"], "nodes": "q[01-03],r12"},
        {"job_id": 19, "job_state": ["PENDING"], "nodes": ""},
    ]
}


@pytest.fixture
def ask(ask: Ask) -> Ask:
    """Run a command on blocks or another topology; JOBS and SQUEUE are its jobs."""

    def asked(
        command: str, *words: str, jobs: str = JOBS, topology: str = BLOCKS
    ) -> tuple[int, str, str]:
        files = {"FILE": topology, "JOBS": jobs, "SQUEUE": json.dumps(SQUEUE)}
        up = "--assume-up" * ("@" in " ".join([command, *words]))
        return ask(command, "--topology FILE", *words, up, **files)

    return asked


def test_why_says_what_would_have_to_change(ask: Ask) -> None:
    words = "-k 36 --segment 12 --busy"
    for report in ("@JOBS", "@SQUEUE"):
        status, out, _ = ask("why", words, report)
        assert status == 3
        lines = out.splitlines()
        assert "  answer      it does not fit now" in lines
        assert (
            "Fewest busy nodes that would have to be free: 2, proved "
            "(enumerated: placement-dp)" in lines
        )
        assert "  job 18: r12" in lines
        assert "  17, 18: 11 nodes" in lines
        assert "  -k 12: the largest job with these constraints" in lines
        assert "  without --segment 12" in lines
    status, out, _ = ask("why", words, "p01")
    assert (status, out.splitlines()[-1]) == (0, "  answer      it fits")


def test_why_for_programs(ask: Ask) -> None:
    words = "-k 36 --segment 12 --busy @JOBS"
    status, out, _ = ask("why", words, "--json")
    found: dict[str, Any] = json.loads(out)
    assert status == 3
    assert (found["busy_nodes"], found["bound"], found["ignored"]) == (2, 2, 1)
    assert {one["job"] for one in found["busy"]} == {"17", "18"}
    assert found["jobs"]["end"] == ["17", "18"]
    status, out, _ = ask("why -k 48 --segment 12 --json")
    found = json.loads(out)
    assert (status, found["never"], found["changes"]) == (3, True, [["segment"]])
    assert "busy_nodes" not in found
    status, out, _ = ask("why", words, "--time-limit 1e-9")
    assert (status, "not all were tried: time" in out) == (3, True)


def test_fragmentation_in_both_forms(ask: Ask) -> None:
    _, out, _ = ask("fragmentation --busy @JOBS --sizes 12,6")
    assert "block          3            0           15           18" in out
    assert [line.split() for line in out.splitlines()[-2:]] == [
        ["6", "4", "6"],
        ["12", "1", "3"],
    ]
    _, out, _ = ask("fragmentation --busy @JOBS --sizes 12 --json")
    levels = json.loads(out)["levels"]
    assert levels[0]["groups"] == [{"size": 12, "count": 1, "largest_job": 12}]


def test_defrag_prints_the_front_and_the_moves(ask: Ask) -> None:
    status, out, _ = ask("defrag --busy @JOBS")
    assert status == 0
    rows = out.splitlines()
    rule = next(i for i, line in enumerate(rows) if line.startswith("───"))
    front = [line.split()[:4] for line in rows[rule + 1 : -1]]
    assert front == [
        ["1", "1", "1", "proved"],
        ["2", "4", "1", "proved"],
        ["3", "–", "–", "impossible,"],
    ]
    status, out, _ = ask("defrag --busy @JOBS --target 2")
    assert out.splitlines()[-2:] == [
        "Moves, then free: b[2-3]",
        "  1. job 18: q[01-03],r12 -> p[08-11]",
    ]
    assert ask("defrag --busy @JOBS --target 3")[0] == 3
    status, out, _ = ask("defrag --busy @JOBS --fit 18 --json")
    [point] = json.loads(out)["front"]
    assert (point["nodes"], point["freed"]) == (3, ["b2"])
    assert point["moves"][0]["from"] == "q[01-03]"
    assert ask("defrag --busy @JOBS --fit 18 --stay 17,18 --json")[0] == 3


BAD = [
    ("why", "-k: is needed"),
    ("why -k 4 --busy @NONE", "NONE: cannot be read"),
    ("why -k 5 --segment 2", "--segment: must divide k (5), not 2"),
    ("why -k 4 --require zz", "--require: is not in the topology: 'zz'"),
    ("why -k 4 --levels rack=2", "--levels: no such level: 'rack'"),
    ("why -k 4 --state /no/file", "/no/file: cannot be read"),
    ("fragmentation --sizes a", "--sizes: must be numbers N,N, not 'a'"),
    ("fragmentation --sizes 0", "--sizes: must be at least 1"),
    ("fragmentation --format json", "--format was removed: --json writes"),
    ("fragmentation --out x", "--out was removed: --json writes the answer"),
    ("defrag", "--state: is needed: which job holds which nodes"),
    ("defrag --busy p01", "--state: says of no node of the topology which job"),
    ("defrag --busy @JOBS --target 0", "--target: must be from 1"),
    ("defrag --busy @JOBS --level x", "--level: no such level"),
    ("defrag --busy @JOBS --stay x", "--stay: holds no node"),
    ("defrag --busy @JOBS --exclude p01", "--exclude: is held by a job"),
    ("defrag --busy @JOBS --target 1 --fit 2", "--fit: not allowed with argument"),
]


@pytest.mark.parametrize(("words", "complaint"), BAD)
def test_bad_input_is_one_line(ask: Ask, words: str, complaint: str) -> None:
    status, out, err = ask(words)
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"id": "1", "nodes": "p01"}\n{"id": "1", "nodes": "p02"}', "line 2: id: is "),
        ('{"id": "1", "nodes": "p01"}\n{"id"', "line 2: not JSON"),
        ('{"id": "1", "nodes": "p01"}\n[]', "line 2: job: must be an object"),
        ('{"id": "1", "nodes": "p[1-"}', "line 1: nodes: "),
        ('{"id": "1"}', "line 1: nodes: is missing"),
        ('{"id": "", "nodes": "p01"}', "line 1: id: must not be empty"),
        ('{"id": "1", "nodes": "p[1-999999999]"}', "line 1: nodes: has more than"),
    ],
)
def test_bad_lines_of_jobs(ask: Ask, text: str, complaint: str) -> None:
    status, _, err = ask("why -k 4 --busy @JOBS", jobs=text)
    assert status == 2
    assert f"JOBS: {complaint}" in err
    assert err.count("\n") == 1


ON_RAILS = """\
{"id": "1", "nodes": ["g0", "h0"]}
{"id": "2", "nodes": ["i0", "i1"]}
"""


def test_leaf_switches_of_a_graph(ask: Ask) -> None:
    how = {"topology": RAILS, "jobs": ON_RAILS}
    status, out, _ = ask("why -k 8 --levels switch=8 --busy @JOBS", **how)
    assert status == 3
    assert "would have to be free: 2, proved (solver: cp-sat" in out
    assert "  job 1: g0,h0" in out.splitlines()
    assert "  without --levels switch=8 (4 fits, too)" in out.splitlines()
    status, out, _ = ask("fragmentation --busy @JOBS --sizes 3", **how)
    rows = [line.split() for line in out.splitlines()]
    assert ["switch", "4", "0", "6", "8"] in rows
    assert ["3", "2", "2"] in rows
    status, out, _ = ask("defrag --busy @JOBS --target 1", **how)
    assert status == 0
    assert "Moves, then free: S-a" in out
    status, _, err = ask("why -k 8 --levels rack=2", topology=RAILS)
    assert (status, err.count("\n")) == (2, 1)
    assert "--levels: no such level: 'rack' (there is: switch)" in err


def test_planes_of_a_torus(ask: Ask) -> None:
    torus = grid("torus 4x3")
    jobs = '{"id": "1", "nodes": "n11"}\n{"id": "2", "nodes": ["n20", "n21"]}\n'
    how = {"topology": torus, "jobs": jobs}
    status, out, _ = ask("fragmentation --busy @JOBS", **how)
    assert (status, "largest free submesh  2x3, 6 nodes" in out) == (0, True)
    assert ["plane-x", "4", "2", "3", "3"] in map(str.split, out.splitlines())
    status, out, _ = ask("fragmentation --busy @JOBS --json", **how)
    assert json.loads(out)["largest_submesh"] == {"sides": [2, 3], "nodes": 6}
    status, out, _ = ask("defrag --busy @JOBS --level plane-y", **how)
    assert "  plane-y  3, 1 without a job" in out.splitlines()
    status, out, err = ask("why -k 4 --segment 2", topology=torus)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "--segment: must be 1 where there are no leaf switches (4x3 torus)" in err
