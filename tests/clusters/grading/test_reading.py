"""Decisions from lines, and from reports of Slurm and Kueue."""

from __future__ import annotations

import io
import json
import lzma
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.grading import (
    Defaults,
    PastDecision,
    Ungraded,
    read_decisions,
)
from closeknit.clusters.grading.decisions import Why
from closeknit.clusters.grading.reading import read_records
from closeknit.clusters.placement import NodeSelector, Objective
from closeknit.clusters.topologies import parse_cluster
from closeknit.instances import InputError

from ..reports import node, number, sacct

TREE = "SwitchName=a Nodes=a[1-4]\nSwitchName=b Nodes=b[1-4]\nSwitchName=t Switches=a,b"
HOST = "kubernetes.io/hostname"
LEVELS = ("cloud.provider.com/topology-block", "cloud.provider.com/topology-rack")


def selector() -> NodeSelector:
    return NodeSelector(parse_cluster(TREE))


def kubernetes() -> NodeSelector:
    """Two racks of four nodes in a block."""
    names = [f"{rack}{i}" for rack in "ab" for i in range(1, 5)]
    nodes = [node(name, labels={LEVELS[0]: "x", LEVELS[1]: name[0]}) for name in names]
    return NodeSelector(parse_cluster(json.dumps({"items": nodes})))


def read(
    text: str | bytes, path: Path, chosen_from: NodeSelector | None = None, **more: Any
) -> list[PastDecision | Ungraded]:
    file = path / "decisions"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    chooser = chosen_from or selector()
    usable = chooser.free(without=more.pop("without", ()))
    defaults = Defaults(Objective.SWITCHES, usable, **more)
    return list(read_decisions(file, chooser, defaults))


def free_of(one: PastDecision | Ungraded, chooser: NodeSelector) -> str:
    assert isinstance(one, PastDecision)
    [fabric] = chooser.cluster.fabrics
    [flags] = one.free
    return " ".join(
        name for name, free in zip(fabric.nodes, flags.tolist(), strict=True) if free
    )


def line(**more: Any) -> str:
    return json.dumps({"job": {"k": 2}, "free": "a[1-3]", "chosen": "a1,a2", **more})


def test_lines(tmp_path: Path) -> None:
    sizes = {"k": 2, "segment": 2, "levels": {"switch": 2}}
    job = {"name": "x", **sizes, "objective": "hops", "require": ["a2"]}
    lines = [
        *("", line(job=job), line(free=["a1", "b2"], chosen=["b2", "a1"])),
        *('{"job": {"k": 1}, "busy": "a[1-4]", "chosen": "b4"}', line(free="")),
    ]
    first, second, third, fourth = read("\n".join(lines), tmp_path, without=["b1"])
    assert isinstance(first, PastDecision)
    request = first.request
    assert (first.job, first.chosen, request.k) == ("x", ("a1", "a2"), 2)
    assert (request.segment, request.levels) == (2, {"switch": 2})
    assert (request.objective, request.require) == (Objective.HOPS, frozenset({"a2"}))
    assert first.where.endswith("decisions:2")
    assert free_of(second, selector()) == "a1 b2"
    assert isinstance(second, PastDecision)
    assert second.request.objective is Objective.SWITCHES
    assert free_of(third, selector()) == "b2 b3 b4"
    assert free_of(fourth, selector()) == ""


