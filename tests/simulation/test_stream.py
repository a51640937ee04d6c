"""Streams of jobs: who starts when, under which policy."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.heuristics.allocation.allocator import Allocation, Allocator
from closeknit.instances import InputError, Mesh, Torus
from closeknit.methods.allocators.table import allocator
from closeknit.simulation.stream.jobs import StreamJob
from closeknit.simulation.stream.simulator import (
    Event,
    JobEnd,
    Start,
    StartPolicy,
    simulate,
)

from ..oracles import PROCESSORS, start_times
from ..toys import Pages

Row = tuple[int, int, int, int]
"""Time after the job above, processors, seconds, estimate less seconds."""

EXACT = st.lists(
    st.tuples(
        st.integers(0, 5), st.integers(1, PROCESSORS), st.integers(1, 9), st.just(0)
    ),
    max_size=20,
)
ABOVE = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.integers(1, PROCESSORS),
        st.integers(1, 9),
        st.integers(0, 6),
    ),
    max_size=20,
)
ANY = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.integers(1, PROCESSORS),
        st.integers(0, 9),
        st.integers(0, 6),
    ),
    max_size=20,
)


def _jobs(rows: list[Row]) -> list[StreamJob]:
    submits = accumulate(row[0] for row in rows)
    return [
        StreamJob(number, submit, k, seconds, seconds + slack)
        for number, (submit, (_, k, seconds, slack)) in enumerate(
            zip(submits, rows, strict=True)
        )
    ]


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
@given(rows=ABOVE)
def test_starts_are_those_of_a_naive_simulation(
    rows: list[Row], policy: StartPolicy
) -> None:
    jobs = _jobs(rows)
    assert _starts(jobs, policy) == start_times(jobs, policy)


@given(EXACT)
def test_exact_estimates_never_delay_a_reservation(rows: list[Row]) -> None:
    """When a job gets to the head, those running then say when it starts at latest."""
    jobs = _jobs(rows)
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
@given(rows=ANY)
def test_allocators_may_refuse(
    rows: list[Row], machine: type[Allocator], policy: StartPolicy
) -> None:
    jobs = _jobs(rows)
    hands_out = machine(Mesh((PROCESSORS,)))
    before = hands_out.state()
    busy: dict[int, set[int]] = {}
    now = 0
    started: list[int] = []
    for event in simulate(jobs, hands_out, policy):
        assert event.time >= now
        now = event.time
        held = set(event.grant.held.tolist())
        if isinstance(event, JobEnd):
            assert busy.pop(event.job.number) == held
            continue
        assert len(event.grant.used) == event.job.processors
        assert event.time >= event.job.submit
        taken = set().union(*busy.values())
        assert not taken & held
        assert set(np.flatnonzero(~event.idle).tolist()) == taken
        busy[event.job.number] = held
        started.append(event.job.number)
    assert not busy
    assert hands_out.state() == before
    assert sorted(started) == list(range(len(jobs)))
    if policy is StartPolicy.FCFS:
        assert started == sorted(started)


def test_a_job_passes_that_ends_before_the_reservation() -> None:
    # 0 holds four of six until 10; 1 wants all of them and waits until then
    jobs = _of((0, 4, 10), (1, 6, 5), (2, 2, 8), (3, 2, 9))
    assert _starts(jobs, StartPolicy.FCFS) == {0: 0, 1: 10, 2: 15, 3: 15}
    # 2 is gone by 10; 3 would come too late then, and not be gone
    assert _starts(jobs, StartPolicy.EASY) == {0: 0, 1: 10, 2: 2, 3: 15}


def test_a_job_passes_that_takes_what_is_left_over() -> None:
    # 1 wants four at 10, two are over: 2 may have one of them for long, 3 the other
    jobs = _of((0, 4, 10), (1, 4, 5), (2, 1, 99), (3, 1, 99), (4, 1, 3))
    assert _starts(jobs, StartPolicy.EASY) == {0: 0, 1: 10, 2: 2, 3: 3, 4: 15}


def test_what_ends_together_is_left_over_together() -> None:
    # 0 and 1 both end at 10: five idle then, the head wants two of them
    jobs = _of((0, 2, 10), (0, 3, 10), (1, 2, 5), (2, 1, 50))
    assert _starts(jobs, StartPolicy.EASY) == {0: 0, 1: 0, 2: 10, 3: 2}


def test_estimates_are_believed() -> None:
    jobs = [
        StreamJob(0, 0, 4, 10, 100),
        StreamJob(1, 1, 6, 5, 5),
        StreamJob(2, 2, 2, 50, 50),  # expected to be gone before 100
    ]
    assert _starts(jobs, StartPolicy.EASY) == {0: 0, 1: 52, 2: 2}


def test_a_job_that_outlives_its_estimate_may_end_at_any_moment() -> None:
    jobs = [
        StreamJob(0, 0, 4, 10, 2),
        StreamJob(1, 1, 6, 5, 5),
        StreamJob(2, 3, 2, 1, 1),  # the head is expected now: nothing may pass it
    ]
    assert _starts(jobs, StartPolicy.EASY) == {0: 0, 1: 10, 2: 15}


def test_jobs_that_outlive_their_estimates_are_expected_to_end_together() -> None:
    """0 and 1 should be gone since 2 and 3, so both may go at any moment.

    Then six are idle and the head wants three: job 3 may keep two of the others.
    """
    jobs = [
        StreamJob(0, 0, 2, 10, 2),
        StreamJob(1, 0, 2, 10, 3),
        StreamJob(2, 4, 3, 5, 5),
        StreamJob(3, 5, 2, 50, 50),
    ]
    assert _starts(jobs, StartPolicy.EASY) == {0: 0, 1: 0, 2: 10, 3: 5}


def test_a_refused_head_is_passed_only_by_what_ends_before_the_next() -> None:
    # 0 and 2 leave gaps of two around 1; 3 wants three in a row of four idle
    jobs = _of((0, 2, 5), (0, 2, 9), (0, 2, 5), (6, 3, 5), (7, 1, 2), (7, 1, 3))
    assert _starts(jobs, StartPolicy.EASY, Intervals(Mesh((PROCESSORS,)))) == {
        0: 0,
        1: 0,
        2: 0,
        3: 9,
        4: 7,
        5: 9,
    }


def test_pages_beyond_what_is_left_over_are_not_given() -> None:
    # at 10 the head leaves one over; a page of two would delay it
    jobs = _of((0, 4, 10), (1, 5, 5), (2, 1, 99))
    assert _starts(jobs, StartPolicy.EASY, Pages(Mesh((PROCESSORS,)))) == {
        0: 0,
        1: 10,
        2: 15,
    }


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
    jobs = _jobs([(i % 3, 1 + i * 7 % 30, 5 + i % 11, 0) for i in range(60)])

    def run() -> list[tuple[int, int, bytes]]:
        machine = allocator("random", Torus((5, 6)), seed=4)
        return [_plain(event) for event in simulate(jobs, machine, policy)]

    assert run() == run()


def _plain(event: Event) -> tuple[int, int, bytes]:
    return event.job.number, event.time, event.grant.used.tobytes()


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
