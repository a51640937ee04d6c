"""Clusters in parts, nodes that only seem to be free, and slices of several roles."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

import closeknit as ck
from closeknit.clusters.jobs.foreign import parse as parse_foreign
from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.topologies import parse_cluster
from closeknit.formulations.cluster.answer import by_model
from closeknit.formulations.cluster.constraints import Apart
from closeknit.formulations.cluster.domains import NODE, NodeDevices
from closeknit.formulations.cluster.job import GangJob, ObjectivePart, Role, RoleCount
from closeknit.papers.graded_rules.drawing import even_tree
from closeknit.solvers import Limit, Settings, Status
from closeknit.solvers.running import clock

from ..asking import Ask
from .placed import placed

THREE = """SwitchName=a Nodes=a[1-4]
SwitchName=b Nodes=b[1-4]
SwitchName=c Nodes=c[1-4]
SwitchName=top Switches=a,b,c
"""


def cluster_of(topology: str) -> NodeSelector:
    return NodeSelector(parse_cluster(topology))


LOW_AND_HIGH = """SwitchName=a Nodes=a[1-2]
SwitchName=b Nodes=b[1-2]
SwitchName=t Switches=a,b
SwitchName=c Nodes=c1
SwitchName=d Nodes=d1
SwitchName=e Nodes=e1
SwitchName=f Nodes=f[1-2]
SwitchName=u Switches=c,d
SwitchName=v Switches=e,f
SwitchName=w Switches=u,v
"""


def test_parts_are_compared_by_the_same_levels() -> None:
    """The lower part has two switches in one place, the other one four in two."""
    found = placed(cluster_of(LOW_AND_HIGH), {"w": 4})
    assert found.nodes["w"] == ["a1", "a2", "b1", "b2"]
    assert found.answer.status is Status.OPTIMAL
    parts = [part.name for part in found.job.objective]
    cost = dict(zip(parts, found.answer.objective or (), strict=True))
    assert cost == {"domains level2": 1, "domains switch": 2}
    assert found.answer.bound == found.answer.objective


def test_nodes_of_two_parts_clash_by_themselves() -> None:
    found = placed(cluster_of(LOW_AND_HIGH), {"w": 3}, {"require": "a1,c1"})
    assert found.clash is not None
    [only] = found.clash.members
    assert not isinstance(only, RoleCount)
    assert found.clash.helps[only] == {"without": True}


def test_a_part_without_a_level_is_passed_over() -> None:
    topology = """SwitchName=z Nodes=z[1-2]
