"""The least way of given residents, against every place that they can go to."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from closeknit.exact.submesh.min_displacement import (
    Displacement,
    min_displacement,
    rooms,
)
from closeknit.instances import Submesh, check, cost
from closeknit.instances.submesh import (
    Box,
    Resident,
    box_at,
    overlap,
    unsolvable,
)

from ...oracles import boxes_of, least_displacement
from ...strategies import submeshes

FAR = 10**6
SLOW = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@st.composite
def crowded(draw: st.DrawFn) -> Submesh:
    """Small meshes in the plane with up to five residents."""
    shape = draw(st.integers(3, 6)), draw(st.integers(3, 5))
    empty = Submesh("crowded", shape, (), (1, 1))
    held: list[Box] = []
    for _ in range(draw(st.integers(1, 5))):
        a, b = draw(st.integers(0, shape[0] - 1)), draw(st.integers(0, shape[1] - 1))
        box = (
            a,
            b,
            min(shape[0] - 1, a + draw(st.integers(0, 2))),
            min(shape[1] - 1, b + draw(st.integers(0, 2))),
        )
        if not any(overlap(empty, box, other) for other in held):
            held.append(box)
    request = draw(st.integers(1, shape[0])), draw(st.integers(1, shape[1]))
    residents = tuple(Resident(box, turns=draw(st.booleans())) for box in held)
    return Submesh("crowded", shape, residents, request, rotate=draw(st.booleans()))


@SLOW
@given(st.one_of(submeshes(torus=False), crowded()), st.data())
def test_least_of_all_ways(instance: Submesh, data: st.DataObject) -> None:
    assume(unsolvable(instance) is None)
    free = [
        i
        for i, one in enumerate(instance.residents)
        if instance.migrate and not one.fixed
    ]
    some = st.lists(st.sampled_from(free), unique=True, max_size=2) if free else None
    moved = sorted(data.draw(some)) if some is not None else []
    least = least_displacement(instance, moved)
    found = min_displacement(instance, moved, FAR)
    assert found.finished
    assert found == min_displacement(instance, moved, FAR)
    if least is None:
        assert found.placement is None
        return
    assert found.placement is not None
    assert check(instance, found.placement.flat()) == []
    assert cost(instance, found.placement.flat())[2] == least
    assert min_displacement(instance, moved, least) == min_displacement(
        instance, moved, least
    )
    assert min_displacement(instance, moved, least).placement is None
    assert min_displacement(instance, moved, least + 1).placement is not None


@given(crowded())
def test_rooms_are_the_largest_free_boxes(instance: Submesh) -> None:
    held = [one.box for one in instance.residents]
    shape = instance.shape
    free = [
        box
        for size in product(*(range(1, side + 1) for side in shape))
        for box in boxes_of(instance, size, turns=False)
        if not any(overlap(instance, box, other) for other in held)
    ]

    def inside(one: Box, other: Box) -> bool:
        return (
            other[0] <= one[0]
            and other[1] <= one[1]
            and (one[2] <= other[2] and one[3] <= other[3])
        )

    largest = [box for box in free if not any(inside(box, b) for b in free if b != box)]
    assert rooms(shape, held) == sorted(largest)


def in_space(draw: Random) -> Submesh:
    shape = (draw.randint(2, 5), draw.randint(2, 3), draw.randint(1, 3))
    empty = Submesh("space", shape, (), (1, 1, 1))
    held: list[Box] = []
    for _ in range(4):
        size = tuple(draw.randint(1, min(3, side)) for side in shape)
        at = tuple(draw.randint(0, s - x) for s, x in zip(shape, size, strict=True))
        if not any(overlap(empty, box_at(at, size), other) for other in held):
            held.append(box_at(at, size))
    request = tuple(draw.randint(1, side) for side in shape)
    return Submesh("space", shape, tuple(map(Resident, held)), request)


@pytest.mark.parametrize("seed", range(4))
def test_least_of_all_ways_in_space(seed: int) -> None:
    draw = Random(seed)
    solved = 0
    for _ in range(1000):
        instance = in_space(draw)
        if unsolvable(instance) is not None:
            continue
        moved = list(range(min(2, len(instance.residents))))
        least = least_displacement(instance, moved)
        found = min_displacement(instance, moved, FAR)
        assert found.finished
        assert (found.placement is None) is (least is None)
        if found.placement is not None:
            assert cost(instance, found.placement.flat())[2] == least
            solved += least != 0
    assert solved > 20


def test_too_many_rooms_finish_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = (3, 3), [(1, 1, 1, 1)]
    one = Submesh("ring", ring[0], (Resident(ring[1][0]),), (1, 3))
    monkeypatch.setattr("closeknit.exact.submesh.min_displacement._MOST_ROOMS", 4)
    assert len(rooms(*ring) or []) == 4
    assert min_displacement(one, [], FAR).placement is not None
    monkeypatch.setattr("closeknit.exact.submesh.min_displacement._MOST_ROOMS", 3)
    assert rooms(*ring) is None
    assert min_displacement(one, [], FAR) == Displacement(
        finished=False, placement=None, nodes=0
    )


def test_nodes_or_time_that_run_out_finish_nothing() -> None:
    held = (Resident((1, 0, 1, 3)), Resident((3, 0, 3, 3)), Resident((5, 0, 5, 3)))
    instance = Submesh("row", (8, 4), held, (4, 4))
    assert min_displacement(instance, (0, 1, 2), FAR).finished
    assert not min_displacement(instance, (0, 1, 2), FAR, node_limit=1).finished
    assert not min_displacement(instance, (0, 1, 2), FAR, stop=lambda: True).finished
