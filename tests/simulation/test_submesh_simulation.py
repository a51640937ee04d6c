"""Boxes that come and go on a mesh: the model, its measures, and the command."""

from __future__ import annotations

import json
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.submesh.allocator import SubmeshAllocator
from closeknit.instances import InputError
from closeknit.instances.submesh import Box, box_at
from closeknit.methods.allocators.submesh import ALLOCATORS
from closeknit.simulation.submesh.simulator import Fixed, first_come
from closeknit.simulation.submesh.stream import (
    MOST_REQUESTS,
    Normal,
    Uniform,
    queue,
)

from .boxes import SHAPE, Rows, asked, queues, served, simulate


class Plain(SubmeshAllocator):
    """First fit by looking at every cell; a step is a cell looked at."""

    def _search(self, size: tuple[int, ...]) -> Box | None:
        taken = {cell for box in self.held for cell in cells(box)}
        ranges = [range(m - s + 1) for m, s in zip(self.shape, size, strict=True)]
        for place in product(*reversed(ranges)):
            box = box_at(place[::-1], size)
            self.steps += 1
            if not taken & set(cells(box)):
                return box
        return None

    def _take(self, box: Box) -> None:
        """Know it from the list."""

    def _give(self, box: Box) -> None:
        """Know it from the list."""


def cells(box: Box) -> list[tuple[int, ...]]:
    d = len(box) // 2
    return list(product(*(range(box[a], box[d + a] + 1) for a in range(d))))


def test_a_queue_worked_by_hand() -> None:
    # 4x4: the left half for 10, the right half for 4; a 3x2 waits, though 4 leaves
    # it 8 free processors in two columns; it starts at 10, with the 1x1 behind it.
    rows: Rows = [((2, 4), 10), ((2, 4), 4), ((3, 2), 5), ((1, 1), 1)]
    found, starts = served(rows, Fixed(Plain((4, 4))))
    assert starts == [0, 0, 10, 10]
    assert found.completion_time == 15
    assert found.utilization_pct == pytest.approx(100 * 143 / (16 * 15))
    # attempts with 0, 1, 2 (fails), 1 (fails, 8 >= 6 free), 0, 1 boxes held
    assert (found.attempts, found.failures, found.external_failures) == (6, 2, 1)
    assert found.mean_allocated == pytest.approx(5 / 6)
    assert found.external_fragmentation_pct == pytest.approx(100 * 6 / 16)
    assert found.mean_wait == 5
    # frames looked at: 1, then 3; all 6 twice in vain; 1; 4
    assert found.steps_per_success == pytest.approx((1 + 3 + 1 + 4) / 4)
    assert found.steps_per_failure == 6
    assert found.steps_per_attempt == pytest.approx(21 / 6)
    assert found.migration_fragmentation_pct is None


def test_releases_of_one_moment_are_one_event() -> None:
    rows: Rows = [((2, 4), 3), ((2, 4), 3), ((4, 4), 1)]
    found, starts = served(rows, Fixed(Plain((4, 4))))
    assert starts == [0, 0, 3]
    assert found.failures == 1


def test_turning_helps_where_it_is_allowed() -> None:
    rows: Rows = [((4, 2), 9), ((2, 1), 9), ((1, 2), 9), ((1, 3), 9)]
    assert served(rows, Fixed(Plain((4, 4))))[1] == [0, 0, 0, 9]
    rows = [((4, 3), 9), ((1, 4), 9)]
    assert served(rows, Fixed(Plain((4, 4))))[1] == [0, 9]
    assert served(rows, Fixed(Plain((4, 4), rotate=True)))[1] == [0, 0]


def test_failures_are_judged_where_processors_suffice() -> None:
    rows = asked([((2, 4), 10), ((2, 4), 4), ((3, 2), 5), ((2, 2), 1)])
    judged: list[tuple[list[Box], tuple[int, ...]]] = []

    def judge(boxes: object, size: tuple[int, ...]) -> bool | None:
        assert isinstance(boxes, list)
        judged.append((boxes, size))
        return True

    found = first_come(rows, Fixed(Plain((4, 4))), judge=judge)
    assert judged == [([(0, 0, 1, 3)], (3, 2))]
    assert found.migration_fragmentation_pct == pytest.approx(100 * 6 / 16)
    assert (found.migration_failures, found.undecided_failures) == (1, 0)
    found = first_come(rows, Fixed(Plain((4, 4))), judge=lambda boxes, size: None)
    assert (found.migration_failures, found.undecided_failures) == (0, 1)
    assert found.migration_fragmentation_pct is None