SwitchName=a Nodes=a[1-2]
SwitchName=b Nodes=b[1-2]
SwitchName=t Switches=a,b
"""
    found = placed(cluster_of(topology), {"w": 3}, {"within": "level2"})
    assert found.nodes["w"] == ["a1", "a2", "b1"]
    found = placed(cluster_of(topology), {"w": 3}, {"within": "switch"})
    assert found.clash is not None
    [count, inside] = found.clash.members
    assert found.clash.helps[count]["count"] == 2
    assert found.clash.helps[inside]["level"] == "level2"


@pytest.mark.parametrize(
    ("a", "b", "size"), [*itertools.product((1, 2, 3), (1, 2, 3, 4), (2, 3))]
)
@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_slices_of_roles_in_any_order(
    a: int, b: int, size: int, order: tuple[str, str]
) -> None:
    """In the order of its roles each slice is within one switch of the six."""
    racks = [f"SwitchName=r{i} Nodes=n{i}-[1-{size}]" for i in range(6)]
    topology = "\n".join([*racks, "SwitchName=all Switches=r[0-5]"])
    slices = {"slices": {"switch": size}, "roles": [*order]}
    found = placed(cluster_of(topology), {"a": a, "b": b}, slices)
    assert found.answer.fits
    nodes = [*found.nodes[order[0]], *found.nodes[order[1]]]
    for start in range(0, a + b, size):
        assert len({name.split("-")[0] for name in nodes[start : start + size]}) == 1


def test_nodes_of_running_jobs_are_not_free_by_themselves() -> None:
    cluster = parse_cluster(THREE)
    running = {"17": ["a1", "a2"]}
    apart = [{"apart_from": ["17"], "level": "switch"}]
    assert ck.place_job(cluster, {"w": 8}, apart, running=running).answer.fits
    assert not ck.place_job(cluster, {"w": 11}, running=running).answer.fits
    assert ck.place_job(cluster, {"w": 10}, running=running).answer.fits


def report(**states: str) -> str:
    """Return what scontrol states: all else is allocated."""
    names = [f"{rack}{i}" for rack in "abc" for i in range(1, 5)]
    nodes = [
        {"name": name, "state": states.get(name, "ALLOCATED").split("+")}
        for name in names
    ]
    return json.dumps({"meta": {"slurm": {}}, "nodes": nodes, "errors": []})


Change = Callable[[str, str], dict[str, Any]]


@pytest.fixture
def change(ask: Ask) -> Change:
    """Ask what to change in a state of the nodes; RUN is a file of three jobs."""
    jobs = [
        {"name": "17", "nodes": "a[1-4]", "priority": 1},
        {"name": "18", "nodes": "b[1-4]", "priority": 2},
        {"name": "19", "nodes": "c[1-4]", "priority": 3},
    ]
    document = {"format": "closeknit/running-jobs", "version": 1, "jobs": jobs}

    def changed(words: str, state: str) -> dict[str, Any]:
        given = f"change {words} --topology TREE --state NODES --json -"
        files = {"TREE": THREE, "NODES": state, "RUN": json.dumps(document)}
        found: dict[str, Any] = json.loads(ask(given, **files)[1])
        return found

    return changed


@pytest.mark.parametrize(
    ("state", "more", "ends"),
    [
        (report(), "", ["17"]),
        (report(a1="ALLOCATED+DRAIN"), "", ["18"]),
        (report(a1="ALLOCATED+RESERVED"), "", ["18"]),
        (report(), "--busy a2", ["18"]),
        (report(), "--exclude a2", ["18"]),
    ],
)
def test_a_file_of_jobs_frees_no_node_that_something_else_closes(
    state: str, more: str, ends: list[str], change: Change
) -> None:
    words = f"preempt --running RUN -k 4 --segment 4 {more}"
    assert change(words, state)["end"] == ends


def test_nodes_of_jobs_that_no_report_names_are_not_free(change: Change) -> None:
    assert not change("drain --count 1", report())["possible"]
    state = report(a1="IDLE", a2="IDLE", a3="DOWN", a4="IDLE+DRAIN")
    assert change("drain --count 1", state)["freed"] == ["a"]
    assert not change("drain --count 2", state)["possible"]


def test_devices_of_nodes_that_must_not_be_used_do_not_count(ask: Ask) -> None:
    """Mixed nodes have devices left; those that are busy or reserved have none."""
    states = {"a1": ["MIXED"], "a2": ["MIXED", "RESERVED"], "a3": ["MIXED"]}
    nodes = [
        {"name": name, "state": state, "gres": "gpu:4", "gres_used": "gpu:2"}
        for name, state in states.items()
    ]
    files = {"TREE": "SwitchName=a Nodes=a[1-3]\n"}
    files["NODES"] = json.dumps({"meta": {"slurm": {}}, "nodes": nodes, "errors": []})
    job = {"format": "closeknit/job", "version": 1}
    for count, more, status in (
        (4, "", 0),
        (5, "", 3),
        (2, "--busy a3", 0),
        (3, "--busy a3", 3),
    ):
        roles = [{"name": "w", "count": count, "devices": 1}]
        files["JOB"] = json.dumps({**job, "roles": roles})
        words = f"select --topology TREE --job JOB --state NODES {more}"
        assert ask(words, **files)[0] == status, (count, more)


@pytest.mark.parametrize(
    ("completions", "pods"), [(None, 8), (2, 2), ("3", 3), (20, 8)]
)
def test_a_job_runs_no_more_pods_than_have_to_complete(
    completions: Any, pods: int
) -> None:
    pod = {"spec": {"containers": [{"name": "c"}], "nodeName": "n1"}}
    spec: dict[str, Any] = {"parallelism": 8, "template": pod}
    if completions is not None:
        spec["completions"] = completions
    single = parse_foreign(json.dumps({"kind": "Job", "spec": spec}), ("rack",))
    assert single.job.pods == pods
    assert "spec.completions" not in single.ignored
    assert "nodeName" in single.ignored
    jobs = [{"name": "w", "replicas": 2, "template": {"spec": spec}}]
    several = {"kind": "JobSet", "spec": {"replicatedJobs": jobs}}
    assert parse_foreign(json.dumps(several), ("rack",)).job.pods == 2 * pods


def test_the_model_of_devices_counts() -> None:
    script = "#!/bin/bash\n#SBATCH -N 2 --gpus-per-node=a100:4\n"
    found = parse_foreign(script, ("switch",))
    assert (found.device, found.job.roles[0].devices) == ("gpu:a100", 4)


@pytest.mark.parametrize("option", ["--slice=2x2", "--node-limit=3", "--memory=99"])
def test_options_that_a_job_of_parts_does_not_read_are_refused(
    option: str, ask: Ask
) -> None:
    status, _, err = ask(f"select --topology TREE --job j.json {option}", TREE=THREE)
    name = option.partition("=")[0]
    assert (status, err) == (2, f"closeknit: {name}: is not for --job\n")


FREE = {f"{rack}{i}": "IDLE" for rack in "bc" for i in range(1, 5)}


def test_a_job_that_starts_anew_does_not_wait_for_its_own_nodes(change: Change) -> None:
    """Ranks shift on the nodes that it keeps; only one node comes, and one goes."""
    words = "repair --placed a[1-4] --failed a1 --segment 3"
    found = change(words, report(**FREE))
    assert found["ordered"]
    [move] = found["moves"]
    assert (move["from"], move["to"]) == ("", "b1")


def test_a_node_that_is_down_is_not_kept_in_silence(change: Change) -> None:
    words = "repair --placed a[1-4] --failed a1"
    found = change(words, report(a1="DOWN", a2="DOWN+DRAIN", **FREE))
    assert "the job keeps a2, which is DOWN+DRAIN" in found["state"]["notes"]
    found = change(words, report(a1="DOWN", **FREE))
    assert not [x for x in found["state"].get("notes", ()) if "keeps" in x]


def test_building_a_model_counts_as_time(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = even_tree(10, 10)
    machine = NodeDevices(tree, tree.at(NODE) * 0 + 1, tree.at(NODE) * 0 + 1)
    apart = (Apart("rack", ("a", "b")),)
    job = GangJob((Role("a", 9), Role("b", 9)), apart, (ObjectivePart("hops"),))
    assert by_model(job, machine, Settings(time_limit=2)).fits
    start, ticks = clock.now(), itertools.count()
    monkeypatch.setattr(clock, "now", lambda: start + 0.01 * next(ticks))
    found = by_model(job, machine, Settings(time_limit=0.05))
    assert (found.status, found.limit) == (Status.UNKNOWN, Limit.TIME)
    assert next(ticks) < 20
