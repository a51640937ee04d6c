"""Reports of which nodes are free, in the forms that Slurm and kubectl print.

The transcripts are written after the documentation of Slurm's data parser (22.05 and
24.11) and of the Kubernetes API; only what is read, and some of what is not, is there.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from closeknit.instances import InputError
from closeknit.scheduler.state import parse_report, read_state

META = {"meta": {"plugin": {"data_parser": "data_parser/v0.0.41"}}, "errors": []}
SINFO: dict[str, Any] = {
    **META,
    "sinfo": [
        {
            "port": 6818,
            "node": {"state": ["IDLE"]},
            "nodes": {"idle": 2, "total": 2, "nodes": ["n[1-2]"]},
            "partition": {"name": "long"},
        },
        {"node": {"state": ["ALLOCATED"]}, "nodes": {"nodes": ["n3", "n4"]}},
        {"node": {"state": ["IDLE", "DRAIN"]}, "nodes": {"nodes": ["n5"]}},
        {"node": {"state": ["IDLE", "POWERED_DOWN"]}, "nodes": {"nodes": ["n6"]}},
        {"node": {"state": ["IDLE"]}, "nodes": {"nodes": ["n2"]}},
    ],
}
SCONTROL: dict[str, Any] = {
    **META,
    "nodes": [
        {"name": "n1", "state": ["IDLE"], "alloc_cpus": 0},
        {"name": "n2", "state": ["MIXED"]},
        {"name": "n3", "state": ["IDLE", "RESERVED"]},
    ],
}
OLDER: dict[str, Any] = {
    "nodes": [
        {"name": "n1", "state": "idle", "state_flags": []},
        {"name": "n2", "state": "idle", "state_flags": ["DRAIN"]},
        {"name": "n3", "state": "down*".rstrip("*"), "state_flags": []},
    ]
}
SQUEUE: dict[str, Any] = {
    **META,
    "jobs": [
        {"job_id": 7, "job_state": ["RUNNING"], "nodes": "n[1-2]"},
        {"job_id": 8, "job_state": ["PENDING"], "nodes": ""},
        {"job_id": 9, "job_state": "COMPLETING", "nodes": "n4"},
        {"job_id": 9, "job_state": ["COMPLETED"], "nodes": "n5"},
        {"job_id": 10, "job_state": ["COMPLETED", "COMPLETING"], "nodes": "n6"},
        {"job_id": 11, "job_state": ["A_STATE_OF_TOMORROW"], "nodes": "n7"},
        {"job_id": 12, "job_state": [], "nodes": "n8"},
    ],
}


def pod(node: str, phase: str = "Running", owner: str = "Job") -> dict[str, Any]:
    return {
        "kind": "Pod",
        "metadata": {"name": "p", "ownerReferences": [{"kind": owner}]},
        "spec": {"nodeName": node},
        "status": {"phase": phase},
    }


def node(name: str, ready: str = "True", **spec: object) -> dict[str, Any]:
    conditions = [{"type": "Ready", "status": ready}]
    return {
        "kind": "Node",
        "metadata": {"name": name},
        "spec": spec,
        "status": {"conditions": conditions},
    }


PODS: dict[str, Any] = {
    "kind": "List",
    "items": [
        pod("n1"),
        pod("n2", "Succeeded"),
        pod("n3", owner="DaemonSet"),
        pod("n4", "Pending"),
        {"kind": "Pod", "metadata": {}, "spec": {}, "status": {"phase": "Pending"}},
    ],
}
NODES: dict[str, Any] = {
    "kind": "List",
    "items": [node("n1"), node("n2", unschedulable=True), node("n3", "Unknown")],
}


@pytest.mark.parametrize(
    ("report", "source", "free", "busy"),
    [
        (SINFO, "sinfo", "n1 n2 n6", "n3 n4 n5"),
        (SCONTROL, "scontrol", "n1", "n2 n3"),
        (OLDER, "scontrol", "n1", "n2 n3"),
        (SQUEUE, "squeue", "", "n1 n2 n4 n6 n7 n8"),
        (PODS, "kubectl", "", "n1 n4"),
        (NODES, "kubectl", "n1", "n2 n3"),
    ],
)
def test_reports(report: dict[str, Any], source: str, free: str, busy: str) -> None:
    found = parse_report(json.dumps(report))
    assert (found.source, [*found.free], [*found.busy]) == (
        source,
        free.split(),
        busy.split(),
    )


def test_hostlists_files_and_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [*read_state("n[1-2],x", "--free").free] == ["n1", "n2", "x"]
    assert [*read_state("n[1-2]", "--busy").busy] == ["n1", "n2"]
    assert not read_state("", "--free").free
    assert not read_state("[]", "--busy").busy
    file = tmp_path / "free.txt"
    file.write_text("n[1-2]  # two\nx\n", encoding="utf-8")
    assert [*read_state(f"@{file}", "--free").free] == ["n1", "n2", "x"]
    file.write_text(json.dumps(SQUEUE), encoding="utf-8")
    assert read_state(f"@{file}", "--busy").source == "squeue"
    stdin = io.TextIOWrapper(io.BytesIO(b"n7\n"))
    monkeypatch.setattr("sys.stdin", stdin)
    assert [*read_state("-", "--free").free] == ["n7"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    with pytest.raises(InputError, match=r"standard input: is empty .* are busy"):
        read_state("-", "--busy")
    with pytest.raises(InputError, match="--busy: '@' names no file"):
        read_state("@", "--busy")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{}", "is no report of sinfo, scontrol, squeue or kubectl"),
        ('{"sinfo": 3}', "sinfo: must be a list"),
        ('{"sinfo": [{"node": {"state": []}, "nodes": {"nodes": []}}]}', "is empty"),
        ('{"nodes": [{"name": "", "state": ["IDLE"]}]}', "must not be empty"),
        ('{"nodes": [{"name": "a"}]}', "nodes[0].state: is missing"),
        ('{"jobs": [{"nodes": "a"}]}', "jobs[0].job_state: is missing"),
        ('{"jobs": [{"job_state": null}]}', "job_state: must be a list, not null"),
        ("", "is empty and does not say which nodes are free; [] says none"),
        (" \n", "is empty and does not say"),
        (
            '{"jobs": [], "errors": [{"description": "no socket", "error": "E"}]}',
            "errors: is the report of a command that failed: 'no socket'",
        ),
        ('{"nodes": [], "errors": [7]}', "that failed: 'no reason is given'"),
        ('{"nodes": [], "errors": 7}', "errors: must be a list, not 7"),
        ('{"jobs": [{"job_state": ["RUNNING"], "nodes": "n[1-"}]}', "do not match"),
        (
            '{"jobs": [{"job_state": ["RUNNING"], "nodes": "n[1-999999999]"}]}',
            "has more than",
        ),
        ('{"items": [3]}', "items[0]: must be an object"),
        ('{"sinfo": [', "not JSON"),
    ],
)
def test_damaged_reports_are_refused_in_one_line(
    tmp_path: Path, text: str, complaint: str
) -> None:
    file = tmp_path / "report.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_state(f"@{file}", "--free")
    assert complaint in str(raised.value)
    assert str(raised.value).startswith(str(file))
    assert "\n" not in str(raised.value)


def test_names_that_come_twice_are_refused() -> None:
    with pytest.raises(InputError, match="--free: is listed twice: 'n1'"):
        read_state("n[1-2],n1", "--free")


def test_reports_say_which_job_holds_a_node() -> None:
    squeue = {
        "jobs": [
            {"job_id": 7, "job_state": ["RUNNING"], "nodes": "n[1-2]"},
            {"job_state": ["RUNNING"], "nodes": "n2"},
        ]
    }
    held = parse_report(json.dumps(squeue)).holders
    assert {name: list(jobs) for name, jobs in held.items()} == {
        "n1": ["7"],
        "n2": ["7", "jobs[1]"],
    }
    pods = {
        "items": [
            {
                "kind": "Pod",
                "metadata": {"namespace": "ml", "name": "train-0"},
                "spec": {"nodeName": "n1"},
                "status": {"phase": "Running"},
            }
        ]
    }
    assert parse_report(json.dumps(pods)).holders == {"n1": {"ml/train-0": None}}
    lines = '{"id": 3, "nodes": "n[1-2]"}\n\n{"id": "x", "nodes": ["n3", "n4"]}\n'
    report = parse_report(lines)
    assert (report.source, list(report.busy)) == ("jobs", ["n1", "n2", "n3", "n4"])
    assert report.holders["n4"] == {"x": None}
