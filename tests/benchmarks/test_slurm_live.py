"""The live Slurm: its log is read rightly, and a small run loses no job."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.topologies import parse_cluster
from closeknit.solvers.running.kernels import interpreted

from .. import modules
from ..paths import ROOT

FOLDER = ROOT / "benchmarks" / "slurm"
PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
MISSING = [
    name
    for name in ("munged", "slurmctld", "slurmd", "sbatch", "lua5.1")
    if not shutil.which(name, path=PATH)
]
LOG = """\
[2026-11-23T08:00:00.100] lua: closeknit: 3 nodes n[0-2] in 1.50 ms
[2026-11-23T08:00:00.101] _slurm_rpc_submit_batch_job: JobId=1 InitPrio=9 usec=400
[2026-11-23T08:00:00.500] sched: Allocate JobId=1 NodeList=n[0-2] #CPUs=3 Partition=all
[2026-11-23T08:00:00.600] lua: closeknit: 2 nodes left to Slurm (resting) after 0.01 ms
[2026-11-23T08:00:00.601] _slurm_rpc_submit_batch_job: JobId=2 InitPrio=8 usec=300
[2026-11-23T08:00:00.800] _job_complete: JobId=1 WEXITSTATUS 0
[2026-11-23T08:00:00.800] _job_complete: JobId=1 done
[2026-11-23T08:00:00.810] debug2: node_did_resp n0
[2026-11-23T08:00:00.900] sched/backfill: _start_job: Started JobId=2 in all on n[3,6]
[2026-11-23T08:00:01.000] debug2: node_did_resp n1
[2026-11-23T08:00:01.100] sched: Allocate JobId=3 NodeList=n[1,3] #CPUs=2 Partition=all
[2026-11-23T08:00:01.101] _slurm_rpc_submit_batch_job: JobId=3 InitPrio=7 usec=250
"""
TREE = "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\nSwitchName=c Switches=a,b"


def loaded(name: str) -> Any:
    return modules.loaded(FOLDER / f"{name}.py")


def test_the_log_tells_what_was_free_at_every_decision() -> None:
    record = loaded("record")
    jobs = record.read_log(LOG.splitlines(), [f"n{i}" for i in range(8)])
    first, second, third = jobs[1], jobs[2], jobs[3]
    assert (first.pinned, first.plugin_ms, first.usec) == ("n[0-2]", 1.5, 400)
    assert (second.pinned, second.why, third.plugin_ms) == ("", "resting", None)
    assert len(first.free) == 8
    assert second.free == {"n0", *(f"n{i}" for i in range(3, 8))}  # n1, n2: not yet
    assert third.free == {"n0", "n1", "n4", "n5", "n7"}
    assert (first.faults, second.faults) == ([], [])
    assert third.usec == 250
    assert (len(first.free_then), second.free_then) == (8, frozenset())
    assert third.faults == ["n3 is held by 2"]
    assert first.ended == pytest.approx(first.begun + 0.3)
    with interpreted():
        grader = record.Grader(NodeSelector(parse_cluster(TREE)))
        grade = grader.grade(second.nodes, second.free)
    assert (grade.switches, grade.hops) == (2, 4)
    assert (grade.least_switches, grade.hops_then, grade.least_hops) == (1, 2, 2)


def test_lost_and_misplaced_jobs_are_found() -> None:
    loaded("bed"), loaded("faults")
    record, live = loaded("record"), loaded("live")
    jobs = record.read_log(LOG.splitlines(), [f"n{i}" for i in range(8)])
    given = {n: live.Submission(0, k, 1) for n, k in ((1, 3), (2, 3), (3, 2), (4, 1))}
    ended = "JobId={} JobState={} NodeCnt={}"
    records = [
        ended.format(1, "COMPLETED", 3),
        ended.format(2, "COMPLETED", 2),
        ended.format(3, "COMPLETED", 2),
    ]
    found = live.checked(given, jobs, records)
    assert found == {"lost": [4], "misplaced": [2, 3]}
    records[0] = ended.format(1, "NODE_FAIL", 3)
    assert live.checked(given, jobs, records)["lost"] == [1, 4]


def test_a_stream_is_the_same_for_the_same_seed() -> None:
    loaded("bed"), loaded("faults"), loaded("record")
    live = loaded("live")
    jobs = live.stream(500, 5, 0.7, 1000, 3)
    assert jobs == live.stream(500, 5, 0.7, 1000, 3)
    assert jobs != live.stream(500, 5, 0.7, 1000, 4)
    assert {job.k for job in jobs} <= set(range(1, 65))
    work = sum(job.k * job.seconds for job in jobs) / jobs[-1].at
    assert 0.55 < work / 1000 < 0.85


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
@pytest.mark.skipif(os.geteuid() != 0, reason="slurmd needs root")
def test_a_small_slurm_with_faults_loses_no_job(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(
                sys.executable,
                str(FOLDER / "live.py"),
                "--runs",
                "closeknit,faults",
            ),
            *("--jobs", "60", "--leaves", "5", "--rate", "3", "--faults", "6"),
            *("--out", str(tmp_path)),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    helped, faulty = json.loads((tmp_path / "figures.json").read_text("utf-8"))
    for run in (helped, faulty):
        assert (run["jobs"], run["lost"], run["misplaced"]) == (60, [], [])
        assert run["hops_ratio_mean"] >= 1
    assert helped["plugin_asked"] > 0
    assert sum(faulty["faults"].values()) > 0
