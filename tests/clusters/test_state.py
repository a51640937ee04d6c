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

from closeknit.clusters.node_states import FREE, NodeReport, NodeRules, state_of_slurm
from closeknit.clusters.state import parse_report, read_option, read_report
from closeknit.instances import InputError

from .reports import node, pod, sinfo

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


PODS: dict[str, Any] = {
    "kind": "List",
    "items": [
        *(pod("n1", "Job"), pod("n2", phase="Succeeded"), pod("n3", "DaemonSet")),
        *(pod("n4", phase="Pending"), pod("", phase="Pending")),
    ],
}
NODES: dict[str, Any] = {
    "kind": "List",
    "items": [node("n1"), node("n2", unschedulable=True), node("n3", "Unknown")],
}


ANY = NodeRules()


def names(report: NodeReport, rules: NodeRules = ANY) -> tuple[str, str]:
    """Return which nodes a report calls free, and which others it names."""
    free = [name for name, state in report.nodes.items() if not rules.reason(state)]
    others = [n for n in (*report.nodes, *report.holders) if n not in free]
    return " ".join(free), " ".join(others)


@pytest.mark.parametrize(
    ("report", "source", "free", "others"),
    [
        (SINFO, "sinfo", "n1 n2 n6", "n3 n4 n5"),
        (SCONTROL, "scontrol", "n1", "n2 n3"),
        (OLDER, "scontrol", "n1", "n2 n3"),
        (SQUEUE, "squeue", "", "n1 n2 n4 n6 n7 n8"),
        (PODS, "kubectl", "", "n1 n4"),
        (NODES, "kubectl", "n1", "n2 n3"),
    ],
)
def test_reports(report: dict[str, Any], source: str, free: str, others: str) -> None:
    found = parse_report(json.dumps(report))
    assert (found.source, *names(found)) == (source, free, others)


def test_lists_of_the_api_carry_the_kind_of_their_items() -> None:
    for report, kind in ((PODS, "PodList"), (NODES, "NodeList")):
        items = [
            {k: v for k, v in one.items() if k != "kind"} for one in report["items"]
        ]
        bare = parse_report(json.dumps({"kind": kind, "items": items}))
        assert bare == parse_report(json.dumps(report))
        with pytest.raises(InputError, match=r"items\[0\].kind: is missing"):
            parse_report(json.dumps({"items": items}))


SLURM = [
    *sorted(FREE - {"IDLE"}),
    *("ALLOCATED", "MIXED", "DOWN", "DRAIN", "FAIL", "MAINTENANCE", "COMPLETING"),
    *("POWERING_DOWN", "POWER_DOWN", "REBOOT_ISSUED", "REBOOT_REQUESTED", "FUTURE"),
    *("NOT_RESPONDING", "INVALID_REG", "BLOCKED", "UNKNOWN", "OF_TOMORROW", "RESERVED"),
]


@pytest.mark.parametrize("flag", SLURM)
def test_only_the_listed_flags_leave_an_idle_node_of_slurm_free(flag: str) -> None:
    state = state_of_slurm(frozenset({"IDLE", flag}))
    assert bool(NodeRules().reason(state)) == (flag not in FREE)
    assert NodeRules().reason(state_of_slurm(frozenset({flag})))
    boots = flag in ("POWERED_DOWN", "POWERING_UP")
    assert (state.boots, state.planned) == (boots, flag == "PLANNED")
    assert not boots or NodeRules(boot=False).reason(state) == "must boot"


def test_a_node_in_two_entries_is_as_bad_as_the_worse() -> None:
    for entries in (("n1 IDLE", "n1 DOWN"), ("n1 DOWN", "n1 IDLE")):
        assert names(parse_report(json.dumps(sinfo(*entries)))) == ("", "n1")


def test_reserved_nodes_are_for_their_reservation_only() -> None:
    nodes = [
        {"name": "n1", "state": ["IDLE", "RESERVED"], "reservation": "course"},
        {"name": "n2", "state": ["IDLE", "RESERVED"], "reservation": "other"},
        {"name": "n3", "state": ["IDLE", "RESERVED"]},
        {"name": "n4", "state": ["IDLE"]},
        {"name": "n5", "state": ["IDLE", "RESERVED", "DRAIN"], "reservation": "course"},
    ]
    report = parse_report(json.dumps({"nodes": nodes}))
    assert names(report)[0] == "n4"
    assert names(report, NodeRules("course"))[0] == "n1"


def test_taints_keep_a_job_away_unless_it_tolerates_them() -> None:
    def tainted(name: str, *effects: str) -> dict[str, Any]:
        return node(name, taints=[{"key": f"k/{e}", "effect": e} for e in effects])

    items = [
        *(tainted("n1", "NoSchedule"), tainted("n2", "NoExecute")),
        *(tainted("n3", "PreferNoSchedule"), tainted("n5", "EffectOfTomorrow")),
        tainted("n4", "NoSchedule", "NoExecute"),
        {**node("n6"), "status": {}},
    ]
    report = parse_report(json.dumps({"kind": "List", "items": items}))
    assert names(report)[0] == "n3"
    assert NodeRules().reason(report.nodes["n1"]) == "taint k/NoSchedule"
    assert NodeRules().reason(report.nodes["n6"]) == "not Ready"
    assert names(report, NodeRules(tolerate=frozenset({"k/NoSchedule"})))[0] == "n1 n3"
    both = NodeRules(tolerate=frozenset({"k/NoSchedule", "k/NoExecute"}))
    assert names(report, both)[0] == "n1 n2 n3 n4"


