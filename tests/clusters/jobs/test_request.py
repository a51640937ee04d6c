"""Reading jobs of parts: what is refused, in one line, and what others' files mean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closeknit.cli.app import run
from closeknit.clusters.availability import Known, availability
from closeknit.clusters.jobs.foreign import parse as parse_foreign
from closeknit.clusters.jobs.machine import node_devices, whole_nodes
from closeknit.clusters.jobs.placing import place
from closeknit.clusters.jobs.request import JobRequest, job_of
from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.state import parse_report
from closeknit.clusters.topologies import parse_cluster
from closeknit.formulations.cluster.constraints import Slices, within
from closeknit.formulations.cluster.job import ObjectivePart, Role
from closeknit.instances import InputError
from closeknit.solvers import Settings

from ...paths import ROOT

TREE = "SwitchName=a Nodes=a[1-4]\nSwitchName=b Nodes=b[1-4]\nSwitchName=t Switches=a,b"
EXAMPLES = ROOT / "examples" / "jobs"
HEAD: dict[str, Any] = {"format": "closeknit/job", "version": 1}
ONE = [{"name": "w", "count": 4}]
TWO = [{"name": "w", "count": 4}, {"name": "l", "count": 1}]


def asked(document: dict[str, Any]) -> str:
    """Return what a document is refused with; "" if it is not."""
    selector = NodeSelector(parse_cluster(TREE))
    running = {"17": frozenset(["a1"])}
    [fabric] = selector.cluster.fabrics
    try:
        request = job_of(HEAD | document, running, selector.cluster.index)
        machine = [whole_nodes(fabric, selector.free()[0])]
        place(request, machine, Settings(time_limit=2))
    except InputError as error:
        return str(error)
    return ""


BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "roles: is missing"),
    ({"roles": []}, "roles: must be from 1 to 64 roles, not 0"),
    ({"roles": [{"name": "w"}]}, "roles[0].count: is missing"),
    ({"roles": [{"name": "", "count": 1}]}, "roles[0].name: must not be empty"),
    ({"roles": [{"name": "w", "count": 2.0}]}, "roles[0].count: must be an integer"),
    ({"roles": [{"name": "w", "count": -1}]}, "roles[0].count: must be from 1 to"),
    ({"roles": [{"name": "w", "count": 10**6 + 1}]}, "must be from 1 to 1000000"),
    ({"roles": [{**ONE[0], "pods": 1}]}, "roles[0].pods: unknown field"),
    ({"roles": [{**ONE[0], "devices": -1}]}, "roles[0].devices: must be from 0"),
    ({"roles": [*ONE, *ONE]}, "roles[1].name: is there twice: 'w'"),
    ({"roles": ONE, "jobs": 1}, "jobs: unknown field"),
    ({"roles": [{"name": f"w{i}", "count": 1} for i in range(65)]}, "at most 64"),
    (
        {"roles": [{"name": "w", "count": 10**6}, {"name": "v", "count": 1}]},
        "roles: must have at most 1000000 pods in all, not 1000001",
    ),
    ({"roles": ONE, "objective": ["domains"]}, "objective[0]: must be one of frag"),
    ({"roles": ONE, "objective": [{"balance": "rack"}]}, "objective[0].level: no such"),
    (
        {"roles": ONE, "objective": [{"domains": "node", "roles": ["x"]}]},
        "no such role",
    ),
]
BAD_CONSTRAINTS: list[tuple[dict[str, Any], str]] = [
    ({}, "constraints[0]: must have one of slices"),
    ({"within": "switch", "apart": "switch"}, "constraints[0]: must have one of"),
    ({"within": "rack"}, "constraints[0].within.level: no such level: 'rack' (there"),
    ({"within": 3}, "constraints[0].within: must be a string"),
    ({"within": "switch", "roles": ["x"]}, "no such role: 'x' (there are: w, l)"),
    ({"within": "switch", "roles": ["w", "w"]}, "is named twice: 'w'"),
    ({"within": "switch", "roles": []}, "constraints[0].within.roles: must not be"),
    ({"slices": {"switch": 0}}, "slices.switch.size: must be from 1 to"),
    ({"slices": {"switch": True}}, "slices.switch: must be an integer"),
    ({"slices": {"switch": 2, "level2": 3}}, "must be a multiple of that of switch, 2"),
    ({"groups": {"w": 2, "l": 1}, "level": "switch"}, "makes 1 groups, but w has 2"),
    ({"groups": {"w": 2}}, "constraints[0].level: is missing"),
    ({"groups": {"w": 2}, "level": "switch", "roles": ["w"]}, "roles: unknown field"),
    ({"spread": "switch"}, "constraints[0]: must have one of most_pods"),
    ({"spread": "switch", "most_pods": 0}, "most_pods: must be from 1"),
    ({"spread": "switch", "least_domains": 6}, "to the number of pods, 5, not 6"),
    ({"apart": "switch", "roles": ["w"]}, "must name two roles at least"),
    ({"apart_from": ["18"], "level": "switch"}, "no report names such a job: '18'"),
    ({"require": "a9"}, "constraints[0].require: is not in the topology: 'a9'"),
    ({"require": "a[1-4],b[1-2]"}, "must not name more nodes than there are pods, 5"),
    ({"exclude": "a[1"}, "constraints[0]: "),
]


@pytest.mark.parametrize(("document", "problem"), BAD, ids=str)
def test_a_job_that_is_refused(document: dict[str, Any], problem: str) -> None:
    found = asked(document)
    assert problem in found
    assert "\n" not in found


@pytest.mark.parametrize(("constraint", "problem"), BAD_CONSTRAINTS, ids=str)
def test_a_constraint_that_is_refused(constraint: dict[str, Any], problem: str) -> None:
    assert problem in asked({"roles": TWO, "constraints": [constraint]})


def test_a_constraint_that_is_there_twice_is_refused() -> None:
    one = {"spread": "switch", "most_pods": 2}
    assert "[1].spread: is there twice" in asked(
        {"roles": TWO, "constraints": [one, one]}
    )


def test_a_job_larger_than_the_cluster_does_not_fit_and_is_no_error() -> None:
    assert asked({"roles": [{"name": "w", "count": 10**6}]}) == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[" * 100,
        '{"format": "closeknit/job", "version": 1, "roles": NaN}',
        '{"format": "closeknit/job", "format": "closeknit/job"}',
        '{"format": "closeknit/job", "version": 2, "roles": []}',
        "kind: Pod",
        "kind: &a Job",
        "#!/bin/sh\n#SBATCH --segment=2",
        "#!/bin/sh\n#SBATCH --nodes=two",
        "#!/bin/sh\n#SBATCH --nodes=2 --segment=0",
        "#!/bin/sh\n#SBATCH --nodes='2",
    ],
    ids=range(11),
)
def test_a_file_that_is_no_job_is_refused_in_one_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.conf").write_text(TREE)
    job = tmp_path / "job"
    job.write_text(text)
    words = ["select", "--topology", str(tmp_path / "t.conf"), "--job", str(job)]
    assert run(words) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.count("\n") == 1
    assert "job" in err


def machine_with(reports: list[str]) -> tuple[NodeSelector, Any]:
    selector = NodeSelector(parse_cluster(TREE))
    known = availability(
        selector.cluster, Known(reports=[parse_report(x) for x in reports])
    )
    return selector, known


def slurm_nodes(**used: int) -> str:
    """A report of nodes with four GPUs each; those named are in use."""
    nodes = []
    for name in [f"{x}{i}" for x in "ab" for i in range(1, 5)]:
        n = used.get(name)
        state = ["IDLE"] if n is None else ["MIXED"]
        gres = f"gpu:h100:{n or 0}(IDX:0)"
        nodes.append(
            {"name": name, "state": state, "gres": "gpu:h100:4(S:0)", "gres_used": gres}
        )
    return json.dumps({"nodes": nodes})


def test_devices_that_jobs_leave_are_free() -> None:
    selector, known = machine_with([slurm_nodes(a1=1, a2=4, b1=0)])
    [fabric], [free] = selector.cluster.fabrics, selector.free(without=known.reasons)
    found = node_devices(fabric, free, known, "gpu")
    assert found.free.tolist() == [3, 0, 4, 4, 4, 4, 4, 4]
    assert found.room_for(None).tolist() == [0, 0, 1, 1, 0, 1, 1, 1]
    assert found.room_for(2).tolist() == [1, 0, 2, 2, 2, 2, 2, 2]
    for wrong in ("fpga", "gpu:a100"):
        with pytest.raises(InputError, match="no node has such devices"):
            node_devices(fabric, free, known, wrong)


def test_a_node_that_is_down_or_of_which_nobody_knows_what_is_used_has_none() -> None:
    nodes = json.loads(slurm_nodes(a1=1))
    nodes["nodes"][0].pop("gres_used")
    nodes["nodes"][1]["state"] = ["IDLE", "DRAIN"]
    selector, known = machine_with([json.dumps(nodes)])
    [fabric], [free] = selector.cluster.fabrics, selector.free(without=known.reasons)
    assert node_devices(fabric, free, known, "").free.tolist()[:3] == [-1, -1, 4]


def test_devices_of_pods_are_counted() -> None:
    def pod(name: str, node: str, gpus: int) -> dict[str, Any]:
        limits = {"limits": {"nvidia.com/gpu": str(gpus)}} if gpus else {}
        return {
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {"nodeName": node, "containers": [{"resources": limits}]},
            "status": {"phase": "Running"},
        }

    items: list[dict[str, Any]] = [
        {
            "kind": "Node",
            "metadata": {"name": f"{x}{i}"},
            "status": {
                "conditions": [{"type": "Ready", "status": "True"}],
                "allocatable": {"cpu": "8", "nvidia.com/gpu": "4"},
            },
        }
        for x in "ab"
        for i in range(1, 5)
    ]
    items += [pod("p", "a1", 1), pod("q", "a1", 2), pod("r", "a2", 0)]
    selector, known = machine_with([json.dumps({"kind": "List", "items": items})])
    [fabric], [free] = selector.cluster.fabrics, selector.free(without=known.reasons)
    found = node_devices(fabric, free, known, "")
    assert found.free.tolist() == [1, *[4] * 7]
    assert found.room_for(None).tolist() == [0, 0, *[1] * 6]


def test_devices_without_a_report_that_counts_them_are_refused() -> None:
    selector, known = machine_with(['{"nodes": [{"name": "a1", "state": ["IDLE"]}]}'])
    [fabric], [free] = selector.cluster.fabrics, selector.free()
    with pytest.raises(InputError, match="needs a report that counts devices"):
        node_devices(fabric, free, known, "")
    assert np.all(whole_nodes(fabric, free).free == 1)


def of_file(name: str, levels: tuple[str, ...]) -> JobRequest:
    found = parse_foreign((EXAMPLES / name).read_text("utf-8"), levels)
    assert isinstance(found, JobRequest)
    return found


def test_a_workload_of_kueue() -> None:
    found = of_file("kueue-workload.yaml", ("rack", "block", "cluster"))
    both = ("leader", "workers")
    assert found.job.roles == (Role("workers", 15, 4), Role("leader", 1, 4))
    assert found.job.constraints == (within("block", both), Slices("rack", both, 4))
    assert found.device == "nvidia.com/gpu"
    shown = ("spec.queueName", "topologyRequest.podIndexLabel", "nodeSelector")
    assert found.ignored == shown


def test_a_jobset_with_annotations() -> None:
    kueue = "kueue.x-k8s.io/podset-"
    layers = [{"topology": "x/block", "size": 8}, {"topology": "x/rack", "size": "4"}]
    pod = {
        "metadata": {
            "annotations": {
                f"{kueue}preferred-topology": "x/topology-zone",
                f"{kueue}slice-required-topology-constraints": json.dumps(layers),
            }
        },
        "spec": {"tolerations": [{"key": "x"}], "containers": [{"name": "c"}]},
    }
    inner = {"parallelism": "8", "template": pod}
    document = {
        "kind": "JobSet",
        "metadata": {"name": "js"},
        "spec": {
            "replicatedJobs": [
                {"name": "w", "replicas": 2, "template": {"spec": inner}}
            ]
        },
    }
    found = parse_foreign(json.dumps(document), ("rack", "block", "zone"))
    assert found.job.roles == (Role("w", 16),)
    assert set(found.job.constraints) == {
        Slices("block", ("w",), 8),
        Slices("rack", ("w",), 4),
    }
    assert found.job.objective == (ObjectivePart("domains", "zone", ("w",)),)
    assert "tolerations" in found.ignored


def test_a_batch_script_of_slurm() -> None:
    found = of_file("slurm-225.sh", ("block",))
    assert found.job.roles == (Role("nodes", 36),)
    assert found.job.constraints[0] == Slices("block", ("nodes",), 12)
    assert found.ignored == ("--time", "-p", "the time of --switches")


def test_a_batch_script_of_slurm_is_a_job(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["select", "--topology", str(EXAMPLES / "../grade/slurm-225.conf"), "--job"]
    assert run([*words, str(EXAMPLES / "slurm-225.sh")]) == 0
    assert "it fits" in capsys.readouterr().out
    assert run([*words, str(EXAMPLES / "slurm-225.sh"), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["fits"] is True
    assert shown["format"] == "closeknit/select-job"


def test_options_that_a_job_replaces_are_refused() -> None:
    words = ["select", "--topology", "t", "--job", "j"]
    for more in (["-k", "3"], ["--segment", "2"], ["--method", "slurm-tree"]):
        assert run([*words, *more]) == 2
    assert run(["select", "--job", "j"]) == 2
