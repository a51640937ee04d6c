"""The scheduler for Batsim: a transcript, its rules on drawn streams, bad messages."""

from __future__ import annotations

import copy
import heapq
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.batsim import BatsimScheduler, interval_set
from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.topologies import parse_cluster
from closeknit.instances import InputError
from closeknit.instances.reading.parsing import parse_json
from closeknit.simulation.stream.batsim import intervals
from closeknit.solvers.running.kernels import interpreted

RACKS = (
    "SwitchName=a Nodes=a[1-3]\nSwitchName=b Nodes=b[1-3]\nSwitchName=t Switches=a,b"
)
TRANSCRIPT = [
    parse_json(line)
    for line in (Path(__file__).parent / "batsim.jsonl").read_text().splitlines()
]
Seen = list[tuple[str, str, str]]


@pytest.fixture(autouse=True)
def source() -> Iterator[None]:
    with interpreted():
        yield


def scheduler(text: str = RACKS, *, easy: bool = False) -> BatsimScheduler:
    return BatsimScheduler(NodeSelector(parse_cluster(text)), easy=easy)


def decided(answer: dict[str, Any]) -> Seen:
    return [
        (event["type"], event["data"]["job_id"], event["data"].get("alloc", ""))
        for event in answer["events"]
    ]


def test_a_recorded_simulation() -> None:
    made = scheduler(easy=True)
    answers = [made.answer(message) for message in TRANSCRIPT]
    assert [decided(answer) for answer in answers] == [
        [],
        [("EXECUTE_JOB", "w0!1", "0-1"), ("EXECUTE_JOB", "w0!2", "3-5")],
        [("REJECT_JOB", "w0!5", ""), ("EXECUTE_JOB", "w0!4", "2")],
        [],
        [],
        [("EXECUTE_JOB", "w0!3", "0-3")],
        [],
        [],
    ]
    assert [answer["now"] for answer in answers] == [one["now"] for one in TRANSCRIPT]
    assert (made.over, made.started) == (True, 4)


def begin(hosts: int = 6, **more: Any) -> dict[str, Any]:
    message: dict[str, Any] = copy.deepcopy(TRANSCRIPT[0])
    data = message["events"][0]["data"]
    data["compute_resources"] = data["compute_resources"][:hosts]
    data |= more
    return message


def event(kind: str, now: int, **data: Any) -> dict[str, Any]:
    return {"now": now, "events": [{"timestamp": now, "type": kind, "data": data}]}


def submit(name: str, k: int, walltime: int | None, now: int) -> dict[str, Any]:
    job = {"id": name, "res": k, "profile": "delay"}
    job |= {} if walltime is None else {"walltime": walltime}
    return event("JOB_SUBMITTED", now, job_id=name, job=job)


def complete(name: str, now: int) -> dict[str, Any]:
    return event("JOB_COMPLETED", now, job_id=name, job_state="COMPLETED_SUCCESSFULLY")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 7), st.integers(0, 9), st.integers(1, 9)), max_size=12
    ),
    st.booleans(),
    st.booleans(),
)
def test_every_job_runs_once_on_hosts_of_its_own(
    drawn: list[tuple[int, int, int]], easy: bool, known: bool
) -> None:
    """Run a simulation of jobs of (nodes, time since the one before, run time)."""
    made = scheduler(easy=easy)
    made.answer(begin())
    waiting: list[tuple[int, int, str, int, int]] = []
    now = 0
    for i, (k, gap, run) in enumerate(drawn):
        now += gap
        waiting.append((now, 1, f"w!{i:02}", k, run))
    heapq.heapify(waiting)
    busy: dict[str, set[int]] = {}
    starts: dict[str, int] = {}
    while waiting:
        now, kind, name, k, run = heapq.heappop(waiting)
        if kind == 0:
            del busy[name]
            answer = made.answer(complete(name, now))
        else:
            answer = made.answer(submit(name, k, run if known else None, now))
        for what, job, alloc in decided(answer):
            size, duration = drawn[int(job[2:])][0], drawn[int(job[2:])][2]
            assert (what == "REJECT_JOB") == (size > 6)
            if what == "EXECUTE_JOB":
                hosts = interval_set(alloc, "alloc")
                assert len(hosts) == size
                assert not any(hosts & other for other in busy.values())
                assert job not in starts
                busy[job], starts[job] = hosts, now
                heapq.heappush(waiting, (now + duration, 0, job, size, duration))
    assert len(starts) == sum(k <= 6 for k, _, _ in drawn)
    if not easy:
        order = [starts[f"w!{i:02}"] for i, one in enumerate(drawn) if one[0] <= 6]
        assert order == sorted(order)