def test_packed_lines_and_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{line()}\n{line()}\n".encode()
    assert len(read(lzma.compress(text), tmp_path)) == 2
    with pytest.raises(InputError, match="is cut off"):
        read(lzma.compress(text)[:-9], tmp_path)

    class Stdin:
        buffer = io.BufferedReader(io.BytesIO(text))

    monkeypatch.setattr("sys.stdin", Stdin)
    chooser = selector()
    defaults = Defaults(Objective.SWITCHES, chooser.free())
    assert len(list(read_decisions("-", chooser, defaults))) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no decisions"),
        ("[]", "decisions: must be an object"),
        ('{"jobs": []}', "has no decisions"),
        ('{"jobs": [3]}', "jobs[0]: must be an object"),
        (line()[:-5], "not JSON"),
        (f"{line()}\n{line()[:-5]}", "decisions:2: not JSON"),
        (line(color="red"), "decisions:1: color: unknown field"),
        (line(busy="a1"), "free: must be given, or else busy"),
        (line(job={"k": 0}), "job.k: must be from 1"),
        (line(job={"k": True}), "job.k: must be an integer"),
        (line(job={}), "job.k: is missing"),
        (line(job={"k": 2, "segmnt": 1}), "job.segmnt: unknown field"),
        (line(job={"k": 2, "objective": "hop"}), "did you mean hops?"),
        (line(chosen="a[1-"), "chosen: brackets do not match"),
        (line(chosen="a[1-1000000000]"), "chosen: has more than 1048576 names"),
        (line(chosen="a[2-1]"), "chosen: is a descending range"),
        (line(free=["a1", 2]), "free[1]: must be a string"),
        (f'{line()}\n{{"job_id": 1, "nodes": "a1"}}', "decisions:2: job_id: unknown"),
    ],
)
def test_malformed_lines_are_errors(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(text, tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_long_lines_and_documents_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("closeknit.clusters.grading.reading.MOST_LINE", 200)
    with pytest.raises(InputError, match="decisions:2: is longer than"):
        read(f"{line()}\n{line(chosen='a1,' * 100)}", tmp_path)
    monkeypatch.setattr("closeknit.clusters.grading.reading.MOST_BYTES", 300)
    with pytest.raises(InputError, match="is larger than"):
        read('{\n"jobs":' + " " * 400, tmp_path)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"free": "a1,a2,z9"}, Why.UNKNOWN),
        ({"free": "a1,a2,a1"}, Why.TWICE),
        ({"job": {"k": 2, "segment": 3}}, Why.REQUEST),
    ],
)
def test_lines_without_a_grade(more: dict[str, Any], why: Why, tmp_path: Path) -> None:
    one, other = read(f"{line(**more)}\n{line()}", tmp_path)
    assert isinstance(one, Ungraded)
    assert one.why is why
    assert isinstance(other, PastDecision)


def test_jobs_of_sacct(tmp_path: Path) -> None:
    jobs = [
        sacct(3, "a[1-2]", 200, 300, submit_line="sbatch --segment=2 run.sh"),
        sacct(1, "a[1-4]", 100, 200, allocation_nodes=4),
        sacct(2, "b[1-2],login1", 150, 0, allocation_nodes=3),
        sacct(4, "b2", 250, 260),
        sacct(5, "None assigned", 0, 0, state={"current": ["PENDING"]}),
    ]
    found = read(json.dumps({"meta": {}, "jobs": jobs}, indent=1), tmp_path)
    assert [one.job for one in found] == ["1", "2", "3", "4"]
    assert free_of(found[0], selector()) == "a1 a2 a3 a4 b1 b2 b3 b4"
    assert free_of(found[1], selector()) == "b1 b2 b3 b4"
    assert free_of(found[2], selector()) == "a1 a2 a3 a4 b3 b4"
    assert isinstance(found[2], PastDecision)
    assert (found[2].request.k, found[2].request.segment) == (2, 2)
    assert free_of(found[3], selector()) == "a3 a4 b3 b4"
    lines = "\n".join(json.dumps(job) for job in jobs)
    again = read(lines, tmp_path, since=150)
    assert [one.job for one in again] == ["2", "3", "4"]
    with pytest.raises(InputError, match="is for reports of jobs"):
        read(line(), tmp_path, since=1)


def test_records_have_the_times_of_jobs(tmp_path: Path) -> None:
    file = tmp_path / "jobs"
    file.write_text(json.dumps({"jobs": [sacct(1, "a1", 100, 0)]}), encoding="utf-8")
    [record] = read_records(file)
    assert (record.submit, record.start, record.end) == (95, 100, None)
    assert record.limit == 3600
    file.write_text(line(), encoding="utf-8")
    with pytest.raises(InputError, match="is no report of sacct"):
        read_records(file)


