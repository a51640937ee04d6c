"""Which nodes are free by all that reports and hostlists say together."""

from __future__ import annotations

import pytest

from closeknit.clusters.availability import Availability, Known, availability
from closeknit.clusters.node_states import NodeReport, NodeRules
from closeknit.clusters.topologies import Cluster, parse_cluster
from closeknit.instances import InputError

from .reports import ZONE, labelled, node, pod, report

CLUSTER = parse_cluster("SwitchName=s Nodes=n[1-6]")
ALIKE = "no report says what the nodes are: all are taken as alike"


def slurm(file: str = "sinfo.json", **states: str) -> NodeReport:
    nodes = [{"name": name, "state": words.split()} for name, words in states.items()]
    return report({"nodes": nodes}, file)


JOB = {"job_state": ["RUNNING"], "nodes": "n[1-2]"}
SQUEUE = report({"jobs": [JOB]}, "squeue.json")
SINFO = slurm(n1="ALLOCATED", n3="IDLE", n4="IDLE DRAIN", n5="IDLE POWERED_DOWN")
PODS = report({"kind": "PodList", "items": [pod("n1")]}, "pods.json")


def free(found: Availability, cluster: Cluster = CLUSTER) -> list[str]:
    return [name for name in cluster.index if name not in found.reasons]


def test_without_a_report_all_nodes_are_free_and_the_answer_says_so() -> None:
    found = availability(CLUSTER, Known(busy=["n1"]))
    assert free(found) == ["n2", "n3", "n4", "n5", "n6"]
    shown = {"source": "not given", "not_free": {"busy": 1, "excluded": 1}}
    assert found.document({"n6": "excluded"}) == shown


@pytest.mark.parametrize("reports", [[SQUEUE], [PODS], [SQUEUE, PODS]])
def test_who_is_busy_says_nothing_of_who_is_down(reports: list[NodeReport]) -> None:
    with pytest.raises(InputError) as raised:
        availability(CLUSTER, Known(reports=reports))
    add = "kubectl get nodes -o json" if reports == [PODS] else "sinfo --json"
    complaint = f"says nothing of the state of nodes: add {add}, or --assume-up"
    assert str(raised.value) == f"{reports[0].file}: {complaint}"
    found = availability(CLUSTER, Known(reports=reports, assume_up=True))
    busy = 1 if reports == [PODS] else 2
    assert free(found) == [f"n{i}" for i in range(busy + 1, 7)]
    assert found.source.endswith(", other nodes assumed up")


@pytest.mark.parametrize("reports", [[SQUEUE, SINFO], [SINFO, SQUEUE]])
def test_a_node_is_free_if_a_report_says_so_and_nothing_speaks_against_it(
    reports: list[NodeReport],
) -> None:
    found = availability(CLUSTER, Known(reports=reports))
    assert free(found) == ["n3", "n5"]
    counts = {"ALLOCATED": 1, "DRAIN": 1, "busy": 1, "in no report": 1}
    assert found.document(chosen=["n3", "n5"]) == {
        "source": ", ".join(one.file for one in reports),
        "not_free": counts,
        "must_boot": 1,
        "chosen_must_boot": 1,
        "notes": [ALIKE],
    }
    assert list(found.document()["not_free"]) == sorted(counts)
    no_boot = Known(reports=reports, rules=NodeRules(boot=False))
    assert free(availability(CLUSTER, no_boot)) == ["n3"]
    up = availability(CLUSTER, Known(reports=[SINFO], assume_up=True))
    assert free(up) == ["n2", "n3", "n5", "n6"]


def test_reports_of_nodes_add_up_and_the_worse_counts() -> None:
    second = slurm("more.json", n2="IDLE", n3="DOWN", n6="IDLE")
    found = availability(CLUSTER, Known(reports=[SINFO, second]))
    assert free(found) == ["n2", "n5", "n6"]
    again = availability(CLUSTER, Known(reports=[second, SINFO]))
    assert again.reasons == found.reasons


def test_the_user_may_say_which_nodes_are_free() -> None:
    user = Known(reports=[SQUEUE], free=["n2", "n3", "n6"])
    found = availability(CLUSTER, user)
    assert (free(found), found.source) == (["n3", "n6"], "squeue.json, --free")
    both = Known(reports=[SINFO], free=["n3", "n4", "n6"], busy=["n5"])
    assert free(availability(CLUSTER, both)) == ["n3", "n6"]
    assert free(availability(CLUSTER, Known(free=[]))) == []
    with pytest.raises(InputError, match="--free: is in --busy too: 'n2'"):
        availability(CLUSTER, Known(free=["n1", "n2"], busy=["n2"]))
    for option, known in (("free", Known(free=["x"])), ("busy", Known(busy=["x"]))):
        with pytest.raises(InputError, match=f"--{option}: is not in the topology"):
            availability(CLUSTER, known)


def test_reports_that_are_older_than_five_minutes_get_a_note() -> None:
    nodes = [{"name": "n1", "state": ["IDLE", "PLANNED"]}]
    old = report({"nodes": nodes, "last_update": 1000}, "nodes.json")
    planned = "1 free node is planned for a job that waits"
    for now, notes in ((1300, ()), (1361, ("nodes.json is 6 minutes old",))):
        found = availability(CLUSTER, Known(reports=[old]), now=now)
        assert found.notes == (*notes, planned, ALIKE)
        assert found.document()["planned"] == 1


def test_a_topology_of_kubernetes_is_a_report_of_its_nodes() -> None:
    taints = [{"key": "gpu", "effect": "NoSchedule"}]
    items = [
        *(node("n1"), node("n2"), node("n3", unschedulable=True)),
        *(node("n4", taints=taints), node("n5", ready="")),
    ]
    cluster = parse_cluster({"kind": "NodeList", "items": items})
    found = availability(cluster, Known(reports=[PODS]))
    assert (free(found, cluster), found.source) == (["n2"], "topology, pods.json")
    reasons = {"busy", "unschedulable", "taint gpu", "not Ready"}
    assert set(found.document()["not_free"]) == reasons
    tolerant = Known(rules=NodeRules(tolerate=frozenset({"gpu"})))
    assert free(availability(cluster, tolerant), cluster) == ["n1", "n2", "n4"]


def test_labels_alone_are_no_report() -> None:
    cluster = parse_cluster(labelled({ZONE: "z"}, {ZONE: "z"}))
    assert availability(cluster, Known()).source == "not given"
    with pytest.raises(InputError, match="add kubectl get nodes -o json, or --assume"):
        availability(cluster, Known(reports=[PODS]))


def test_foreign_nodes_are_counted_and_foreign_machines_refused() -> None:
    more = slurm(n1="IDLE", login1="IDLE", login2="DOWN")
    assert availability(CLUSTER, Known(reports=[more])).ignored == 2
    other = slurm("other.json", x1="IDLE")
    with pytest.raises(InputError) as raised:
        availability(CLUSTER, Known(reports=[more, other]))
    problem = "none of its 1 nodes is in the topology: 'x1'"
    assert str(raised.value) == f"other.json: {problem}"
