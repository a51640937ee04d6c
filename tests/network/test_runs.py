"""Runs on a network: placements, measures counted by hand, engines that agree."""

from __future__ import annotations

import numpy as np
import pytest

from closeknit.instances import Graph, Mesh, Torus, arrays
from closeknit.network.engine import Network
from closeknit.network.kary_tree import KaryTree
from closeknit.network.processor_numbers import (
    network_named,
    place_jobs,
    processors_of,
)
from closeknit.network.runs import Switching, run_network
from closeknit.network.workloads.format import Workload
from closeknit.network.workloads.table import WORKLOADS, workload


def pairs(*rows: tuple[int, int, int]) -> Workload:
    return Workload("pairs", 4, np.array(rows), np.zeros((0, 2), np.int64))


def test_networks_by_their_text() -> None:
    assert network_named("mesh:16x22") == Mesh(16, 22)
    assert network_named("torus:8") == Torus(8)
    assert network_named("tree:4x3") == KaryTree(4, 3)
    dragonfly = network_named("dragonfly:4,2,2")
    assert isinstance(dragonfly, Graph)
    assert len(dragonfly.processors) == 72


@pytest.mark.parametrize("method", ["quadrant", "row", "mm", "random", "mc", "hilbert"])
def test_jobs_have_processors_of_their_own(method: str) -> None:
    name = "hilbert/best-fit" if method == "hilbert" else method
    jobs = place_jobs(Torus(8, 8), name, [16] * 4, seed=3)
    assert [len(job) for job in jobs] == [16] * 4
    assert sorted(np.concatenate(jobs).tolist()) == list(range(64))
    again = place_jobs(Torus(8, 8), name, [16] * 4, seed=3)
    assert all((one == two).all() for one, two in zip(jobs, again, strict=True))


def test_quadrants_and_rows_are_those_of_the_paper() -> None:
    first, second = place_jobs(Mesh(4, 4), "quadrant", [4, 4])
    assert first.tolist() == [0, 1, 4, 5]
    assert second.tolist() == [2, 3, 6, 7]
    assert place_jobs(Mesh(4, 4), "row", [4, 4])[1].tolist() == [4, 5, 6, 7]
    shuffled = place_jobs(KaryTree(2, 3), "shuffle", [4, 4])
    assert [job.tolist() for job in shuffled] == [[0, 2, 4, 6], [1, 3, 5, 7]]


def test_tasks_are_in_random_order_at_random_places() -> None:
    whole = [
        place_jobs(Torus(4, 4), "random", [16], seed)[0].tolist() for seed in range(5)
    ]
    assert all(sorted(one) == list(range(16)) for one in whole)
    assert len({tuple(one) for one in whole}) == 5
    assert list(range(16)) not in whole


@pytest.mark.parametrize(
    ("network", "switching"),
    [
        *((grid, way) for grid in (Mesh(3, 5), Torus(4, 4)) for way in Switching),
        (KaryTree(2, 4), Switching.CUT_THROUGH),
        (network_named("dragonfly:2,2,1"), Switching.CUT_THROUGH),
    ],
)
def test_lone_messages_take_their_hops_everywhere(
    network: Network, switching: Switching
) -> None:
    """Links over which flits go are as many as the hops that methods count."""
    topology = processors_of(network)
    sites = list(topology.locations())
    job = pairs((0, 3, 64))
    for other in range(1, len(sites), 2):
        free = [v for v in range(1, len(sites)) if v != other][:2]
        places = ",".join(map(str, [0, *free, other]))
        found = run_network(network, job, places, switching=switching).summary
        # as hops over both links of a processor to its switch, but for injection
        hops = topology.distance(sites[0], sites[other])
        hops -= isinstance(network, KaryTree)
        assert found.flits_carried == 16 * hops
        assert found.busiest_link_flits == 16
        assert found.messages == 1
        expected = {
            Switching.WORMHOLE: hops + 16 + 1,
            Switching.CUT_THROUGH: hops + 16,
        }[switching]
        assert found.time_cycles == found.max_latency_cycles == expected


def test_measures_are_counted_by_hand() -> None:
    # 20 messages of one packet from 0 to 1, one after the other: 16 cycles each
    job = pairs(*[(0, 1, 64)] * 20, (2, 2, 99))
    run = run_network(Mesh(1, 4), job, "row")
    assert run.latency.tolist() == [1 + 16 * i for i in range(1, 21)]
    summary = run.summary
    assert summary.messages == 20  # that of a task to itself does not count
    assert summary.mean_latency_cycles == 1 + 16 * 10.5
    assert summary.p95_latency_cycles == 1 + 16 * 19
    assert summary.max_latency_cycles == summary.time_cycles == 321
    assert summary.busiest_link == "(0, 0) -> (0, 1)"
    assert summary.busiest_link_flits == summary.flits_carried == 320
    assert summary.busiest_link_share == 320 / 321


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_workload_runs_in_every_way(name: str) -> None:
    job = workload(name, 16, 64)
    for switching in Switching:
        found = run_network(Torus(5, 4), job, "row", switching=switching)
        assert found.summary.time_cycles > 0
        assert found.carried.sum() == found.summary.flits_carried
        # every flit crosses the links between its ends, and dimension order no others
        if switching is not Switching.WORMHOLE:
            continue
        at = found.places[0]
        sites = np.array(list(Torus(5, 4).locations()))
        source, target, size = job.messages.T
        hops = arrays.distances(Torus(5, 4), sites[at[source]], sites[at[target]])
        flits = np.maximum(1, -(-size // 4))
        assert found.summary.flits_carried == int((hops * flits).sum())
