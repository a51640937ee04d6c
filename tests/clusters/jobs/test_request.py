"""Reading jobs of parts: what is refused, in one line, and what others' files mean."""

from __future__ import annotations

import json
from typing import Any

import pytest

from closeknit.clusters.availability import Known, availability
from closeknit.clusters.jobs.foreign import parse as parse_foreign
from closeknit.clusters.jobs.machine import node_devices, whole_nodes
from closeknit.clusters.jobs.placing import place
from closeknit.clusters.jobs.request import JobRequest, job_of
from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.state import parse_report
from closeknit.clusters.topologies import parse_cluster
from closeknit.formulations.cluster.constraints import Slices, within
from closeknit.formulations.cluster.domains import NodeDevices
from closeknit.formulations.cluster.job import ObjectivePart, Role
from closeknit.instances import InputError
from closeknit.solvers import Settings

from ...paths import ROOT
from ..asking import Ask
from ..reports import node, pod

TREE = "SwitchName=a Nodes=a[1-4]\nSwitchName=b Nodes=b[1-4]\nSwitchName=t Switches=a,b"
NAMES = [f"{x}{i}" for x in "ab" for i in range(1, 5)]
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
def test_a_file_that_is_no_job_is_refused_in_one_line(text: str, ask: Ask) -> None:
    status, out, err = ask("select --topology TREE --job JOB", TREE=TREE, JOB=text)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "JOB" in err


def devices_by(report: dict[str, Any], name: str = "") -> NodeDevices:
    """Return the devices of a name that are free by a report."""
    selector = NodeSelector(parse_cluster(TREE))
    reports = [parse_report(json.dumps(report))]
    known = availability(selector.cluster, Known(reports=reports))
    [fabric], [free] = selector.cluster.fabrics, selector.free(without=known.reasons)
    return node_devices(fabric, free, known, name)


def slurm_nodes(**used: int) -> dict[str, Any]:
    """A report of nodes with four GPUs each; those named are in use."""
    nodes = [
        {
            "name": name,
            "state": ["MIXED" if name in used else "IDLE"],
            "gres": "gpu:h100:4(S:0)",
            "gres_used": f"gpu:h100:{used.get(name, 0)}(IDX:0)",
        }
        for name in NAMES
    ]
    return {"nodes": nodes}


def test_devices_that_jobs_leave_are_free() -> None:
    report = slurm_nodes(a1=1, a2=4, b1=0)
    found = devices_by(report, "gpu")
    assert found.free.tolist() == [3, 0, 4, 4, 4, 4, 4, 4]
    assert found.room_for(None).tolist() == [0, 0, 1, 1, 0, 1, 1, 1]
    assert found.room_for(2).tolist() == [1, 0, 2, 2, 2, 2, 2, 2]
    for wrong in ("fpga", "gpu:a100"):
        with pytest.raises(InputError, match="no node has such devices"):
            devices_by(report, wrong)


def test_a_node_that_is_down_or_of_which_nobody_knows_what_is_used_has_none() -> None:
    report = slurm_nodes(a1=1)
    report["nodes"][0].pop("gres_used")
    report["nodes"][1]["state"] = ["IDLE", "DRAIN"]
    assert devices_by(report).free.tolist()[:3] == [-1, -1, 4]


def test_devices_of_pods_are_counted() -> None:
    def holding(name: str, on: str, gpus: int) -> dict[str, Any]:
        limits = {"limits": {"nvidia.com/gpu": str(gpus)}} if gpus else {}
        held = pod(on)
        held["metadata"]["name"] = name
        held["spec"]["containers"] = [{"resources": limits}]
        return held

    items = [node(name) for name in NAMES]
    for item in items:
        item["status"]["allocatable"] = {"cpu": "8", "nvidia.com/gpu": "4"}
    items += [holding("p", "a1", 1), holding("q", "a1", 2), holding("r", "a2", 0)]
    found = devices_by({"kind": "List", "items": items})
    assert found.free.tolist() == [1, *[4] * 7]
    assert found.room_for(None).tolist() == [0, 0, *[1] * 6]


def test_devices_without_a_report_that_counts_them_are_refused() -> None:
    with pytest.raises(InputError, match="needs a report that counts devices"):
        devices_by({"nodes": [{"name": "a1", "state": ["IDLE"]}]})


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
    layers = [{"topology": "x/block", "size": 8}, {"topology": "x/rack", "size": "4"}]
    asked = {
        "preferred-topology": "x/topology-zone",
        "slice-required-topology-constraints": json.dumps(layers),
    }
    asked = {f"kueue.x-k8s.io/podset-{key}": value for key, value in asked.items()}
    pod = {
        "metadata": {"annotations": asked},
        "spec": {"tolerations": [{"key": "x"}], "containers": [{"name": "c"}]},
    }
    inner = {"spec": {"parallelism": "8", "template": pod}}
    jobs = [{"name": "w", "replicas": 2, "template": inner}]
    document = {
        "kind": "JobSet",
        "metadata": {"name": "js"},
        "spec": {"replicatedJobs": jobs},
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


def test_a_batch_script_of_slurm_is_a_job(ask: Ask) -> None:
    topology = EXAMPLES / "../grade/slurm-225.conf"
    words = f"select --topology {topology} --job {EXAMPLES / 'slurm-225.sh'}"
    status, out, _ = ask(words)
    assert (status, "it fits" in out) == (0, True)
    shown = json.loads(ask(f"{words} --json")[1])
    assert (shown["fits"], shown["format"]) == (True, "closeknit/select-job")


def test_options_that_a_job_replaces_are_refused(ask: Ask) -> None:
    for more in ("-k 3", "--segment 2", "--method slurm-tree"):
        assert ask(f"select --topology t --job j {more}")[0] == 2
    assert ask("select --job j")[0] == 2
