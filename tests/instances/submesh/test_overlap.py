"""Which boxes overlap first: as pairs of them say, and in time also where many are."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.instances.submesh import Box, Submesh, first_overlap, overlap


@given(data=st.data(), torus=st.booleans(), d=st.sampled_from((2, 3)))
def test_the_first_of_all_pairs_is_found(
    data: st.DataObject, torus: bool, d: int
) -> None:
    shape = tuple(data.draw(st.integers(1, 6)) for _ in range(d))
    cells = st.tuples(*(st.integers(0, side - 1) for side in shape))
    blocked = tuple(sorted(data.draw(st.sets(cells, max_size=3))))
    mesh = Submesh("mesh", shape, (), (1,) * d, torus=torus, blocked=blocked)
    boxes = {}
    for i in range(data.draw(st.integers(1, 5))):
        low = data.draw(cells)
        most = [s - 1 if torus else s - 1 - x for s, x in zip(shape, low, strict=True)]
        longer = [data.draw(st.integers(0, m)) for m in most]
        high = (x + more for x, more in zip(low, longer, strict=True))
        boxes[f"b{i}"] = (*low, *high)
    assert first_overlap(mesh, boxes) == by_pairs(mesh, boxes)


def by_pairs(mesh: Submesh, boxes: dict[str, Box]) -> tuple[str, str] | None:
    for i, (name, box) in enumerate(boxes.items()):
        if any(overlap(mesh, box, (*cell, *cell)) for cell in mesh.blocked):
            return "a blocked processor", name
        for other in list(boxes)[:i]:
            if overlap(mesh, boxes[other], box):
                return other, name
    return None


@pytest.mark.parametrize("torus", [False, True])
def test_many_residents_are_compared_at_once(torus: bool) -> None:
    side = 150  # 22 500 boxes: pairs would take minutes
    boxes = {f"{i},{j}": (i, j, i, j) for i, j in np.ndindex(side, side)}
    mesh = Submesh("mesh", (side, side), (), (1, 1), torus=torus)
    assert first_overlap(mesh, boxes) is None
    boxes["again"] = (17, 4, 18, 4)
    assert first_overlap(mesh, boxes) == ("17,4", "again")


@pytest.mark.parametrize(
    "wrong", [[], pytest.param(["last"], marks=pytest.mark.slow), ["blocked"]]
)
def test_a_large_file_of_residents_is_checked_in_seconds(wrong: list[str]) -> None:
    side = 4096
    boxes = {f"{i},{j}": (2 * i, 2 * j, 2 * i, 2 * j) for i, j in np.ndindex(1000, 300)}
    blocked = ((0, 599),) if "blocked" in wrong else ()
    if wrong:
        boxes["last"] = (0, 598, 1, 599)
    mesh = Submesh("mesh", (side, side), (), (1, 1), blocked=blocked)
    begun = time.process_time()
    expected = {"last": "0,299", "blocked": "a blocked processor"}
    clash = first_overlap(mesh, boxes)
    assert clash == ((expected[wrong[0]], "last") if wrong else None)
    assert time.process_time() - begun < 10  # one by one: 12 s and more
