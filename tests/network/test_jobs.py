"""Streams of jobs whose ends the network decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from closeknit.heuristics.allocation.allocator import Allocator
from closeknit.instances import Graph, Grid, InputError, IntArray, Mesh, Torus
from closeknit.methods.allocators.table import allocator
from closeknit.network import engine as engines
from closeknit.network import jobs as network_jobs
from closeknit.network.cut_through.engine import CutThrough
from closeknit.network.engine import Engine
from closeknit.network.jobs import Deliveries, MixedTraffic
from closeknit.network.messages import Messages, messages
from closeknit.network.worm.engine import RigidWorms
from closeknit.simulation.stream.jobs import StreamJob, generate
from closeknit.simulation.stream.measures import measure
from closeknit.simulation.stream.simulator import JobEnd, Start, StartPolicy, simulate

from ..simulation.streams import Row, jobs_of, rows
from .flits.engine import Flits, Router

SHAPE = (4, 5)
TRAFFIC = MixedTraffic(shape=SHAPE, share=0.5, messages=40)


def _idle(
    job: StreamJob, processors: IntArray, random: np.random.Generator
) -> Messages:
    """A message to itself, delivered when the run time is over."""
    here = int(processors[0])
    return messages([(here, here, 1)], release=[job.seconds])


def _engines() -> list[Engine]:
    grid = Torus((3, 3))
    return [RigidWorms(grid), Flits(grid), CutThrough(grid)]


@pytest.mark.parametrize("kind", range(len(_engines())))
@pytest.mark.parametrize("policy", StartPolicy)
@settings(deadline=None, max_examples=40)
@given(some=rows(9))
def test_messages_that_take_the_run_time_give_the_same_stream(
    some: list[Row], policy: StartPolicy, kind: int
) -> None:
    jobs = jobs_of(some)
    grid = Torus((3, 3))
    ends = Deliveries(_engines()[kind], _idle)
    found = simulate(jobs, allocator("mm", grid), policy, ends)
    known = simulate(jobs, allocator("mm", grid), policy)
    assert [(type(e), e.job, e.time, e.grant.used.tolist()) for e in found] == [
        (type(e), e.job, e.time, e.grant.used.tolist()) for e in known
    ]


def _stream(n: int, seed: int = 3) -> list[StreamJob]:
    return generate(n, seed=seed, most=20, sizes="exponential:5", interarrival=90.0)


def _machine() -> Allocator:
    return allocator("random", Mesh(SHAPE), seed=1)


def test_a_job_ends_with_its_last_message() -> None:
    """All messages once more, in one go, each released when its job has started."""
    sent: list[Messages] = []

    def traffic(
        job: StreamJob, processors: IntArray, random: np.random.Generator
    ) -> Messages:
        sent.append(TRAFFIC(job, processors, random))
        return sent[-1]

    jobs = _stream(150)
    engine = RigidWorms(TRAFFIC.network, axes=(1, 0))
    ends = Deliveries(engine, traffic, seed=5)
    events = list(simulate(jobs, _machine(), ends=ends))
    starts = [event for event in events if isinstance(event, Start)]
    over = {e.job.number: e.time for e in events if isinstance(e, JobEnd)}
    again = RigidWorms(TRAFFIC.network, axes=(1, 0))
    for start, content in zip(starts, sent, strict=True):
        first = np.setdiff1d(np.arange(len(content)), content.after)
        release = np.zeros(len(content), np.int64)
        release[first] = start.time
        again.add(
            Messages(
                content.source,
                content.target,
                content.length,
                release,
                content.before,
                content.after,
            )
        )
    again.finish()
    done = again.delivered
    at = 0
    slowed = 0
    for start, content in zip(starts, sent, strict=True):
        last = done[at : at + len(content)].max(initial=start.time)
        assert over[start.job.number] == last
        slowed += last > start.time
        at += len(content)
    assert slowed > 100
    assert engine.carried.tolist() == again.carried.tolist()


def _for_streams(network: Grid) -> dict[str, Engine]:
    """Return engines, and ones in which packets draw their ways or have several."""
    return {
        "worms": RigidWorms(network, axes=(1, 0), packet=3),
        "flits": Flits(network, axes=(1, 0), packet=3),
        "router": Flits(network, Router(buffer=2, virtual=2, credit_delay=1)),
        "packets": CutThrough(network, packet=2),
        "drawn": CutThrough(_as_graph(network), routing="drawn", packet=2, seed=2),
        "valiant": CutThrough(_as_graph(network), routing="valiant", packet=2),
    }


def _as_graph(grid: Grid) -> Graph:
    cells = {cell: i for i, cell in enumerate(grid.locations())}
    edges = [
        (i, cells[beside], 1)
        for (row, column), i in cells.items()
        for beside in ((row, column + 1), (row + 1, column))
        if beside in cells
    ]
    return Graph(len(cells), tuple(edges), tuple(range(len(cells))))


KINDS = tuple(_for_streams(TRAFFIC.network))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fewest", [1, 500])
def test_forgetting_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, kind: str, fewest: int
) -> None:
    monkeypatch.setattr(engines, "FEWEST", fewest)
    policy = StartPolicy.EASY if fewest == 1 else StartPolicy.FCFS
    found = []
    kept = []
    for forgets in (True, False):
        engine = _for_streams(TRAFFIC.network)[kind]
        if not forgets:
            monkeypatch.setattr(engine, "forget", lambda: None)
        found.append(
            measure(_stream(200), _machine(), policy, Deliveries(engine, TRAFFIC))
        )
        found.append(engine.carried.tolist())
        kept.append(len(engine.delivered))
    assert found[:2] == found[2:]
    assert 10 * kept[0] < kept[1]


def _bytes(engine: Engine) -> int:
    """Count the bytes of all arrays of an engine, and of its dictionaries."""
    total = 0
    parts: list[object] = list(vars(engine).values())
    while parts:
        part = parts.pop()
        if isinstance(part, np.ndarray):
            total += part.nbytes
        elif isinstance(part, tuple | list):
            parts += part
        elif isinstance(part, dict):
            total += 100 * len(part)
        elif isinstance(part, engines.JobNumbers):
            parts += vars(part).values()
    return total


@pytest.mark.parametrize("count", [1500, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["worms", "packets"])
def test_memory_is_bounded(kind: str, count: int) -> None:
    """A hundred thousand messages: room for those under way is enough."""
    traffic = MixedTraffic(shape=SHAPE, share=0.5, messages=1e5 / count)
    engine = _for_streams(traffic.network)[kind]
    jobs = generate(
        count, seed=1, most=20, sizes="exponential:4", interarrival=6e5 / count
    )
    ends = Deliveries(engine, traffic)
    most, size, added = 0, [], 0
    for event in simulate(jobs, _machine(), ends=ends):
        if isinstance(event, Start):
            added += 1
            most = max(most, len(engine.sent))
            if added % (count // 5) == 0:
                size.append(_bytes(engine))
    assert added == count
    assert most < 3 * engines.FEWEST
    assert max(size) < 1.1 * size[0]
    assert engine.carried.sum() > 100_000


def test_measures_take_the_ends_of_the_network() -> None:
    jobs = _stream(60)

    def ends() -> Deliveries:
        return Deliveries(RigidWorms(TRAFFIC.network), TRAFFIC)

    summary, found = measure(jobs, _machine(), ends=ends())
    events = list(simulate(jobs, _machine(), ends=ends()))
    over = {e.job.number: e.time for e in events if isinstance(e, JobEnd)}
    assert {row.number: row.end_s for row in found} == over
    assert any(
        row.end_s != row.start_s + job.seconds
        for row, job in zip(found, jobs, strict=True)
    )
    held = sum(row.processors * (row.end_s - row.start_s) for row in found)
    assert summary.utilization_pct == pytest.approx(
        100 * held / (20 * max(over.values()))
    )
    assert summary.mean_flow_time_s == pytest.approx(
        sum(over[job.number] - job.submit for job in jobs) / 60
    )


def test_traffic_does_not_depend_on_the_allocation() -> None:
    """The same pairs of tasks, whoever runs them."""

    def pairs(order: list[int], place: int) -> list[tuple[int, int]]:
        nodes = TRAFFIC.nodes(np.array(order))
        job = StreamJob(1, 0, len(order), 0, 0)
        drawn = TRAFFIC(job, np.array(order), np.random.default_rng((0, place)))
        task = {node: i for i, node in enumerate(nodes)}
        both = zip(drawn.source.tolist(), drawn.target.tolist(), strict=True)
        return [(task[a], task[b]) for a, b in both]

    for place in range(10):
        assert pairs([0, 7, 12], place) == pairs([19, 3, 4], place)
    assert pairs([0, 7, 12], 1) != pairs([0, 7, 12], 2)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_io_goes_to_the_west_side_and_communication_stays(share: float) -> None:
    traffic = MixedTraffic(shape=SHAPE, share=share, messages=200)
    used = np.array([0, 6, 19])
    job = StreamJob(1, 0, 3, 0, 0)
    drawn = traffic(job, used, np.random.default_rng(1))
    assert set(drawn.source.tolist()) == {1, 8, 23}  # 6 is row 1, column 1 of 4x5
    assert set(drawn.target.tolist()) == ({0, 6, 12, 18} if share else {1, 8, 23})
    # a task sends its next message when the last one has arrived
    assert len(drawn.before) == len(drawn) - 3
    assert (drawn.source[drawn.before] == drawn.source[drawn.after]).all()


def _sent(used: list[int], **options: Any) -> Messages:
    traffic = MixedTraffic(shape=SHAPE, **{"share": 1.0, "messages": 12.0, **options})
    job = StreamJob(1, 0, len(used), 0, 0)
    return traffic(job, np.array(used), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("first", "rows"), [("row", [0, 1, 3]), ("number", [0, 1, 2]), ("top", [0, 0, 0])]
)
def test_the_first_io_node_of_a_task(first: str, rows: list[int]) -> None:
    drawn = _sent([0, 6, 19], first=first)
    starts = np.setdiff1d(np.arange(len(drawn)), drawn.after)
    assert drawn.source[starts].tolist() == [1, 8, 23]
    assert drawn.target[starts].tolist() == [6 * row for row in rows]
    other = _sent([0, 6, 19])
    assert other.source.tolist() == drawn.source.tolist()  # nothing else has changed
    assert other.target.tolist() != drawn.target.tolist()


def test_a_quota_may_be_of_each_task_or_the_whole_pattern() -> None:
    together, each = _sent([0, 6, 19]), _sent([0, 6, 19], quota="task")
    assert len(each) == 3 * len(together)
    whole = _sent([0, 6, 19], quota="pattern")
    pairs = sorted(zip(whole.source.tolist(), whole.target.tolist(), strict=True))
    assert pairs == [(node, 6 * row) for node in (1, 8, 23) for row in range(4)]
    whole = _sent([0, 6, 19], quota="pattern", share=0.0)
    pairs = sorted(zip(whole.source.tolist(), whole.target.tolist(), strict=True))
    assert pairs == [(a, b) for a in (1, 8, 23) for b in (1, 8, 23) if a != b]


def test_what_is_kept_is_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [_sent([0, 6, 19]), _sent([0, 6, 19]), _sent([19, 0, 6])]
    monkeypatch.setattr(network_jobs, "_FEW", 0)
    drawn = [_sent([0, 6, 19]), _sent([0, 6, 19]), _sent([19, 0, 6])]
    for one, other in zip(kept, drawn, strict=True):
        assert one.source.tolist() == other.source.tolist()
        assert one.target.tolist() == other.target.tolist()


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match=r"quota: no such quota: 'all' \(known: "):
        MixedTraffic(shape=SHAPE, share=0.5, quota="all")
    with pytest.raises(InputError, match=r"first: no such first I/O node: 'left' "):
        MixedTraffic(shape=SHAPE, share=0.5, first="left")
    engine = RigidWorms(Mesh(2, 2))
    with pytest.raises(InputError, match="seed: must be at least 0, not -1"):
        Deliveries(engine, _idle, seed=-1)
    engine.add(messages([(0, 1, 1)]))
    with pytest.raises(InputError, match="engine: must not have been used before"):
        Deliveries(engine, _idle)
