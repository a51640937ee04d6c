"""The allocator with an outlook: nearest an edge, and leaving most."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.submesh import snug, snug_kernels
from closeknit.instances.submesh import Box, sides
from closeknit.methods.allocators.submesh import ALLOCATORS
from closeknit.simulation.submesh.simulator import Fixed, first_come
from closeknit.simulation.submesh.stream import BoxRequest, Uniform, queue

SHAPE = (9, 7)
streams = st.lists(
    st.tuples(st.integers(1, 9), st.integers(1, 7), st.integers(0, 99)), max_size=30
)


def free(held: list[Box], box: Box) -> bool:
    a, b, c, d = box
    inside = 0 <= a <= c < SHAPE[0] and 0 <= b <= d < SHAPE[1]
    return inside and not any(
        a <= other[2] and other[0] <= c and b <= other[3] and other[1] <= d
        for other in held
    )


def distance(box: Box) -> int:
    """Return how far the longer side is from an edge."""
    x, y = sides(box)
    axis = 1 if x >= y else 0
    return min(box[axis], SHAPE[axis] - 1 - box[axis + 2])


@given(streams, st.booleans())
@settings(max_examples=60, deadline=None)
def test_places_are_as_near_an_edge_as_those_of_4iss(
    rows: list[tuple[int, int, int]], rotate: bool
) -> None:
    own = ALLOCATORS["snug"](SHAPE, rotate=rotate)
    other = ALLOCATORS["4iss"](SHAPE, rotate=rotate)
    for x, y, back in rows:
        if own.held and back % 2:
            gone = own.held[back % len(own.held)]
            own.release(gone)
            other.release(gone)
        held = own.held
        theirs = other.find((x, y))
        mine = own.allocate((x, y))
        assert (mine is None) == (theirs is None)
        if mine is None or theirs is None:
            continue
        assert free(held, mine)
        assert sides(mine) == sides(theirs)
        assert distance(mine) == distance(theirs)
        other.hold(mine)
    for box in own.held:
        own.release(box)
    assert own.find((9, 7)) == (0, 0, 8, 6)


held_boxes = st.lists(
    st.tuples(
        st.integers(0, 8), st.integers(0, 6), st.integers(1, 4), st.integers(1, 4)
    ),
    min_size=1,
    max_size=6,
)


@given(held_boxes, st.integers(1, 9), st.integers(1, 7), st.integers(-1, 5))
@settings(max_examples=80, deadline=None)
def test_sizes_that_fit_are_those_that_fit(
    rows: list[tuple[int, int, int, int]], cap_x: int, cap_y: int, gone: int
) -> None:
    held: list[Box] = []
    for a, b, x, y in rows:
        box = (a, b, a + x - 1, b + y - 1)
        if free(held, box):
            held.append(box)
    gone = min(gone, len(held) - 1)
    rest = [box for k, box in enumerate(held) if k != gone]
    fit = sum(
        any(
            free(rest, (i, j, i + x - 1, j + y - 1))
            for i in range(SHAPE[0])
            for j in range(SHAPE[1])
        )
        for x in range(1, cap_x + 1)
        for y in range(1, cap_y + 1)
    )
    if not held:
        return
    counted = snug_kernels.sizes_that_fit(
        np.array(held, dtype=np.int64),
        len(held),
        gone,
        np.array(SHAPE, dtype=np.int64),
        np.array([cap_x, cap_y], dtype=np.int64),
        snug_kernels.room_for(2 * len(held) + 4),
    )
    assert counted == fit


def test_crowds_are_served_as_well() -> None:
    asked = queue((64, 64), 300, Uniform(1, 12), seed=3)
    most = 0
    occupancy = Fixed(ALLOCATORS["snug"]((64, 64)))

    def look(request: BoxRequest, clock: float) -> None:
        nonlocal most
        held = occupancy.boxes()
        most = max(most, len(held))
        cells = np.zeros((64, 64), dtype=np.int64)
        for a, b, c, d in held:
            cells[a : c + 1, b : d + 1] += 1
        assert cells.max() == 1

    first = first_come(asked, occupancy, on_start=look)
    assert most > 2 * snug.FEW
    again = first_come(asked, Fixed(ALLOCATORS["snug"]((64, 64))))
    assert first == again
