"""The synthetic week has the paper's moments; the dispatcher keeps the books."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import InputError
from closeknit.simulation.dispatch import Flags, Policy, Turn, dispatch
from closeknit.simulation.swf import read_swf
from closeknit.simulation.week import (
    JOBS,
    LONGEST,
    NODE,
    WEEK,
    Submission,
    submissions_of,
    synthetic_week,
)

SWF = Path(__file__).parents[2] / "shared" / "data" / "swf"


@pytest.fixture(scope="module", params=[0, 7])
def week(request: pytest.FixtureRequest) -> list[Submission]:
    return synthetic_week(request.param)


def test_sizes_have_the_moments_of_the_paper(week: list[Submission]) -> None:
    sizes = np.array([job.processors for job in week])
    assert len(week) == JOBS == 21_902
    assert int((sizes <= NODE).sum()) == 6_692
    assert not (sizes % NODE).any()
    assert sizes.mean() == pytest.approx(44.6, abs=0.1)
    assert sizes.std() == pytest.approx(27.4, abs=0.1)


def test_run_times_have_the_moments_of_the_paper(week: list[Submission]) -> None:
    sizes = np.array([job.processors for job in week])
    seconds = np.array([job.seconds for job in week])
    one, more = seconds[sizes <= NODE], seconds[sizes > NODE]
    long = more[more > 900]
    for found, mean, spread in (
        (one, 243, 390),
        (more, 848, 3170),
        (long, 8375, 6445),
    ):
        assert found.mean() == pytest.approx(mean, rel=0.01)
        assert found.std() == pytest.approx(spread, rel=0.04)
    assert 1 <= seconds.min() <= seconds.max() <= LONGEST


def test_chains_follow_jobs_of_the_stream(week: list[Submission]) -> None:
    by_number = {job.number: job for job in week}
    assert list(by_number) == sorted(by_number)
    followers = [job for job in week if job.follows is not None]
    assert len(followers) > JOBS // 4
    for job in followers:
        assert job.follows is not None
        before = by_number[job.follows]
        assert before.number < job.number
        assert before.processors == job.processors
    assert all(0 <= job.submit < WEEK for job in week)


def test_same_seed_same_week() -> None:
    assert synthetic_week(3, jobs=500) == synthetic_week(3, jobs=500)
    assert synthetic_week(3, jobs=500) != synthetic_week(4, jobs=500)
    with pytest.raises(InputError, match="jobs: must be at least 1"):
        synthetic_week(jobs=0)


def first_free(available: Flags, job: Submission) -> np.ndarray:
    return np.flatnonzero(available)[: job.processors]


jobs = st.lists(
    st.tuples(st.integers(1, 6), st.integers(1, 9), st.integers(0, 20), st.booleans()),
    max_size=25,
).map(
    lambda rows: [
        Submission(i + 1, size, seconds, submit, i if chained and i else None)
        for i, (size, seconds, submit, chained) in enumerate(rows)
    ]
)


@settings(max_examples=200, deadline=None)
@given(stream=jobs, policy=st.sampled_from(Policy))
def test_every_job_starts_once_and_nothing_is_held_twice(
    stream: list[Submission], policy: Policy
) -> None:
    starts: dict[int, Turn] = {}
    holding: list[tuple[int, set[int]]] = []
    clock = 0
    for turn in dispatch(stream, 6, first_free, policy):
        assert turn.time >= clock
        clock = turn.time
        held = {i for end, own in holding if end > clock for i in own}
        assert held == set(np.flatnonzero(~turn.available))
        assert len(turn.chosen) == turn.job.processors
        assert turn.available[turn.chosen].all()
        holding.append((clock + turn.job.seconds, set(turn.chosen.tolist())))
        assert turn.job.number not in starts
        starts[turn.job.number] = turn
    assert len(starts) == len(stream)
    for job in stream:
        begin = starts[job.number].time
        if job.follows is None:
            assert begin >= job.submit
        else:
            before = starts[job.follows]
            assert begin >= before.time + before.job.seconds + job.submit


def test_policies_differ_as_they_say() -> None:
    wide_first = [
        Submission(1, 3, 10, 0),
        Submission(2, 4, 10, 1),
        Submission(3, 1, 10, 2),
    ]
    order = {
        policy: [
            turn.job.number for turn in dispatch(wide_first, 4, first_free, policy)
        ]
        for policy in Policy
    }
    assert order == {Policy.FCFS: [1, 2, 3], Policy.SKIP: [1, 3, 2]}


def test_a_job_of_no_time_makes_room_at_once() -> None:
    stream = [Submission(1, 4, 0, 5), Submission(2, 4, 1, 5)]
    turns = [(turn.job.number, turn.time) for turn in dispatch(stream, 4, first_free)]
    assert turns == [(1, 5), (2, 5)]


def test_refuses_streams_that_cannot_be() -> None:
    with pytest.raises(InputError, match=r"job 1: larger than the machine"):
        list(dispatch([Submission(1, 9, 1, 0)], 4, first_free))
    with pytest.raises(InputError, match=r"job 1: follows a job that there is not"):
        list(dispatch([Submission(1, 1, 1, 0, follows=8)], 4, first_free))


@pytest.mark.skipif(not SWF.exists(), reason="no traces here")
def test_a_trace_is_taken_over() -> None:
    path = next(iter(sorted(SWF.glob("SDSC-Par*"))))
    taken = list(submissions_of(read_swf(path), 256))
    assert len(taken) > 10_000
    assert max(job.processors for job in taken) <= 256
    few = taken[:300]
    assert len(list(dispatch(few, 256, first_free))) == len(few)
