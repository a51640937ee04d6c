"""Six commands on a cluster whose machines are not alike."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ...asking import Ask
from ..unlike_machines import (
    NAMES,
    SWF,
    accounted,
    kubernetes,
    notes_of,
    pod,
    pods,
    scontrol,
    squeue,
)


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        ("--partition gpu", "g[1-4]"),
        ("--constraint a100", "g[1-4]"),
        ("--partition all --constraint ib&a100", "g[1-4]"),
        ("--partition cpu --constraint opa|a100", "c[5-8]"),
        ("--constraint opa", "c[5-8]"),
        ("--partition gpu,cpu --exclude c[1-8]", "g[1-4]"),
    ],
)
def test_select_takes_nodes_of_the_kind(ask: Ask, words: str, allowed: str) -> None:
    opa = {f"c{i}": {"active_features": ["ib", "opa"]} for i in range(5, 9)}
    words = f"-k 4 --state NODES {words} --format json"
    status, out, _ = ask("select", words, NODES=scontrol(opa))
    assert (status, json.loads(out)["hostlist"]) == (0, allowed)
    assert notes_of(out) == []
    assert ask("select", words.replace("-k 4", "-k 5"), NODES=scontrol(opa))[0] == 3


def test_select_counts_what_is_of_another_kind(ask: Ask) -> None:
    _, out, _ = ask("select", "-k 1 --state NODES --partition gpu")
    assert "  not free: 8 not of --partition gpu" in out.splitlines()


def test_fragmentation_of_one_kind(ask: Ask) -> None:
    words = "--state NODES --partition gpu --json"
    status, out, _ = ask("fragmentation", words)
    found = json.loads(out)
    assert (status, found["free"]) == (0, 4)
    for level, domains, largest in (("switch", 2, 2), ("level2", 1, 4)):
        [one] = [one for one in found["levels"] if one["level"] == level]
        assert (one["domains"], one["free_domains"]) == (domains, domains)
        assert one["largest_job"] == one["largest_job_unfragmented"] == largest


def test_why_says_that_too_few_nodes_are_of_the_kind(ask: Ask) -> None:
    status, out, _ = ask("why", "-k 5 --state NODES --partition gpu")
    lines = out.splitlines()
    assert status == 3
    assert "  kind        4 of 12 nodes are of --partition gpu, 4 of them free" in lines
    assert (
        "  answer      it never fits: only 4 nodes of the kind that is asked for, "
        "5 wanted; proved (counting)" in lines
    )
    assert "  without --partition gpu" in lines
    assert "  -k 4: the largest job with these constraints" in lines
    _, out, _ = ask("why", "-k 5 --state NODES --constraint a100 --json")
    found = json.loads(out)
    assert found["kind"] == {
        **{"asked": "--constraint a100", "nodes": 4, "free": 4, "too_few": True}
    }
    assert found["changes"] == [["constraint"]]


def test_why_names_busy_nodes_of_the_kind_only(ask: Ask) -> None:
    files = {
        "NODES": scontrol(busy="g4 c5"),
        "JOBS": squeue("7 g4", "8 c5"),
    }
    words = "-k 4 --state NODES JOBS --partition gpu --json"
    status, out, _ = ask("why", words, **files)
    found = json.loads(out)
    assert (status, found["never"], found["busy_nodes"]) == (3, False, 1)
    assert [one["hostlist"] for one in found["busy"]] == ["g4"]
    assert found["jobs"]["end"] == ["7"]
    assert found["kind"]["too_few"] is False
    assert found["kind"]["free"] == 3
    assert ask("why", words.replace("-k 4", "-k 3"), **files)[0] == 0


MOVE_7 = "--state NODES JOBS --target 2 --stay 9 --json"
"""Job 7 on g1 has to go to g3 or g4, as r3 is free and job 9 is on r2."""


def with_job_7(*states: str) -> dict[str, str]:
    return {"JOBS": squeue(f"7 g1 {' '.join(states)}", "9 c3")}


@pytest.mark.parametrize(
    "change",
    [
        {"partitions": ["gpu"]},
        {"active_features": ["ib", "h100"]},
        {"gres": "gpu:a100:2"},
        {"gres_used": "gpu:a100:1(IDX:0)"},
        {"architecture": "aarch64"},
        {"cpus": 32},
    ],
)
def test_defrag_moves_a_job_to_no_other_kind(ask: Ask, change: dict[str, Any]) -> None:
    jobs = with_job_7("RUNNING")
    same = scontrol(busy="g1 c3")
    status, out, _ = ask("defrag", MOVE_7, NODES=same, **jobs)
    assert (status, json.loads(out)["free_domains"]) == (0, 1)
    other = scontrol({"g3": change, "g4": change}, busy="g1 c3")
    assert ask("defrag", MOVE_7, NODES=other, **jobs)[0] == 3


@pytest.mark.parametrize(
    ("gpus", "taint", "more", "status"),
    [
        (8, "", [], 0),
        (4, "", [], 3),
        (8, "team", [], 3),
        (8, "", [pod("monitor", "b2", stays=1)], 3),
    ],
)
def test_defrag_on_kubernetes(
    ask: Ask, gpus: int, taint: str, more: list[Any], status: int
) -> None:
    """The pod on a1 goes to b2 where it is as a1, and frees its zone."""
    files = {
        "NODES": kubernetes(gpus, taint),
        "PODS": pods(pod("p", "a1"), pod("q", "b1"), *more),
    }
    words = "--topology NODES --state PODS --target 1 --stay n/q --json"
    words += " --tolerate team" * bool(taint)
    found, out, _ = ask("defrag", words, **files)
    assert found == status
    if not found:
        [point] = json.loads(out)["front"]
        assert [(one["from"], one["to"]) for one in point["moves"]] == [("a1", "b2")]


@pytest.mark.parametrize("states", [["COMPLETING"], ["CANCELLED", "COMPLETING"]])
def test_defrag_never_moves_jobs_that_complete(ask: Ask, states: list[str]) -> None:
    files = {
        "NODES": scontrol({"g1": {"state": ["ALLOCATED", "COMPLETING"]}}, "c5 c6"),
        "JOBS": squeue(f"7 g1 {' '.join(states)}", "9 c[5-6]"),
    }
    words = "--state NODES JOBS --json"
    status, out, _ = ask("defrag", words, **files)
    found = json.loads(out)
    assert (status, found["jobs"], found["free_domains"]) == (3, 1, 2)
    coming = {"jobs": ["7"], "nodes": 1, "hostlist": "g1"}
    assert found["coming_free"] == coming
    note = "coming free: g1; no job is moved there (jobs that end: 7)"
    assert notes_of(out) == [note]
    _, out, _ = ask("defrag", words.replace("--json", ""), **files)
    assert f"  note: {note}" in out.splitlines()
    # its node is room for a job to come, but not if it is drained
    fit = "--state NODES JOBS --fit 4 --stay 9 --exclude c[3-4] --json"
    assert ask("defrag", fit, **files)[0] == 0
    drained = scontrol({"g1": {"state": ["DRAIN", "COMPLETING"]}}, "c5 c6")
    assert ask("defrag", fit, **files | {"NODES": drained})[0] == 3
    alone = {"JOBS": squeue(f"7 g1 {' '.join(states)}"), "NODES": scontrol(busy="g1")}
    assert ask("defrag", words, **alone)[0] == 0


def test_no_job_is_moved_onto_a_node_that_is_coming_free(ask: Ask) -> None:
    jobs = squeue("7 g1", "8 g3 COMPLETING", "9 c3")
    for state, status in (("IDLE", 0), ("DOWN", 3)):
        nodes = scontrol({"g4": {"state": [state]}}, "g1 g3 c3")
        found, out, _ = ask("defrag", MOVE_7, NODES=nodes, JOBS=jobs)
        assert found == status
    assert json.loads(out)["coming_free"]["hostlist"] == "g3"


@pytest.mark.parametrize(
    "states",
    [
        ["SUSPENDED"],
        ["STOPPED"],
        ["CONFIGURING"],
        ["RUNNING", "RESIZING"],
        ["RUNNING", "SIGNALING"],
        ["STAGE_OUT"],
        ["RUNNING", "UNHEARD_OF"],
    ],
)
def test_only_jobs_that_simply_run_are_moved(ask: Ask, states: list[str]) -> None:
    nodes = scontrol(busy="g1 c3")
    assert ask("defrag", MOVE_7, NODES=nodes, **with_job_7("RUNNING"))[0] == 0
    status, out, _ = ask("defrag", MOVE_7, NODES=nodes, **with_job_7(*states))
    state = "+".join(sorted(states))
    kept = [{"job": "7", "state": state}]
    assert (status, json.loads(out)["kept"]) == (3, kept)
    said = f"jobs not moved, as they do not simply run or are bound: 7 {state}"
    assert notes_of(out) == [said]


def test_a_job_that_shares_a_node_with_one_that_completes_stays(ask: Ask) -> None:
    for state, status in (("RUNNING", 0), ("COMPLETING", 3)):
        jobs = squeue("7 g1", f"8 g1 {state}", "9 c3")
        nodes = scontrol(busy="g1 c3")
        assert ask("defrag", MOVE_7, NODES=nodes, JOBS=jobs)[0] == status


def test_a_drained_or_reserved_node_is_no_room_once_its_job_has_left(ask: Ask) -> None:
    jobs = squeue("7 g1", "8 c3", "9 c5")
    words = "--state NODES JOBS --fit 4 --stay 8,9 --json"
    held: dict[str, Any] = {"state": ["ALLOCATED"]}
    reserved = {"reservation": "r"}
    for changes, status in (
        ({"g1": held}, 0),
        ({"g1": {"state": ["ALLOCATED", "DRAIN"]}}, 3),
        ({"g1": held | reserved, "g3": reserved}, 3),
    ):
        nodes = scontrol(changes, "c3 c5")
        assert ask("defrag", words, NODES=nodes, JOBS=jobs)[0] == status


def test_pods_that_terminate_are_not_moved(ask: Ask) -> None:
    going = pod("p", "a1", deletionTimestamp="2026-01-01T00:00:00Z")
    files = {"NODES": kubernetes(8, ""), "PODS": pods(going, pod("q", "b1"))}
    words = "--topology NODES --state PODS --json"
    status, out, _ = ask("defrag", words, **files)
    found = json.loads(out)
    assert (status, found["free_domains"]) == (3, 1)
    assert found["coming_free"]["jobs"] == ["n/p"]
    files["PODS"] = pods(pod("p", "a1", phase="Pending"), pod("q", "b1"))
    _, out, _ = ask("defrag", words, **files)
    assert json.loads(out)["kept"] == [{"job": "n/p", "state": "Pending"}]


def test_defrag_of_one_partition_leaves_the_others_alone(ask: Ask) -> None:
    files = {
        "NODES": scontrol(busy="g1 c5"),
        "JOBS": squeue("7 g1", "9 c5"),
    }
    for words, status in (("--target 2", 3), ("--fit 3", 3), ("--fit 2", 0)):
        of_gpu = f"--state NODES JOBS {words} --partition gpu"
        assert ask("defrag", of_gpu, **files)[0] == status
        assert ask("defrag", f"--state NODES JOBS {words}", **files)[0] == 0


def test_grade_compares_with_the_nodes_of_the_kind(ask: Ask) -> None:
    """Two jobs of a report: one in the partition, the other not."""
    jobs = accounted("g[1,3]", "c[1,3]")
    words = "DONE --state NODES --partition gpu --exclude g4 --json"
    status, out, _ = ask("grade", words, DONE=jobs)
    one, two, totals = map(json.loads, out.splitlines())
    assert status == 0
    assert (one["instead"], two["status"]) == ("g[1-2]", "not graded")
    assert two["detail"] == "c1: not of --partition gpu"
    assert "notes" not in totals
    words = "DONE --state NODES --constraint a100 --exclude g[2,4] --json"
    _, out, _ = ask("grade", words, DONE=jobs)
    one, *_ = map(json.loads, out.splitlines())
    assert (one["ratio"], "instead" in one) == ("1", False)


def test_whatif_replays_on_the_nodes_of_the_kind(ask: Ask) -> None:
    words = "--trace SWF --replays 1 --method slurm-tree,optimum --json"
    _, out, _ = ask("whatif", words, SWF=SWF)
    whole = json.loads(out)
    assert "all are taken as alike" in whole["notes"][-1]
    most = SWF.replace(" 3 -1", " 5 -1")
    status, out, _ = ask("whatif", f"{words} --state NODES --partition gpu", SWF=most)
    found = json.loads(out)
    assert (status, found["jobs"], whole["jobs"]) == (0, 3, 6)
    assert not any("alike" in note for note in found["notes"])
    means = {(x["measure"], x["method"]): x["mean"][0] for x in found["measures"]}
    assert means["largest_in_switch", "optimum"] <= 2


SIX = {
    "select": "-k 2",
    "why": "-k 2",
    "fragmentation": "",
    "defrag": "",
    "grade": "DONE",
    "whatif": "--trace SWF",
}
FILES = {
    "SWF": SWF,
    "DONE": accounted("g[1,3]"),
    "JOBS": squeue("8 c1", "9 c5"),
    "BARE": json.dumps({"nodes": [{"name": x, "state": ["IDLE"]} for x in NAMES]}),
}


@pytest.mark.parametrize("command", SIX)
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("NODES --partition gpus", "--partition: no such partition: 'gpus' (did you"),
        ("NODES --constraint ib&v100", "--constraint: no such feature: 'v100'"),
        ("BARE --partition gpu", "--partition: needs a report of nodes"),
    ],
)
def test_what_no_report_names_is_an_error(
    ask: Ask, command: str, words: str, complaint: str
) -> None:
    status, out, err = ask(command, f"{SIX[command]} --state JOBS {words}", **FILES)
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", SIX)
def test_nodes_of_which_nothing_is_known_are_taken_as_alike(
    ask: Ask, command: str
) -> None:
    words = f"{SIX[command]} --state BARE JOBS"
    status, out, _ = ask(command, words, **FILES)
    says = "no report says what the nodes are: all are taken as alike"
    assert (status, out.count(says)) == (0, 1)
    _, out, _ = ask(command, f"{words} --json", **FILES)
    document = json.loads(out.splitlines()[-1] if command == "grade" else out)
    assert says in document.get("state", document)["notes"]
    _, out, _ = ask(command, f"{SIX[command]} --state NODES JOBS", **FILES)
    assert "alike" not in out


def test_what_grade_says_of_nodes_of_another_kind(ask: Ask) -> None:
    jobs = accounted("g[1,3]", "c[1,3]")
    _, out, _ = ask("grade", "DONE --state NODES --partition gpu", DONE=jobs)
    assert "  1 with chosen nodes that the job may not use" in out.splitlines()
    assert "job 2: c1: not of --partition gpu" in out
