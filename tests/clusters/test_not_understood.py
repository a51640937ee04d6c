"""What a report does not say plainly makes no node free, and is never passed over."""

from __future__ import annotations

from typing import Any

import pytest

from closeknit.clusters.availability import Known, availability
from closeknit.clusters.node_states import NodeReport, NodeRules, state_of_slurm
from closeknit.clusters.topologies import Cluster, parse_cluster
from closeknit.instances import InputError

from .reports import node, pod, report

CLUSTER = parse_cluster("SwitchName=s Nodes=n[1-3]")
META = {"plugin": {"data_parser": "data_parser/v0.0.42"}, "slurm": {"cluster": "c"}}
SINFO = {"sinfo": [{"node": {"state": ["IDLE"]}, "nodes": {"nodes": ["n[1-3]"]}}]}


def free(*reports: NodeReport, cluster: Cluster = CLUSTER) -> list[str]:
    found = availability(cluster, Known(reports=reports))
    return [name for name in cluster.index if name not in found.reasons]


@pytest.mark.parametrize("words", ["", " ", "IDLE+", "IDLE + DRAIN"])
@pytest.mark.parametrize("listed", [False, True])
def test_an_empty_word_is_no_state_in_which_a_node_is_free(
    words: str, listed: bool
) -> None:
    states = [words] if listed else words
    found = report({"nodes": [{"name": "n1", "state": states}]})
    assert NodeRules().reason(found.nodes["n1"])
    assert free(found) == []


def test_a_node_of_a_reservation_is_reserved_with_or_without_the_flag() -> None:
    state = state_of_slurm(frozenset({"IDLE"}), "course")
    assert NodeRules().reason(state) == "RESERVED"
    assert NodeRules(reservation="course").reason(state) == ""


@pytest.mark.parametrize("other", ["nodes", "jobs", "items"])
def test_of_several_lists_in_one_document_none_is_dropped(other: str) -> None:
    job = {"job_id": 1, "job_state": ["RUNNING"], "nodes": "n1", "kind": "Pod"}
    with pytest.raises(InputError, match=f"has sinfo and {other}: give each as"):
        report(SINFO | {other: [job]})


@pytest.mark.parametrize("kind", ["PodList", "NodeList", "List"])
def test_one_page_of_a_list_is_refused(kind: str) -> None:
    page: dict[str, Any] = {"kind": kind, "items": [node("n1"), pod("n1")]}
    page["metadata"] = {"continue": "abc", "remainingItemCount": 7}
    complaint = "metadata.continue: is one page of a list: its other pages are missing"
    with pytest.raises(InputError, match=complaint):
        report(page)
    with pytest.raises(InputError, match=complaint):
        parse_cluster(page)
    assert report({**page, "metadata": {"continue": ""}}).names == 2


@pytest.mark.parametrize(
    "document",
    [
        {"jobs": [], "meta": META, "last_update": {"set": True, "number": 2**31}},
        {"jobs": [{"job_id": 1, "job_state": ["PENDING"], "nodes": ""}]},
        {"kind": "PodList", "items": []},
        {"kind": "List", "items": [pod("", phase="Pending")]},
        {"kind": "List", "items": [pod("n1", phase="Succeeded")]},
    ],
)
def test_a_report_may_say_that_nobody_runs(document: dict[str, Any]) -> None:
    found = report(document)
    assert free(found, report(SINFO)) == ["n1", "n2", "n3"]
    with pytest.raises(InputError, match="says nothing of the state of nodes"):
        free(found)


def test_numbers_may_be_objects_as_newer_versions_of_slurm_write_them() -> None:
    number = {"set": True, "infinite": False, "number": 7}
    job = {"job_id": number, "job_state": ["RUNNING"], "nodes": "n1"}
    assert report({"jobs": [job]}).holders == {"n1": {"7": None}}
    with pytest.raises(InputError, match=r"jobs\[0\].job_id: must be an integer"):
        report({"jobs": [{**job, "job_id": "seven"}]})


def test_a_pod_that_another_owner_has_besides_a_daemon_set_holds_its_node() -> None:
    items = [pod("n1", "DaemonSet"), pod("n2", "DaemonSet", "Job"), pod("n3", "Node")]
    assert list(report({"items": items}).holders) == ["n2"]


@pytest.mark.parametrize("value", ["2026-01-01", -1, True, {"number": "x"}])
def test_a_time_that_cannot_be_read_does_not_make_a_report_new(value: object) -> None:
    with pytest.raises(InputError, match="last_update: must"):
        report({**SINFO, "last_update": value})
    entry = node("n1")
    entry["status"]["conditions"][0]["lastHeartbeatTime"] = "yesterday"
    with pytest.raises(InputError, match="lastHeartbeatTime: must be a time"):
        report({"items": [entry]})


def test_a_report_from_the_future_gets_a_note() -> None:
    found = report({**SINFO, "last_update": 10_000})
    ahead = "sinfo is 2 hours ahead of the clock here"
    assert ahead in availability(CLUSTER, Known(reports=[found]), now=2800).notes
    assert ahead not in availability(CLUSTER, Known(reports=[found]), now=9701).notes


def test_pods_in_the_file_of_a_topology_hold_their_nodes() -> None:
    items = [node("n1"), node("n2"), node("n3"), pod("n1"), pod("n3", "DaemonSet")]
    cluster = parse_cluster({"kind": "List", "items": items})
    assert free(cluster=cluster) == ["n2", "n3"]
    bare = [{**entry, "status": {}} for entry in items[:3]]
    cluster = parse_cluster({"kind": "List", "items": [*bare, pod("n1")]})
    with pytest.raises(InputError, match="add kubectl get nodes -o json"):
        free(cluster=cluster)


@pytest.mark.parametrize("item", [None, {"metadata": {"name": "p"}}])
def test_an_item_of_no_kind_in_a_topology_is_refused(item: object) -> None:
    with pytest.raises(InputError, match=r"items\[1\]"):
        parse_cluster({"kind": "List", "items": [node("n1"), item]})
