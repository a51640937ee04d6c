"""Traces replayed on a cluster: what each method gives, and what it may not change."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.placement import NodeSelector, Objective
from closeknit.clusters.rules import RULES
from closeknit.clusters.topologies import parse_cluster
from closeknit.clusters.whatif.machine import METHODS, ClusterMachine
from closeknit.clusters.whatif.simulator import (
    ReplayOutcome,
    ReplaySetting,
    fitting,
    in_groups,
    jobs_of_report,
    replay,
)
from closeknit.heuristics.allocation.allocator import Allocation
from closeknit.instances import InputError
from closeknit.simulation.stream.jobs import Skipped, StreamJob
from closeknit.simulation.stream.simulator import StartPolicy
from closeknit.solvers.running.kernels import interpreted

from .clusters import grid, rails
from .reports import sacct

PARTS = "SwitchName=a Nodes=a[1-4]\nSwitchName=b Nodes=b[1-4]"
TREE = f"{PARTS}\nSwitchName=c Nodes=c[1-4]\nSwitchName=p Switches=a,b"
TREE += "\nSwitchName=t Switches=p,c"


def cluster(text: str = TREE) -> NodeSelector:
    return NodeSelector(parse_cluster(text))


def outcome(
    jobs: list[StreamJob], selector: NodeSelector, method: str, **more: Any
) -> dict[str, list[float]]:
    setting = ReplaySetting(**{"objective": Objective.HOPS, "replays": 1, **more})
    with interpreted():
        *starts, found = replay(jobs, selector, method, setting)
    assert starts == [*range(1, len(jobs) * setting.replays + 1)]
    assert isinstance(found, ReplayOutcome)
    columns = zip(found.columns, found.values.T.tolist(), strict=True)
    return dict(columns)


def drawn(seed: int, most: int, count: int = 8) -> list[StreamJob]:
    chance = random.Random(seed)
    submit, jobs = 0, []
    for number in range(count):
        seconds = chance.randrange(1, 30)
        estimate = seconds + chance.randrange(3)
        k = chance.randrange(1, most + 1)
        jobs.append(StreamJob(number, submit, k, seconds, estimate))
        submit += chance.randrange(8)
    return jobs


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(METHODS), st.booleans())
def test_a_machine_gives_idle_nodes_of_one_part(
    seed: int, method: str, connected: bool
) -> None:
    chance = random.Random(seed)
    machine = ClusterMachine(
        cluster(TREE if connected else PARTS), method, Objective.SWITCHES
    )
    whole = machine.state()
    held: list[Allocation] = []
    with interpreted():
        for _ in range(12):
            idle = machine.idle.copy()
            largest = max(int(part.sum()) for part in machine.parts)
            k = chance.randrange(1, 6)
            grant = machine.allocate(k)
            assert grant is None or k <= largest
            if method in ("thrifty", "optimum"):
                assert (grant is None) == (largest < k)
            if grant is not None:
                assert len(set(grant.used.tolist())) == k
                assert idle[grant.used].all()
                assert machine.last is not None
                assert machine.last.ratio >= 1
                assert method != "optimum" or machine.last.ratio == 1
                assert machine.last.largest["switch"] <= machine.free
                if not connected:
                    assert len({node // 4 for node in grant.used.tolist()}) == 1
                held.append(grant)
            if held and (grant is None or chance.random() < 0.3):
                machine.release(held.pop(chance.randrange(len(held))))
            assert machine.free == int(machine.idle.sum())
    for grant in held:
        machine.release(grant)
    assert machine.state() == whole


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([x for x in METHODS if x != "thrifty"]))
def test_a_machine_of_a_graph_is_priced_by_its_cables(seed: int, method: str) -> None:
    chance, selector = random.Random(seed), rails()
    machine = ClusterMachine(selector, method, Objective.SWITCHES)
    assert machine.levels() == ["switch"]
    [fabric] = selector.cluster.fabrics
    with interpreted():
        for k in (chance.randrange(1, 6), chance.randrange(1, 4)):
            grant = machine.allocate(k)
            if grant is None:
                assert method in ("slurm-block", "slurm-switches")
                continue
            assert machine.last is not None
            names = [fabric.nodes[i] for i in grant.used.tolist()]
            rails_of = {"g": "ab", "h": "bc", "i": "cd"}
            used = {rail for name in names for rail in rails_of[name[0]]}
            assert machine.last.switches == len(used)
            pairs = combinations(grant.used.tolist(), 2)
            assert machine.last.hops == sum(fabric.distance(a, b) for a, b in pairs)
            assert machine.last.ratio >= 1
            assert method != "optimum" or machine.last.ratio == 1
            idle = [n for n, one in zip(fabric.nodes, machine.idle, strict=True) if one]
            rooms = [sum(r in rails_of[n[0]] for n in idle) for r in "abcd"]
            assert machine.last.largest == {"switch": max(rooms)}


def test_groups_are_whole_or_wait() -> None:
    machine = ClusterMachine(cluster(), "kueue-best-fit", Objective.BLOCKS)
    with interpreted():
        assert machine.allocate(2) is not None
        grant = machine.allocate(6, (2, 3))
        assert grant is not None
        assert sorted(Counter(n // 4 for n in grant.used.tolist()).values()) == [3, 3]
        assert machine.allocate(3, (1, 3)) is None
        assert machine.allocate(4) is not None


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(list(StartPolicy)))
def test_where_any_nodes_do_no_method_changes_a_wait(
    seed: int, policy: StartPolicy
) -> None:
    jobs = drawn(seed, 12)
    waiting = ("slurm-block", "slurm-switches")
    methods = [name for name in METHODS if name not in waiting]
    found = [outcome(jobs, cluster(), method, policy=policy) for method in methods]
    for one in found:
        assert one["wait_s"] == found[0]["wait_s"]
        assert min(one["regret_pct"]) >= 0
    assert set(found[methods.index("optimum")]["regret_pct"]) == {0}


def test_what_is_measured() -> None:
    jobs = [
        StreamJob(1, 0, 3, 10, 10),
        StreamJob(2, 0, 6, 10, 10),
        StreamJob(3, 5, 4, 10, 10),
    ]
    found = outcome(jobs, cluster(), "optimum")
    assert found["wait_s"] == [0, 0, 5]
    assert found["switches"][0] == found["switches"][2] == 1
    assert found["hops"][0] == 2
    assert found["largest_in_switch"][0] == 4
    assert found["largest_in_level2"] == [8, 2, 8]


def test_a_cluster_in_parts_lets_jobs_wait() -> None:
    """Three nodes are idle in either part when a job of four comes."""
    jobs = [
        StreamJob(1, 0, 3, 10, 10),
        StreamJob(2, 0, 3, 20, 20),
        StreamJob(3, 1, 4, 10, 10),
    ]
    for method in ("thrifty", "slurm-tree"):
        assert outcome(jobs, cluster(PARTS), method)["wait_s"] == [0, 0, 9]


def test_run_times_grow_with_hops() -> None:
    """The first six nodes are those of c and two of a, three switches apart."""
    jobs = [StreamJob(1, 0, 6, 1000, 1000), StreamJob(2, 1, 12, 10, 10)]
    assert outcome(jobs, cluster(), "flux-low")["wait_s"] == [0, 999]
    assert outcome(jobs, cluster(), "optimum", communication=1.0)["wait_s"] == [0, 999]
    low = outcome(jobs, cluster(), "flux-low", communication=0.5)
    best, spread = 2 * 7 + 4 * 8, 2 * 7 + 5 * 8
    assert low["hops"][0] * 15 == pytest.approx(spread)
    assert low["wait_s"] == [0, round(1000 * (1 + 0.5 * (spread / best - 1))) - 1]


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 5))
def test_shifted_replays_keep_jobs_and_gaps(seed: int, replays: int) -> None:
    """Without waiting every job is measured alike wherever the stream begins."""
    jobs = [
        StreamJob(job.number, 100 * i + i % 3, job.processors, 50, 50)
        for i, job in enumerate(drawn(seed, 12))
    ]
    once = outcome(jobs, cluster(), "optimum")
    again = outcome(jobs, cluster(), "optimum", replays=replays)
    for name, values in once.items():
        assert np.allclose(values, again[name])


def test_methods_without_segments_are_refused() -> None:
    jobs = [in_groups(StreamJob(1, 0, 4, 5, 5), 2)]
    assert jobs[0].shape == (2, 2)
    for name, rule in ((name, RULES[name]) for name in RULES if name in METHODS):
        skipped: Counter[Skipped] = Counter()
        with interpreted():
            if rule.segments:
                assert fitting(jobs, cluster(), [name], skipped) == jobs
            else:
                with pytest.raises(InputError, match="knows no segments"):
                    fitting(jobs, cluster(), [name], skipped)
    assert in_groups(StreamJob(1, 0, 5, 5, 5), 2).shape is None


def test_networks_that_a_method_is_not_for_are_refused() -> None:
    with pytest.raises(InputError, match="with leaf switches, not for a 2x2 mesh"):
        ClusterMachine(cluster(grid("mesh 2x2")), "optimum", Objective.HOPS)
    with pytest.raises(InputError, match="thrifty is for trees and blocks"):
        ClusterMachine(rails(), "thrifty", Objective.SWITCHES)
    with pytest.raises(InputError, match="did you mean optimum"):
        ClusterMachine(cluster(), "optimal", Objective.HOPS)
    for bad in ({"replays": 0}, {"communication": 1.5}):
        with pytest.raises(InputError, match="must be from"):
            ReplaySetting(Objective.HOPS, **bad)


def test_jobs_of_a_report(tmp_path: Path) -> None:
    jobs = [
        sacct(1, "a[1-4]", 105, 125, submit_line="sbatch --segment 2 x"),
        *(sacct(2, "b[1-2]", 95, 0), sacct(3, "x[1-13]", 95, 96)),
        sacct(4, "b1", 106, 106),
    ]
    jobs[-1]["time"]["limit"] = 0
    file = tmp_path / "sacct.json"
    file.write_text(json.dumps({"jobs": jobs}), encoding="utf-8")
    found, skipped = jobs_of_report(file, 12)
    assert found == [
        StreamJob(1, 10, 4, 20, 3600, (2, 2)),
        StreamJob(2, 11, 1, 0, 0),
    ]
    assert skipped == {Skipped.NO_RUN: 1, Skipped.TOO_LARGE: 1}
    found.append(StreamJob(3, 12, 5, 1, 1, (1, 5)))
    with interpreted():
        assert fitting(found, cluster(), ["optimum"], skipped) == found[:2]
    assert skipped[Skipped.NOT_SERVED] == 1