def test_backfilling_does_not_delay_the_first_job() -> None:
    made = scheduler(easy=True)
    made.answer(begin())
    assert decided(made.answer(submit("w!1", 4, 100, 0))) != []
    assert decided(made.answer(submit("w!2", 5, 50, 1))) == []
    assert decided(made.answer(submit("w!3", 2, 100, 2))) == []  # until 102, 5 needed
    assert decided(made.answer(submit("w!4", 1, 1000, 3))) != []  # one is spare
    assert decided(made.answer(submit("w!5", 1, 98, 3))) == []
    assert decided(made.answer(submit("w!6", 1, 97, 3))) != []
    late = made.answer(complete("w!1", 100)), made.answer(complete("w!6", 100))
    assert [decided(one)[0][:2] for one in late if decided(one)] == [
        ("EXECUTE_JOB", "w!2")
    ]


def test_hosts_that_fail_and_come_back() -> None:
    made = scheduler()
    made.answer(begin())
    down = {"type": "event_machine_unavailable", "resources": "0-1 3"}
    made.answer(event("NOTIFY", 1, **down))
    assert decided(made.answer(submit("w!1", 3, 10, 2))) == [
        ("EXECUTE_JOB", "w!1", "2 4-5")
    ]
    made.answer(event("NOTIFY", 3, type="event_machine_unavailable", resources="4"))
    assert decided(made.answer(submit("w!2", 3, 10, 3))) == []
    assert decided(made.answer(complete("w!1", 4))) == []  # 2 and 5 are up
    up = {"type": "event_machine_available", "resources": "4"}
    assert decided(made.answer(event("NOTIFY", 5, **up))) == [
        ("EXECUTE_JOB", "w!2", "2 4-5")
    ]


def test_hosts_are_nodes_by_name_or_in_order() -> None:
    made = scheduler()
    message = begin(3)  # other nodes of the topology are not there
    message["events"][0]["data"]["compute_resources"][2]["name"] = "b3"
    made.answer(message)
    assert decided(made.answer(submit("w!1", 3, 10, 1)))[0][2] == "0-2"
    assert decided(made.answer(submit("w!2", 4, 10, 1)))[0][0] == "REJECT_JOB"
    made = scheduler()
    message = begin()
    for i, host in enumerate(message["events"][0]["data"]["compute_resources"]):
        host |= {"name": f"host{i}", "id": 10 + i}
    made.answer(message)
    assert decided(made.answer(submit("w!1", 3, 10, 1)))[0][2] in ("10-12", "13-15")


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ([], "message: must be an object"),
        ({"now": 3}, "events: is missing"),
        ({"now": -1, "events": []}, "now: must be from 0"),
        ({"now": 10**15, "events": []}, "now: must be from 0"),
        ({"now": 1, "events": [{"type": "QUERY", "data": {}}]}, "is not supported"),
        (begin(), "has begun already"),
        (complete("w!9", 1), "is not running: 'w!9'"),
        (submit("w!1", 2, 10, 1), "has been submitted already"),
        (submit("w!2", 0, 10, 1), "events[0].data.job.res: must be from 1"),
        (event("JOB_SUBMITTED", 1, job_id="w!3"), "data.job: must be an object"),
        (
            event("NOTIFY", 1, type="event_machine_available", resources="77"),
            "no such resource: 77",
        ),
        (
            event("NOTIFY", 1, type="event_machine_available", resources="1-x"),
            "must be numbers and ranges",
        ),
    ],
)
def test_bad_messages(message: Any, problem: str) -> None:
    made = scheduler()
    made.answer(begin())
    made.answer(submit("w!1", 2, 10, 0))
    with pytest.raises(InputError) as caught:
        made.answer(message)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (submit("w!1", 2, 10, 0), "must begin with SIMULATION_BEGINS"),
        (begin(config={"redis": {"enabled": True}}), "is not supported"),
        (begin(compute_resources=[]), "at least one"),
        (begin(compute_resources=[{"id": 0, "name": "x"}]), "or as many (6)"),
        (begin(compute_resources=[{"id": 0, "name": "a1"}] * 2), "different numbers"),
        (
            begin(compute_resources=[{"id": i, "name": "a1"} for i in (0, 1)]),
            "must be different",
        ),
    ],
)
def test_bad_beginnings(message: Any, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        scheduler().answer(message)
    assert problem in str(caught.value)


def test_time_does_not_run_backwards() -> None:
    made = scheduler()
    made.answer(begin())
    made.answer({"now": 9, "events": []})
    with pytest.raises(InputError, match="now: must be from 9"):
        made.answer({"now": 8, "events": []})


@given(st.sets(st.integers(0, 40)))
def test_interval_sets(numbers: set[int]) -> None:
    text = intervals(numbers)
    assert interval_set(text, "alloc") == numbers
    assert text.count(" ") == max(
        sum(x - 1 not in numbers for x in numbers) - 1, 0
    )  # as few as possible
