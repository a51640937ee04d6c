"""What is measured of a stream, against the definitions."""

from __future__ import annotations

import csv
from fractions import Fraction
from io import StringIO
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.allocation.allocator import Allocation, Allocator
from closeknit.instances import Grid, KSubset, Mesh, Points, Torus, Tree, cost
from closeknit.instances.ksubset.dispersal import (
    balance_factor,
    nodes_affected,
    pieces,
)
from closeknit.methods.allocators.table import allocator
from closeknit.simulation.stream.jobs import StreamJob, generate
from closeknit.simulation.stream.kernels import components, measure_job
from closeknit.simulation.stream.measures import Meter, csv_of_jobs, measure
from closeknit.simulation.stream.simulator import JobEnd, Start, StartPolicy, simulate

from ..toys import Pages

GRIDS = st.builds(
    lambda axes: Grid(*zip(*axes, strict=True)),
    st.lists(st.tuples(st.integers(1, 6), st.booleans()), min_size=1, max_size=3),
)


@settings(deadline=None)  # the first one compiles
@given(GRIDS, st.data())
def test_kernels_are_the_definitions(grid: Grid, data: st.DataObject) -> None:
    places = list(grid.locations())
    numbers = data.draw(
        st.lists(st.integers(0, len(places) - 1), min_size=1, max_size=30, unique=True)
    )
    sites = [places[i] for i in numbers]
    used = np.array(numbers, dtype=np.int64)
    shape, rings = np.array(grid.shape), np.array(grid.ring_lengths)
    pairs, box, lean, count = measure_job(used, shape, rings)
    instance = KSubset("job", grid, tuple(sites), len(sites))
    assert pairs == cost(instance, range(len(sites)))
    assert box == nodes_affected(grid, sites)
    assert abs(lean) == balance_factor(grid, sites)
    assert count == pieces(grid, sites)
    member = np.zeros(len(places), dtype=np.bool_)
    member[used] = True
    found, largest = components(member, shape, rings)
    assert found == count
    assert largest >= -(-len(sites) // count)
    assert largest <= len(sites) - count + 1


def test_the_largest_piece() -> None:
    member = np.array([1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1], dtype=np.bool_)
    line = np.array([12])
    assert components(member, line, np.array([0])) == (4, 3)
    assert components(member, line, line) == (3, 3)
    assert components(np.zeros(12, dtype=np.bool_), line, line) == (0, 0)


@pytest.mark.parametrize("policy", StartPolicy)
@pytest.mark.parametrize(
    "grid", [Mesh((5, 7)), Torus((4, 3, 3)), Mesh((1, 9))], ids=str
)
@pytest.mark.parametrize("name", ["mm", "random"])
def test_measures_are_those_of_the_events(
    name: str, grid: Grid, policy: StartPolicy
) -> None:
    """Once more from the events, slowly: second by second and from definitions."""
    most = len(list(grid.locations()))
    jobs = generate(
        40, seed=2, most=most, sizes="exponential:6", interarrival=20.0,
        service="exponential:60",
    )  # fmt: skip
    machine = allocator(name, grid, seed=1)
    events = list(simulate(jobs, machine, policy))
    summary, rows = measure(jobs, allocator(name, grid, seed=1), policy)
    starts = [event for event in events if isinstance(event, Start)]
    assert [row.number for row in rows] == [event.job.number for event in starts]
    sites = [[machine.places[i] for i in e.grant.used] for e in starts]
    for row, event, at in zip(rows, starts, sites, strict=True):
        job = event.job
        assert (row.submit_s, row.start_s, row.processors) == (
            *(job.submit, event.time, len(at)),
        )
        assert row.end_s == event.time + job.seconds
        assert row.wait_s == event.time - job.submit
        assert row.flow_time_s == row.wait_s + job.seconds
        assert row.nodes_affected == nodes_affected(grid, at)
        assert row.balance_factor == balance_factor(grid, at)
        assert row.pieces == pieces(grid, at)
        pairs = [grid.distance(p, q) for p, q in combinations(at, 2)]
        mean = Fraction(sum(pairs), len(pairs)) if pairs else None
        assert row.average_distance_hops == (None if mean is None else float(mean))
        assert row.pair_sum == (mean or 0) * len(at) * (len(at) - 1) / 2
        idle = [p for p, free in zip(machine.places, event.idle, strict=True) if free]
        assert row.idle == len(idle)
        assert row.largest_idle_piece is not None
        assert (row.largest_idle_piece == len(idle)) == (pieces(grid, idle) == 1)

    end = max(event.time for event in events)
    used = lean = 0
    for second in range(end):
        there = [
            site
            for event, at in zip(starts, sites, strict=True)
            if event.time <= second < event.time + event.job.seconds
            for site in at
        ]
        used += len(there)
        lean += balance_factor(grid, there)
    assert summary.makespan_s == end
    assert summary.utilization_pct == pytest.approx(100 * used / (most * end))
    assert summary.system_balance_factor == pytest.approx(lean / end)
    work = sum(job.processors * job.seconds for job in jobs)
    assert summary.offered_load_pct == pytest.approx(
        100 * work / (most * jobs[-1].submit)
    )
    assert summary.jobs == 40
    assert summary.internal_fragmentation_pct == 0
    assert not summary.partial
    waits = [row.wait_s for row in rows]
    assert summary.mean_wait_s == pytest.approx(sum(waits) / 40)
    assert summary.mean_flow_time_s == pytest.approx(
        sum(row.flow_time_s for row in rows) / 40
    )
    assert summary.mean_pair_sum == sum(row.pair_sum for row in rows) / 40
    assert summary.contiguous_pct == 100 * sum(row.pieces == 1 for row in rows) / 40
    several = [a for row in rows if (a := row.average_distance_hops) is not None]
    assert summary.mean_average_distance_hops == pytest.approx(
        sum(several) / len(several)
    )


def test_a_worked_stream() -> None:
    # 0 takes the upper half of four rows; 1 one processor below, half the time
    jobs = [StreamJob(0, 3, 8, 10, 10), StreamJob(1, 8, 1, 5, 5)]
    summary, rows = measure(jobs, allocator("row-major", Mesh((4, 4))))
    assert summary.makespan_s == 10
    assert summary.utilization_pct == pytest.approx(100 * (80 + 5) / 160)
    assert summary.system_balance_factor == pytest.approx((8 * 5 + 7 * 5) / 10)
    assert summary.mean_balance_factor == 4.5
    assert summary.mean_nodes_affected == 4.5
    # a 2x4 box: one cut of 4 and 4 between rows; between columns 2 and 6, 4 and 4
    assert rows[0].pair_sum == 16 + 12 + 16 + 12
    assert summary.mean_average_distance_hops == 2.0
    assert summary.mean_pair_sum == 28.0
    assert summary.mean_wait_s == 0
    assert summary.mean_flow_time_s == 7.5
    assert summary.mean_idle_fragmentation_pct == 0
    assert summary.offered_load_pct == pytest.approx(100 * 85 / (5 * 16))


def test_whole_pages_are_internal_fragmentation() -> None:
    jobs = [StreamJob(0, 0, 3, 10, 10), StreamJob(1, 0, 1, 20, 20)]
    machine = Pages(Mesh((4, 2)))
    summary, rows = measure(jobs, machine)
    assert [row.held for row in rows] == [4, 2]
    assert summary.internal_fragmentation_pct == pytest.approx(100 * 30 / 80)
    assert summary.utilization_pct == pytest.approx(100 * 50 / 160)


def test_the_offered_load_is_what_was_asked_for() -> None:
    """Not what was held: a page of two for one processor offers no more."""
    jobs = [StreamJob(0, 0, 3, 10, 10), StreamJob(1, 5, 1, 20, 20)]
    summary, _ = measure(jobs, Pages(Mesh((4, 2))))
    assert summary.offered_load_pct == pytest.approx(100 * (30 + 20) / (5 * 8))


class Ends(Allocator):
    """Takes from both ends, to leave pieces apart."""

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation | None:
        idle = np.flatnonzero(self.idle)
        return Allocation.of(
            np.concatenate([idle[: k - k // 2], idle[len(idle) - k // 2 :]])
        )


def test_pieces_of_jobs() -> None:
    jobs = [StreamJob(0, 0, 2, 10, 10), StreamJob(1, 0, 1, 10, 10)]
    on_mesh, rows = measure(jobs, Ends(Mesh((8,))))
    assert [row.pieces for row in rows] == [2, 1]
    assert on_mesh.contiguous_pct == 50
    on_torus, _ = measure(jobs, Ends(Torus((8,))))
    assert on_torus.contiguous_pct == 100


def test_idle_processors_in_pieces() -> None:
    machine = Ends(Mesh((8,)))
    # three pieces of idle processors: 0-1, 3, 5-7
    broken = machine.hold([2, 4])
    meter = Meter(machine)
    for event in simulate([StreamJob(0, 0, 1, 1, 1)], machine):
        meter.see(event)
    assert meter.rows[0].largest_idle_piece == 3
    summary = meter.summary()
    assert summary.mean_idle_fragmentation_pct == pytest.approx(50)
    assert summary.utilization_pct == pytest.approx(100 / 6)  # of those not broken
    machine.release(broken)


def test_a_run_that_was_left() -> None:
    jobs = [StreamJob(i, 10 * i, 2, 15, 15) for i in range(5)]
    machine = allocator("row-major", Mesh((8,)))
    meter = Meter(machine)
    empty = meter.summary(partial=True)
    assert (empty.jobs, empty.partial) == (0, True)
    assert empty.mean_wait_s is empty.utilization_pct is empty.mean_pair_sum is None
    for event in simulate(jobs, machine):
        if event.time > 25:
            break
        meter.see(event)
    # 0, 1 and 2 started; 0 and 1 have ended
    assert [row.number for row in meter.rows] == [0, 1, 2]
    summary = meter.summary(partial=True)
    assert summary.partial
    assert summary.makespan_s == 25
    assert summary.mean_flow_time_s == 15
    assert summary.utilization_pct == pytest.approx(100 * 2 * (15 + 15 + 5) / 200)


def test_networks_without_rows() -> None:
    tree = Tree((-1, 0, 0, 1, 1, 2, 2), (0, 2, 2, 1, 1, 1, 1), (3, 4, 5, 6))
    jobs = [StreamJob(0, 0, 3, 5, 5)]
    summary, rows = measure(jobs, allocator("mm", tree))
    assert summary.mean_pair_sum == 2 + 6 + 6
    assert summary.mean_nodes_affected is None
    assert summary.system_balance_factor is summary.contiguous_pct is None
    assert summary.mean_idle_fragmentation_pct is None
    assert summary.utilization_pct == 75
    decimals = Points(((0, 5), (10, 5), (0, 0)), scale=10)
    summary, rows = measure(jobs, allocator("mm", decimals))
    assert rows[0].pair_sum == 10 + 15 + 5
    assert Fraction(rows[0].average_distance_hops or 0) == 1


def test_a_line_a_job() -> None:
    jobs = [StreamJob(4, 0, 1, 5, 5), StreamJob(9, 2, 4, 5, 5)]
    _, rows = measure(jobs, allocator("row-major", Mesh((2, 2))))
    first, second = csv.DictReader(StringIO(csv_of_jobs(rows)))
    assert first["number"] == "4"
    assert first["average_distance_hops"] == ""
    assert (second["start_s"], second["wait_s"], second["flow_time_s"]) == (
        *("5", "3", "8"),
    )
    assert second["pair_sum"] == "8"


def test_ends_are_told_after_their_processors_are_idle() -> None:
    machine = allocator("row-major", Mesh((4,)))
    for event in simulate([StreamJob(0, 0, 3, 5, 5)], machine):
        assert machine.free == (4 if isinstance(event, JobEnd) else 1)