def test_what_fits_nowhere_is_refused() -> None:
    with pytest.raises(InputError, match=r"request 1: finds no place in the empty"):
        served([((2, 2), 1), ((5, 1), 1)], Fixed(Plain((4, 4))))


@given(queues(*SHAPE, most=40), st.booleans())
@settings(max_examples=60, deadline=None)
def test_measures_are_those_of_the_definition(rows: Rows, rotate: bool) -> None:
    # Replay with time in whole steps: who is there in each, and who could not start.
    found, starts = served(rows, Fixed(Plain(SHAPE, rotate=rotate)))
    assert starts == sorted(starts)
    ends = [start + seconds for start, (_, seconds) in zip(starts, rows, strict=True)]
    assert found.completion_time == max(ends)
    busy = 0
    for moment in range(int(max(ends))):
        there = [
            prod(size)
            for (size, _), start, end in zip(rows, starts, ends, strict=True)
            if start <= moment < end
        ]
        assert sum(there) <= 20
        busy += sum(there)
    assert found.utilization_pct == pytest.approx(100 * busy / (20 * max(ends)))
    # a request is tried when it comes to the head and at every release until it starts
    heads = [0.0, *starts[:-1]]
    attempts = [
        1 + len({end for end in ends[:n] if heads[n] < end <= starts[n]})
        for n in range(len(rows))
    ]
    assert found.attempts == sum(attempts)
    assert found.failures == sum(attempts) - len(rows)
    assert found.mean_wait == pytest.approx(sum(starts) / len(rows))


def test_queues_depend_on_the_seed_alone() -> None:
    one = queue((256, 256), 200, Uniform(1, 256), seed=3)
    assert one == queue((256, 256), 200, Uniform(1, 256), seed=3)
    assert one[:50] == queue((256, 256), 50, Uniform(1, 256), seed=3)
    assert one != queue((256, 256), 200, Uniform(1, 256), seed=4)
    # a stream per side: the residence times do not change with the sides
    other = queue((256, 256), 200, Normal(128, 43), seed=3)
    assert [r.seconds for r in one] == [r.seconds for r in other]


def test_queues_follow_their_distributions() -> None:
    drawn = queue((256, 256), 20_000, Uniform(3, 256), seed=1)
    for axis in range(2):
        values = [one.size[axis] for one in drawn]
        assert (min(values), max(values)) == (3, 256)
        assert sum(values) / len(values) == pytest.approx(129.5, rel=0.02)
    assert all(5 <= one.seconds <= 30 for one in drawn)
    assert sum(one.seconds for one in drawn) / 20_000 == pytest.approx(17.5, rel=0.01)
    normal = [one.size[0] for one in queue((256, 256), 20_000, Normal(128, 43))]
    mean = sum(normal) / len(normal)
    spread = (sum((x - mean) ** 2 for x in normal) / len(normal)) ** 0.5
    assert mean == pytest.approx(128, rel=0.01)
    assert spread == pytest.approx(42.5, rel=0.02)  # a little less: cut off
    cut = [one.size[0] for one in queue((256, 256), 500, Normal(256, 43))]
    assert max(cut) <= 256


def test_queues_at_the_ends_of_what_is_allowed() -> None:
    assert {one.size for one in queue((9, 9), 20, Uniform(3, 3))} == {(3, 3)}
    assert {one.size for one in queue((9, 9), 20, Normal(1, 0.01))} == {(1, 1)}
    assert {one.size for one in queue((9, 9), 20, Normal(9, 0.01))} == {(9, 9)}
    even = queue((9, 9), 20, Uniform(1, 9), residence=(7.0, 7.0))
    assert {one.seconds for one in even} == {7.0}
    brief = queue((9, 9), 20, Uniform(1, 9), residence=(0.5, 0.6))
    assert all(0.5 <= one.seconds <= 0.6 for one in brief)
    assert MOST_REQUESTS == 1_000_000
    for low, high in ((0, 3), (4, 3)):
        with pytest.raises(InputError, match="must run from at least 1 upwards"):
            Uniform(low, high)
    for residence in ((0.0, 3.0), (4.0, 3.0), (1.0, float("inf"))):
        with pytest.raises(InputError, match="must run from above 0 upwards"):
            queue((9, 9), 20, Uniform(1, 9), residence=residence)


