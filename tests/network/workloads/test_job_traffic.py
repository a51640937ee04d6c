"""What the jobs of a stream send."""

from __future__ import annotations

import numpy as np
import pytest

from closeknit.instances import InputError, Mesh
from closeknit.network.messages import Messages
from closeknit.network.workloads.io_side import IoSide
from closeknit.network.workloads.job_traffic import RUN_TIME, JobTraffic
from closeknit.simulation.stream.jobs import StreamJob

WEST = IoSide(Mesh(4, 5))
AT = np.array([0, 6, 19])


def sent(traffic: JobTraffic, seconds: int = 0, seed: int = 1, k: int = 3) -> Messages:
    job = StreamJob(7, 0, k, seconds, seconds)
    return traffic(job, AT[:k], np.random.default_rng(seed))


@pytest.mark.parametrize("name", ["n-to-n", "all-to-all"])
def test_everyone_to_everyone_once(name: str) -> None:
    found = sent(JobTraffic(name=name, size=40))
    pairs = sorted(zip(found.source.tolist(), found.target.tolist(), strict=True))
    assert pairs == [(a, b) for a in AT for b in AT if a != b]
    assert set(found.length.tolist()) == {10}
    assert not len(sent(JobTraffic(name=name), k=1))


def test_as_many_messages_as_seconds() -> None:
    traffic = JobTraffic(messages=RUN_TIME)
    assert [len(sent(traffic, seconds)) for seconds in (0, 1, 7)] == [0, 1, 7]
    assert set(sent(traffic, 7).target.tolist()) <= set(AT.tolist())
    assert not len(sent(traffic, 7, k=1))


def test_numbers_of_messages_are_drawn() -> None:
    traffic = JobTraffic(messages="uniform:5:9")
    counts = {len(sent(traffic, seed=seed)) for seed in range(60)}
    assert counts == {5, 6, 7, 8, 9}
    assert len(sent(JobTraffic(messages="uniform:4:4"))) == 4


def test_io_goes_to_the_side_and_mixed_is_drawn_per_job() -> None:
    io = sent(JobTraffic(name="io", io=WEST))
    nodes = WEST.nodes(AT).tolist()
    assert set(io.source.tolist()) == set(nodes)
    assert set(io.target.tolist()) == set(WEST.io.tolist())
    assert len(io) == 3 * 4
    kinds = {
        frozenset(sent(mixed, seed=seed).target.tolist()) <= {*WEST.io.tolist()}
        for mixed in [JobTraffic(name="mixed", messages="uniform:6:6", io=WEST)]
        for seed in range(20)
    }
    assert kinds == {True, False}
    for share, only in ((0.0, nodes), (1.0, WEST.io.tolist())):
        never = JobTraffic(
            name="mixed", messages="uniform:9:9", io_share=share, io=WEST
        )
        for seed in range(20):
            assert set(sent(never, seed=seed).target.tolist()) <= set(only)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"name": "storm"}, "traffic: no such traffic: 'storm'"),
        ({"name": "io"}, "traffic: needs I/O nodes, not 'io'"),
        ({"name": "2M", "io": WEST}, "traffic: has no I/O nodes: '2M'"),
        ({"name": "mixed", "io": WEST}, "messages: must be given for mixed"),
        ({"name": "2M", "messages": RUN_TIME}, "messages: are for all-to-all, io, mix"),
        ({"messages": "7"}, "messages: must be exponential:MEAN or uniform:LOW:HIGH"),
        ({"io_share": 0.5}, "io-share: is for mixed"),
        (
            {"name": "mixed", "messages": RUN_TIME, "io": WEST, "io_share": 1.5},
            "io-share: must lie between 0 and 1, not 1.5",
        ),
    ],
)
def test_refusals(options: dict[str, object], told: str) -> None:
    with pytest.raises(InputError) as raised:
        JobTraffic(**options)  # type: ignore[arg-type]
    assert str(raised.value).startswith(told)


def test_a_job_of_the_wrong_size_is_named() -> None:
    with pytest.raises(InputError, match=r"^job 7: tasks: must be a power of two, not"):
        sent(JobTraffic(name="BU"))
