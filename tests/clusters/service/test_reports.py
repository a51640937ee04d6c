"""Reports as the state of the service: the same rules as for the commands."""

from __future__ import annotations

from typing import Any

import pytest

from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.service.state import ClusterState
from closeknit.clusters.topologies import parse_cluster
from closeknit.instances import InputError

from ..reports import node, pod

SQUEUE = {"jobs": [{"job_state": ["RUNNING"], "nodes": "n1"}]}
NODES = {
    "nodes": [
        {"name": "n1", "state": ["IDLE"]},
        {"name": "n2", "state": ["IDLE", "DRAIN"]},
        {"name": "n3", "state": ["IDLE"]},
        {"name": "n4", "state": ["IDLE", "POWERED_DOWN"]},
        {"name": "n5", "state": ["IDLE", "RESERVED"], "reservation": "course"},
    ]
}


def state() -> ClusterState:
    return ClusterState(NodeSelector(parse_cluster("SwitchName=s Nodes=n[1-6]")))


def test_reports_say_which_nodes_are_free() -> None:
    service = state()
    service.replace({"reports": [SQUEUE, NODES]})
    found = service.document()
    assert (found["free"], found["busy"]) == ("n[3-4]", "n[1-2,5-6]")
    assert found["state"] == {
        "source": "reports[0] (squeue), reports[1] (scontrol)",
        "not_free": {"DRAIN": 1, "RESERVED": 1, "busy": 1, "in no report": 1},
        "must_boot": 1,
        "notes": ["no report says what the nodes are: all are taken as alike"],
    }
    service.replace({"reports": [SQUEUE, NODES], "no_boot": True, "busy": "n3"})
    assert service.document()["free"] == ""
    service.replace({"reports": [NODES], "reservation": "course", "sequence": 9})
    assert (service.document()["free"], service.sequence) == ("n5", 9)
    service.change({"free": "n1"})
    assert service.document()["free"] == "n[1,5]"
    assert service.told == {"source": "POST /state"}


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"reports": [SQUEUE]}, "says nothing of the state of nodes: add sinfo --json"),
        ({"reports": [NODES, {"jobs": []}]}, "reports[1].report of squeue: names no"),
        ({"reports": [NODES, 7]}, "reports[1]: must be an object"),
        ({"reports": NODES}, "reports: must be a list"),
        ({"reports": [NODES], "tolerate": "x"}, "tolerate: must be a list"),
        ({"reports": [NODES], "no_boot": 1}, "no_boot: must be true or false"),
        ({"free": "n1", "assume_up": True}, "assume_up: needs reports"),
    ],
)
def test_a_refused_body_changes_nothing(body: dict[str, Any], complaint: str) -> None:
    service = state()
    before = service.document()
    with pytest.raises(InputError) as raised:
        service.replace(body)
    assert complaint in str(raised.value)
    assert service.document() == before
    assert before["state"]["source"] == "not given"


def test_the_file_of_a_topology_says_what_is_up_until_a_scheduler_does() -> None:
    items = [node("n1"), node("n2", unschedulable=True), node("n3")]
    selector = NodeSelector(parse_cluster({"kind": "NodeList", "items": items}))
    service = ClusterState(selector)
    assert service.document()["free"] == "n[1,3]"
    service.take(["n1"])
    assert [one.tolist() for one in service.not_busy] == [[False, True, True]]
    service.replace({"busy": "n1"})
    assert service.document()["free"] == "n[2-3]"
    pods = {"kind": "PodList", "items": [pod("n3")]}
    reports = [pods, {"kind": "NodeList", "items": items}]
    service.replace({"reports": reports})
    assert service.document()["free"] == "n1"
    with pytest.raises(InputError, match="add kubectl get nodes -o json"):
        service.replace({"reports": reports[:1]})
