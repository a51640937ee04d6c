"""Jobs of streams: from traces, and drawn."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from closeknit.instances import InputError
from closeknit.simulation.replay import Skipped
from closeknit.simulation.stream.jobs import (
    StreamJob,
    generate,
    jobs_of_trace,
    largest,
    rescale,
    several_processors_in_autumn_1996,
)
from closeknit.simulation.swf import read_header

from ..data import IPSC, PARAGON, needs

LINES = """\
; UnixStartTime: 841564799
1 100 0 50 4 -1 -1 4 60 -1 1 1 1 -1 0 1 -1 -1
2 101 0 70 -1 -1 -1 9 60 -1 1 1 1 -1 0 2 -1 -1
3 103 0 20 1 -1 -1 1 -1 -1 1 1 1 -1 0 1 -1 -1
4 103 0 -1 4 -1 -1 4 60 -1 1 1 1 -1 0 1 -1 -1
5 110 0 0 40 -1 -1 40 -1 -1 1 1 1 -1 0 1 -1 -1
6 111 0 5 2 -1 -1 2 9 -1 3 1 1 -1 0 1 -1 -1
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "log.swf"
    path.write_text(LINES)
    return path


def test_jobs_of_a_trace(trace: Path) -> None:
    jobs, skipped = jobs_of_trace(trace, most=16)
    assert jobs == [
        StreamJob(1, 0, 4, 50, 60),  # times count from its submission
        StreamJob(2, 1, 9, 70, 70),  # ran for longer than it requested
        StreamJob(3, 3, 1, 20, 20),  # requested no time
    ]
    reasons = (Skipped.NO_RUN, Skipped.TOO_LARGE, Skipped.PARTIAL)
    assert skipped == Counter(reasons)
    assert largest(jobs).number == 2


def test_what_is_taken_of_a_trace(trace: Path) -> None:
    jobs, skipped = jobs_of_trace(trace, most=10, divide=4, scale=Fraction(1, 2))
    assert [(job.submit, job.processors) for job in jobs] == [
        *[(0, 1), (0, 3), (1, 1), (5, 10)]
    ]
    assert skipped == Counter([Skipped.NO_RUN, Skipped.PARTIAL])
    jobs, skipped = jobs_of_trace(
        trace, most=64, where=lambda job: job.partition == 1, window=(1, 4)
    )
    assert [(job.number, job.submit) for job in jobs] == [(3, 0), (5, 7)]
    assert skipped == Counter([Skipped.NO_RUN])


def test_numbers_out_of_range(trace: Path) -> None:
    with pytest.raises(InputError, match="divide: must be at least 1, not 0"):
        jobs_of_trace(trace, most=16, divide=0)
    for factor in (0, -1):
        with pytest.raises(InputError, match="arrival scale: must be above 0"):
            jobs_of_trace(trace, most=16, scale=factor)
        with pytest.raises(InputError, match="arrival scale: must be above 0"):
            rescale([], factor)
    with pytest.raises(InputError, match="arrival scale: must be above 0"):
        rescale([], float("nan"))
    for bad in ({"processors": 0}, {"submit": -1}, {"seconds": -1}, {"estimate": -1}):
        good = {"number": 7, "submit": 0, "processors": 1, "seconds": 1, "estimate": 1}
        field = next(iter(bad))
        with pytest.raises(InputError, match=f"job 7: {field}: must be at least"):
            StreamJob(**(good | bad))  # type: ignore[arg-type]


def test_a_header_without_a_start(tmp_path: Path) -> None:
    path = tmp_path / "log.swf"
    path.write_text(LINES.partition("\n")[2])
    with pytest.raises(InputError, match="has no UnixStartTime in its header"):
        several_processors_in_autumn_1996(path)


def test_the_autumn_begins_on_a_clock_of_its_own(trace: Path) -> None:
    # the first of September 1996, 0:00, eight hours behind UTC
    assert int(read_header(trace)["UnixStartTime"]) + 1 == 841564800
    text = LINES.replace(" 841564799", " 841564699")
    trace.write_text(text)
    jobs, _ = jobs_of_trace(
        trace, most=64, where=several_processors_in_autumn_1996(trace)
    )
    assert [job.number for job in jobs] == [2, 5]  # 1 a second early, 3 too small