def test_the_time_of_a_report_is_read_where_it_says_it() -> None:
    old = {"nodes": [{"name": "n", "state": ["IDLE"]}]}
    for value, time in (
        ({"set": True, "number": 17}, 17),
        (17, 17),
        ({"set": False, "number": 17}, None),
        (0, None),
    ):
        assert parse_report(json.dumps({**old, "last_update": value})).time == time
    entry = node("n")
    times = ("1970-01-01T00:00:09Z", "1970-01-01T00:00:11Z", None)
    entry["status"]["conditions"] += [{"lastHeartbeatTime": one} for one in times]
    assert parse_report(json.dumps({"items": [entry]})).time == 11


def test_jobs_are_found_wherever_their_version_lists_their_nodes() -> None:
    for given in ("n[1-2]", {"count": 2, "list": "n[1-2]"}):
        job = {"job_id": 7, "job_state": ["RUNNING"], "job_resources": {"nodes": given}}
        assert names(parse_report(json.dumps({"jobs": [job]})))[1] == "n1 n2"


def test_hostlists_files_and_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_option(["n[1-2],x"], "--free") == (["n1", "n2", "x"], [])
    assert read_option(["n[1-2]", "n[2-3]"], "--busy") == (["n1", "n2", "n3"], [])
    assert read_option([""], "--free") == read_option(["[]"], "--busy") == ([], [])
    assert read_option([], "--free") == (None, [])
    file = tmp_path / "free.txt"
    file.write_text("n[1-2]  # two\nx\n", encoding="utf-8")
    assert read_option([f"@{file}"], "--free")[0] == ["n1", "n2", "x"]
    with pytest.raises(InputError, match=r"free.txt: is no report as JSON"):
        read_report(str(file))
    file.write_text(json.dumps(SQUEUE), encoding="utf-8")
    names, [report] = read_option([f"@{file}"], "--busy")
    assert (names, report.source, report.file) == (None, "squeue", str(file))
    stdin = io.TextIOWrapper(io.BytesIO(b"n7\n"))
    monkeypatch.setattr("sys.stdin", stdin)
    assert read_option(["-"], "--free")[0] == ["n7"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    with pytest.raises(InputError, match=r"standard input: is empty .* are busy"):
        read_option(["-"], "--busy")
    with pytest.raises(InputError, match="--busy: '@' names no file"):
        read_option(["@"], "--busy")


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
        ("# nothing\n", "is empty and does not say which nodes are free; [] says none"),
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
        (' [ {"name": "n1"}]', "is a list as JSON, not the object that a report is"),
        ('{"sinfo": [', "not JSON"),
        ('{"sinfo": []}', "report of sinfo: names no node"),
        ('{"nodes": []}', "report of scontrol: names no node"),
        ('{"jobs": []}', "report of squeue: names no node; leave it out if nothing"),
        ('{"kind": "List", "items": []}', "report of kubectl: names no node"),
        ('{"kind": "WorkloadList", "items": [{}]}', "report of kubectl: names no node"),
        ('{"jobs": [{"job_state": ["RUNNING"]}]}', "jobs[0].nodes: names no node, but"),
        ('{"jobs": [{"job_state": "RUNNING", "nodes": "(null)"}]}', "but the job runs"),
        ('{"jobs": [{"job_state": ["NEW"], "nodes": ""}]}', "the job runs: 'NEW'"),
        ('{"jobs": [{"job_state": ["COMPLETED", "COMPLETING"]}]}', "but the job runs"),
        (
            '{"kind": "PodList", "items": [{"status": {"phase": "Running"}}]}',
            "pod runs",
        ),
        ('{"items": [{"metadata": {}}]}', "items[0].kind: is missing"),
        ('{"items": [{"kind": "Pod", "status": {"phase": [3]}}]}', "must be a string"),
        (
            'sinfo: error: x {y}\n{"nodes": []}',
            "has text before the JSON, in its first",
        ),
    ],
)
def test_damaged_reports_are_refused_in_one_line(
    tmp_path: Path, text: str, complaint: str
) -> None:
    file = tmp_path / "report.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_option([f"@{file}"], "--free")
    assert complaint in str(raised.value)
    assert str(raised.value).startswith(str(file))
    assert "\n" not in str(raised.value)


def test_names_that_come_twice_are_refused() -> None:
    with pytest.raises(InputError, match="--free: is listed twice: 'n1'"):
        read_option(["n[1-2],n1"], "--free")


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
    one = {**pod("n1"), "metadata": {"namespace": "ml", "name": "train-0"}}
    assert parse_report(json.dumps({"items": [one]})).holders == {
        "n1": {"ml/train-0": None}
    }
    lines = '{"id": 3, "nodes": "n[1-2]"}\n\n{"id": "x", "nodes": ["n3", "n4"]}\n'
    report = parse_report(lines)
    assert (report.source, list(report.holders)) == ("jobs", ["n1", "n2", "n3", "n4"])
    assert report.holders["n4"] == {"x": None}
