"""Streams of jobs: who starts when, under which policy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeknit.heuristics.allocation.allocator import Allocation, Allocator
from closeknit.instances import InputError, Mesh, Torus
from closeknit.methods.allocators.table import allocator
from closeknit.simulation.stream.jobs import StreamJob
from closeknit.simulation.stream.simulator import (
    JobEnd,
    Start,
    StartPolicy,
    simulate,
)

from ..oracles import PROCESSORS, start_times
from ..toys import Pages
from .streams import Row, jobs_of, rows


def _of(*rows: tuple[int, int, int]) -> list[StreamJob]:
    """Jobs of (submit, processors, seconds), estimates exact."""
    return [StreamJob(i, t, k, s, s) for i, (t, k, s) in enumerate(rows)]


def _starts(
    jobs: list[StreamJob], policy: StartPolicy, machine: Allocator | None = None
) -> dict[int, int]:
    machine = machine or allocator("row-major", Mesh((PROCESSORS,)))
    found = {
        event.job.number: event.time
        for event in simulate(jobs, machine, policy)
        if isinstance(event, Start)
    }
    assert machine.free == PROCESSORS
    return found


class Intervals(Allocator):
    """Gives consecutive processors or nothing: fragments."""

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation | None:
        for first in range(len(self.places) - k + 1):
            if self.idle[first : first + k].all():
                return Allocation.of(np.arange(first, first + k))
        return None


class Never(Allocator):
    """Refuses everything."""

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation | None:
        return None


@pytest.mark.parametrize("policy", StartPolicy)
@given(some=rows(PROCESSORS, gap=5, least=1))
def test_starts_are_those_of_a_naive_simulation(
    some: list[Row], policy: StartPolicy
) -> None:
    jobs = jobs_of(some)
    assert _starts(jobs, policy) == start_times(jobs, policy)


@given(rows(PROCESSORS, gap=5, least=1, slack=0))
def test_exact_estimates_never_delay_a_reservation(some: list[Row]) -> None:
    """When a job gets to the head, those running then say when it starts at latest."""
    jobs = jobs_of(some)
    events = list(
        simulate(jobs, allocator("row-major", Mesh((PROCESSORS,))), StartPolicy.EASY)
    )
    starts = [event for event in events if isinstance(event, Start)]
    order = {event.job.number: i for i, event in enumerate(starts)}
    for job in jobs:
        before = [order[i] for i in range(job.number)]
        if order[job.number] < max(before, default=-1):
            continue  # passed others: was never at the head
        # until the last of those before it had started
        seen = starts[: max(before, default=-1) + 1]
        head_at = max([job.submit, *(s.time for s in seen)])
        ends = [(s.time + s.job.seconds, s.job.processors) for s in seen]
        latest = min(
            t
            for t in range(head_at, 1000)
            if PROCESSORS - sum(k for end, k in ends if end > t) >= job.processors
        )
        assert starts[order[job.number]].time <= latest


@pytest.mark.parametrize("policy", StartPolicy)
@pytest.mark.parametrize("machine", [Intervals, Pages])
@given(some=rows(PROCESSORS))
def test_allocators_may_refuse(
    some: list[Row], machine: type[Allocator], policy: StartPolicy
) -> None:
    jobs = jobs_of(some)
    hands_out = machine(Mesh((PROCESSORS,)))
    now = 0
    started: list[int] = []
    for event in simulate(jobs, hands_out, policy):  # which is watched
        assert event.time >= now
        now = event.time
        if isinstance(event, Start):
            assert event.time >= event.job.submit
            started.append(event.job.number)
    assert sorted(started) == list(range(len(jobs)))
    if policy is StartPolicy.FCFS:
        assert started == sorted(started)


WORKED: dict[str, tuple[StartPolicy, list[Row], list[int]]] = {
    # 0 holds four of six until 10; 1 wants all of them and waits until then
    "nobody passes": (
        StartPolicy.FCFS,
        [(0, 4, 10, 0), (1, 6, 5, 0), (1, 2, 8, 0), (1, 2, 9, 0)],
        [0, 10, 15, 15],
    ),
    # 2 is gone by 10; 3 would come too late then, and not be gone
    "who ends before the reservation": (
        StartPolicy.EASY,
        [(0, 4, 10, 0), (1, 6, 5, 0), (1, 2, 8, 0), (1, 2, 9, 0)],
        [0, 10, 2, 15],
    ),
    # 1 wants four at 10, two are over: 2 may have one of them for long, 3 the other
    "who takes what is left over": (
        StartPolicy.EASY,
        [(0, 4, 10, 0), (1, 4, 5, 0), (1, 1, 99, 0), (1, 1, 99, 0), (1, 1, 3, 0)],
        [0, 10, 2, 3, 15],
    ),
    # 0 and 1 both end at 10: five idle then, the head wants two of them
    "what ends together is left over together": (
        StartPolicy.EASY,
        [(0, 2, 10, 0), (0, 3, 10, 0), (1, 2, 5, 0), (1, 1, 50, 0)],
        [0, 0, 10, 2],
    ),
    # 2 is expected to be gone before 100
    "estimates are believed": (
        StartPolicy.EASY,
        [(0, 4, 10, 90), (1, 6, 5, 0), (1, 2, 50, 0)],
        [0, 52, 2],
    ),
    # the head is expected now: nothing may pass it
    "who outlives an estimate may end at any moment": (
        StartPolicy.EASY,
        [(0, 4, 10, -8), (1, 6, 5, 0), (2, 2, 1, 0)],
        [0, 10, 15],
    ),
    # 0 and 1 should be gone since 2 and 3, so both may go at any moment: then six are
    # idle and the head wants three, so that 3 may keep two of the others
    "who outlives estimates is expected to end together": (
        StartPolicy.EASY,
        [(0, 2, 10, -8), (0, 2, 10, -7), (4, 3, 5, 0), (1, 2, 50, 0)],
        [0, 0, 10, 5],
    ),
}


@pytest.mark.parametrize("name", WORKED)
def test_who_passes(name: str) -> None:
    policy, some, starts = WORKED[name]
    assert _starts(jobs_of(some), policy) == dict(enumerate(starts))


def test_a_refused_head_is_passed_only_by_what_ends_before_the_next() -> None:
    # 0 and 2 leave gaps of two around 1; 3 wants three in a row of four idle
    jobs = _of((0, 2, 5), (0, 2, 9), (0, 2, 5), (6, 3, 5), (7, 1, 2), (7, 1, 3))
    found = _starts(jobs, StartPolicy.EASY, Intervals(Mesh((PROCESSORS,))))
    assert found == {0: 0, 1: 0, 2: 0, 3: 9, 4: 7, 5: 9}


def test_pages_beyond_what_is_left_over_are_not_given() -> None:
    # at 10 the head leaves one over; a page of two would delay it
    jobs = _of((0, 4, 10), (1, 5, 5), (2, 1, 99))
    found = _starts(jobs, StartPolicy.EASY, Pages(Mesh((PROCESSORS,))))
    assert found == {0: 0, 1: 10, 2: 15}


def test_events_of_one_instant() -> None:
    jobs = _of((0, 6, 5), (5, 6, 0), (5, 6, 0), (5, 6, 2))
    told = [
        (type(event), event.job.number, event.time)
        for event in simulate(jobs, allocator("row-major", Mesh((PROCESSORS,))))
    ]
    assert told == [
        *[(Start, 0, 0), (JobEnd, 0, 5)],
        *[(Start, 1, 5), (JobEnd, 1, 5), (Start, 2, 5), (JobEnd, 2, 5)],
        *[(Start, 3, 5), (JobEnd, 3, 7)],
    ]


@pytest.mark.parametrize("policy", StartPolicy)
def test_the_same_stream_runs_the_same_way(policy: StartPolicy) -> None:
    jobs = jobs_of([(i % 3, 1 + i * 7 % 30, 5 + i % 11, 0) for i in range(60)])
    one, other = (
        [
            (event.job.number, event.time, event.grant.used.tolist())
            for event in simulate(
                jobs, allocator("random", Torus((5, 6)), seed=4), policy
            )
        ]
        for _ in range(2)
    )
    assert one == other


def test_jobs_may_be_drawn_as_the_stream_goes_on() -> None:
    left = _of((0, 1, 1), (5, 1, 1), (9, 7, 1))
    jobs = (left.pop(0) for _ in range(3))
    events = simulate(jobs, allocator("row-major", Mesh((PROCESSORS,))))
    assert isinstance(next(events), Start)
    assert len(left) == 2
    with pytest.raises(InputError, match="job 2: larger than the machine"):
        list(events)


@pytest.mark.parametrize("policy", StartPolicy)
def test_what_can_never_run_is_refused(policy: StartPolicy) -> None:
    with pytest.raises(InputError) as caught:
        list(simulate(_of((0, 1, 1), (1, 7, 1)), Pages(Mesh((PROCESSORS,))), policy))
    assert str(caught.value) == "job 1: larger than the machine: 7 (6 processors)"
    with pytest.raises(InputError) as caught:
        list(simulate(_of((0, 2, 1)), Never(Mesh((PROCESSORS,))), policy))
    assert str(caught.value) == (
        "job 0: the idle machine (6 processors) does not serve it: 2"
    )
    held = Pages(Mesh((PROCESSORS,)))
    held.hold([0, 1])  # broken for good
    assert len(list(simulate(_of((0, 4, 1)), held, policy))) == 2
    with pytest.raises(
        InputError, match=r"larger than the machine: 5 \(4 processors\)"
    ):
        list(simulate(_of((0, 5, 1)), held, policy))


def test_jobs_out_of_order_are_refused() -> None:
    machine = allocator("row-major", Mesh((PROCESSORS,)))
    with pytest.raises(InputError, match="job 1: submit: must not be before that"):
        list(simulate(_of((3, 1, 1), (2, 1, 1)), machine))