@needs("data/swf")
def test_the_6087_jobs_of_the_paragon() -> None:
    taken = several_processors_in_autumn_1996(PARAGON)
    jobs, skipped = jobs_of_trace(PARAGON, most=352, where=taken)
    assert len(jobs) == 6087
    assert not skipped
    # Table 1 of the paper has 14.5, 1.5 and 3.7: only the number is the same
    sizes = np.array([job.processors for job in jobs])
    assert sizes.mean() == pytest.approx(19.58, abs=0.01)
    assert sizes.std() / sizes.mean() == pytest.approx(1.28, abs=0.01)
    gaps = np.diff([job.submit for job in jobs])
    assert gaps.std() / gaps.mean() == pytest.approx(3.24, abs=0.01)


@needs("data/swf")
def test_the_hypercube_by_four_has_32_processors() -> None:
    jobs, skipped = jobs_of_trace(IPSC, most=32, divide=4)
    assert len(jobs) == 18239
    assert not skipped
    assert {job.processors for job in jobs} == {1, 2, 4, 8, 16, 32}


def test_workload_i_of_1999() -> None:
    jobs = generate(1000, seed=3, most=352, sizes="exponential:16", interarrival=400)
    assert [job.number for job in jobs] == list(range(1, 1001))
    sizes = np.array([job.processors for job in jobs])
    assert sizes.mean() == pytest.approx(16, rel=0.1)
    assert sizes.std() == pytest.approx(16, rel=0.15)
    assert sizes.min() == 1
    gaps = np.diff([job.submit for job in jobs])
    assert jobs[0].submit == 0
    assert gaps.mean() == pytest.approx(400, rel=0.1)
    assert gaps.std() == pytest.approx(400, rel=0.15)
    assert all(job.estimate == job.seconds for job in jobs)


def test_streams_do_not_depend_on_each_other() -> None:
    def drawn(**changes: object) -> list[StreamJob]:
        options = {"seed": 5, "most": 64, "interarrival": 100.0} | changes
        return generate(200, **options)  # type: ignore[arg-type]

    jobs = drawn()
    assert jobs == drawn()
    assert len(generate(1, seed=5, most=64)) == 1
    assert jobs != drawn(seed=6)
    busier = drawn(interarrival=50.0)
    assert [job.processors for job in jobs] == [job.processors for job in busier]
    assert [job.seconds for job in jobs] == [job.seconds for job in busier]
    longer = drawn(service="uniform:10:20")
    assert [job.submit for job in jobs] == [job.submit for job in longer]
    assert {job.seconds for job in longer} == set(range(10, 21))
    uniform = drawn(sizes="uniform:1:64")
    assert {job.processors for job in uniform} <= set(range(1, 65))
    assert max(job.processors for job in drawn(sizes="exponential:40")) == 64
    assert {job.submit for job in drawn(interarrival=0.0)} == {0}
    assert rescale(jobs, 1) == jobs
    assert [job.submit for job in rescale(jobs, 0.5)] == [
        job.submit // 2 for job in jobs
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "requests: must be from 1 to"),
        ({"seed": -1}, "seed: must be at least 0"),
        ({"interarrival": -1.0}, "interarrival: must be from 0 to"),
        ({"interarrival": float("inf")}, "interarrival: must be from 0 to"),
        ({"sizes": "exponential"}, "sizes: must be exponential:MEAN or uniform"),
        ({"sizes": "exponential:a"}, "sizes: must be exponential:MEAN or uniform"),
        ({"sizes": "normal:3:4"}, "sizes: must be exponential:MEAN or uniform"),
        ({"sizes": "exponential:0"}, "sizes: must have a mean above 0"),
        ({"sizes": "exponential:nan"}, "sizes: must have a mean above 0"),
        ({"sizes": "exponential:65"}, "sizes: must have a mean above 0 and at most 64"),
        ({"sizes": "uniform:0:3"}, "sizes: must run between whole numbers from 1"),
        ({"sizes": "uniform:4:3"}, "sizes: must run between whole numbers from 1"),
        ({"sizes": "uniform:1:65"}, "sizes: must run between whole numbers from 1"),
        ({"sizes": "uniform:1:2.5"}, "sizes: must run between whole numbers from 1"),
        ({"service": "uniform:1"}, "service: must be exponential:MEAN or uniform"),
    ],
)
def test_what_cannot_be_drawn(options: dict[str, object], message: str) -> None:
    good: dict[str, object] = {"n": 5, "seed": 1, "most": 64}
    with pytest.raises(InputError, match=message):
        generate(**(good | options))  # type: ignore[arg-type]