def test_jobs_of_squeue(tmp_path: Path) -> None:
    fields = ("job_id", "nodes", "start_time", "end_time", "submit_time", "node_count")
    jobs = [
        {"job_state": [state], **dict(zip(fields, values, strict=True))}
        for state, *values in (
            ("RUNNING", number(1), "a[1-2]", number(100), number(120), 100, number(2)),
            ("PENDING", number(2), "", number(0), number(0), 0, number(2)),
            ("RUNNING", number(3), "a3", number(130), number(500), 130, number(2)),
        )
    ]
    one, other = read(json.dumps({"jobs": jobs}), tmp_path)
    assert isinstance(one, PastDecision)
    assert isinstance(other, Ungraded)
    assert (other.why, other.detail) == (Why.COUNT, "1 node for a job of 2")


def test_nodes_of_jobs_may_stand_below_their_resources(tmp_path: Path) -> None:
    job = sacct(1, "", 100, 0, job_resources={"nodes": {"list": "a[1-2]"}})
    [one] = read(json.dumps({"jobs": [job]}), tmp_path)
    assert free_of(one, selector()) == "a1 a2 a3 a4 b1 b2 b3 b4"
    del job["nodes"]
    assert [one.job for one in read(json.dumps(job), tmp_path)] == ["1"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"nodes": "None", "state": {"current": ["RUNNING"]}},
            "nodes: names no node, but the job runs: 'RUNNING'",
        ),
        ({"nodes": "a[1-"}, "brackets do not match"),
        ({"nodes": 3}, "nodes: must be a string"),
        ({"job_id": "x"}, "job_id: must be an integer"),
        ({"time": 3}, "time: must be an object"),
        ({"time": {"start": -4}}, "time.start: must be at least 0"),
        ({"time": {"start": 9, "end": 8}}, "end: must not be before the start"),
        ({"state": {"current": 3}}, "state: must be a list"),
    ],
)
def test_malformed_jobs_are_errors(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    job = {**sacct(1, "a1", 5, 9), **change}
    with pytest.raises(InputError) as caught:
        read(json.dumps({"jobs": [job]}), tmp_path)
    assert message in str(caught.value)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_free_nodes_are_those_without_an_overlapping_job(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    chance = random.Random(seed)
    names = [f"{rack}{i}" for rack in "ab" for i in range(1, 5)]
    jobs = []
    for i in range(chance.randrange(1, 12)):
        start = chance.randrange(10, 30)
        nodes = chance.sample(names, chance.randrange(1, 4))
        end = start + chance.randrange(0, 8)
        jobs.append(sacct(i, ",".join(nodes), start, end))
    found = read("\n".join(map(json.dumps, jobs)), tmp_path_factory.mktemp("jobs"))
    order = sorted(jobs, key=lambda job: job["time"]["start"])
    for place, (one, job) in enumerate(zip(found, order, strict=True)):
        start = job["time"]["start"]
        busy = {
            name
            for other in order[:place]
            if other["time"]["end"] > start
            for name in other["nodes"].split(",")
        }
        assert one.job == str(job["job_id"])
        assert free_of(one, selector()) == " ".join(
            name for name in names if name not in busy
        )


def workload(
    name: str, assignment: dict[str, Any], at: int = 0, **asked: Any
) -> dict[str, Any]:
    reserved = {"type": "QuotaReserved", "status": "True"}
    reserved["lastTransitionTime"] = f"2026-11-01T00:00:{at:02}Z"
    placed = [{"name": "main", "topologyAssignment": assignment}]
    return {
        "kind": "Workload",
        "metadata": {"namespace": "ml", "name": name},
        "spec": {"podSets": [{"name": "main", "topologyRequest": asked}]},
        "status": {
            "conditions": [reserved],
            "admission": {"podSetAssignments": placed},
        },
    }


def sliced(count: int, *values: dict[str, Any], **pods: Any) -> dict[str, Any]:
    """Return a part of an assignment: so many domains, and pods in each of them."""
    return {"domainCount": count, "valuesPerLevel": [*values], **pods}


def test_workloads_of_kueue_by_rack(tmp_path: Path) -> None:
    """Both forms of an assignment: domains, and slices with common parts."""
    domains = [{"values": ["x", rack], "count": n} for rack, n in (("a", 3), ("b", 1))]
    old = {"levels": list(LEVELS), "domains": domains}
    common = ({"universalValue": "x"}, {"roots": ["a", "b"]})
    part = sliced(2, *common, podCounts=[1, 2])
    items = [
        workload("one", old),
        workload("two", {"levels": list(LEVELS), "slices": [part]}, 1),
        {"kind": "Workload", "metadata": {"name": "waiting"}, "status": {}},
    ]
    chooser = kubernetes()
    one, two = read(json.dumps({"items": items}), tmp_path, chooser)
    assert isinstance(one, PastDecision)
    assert (one.job, one.chosen) == ("ml/one", ("a1", "a2", "a3", "b1"))
    assert isinstance(two, PastDecision)
    assert two.chosen == ("a4", "b2", "b3")
    assert free_of(two, chooser) == "a4 b2 b3 b4"
    bare = [{k: v for k, v in item.items() if k != "kind"} for item in items]
    listed = {"kind": "WorkloadList", "items": bare}
    as_listed = read(json.dumps(listed), tmp_path, chooser)
    assert [entry.job for entry in as_listed] == ["ml/one", "ml/two"]
    page = listed | {"metadata": {"continue": "x"}}
    with pytest.raises(InputError, match=r"decisions:1: metadata.continue: is one pa"):
        read(json.dumps(page), tmp_path, chooser)
    again = workload("three", old, 2)
    *_, last = read(json.dumps({"items": [*items, again]}), tmp_path, chooser)
    assert isinstance(last, Ungraded)
    assert (last.why, last.detail) == (Why.BUSY, "x/a has 0 free nodes, not 3")


def test_workloads_of_kueue_by_host(tmp_path: Path) -> None:
    hosts = {"individual": {"prefix": "a", "roots": ["1", "2"]}}
    two = sliced(2, hosts, podCounts={"universal": 4})
    third = sliced(1, {"universal": "b1"}, podCounts={"individual": [4]})

    def only(size: int, *parts: dict[str, Any]) -> PastDecision | Ungraded:
        asked: dict[str, Any] = {
            "podSetSliceRequiredTopology": LEVELS[1],
            "podSetSliceSize": size,
            "required": LEVELS[0],
        }
        item = workload("w", {"levels": [HOST], "slices": [*parts]}, **asked)
        [found] = read(json.dumps({"items": [item]}), tmp_path, kubernetes())
        return found

    one = only(8, two, third)
    assert isinstance(one, Ungraded)
    assert "must divide k (3), not 2" in one.detail
    one = only(8, two)
    assert isinstance(one, PastDecision)
    assert one.chosen == ("a1", "a2")
    assert (one.request.k, one.request.levels) == (2, {"rack": 2, "block": 2})
    one = only(6, two)
    assert isinstance(one, Ungraded)
    assert one.why is Why.SHARED


MANY = sliced(2**20, {"universalValue": "a"}, universalPodCount=2)
FEW = sliced(2, {"roots": ["a"]}, universalPodCount=1)


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ({"levels": []}, "levels: is empty"),
        ({"levels": [HOST]}, "has no pods"),
        ({"levels": [HOST], "domains": [{"values": [], "count": 1}]}, "1 values"),
        ({"levels": [HOST], "domains": [{"values": ["a"], "count": 0}]}, "from 1 to"),
        ({"levels": [HOST], "slices": [MANY]}, "has more than 1048576 pods"),
        ({"levels": [HOST], "slices": [FEW]}, "roots: must have 2 values"),
    ],
)
def test_malformed_workloads_are_errors(
    assignment: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read(json.dumps({"items": [workload("w", assignment)]}), tmp_path)
    assert message in str(caught.value)


def test_workloads_need_times(tmp_path: Path) -> None:
    domains = [{"values": ["a1"], "count": 1}]
    entry = workload("w", {"levels": [HOST], "domains": domains})
    entry["status"]["conditions"][0]["lastTransitionTime"] = "soon"
    with pytest.raises(InputError, match="must be a time of ISO 8601"):
        read(json.dumps({"items": [entry]}), tmp_path)
    entry["status"]["conditions"] = []
    with pytest.raises(InputError, match="has no Admitted or QuotaReserved"):
        read(json.dumps({"items": [entry]}), tmp_path)
