"""What nodes of Kubernetes are: taints, and devices that pods use which stay there."""

from __future__ import annotations

import json

import pytest

from ...asking import Ask
from ..unlike_machines import SWF, kubernetes, notes_of, pod, pods


@pytest.mark.parametrize("command", ["select", "why", "fragmentation"])
def test_a_tainted_node_is_not_used_unless_tolerated(ask: Ask, command: str) -> None:
    asked = {"select": "-k 3", "why": "-k 3", "fragmentation": ""}[command]
    words = f"{asked} --topology NODES --json"
    files = {"NODES": kubernetes(8, "team")}
    status, out, _ = ask(command, words, **files)
    found = json.loads(out)
    assert status == (0 if command == "fragmentation" else 3)
    if command == "why":
        assert (found["never"], found["changes"]) == (True, [["tolerate"]])
        kind = {"asked": "without taint team", "nodes": 2, "free": 2, "too_few": True}
        assert found["kind"] == kind
    else:
        assert found["free"] == 2
        assert found["state"]["not_free"] == {"taint team": 2}
    status, out, _ = ask(command, f"{words} --tolerate team", **files)
    found = json.loads(out)
    assert (status, found["free"]) == (0, 4)
    assert found["state"]["not_free"] == {}


def test_why_says_which_taint_would_have_to_be_tolerated(ask: Ask) -> None:
    files = {"NODES": kubernetes(8, "team")}
    _, out, _ = ask("why", "-k 3 --topology NODES", **files)
    lines = out.splitlines()
    assert "  kind        2 of 4 nodes are without taint team, 2 of them free" in lines
    assert "  with --tolerate team" in lines
    assert any("it never fits: only 2 nodes" in line for line in lines)


def test_grade_and_whatif_use_no_tainted_node(ask: Ask) -> None:
    nodes = {"NODES": kubernetes(8, "team"), "SWF": SWF}
    decisions = "\n".join(
        json.dumps({"free": "a[1-2],b[1-2]", "job": {"k": 2}, "chosen": chosen})
        for chosen in ("a[1-2]", "b[1-2]", "a1,b1")
    )
    words = "LINES --topology NODES --json"
    status, out, _ = ask("grade", words, LINES=decisions, **nodes)
    one, two, three, totals = map(json.loads, out.splitlines())
    assert (status, one["ratio"]) == (0, "1")
    for row in (two, three):
        assert row["why"] == "chosen nodes that the job may not use"
        assert row["detail"] == "b1: taint team"
        assert row["objective"] == "switches"
    assert totals["objective"] == "switches"
    _, out, _ = ask("grade", f"{words} --tolerate team", LINES=decisions, **nodes)
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row.get("status") for row in rows] == ["graded"] * 3 + [None]
    words = "--trace SWF --topology NODES --replays 1 --method optimum --json"
    _, out, _ = ask("whatif", words, **nodes)
    assert json.loads(out)["skipped"] == {"larger than the machine": 3}
    _, out, _ = ask("whatif", f"{words} --tolerate team", **nodes)
    assert json.loads(out)["jobs"] == 6


def test_taints_alone_do_not_say_what_nodes_are(ask: Ask) -> None:
    """Nodes with nothing but labels and taints are taken as alike, and that is said."""
    document = json.loads(kubernetes(8, "team"))
    for item in document["items"]:
        item["status"] = {"conditions": item["status"]["conditions"]}
    nodes = json.dumps(document)
    words = "--topology NODES -k 2 --tolerate team --json"
    _, out, _ = ask("select", words, NODES=nodes)
    says = "no report says what the nodes are: all are taken as alike"
    assert notes_of(out) == [says]
    files = {"NODES": nodes, "PODS": pods(pod("p", "a1"), pod("q", "b1"))}
    words = "--topology NODES --state PODS --target 1 --tolerate team --json"
    assert ask("defrag", words, **files)[0] == 3


def test_devices_of_several_lists_of_pods_add_up(ask: Ask) -> None:
    """Each list has its own DaemonSet on b2; one that is listed twice counts once."""
    free = {"NODES": kubernetes(8, ""), "PODS": pods(pod("p", "a1"), pod("q", "b1"))}
    first, second = pod("x", "b2", stays=1), pod("y", "b2", stays=1)
    both = pods(pod("x", "a1", stays=1), pod("y", "a1", stays=1))
    words = "--topology NODES --state PODS BOTH {} --target 1 --stay n/q --json"
    for files, status in (
        (("ONE", "TWO"), 0),
        (("TWO", "ONE"), 0),
        (("ONE", "ONE"), 3),
        (("ONE",), 3),
    ):
        lists = {"ONE": pods(first), "TWO": pods(second), "BOTH": both}
        given = words.format(" ".join(files))
        assert ask("defrag", given, **free, **lists)[0] == status
