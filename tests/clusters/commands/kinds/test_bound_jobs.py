"""Jobs that may run on some nodes of their kind only: defrag leaves them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ...asking import Ask
from ..unlike_machines import kubernetes, notes_of, pod, pods, scontrol, squeue

DURING = "DuringSchedulingIgnoredDuringExecution"


@pytest.mark.parametrize(
    ("key", "option"),
    [("required_nodes", "--nodelist"), ("excluded_nodes", "--exclude")],
)
def test_jobs_of_slurm_that_are_bound_to_nodes_stay(
    ask: Ask, key: str, option: str
) -> None:
    """Job 7 would have to go to g3 or g4, as r3 is free and job 9 is on r2."""
    words = "--state NODES JOBS --target 2 --stay 9 --json"
    jobs = json.loads(squeue("7 g1", "9 c3"))
    for nodes, status in (("", 0), ("g1", 3)):
        jobs["jobs"][0][key] = nodes
        files = {"NODES": scontrol(busy="g1 c3"), "JOBS": json.dumps(jobs)}
        found, out, _ = ask("defrag", words, **files)
        assert found == status
    says = (
        f"jobs not moved, as they do not simply run or are bound: 7 bound by {option}"
    )
    assert notes_of(out) == [says]


@pytest.mark.parametrize(
    ("more", "labels", "says"),
    [
        ({}, {}, ""),
        ({"nodeSelector": {"kubernetes.io/os": "linux"}}, {}, ""),
        ({"nodeSelector": {"disk": "ssd"}}, {}, "nodeSelector disk"),
        (
            {"nodeSelector": {"kubernetes.io/hostname": "a1"}},
            {},
            "nodeSelector kubernetes.io/hostname",
        ),
        (
            {"nodeSelector": {"kubernetes.io/hostname": "a1"}},
            {"kueue.x-k8s.io/tas": "true"},
            "",
        ),
        (
            {"affinity": {"nodeAffinity": {f"required{DURING}": {"x": 1}}}},
            {},
            "nodeAffinity",
        ),
        ({"affinity": {"podAffinity": {f"preferred{DURING}": [{"x": 1}]}}}, {}, ""),
    ],
)
def test_pods_that_are_bound_to_nodes_stay(
    ask: Ask, more: dict[str, Any], labels: dict[str, str], says: str
) -> None:
    tied = pod("p", "a1", labels=labels)
    tied["spec"] |= more
    files = {"NODES": kubernetes(8, ""), "PODS": pods(tied, pod("q", "b1"))}
    words = "--topology NODES --state PODS --target 1 --stay n/q --json"
    status, out, _ = ask("defrag", words, **files)
    kept = [{"job": "n/p", "state": f"bound by {says}"}] if says else None
    assert (status, json.loads(out).get("kept")) == (3 if says else 0, kept)


def test_systems_of_kubernetes_differ(ask: Ask) -> None:
    for system, status in (("linux", 0), ("windows", 3)):
        document = json.loads(kubernetes(8, ""))
        for item in document["items"]:
            name = item["metadata"]["name"]
            item["status"]["nodeInfo"]["operatingSystem"] = (
                system if name == "b2" else "linux"
            )
        pods_ = pods(pod("p", "a1"), pod("q", "b1"))
        files = {"NODES": json.dumps(document), "PODS": pods_}
        words = "--topology NODES --state PODS --target 1 --stay n/q --json"
        assert ask("defrag", words, **files)[0] == status