def test_where_residents_stay_none_is_moved() -> None:
    occupancy = Fixed(ALLOCATORS["fs-f"]((4, 4)))
    assert (occupancy.moved, occupancy.generous) == (0, False)


def test_a_failure_is_external_when_just_enough_is_free() -> None:
    rows = asked([((1, 2), 3), ((1, 2), 9), ((1, 2), 3), ((2, 2), 1)])
    found = first_come(rows, Fixed(Plain((3, 2))), judge=lambda boxes, size: True)
    assert found.migration_failures == 1


def test_the_longest_queue_is_drawn_and_seed_0_is_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("closeknit.simulation.submesh.stream.MOST_REQUESTS", 5)
    drawn = queue((9, 9), 5, Uniform(1, 9))
    assert drawn == queue((9, 9), 5, Uniform(1, 9), seed=0)
    assert drawn != queue((9, 9), 5, Uniform(1, 9), seed=1)
    with pytest.raises(InputError, match="must be from 1 to 5"):
        queue((9, 9), 6, Uniform(1, 9))
    low = queue((9, 9), 5, Normal(1, 1))
    assert min(side for one in low for side in one.size) >= 1


@pytest.mark.parametrize("name", ALLOCATORS)
def test_every_allocator_serves_the_queue(name: str) -> None:
    rows = queue((16, 16), 60, Uniform(1, 16), seed=5)
    work = sum(prod(one.size) * one.seconds for one in rows)
    found = first_come(rows, Fixed(ALLOCATORS[name]((16, 16))))
    # sides are rounded up by some: what is asked for counts, not what is blocked
    assert found.utilization_pct * found.completion_time == pytest.approx(
        100 * work / 256
    )
    assert found == first_come(rows, Fixed(ALLOCATORS[name]((16, 16))))


def test_the_command_prints_the_measures(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--method", "fs-1", "--requests", "80", "--seed", "2"]
    assert simulate(*words) == 0
    shown = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert simulate(*words, "--json", "-") == 0
    found = json.loads(capsys.readouterr().out)
    assert found.keys() == shown.keys()
    rows = queue((32, 32), 80, Uniform(1, 32), seed=2)
    own = first_come(rows, Fixed(Plain((32, 32))))
    assert found["completion_time"] == own.completion_time
    assert found["utilization_pct"] == own.utilization_pct
    assert found["external_fragmentation_pct"] == own.external_fragmentation_pct
    assert found["mean_allocated"] == own.mean_allocated
    assert float(shown["completion_time"]) == pytest.approx(
        own.completion_time, abs=0.01
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "--method"),
        (["--method", "isss"], "--method: no such allocator"),
        (["--method", "fs-f", "--torus"], "--shape: fs-f is for meshes, not tori"),
        (["--method", "fs-1", "--requests", "0"], "--requests: must be from 1"),
        (["--method", "fs-1", "--sides", "uniform:0:4"], "--sides: must run from"),
        (["--method", "fs-1", "--sides", "uniform:4:3"], "--sides: must run from"),
        (["--method", "fs-1", "--sides", "uniform:1:33"], "not be longer than"),
        (["--method", "fs-1", "--sides", "uniform:1"], "--sides: must be uniform"),
        (["--method", "fs-1", "--sides", "normal:8:0"], "deviation above 0"),
        (["--method", "fs-1", "--sides", "normal:nan:1"], "deviation above 0"),
        (["--method", "fs-1", "--sides", "normal:900:1"], "hardly ever"),
        (["--method", "fs-1", "--residence", "5"], "--residence: must be two times"),
        (["--method", "fs-1", "--residence", "-5:3"], "--residence"),
        (["--method", "fs-1", "--residence", "0:3"], "--residence: must run from"),
        (["--method", "fs-1", "--residence", "5:inf"], "--residence: must run from"),
        (["--method", "mig", "--torus"], "--shape: mig is for meshes, not tori"),
        (["--method", "mig", "--time-limit", "0"], "--time-limit: must be seconds abo"),
        (["--method", "mig", "--time-limit", "nan"], "--time-limit: must be seconds a"),
        (["--method", "fs-1", "--shape", "32"], "--shape"),
        (["--method", "fs-1", "--shape", "99999x99999"], "--shape: must have at most"),
    ],
)
def test_bad_input_is_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str], complaint: str
) -> None:
    assert simulate(*words) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
