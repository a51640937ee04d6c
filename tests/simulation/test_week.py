"""The synthetic week has the paper's moments; the dispatcher keeps the books."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import InputError
from closeknit.simulation.dispatch import Flags, Turn, dispatch
from closeknit.simulation.invariants import SWITCH
from closeknit.simulation.swf import read_swf
from closeknit.simulation.week import (
    JOBS,
    LONGEST,
    NODE,
    WEEK,
    Submission,
    _chains,
    _number_jobs,
    _run_times,
    _short,
    submissions_of,
    synthetic_week,
)

from ..data import PARAGON, needs


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


def test_what_is_drawn_meets_the_moments_closely() -> None:
    """In a larger draw, so that a second more or less is seen."""
    random = np.random.default_rng(1)
    short, several = _short(random, 20_000), _run_times(random, 40_000)
    assert abs(short.mean() - 243) < 0.5
    assert abs(several.mean() - 848) < 1.2
    assert abs(several.std() - 3170) < 5
    long = several[several > 900]
    assert len(long) == round(0.0962 * 40_000)
    assert abs(long.mean() - 8375) < 1.5
    assert abs(long.std() - 6445) < 1
    seconds = np.repeat([100, 1000], 40_000)
    chains = _chains(random, np.full(80_000, 4), seconds)
    for which, mean in ((100, 12), (1000, 6)):
        lengths = [len(links) for links, _ in chains if seconds[links[0]] == which]
        assert np.mean(lengths) == pytest.approx(mean, rel=0.04)


def test_a_chain_may_last_a_whole_week_and_no_longer() -> None:
    assert LONGEST == 28_800
    random = np.random.default_rng(0)
    [(links, _)] = _chains(random, np.ones(1, dtype=np.int64), np.array([WEEK]))
    assert links == [0]
    seconds = np.full(400, WEEK // 2 + 1)
    found = _chains(random, np.ones(400, dtype=np.int64), seconds)
    assert max(len(links) for links, _ in found) == 1


def test_a_burst_is_spread_and_a_chain_follows() -> None:
    random = np.random.default_rng(0)
    nodes, seconds = np.ones(20, dtype=np.int64), np.full(20, 7)
    burst = _number_jobs(random, nodes, seconds, [(list(range(20)), False)])
    assert len({job.submit for job in burst}) > 10
    assert all(job.follows is None for job in burst)
    chain = _number_jobs(random, nodes, seconds, [(list(range(20)), True)])
    assert [job.follows for job in chain] == [None, *range(1, 20)]
    assert [job.submit for job in chain[1:]] == [0] * 19


def test_jobs_of_a_trace_that_cannot_be_run_are_left_out(tmp_path: Path) -> None:
    unknown = -1
    rows = [  # number, submit, run, processors, status, preceding, think time
        (1, unknown, 5, 2, 1, unknown, unknown),
        (2, 10, unknown, 2, 1, unknown, unknown),
        (3, 10, 5, unknown, 1, unknown, unknown),
        (4, 10, 5, 2, 2, unknown, unknown),
        (5, 10, 5, 9, 1, unknown, unknown),
        (6, 11, 5, 8, 1, unknown, unknown),
        (6, 12, 6, 7, 1, unknown, unknown),
        (7, 13, 7, 1, 1, 6, 30),
        (8, 14, 8, 2, 1, 5, 30),
        (9, 15, 9, 3, 1, 7, unknown),
    ]
    text = "".join(
        f"{number} {submit} -1 {run} {size} -1 -1 {size} -1 -1 {status}"
        f" -1 -1 -1 -1 -1 {before} {think}\n"
        for number, submit, run, size, status, before, think in rows
    )
    path = tmp_path / "a.swf"
    path.write_text(text)
    assert list(submissions_of(read_swf(path), 8)) == [
        Submission(6, 8, 5, 11, None),
        Submission(7, 1, 7, 30, 6),
        Submission(8, 2, 8, 14, None),
        Submission(9, 3, 9, 0, 7),
    ]


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
@given(stream=jobs)
def test_every_job_starts_once_and_nothing_is_held_twice(
    stream: list[Submission],
) -> None:
    starts: dict[int, Turn] = {}
    holding: list[tuple[int, set[int]]] = []
    clock = 0
    for turn in dispatch(stream, 6, first_free):
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


@pytest.mark.parametrize("checked", ["0", "1"])
def test_watching_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, checked: str
) -> None:
    monkeypatch.setenv(SWITCH, checked)
    stream = [Submission(i, 2, 5, 0) for i in range(1, 6)]
    turns = list(dispatch(stream, 4, first_free))
    assert [turn.time for turn in turns] == [0, 0, 5, 5, 10]


def test_a_job_that_fits_passes_those_that_wait() -> None:
    wide_first = [
        Submission(1, 3, 10, 0),
        Submission(2, 4, 10, 1),
        Submission(3, 1, 10, 2),
    ]
    order = [turn.job.number for turn in dispatch(wide_first, 4, first_free)]
    assert order == [1, 3, 2]


def test_a_job_of_no_time_makes_room_at_once() -> None:
    stream = [Submission(1, 4, 0, 5), Submission(2, 4, 1, 5)]
    turns = [(turn.job.number, turn.time) for turn in dispatch(stream, 4, first_free)]
    assert turns == [(1, 5), (2, 5)]


def test_refuses_streams_that_cannot_be() -> None:
    with pytest.raises(InputError, match=r"job 1: larger than the machine"):
        list(dispatch([Submission(1, 9, 1, 0)], 4, first_free))
    with pytest.raises(InputError, match=r"job 1: follows an unknown job"):
        list(dispatch([Submission(1, 1, 1, 0, follows=8)], 4, first_free))


@needs("data/swf")
def test_a_trace_is_taken_over() -> None:
    taken = list(submissions_of(read_swf(PARAGON), 256))
    assert len(taken) > 10_000
    assert max(job.processors for job in taken) <= 256
    few = taken[:300]
    assert len(list(dispatch(few, 256, first_free))) == len(few)
