"""Whether boxes overlap: pairs for few, the mesh itself for many; both agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.instances.submesh import Submesh, first_overlap, instance


@given(data=st.data(), torus=st.booleans(), d=st.sampled_from((2, 3)))
def test_both_ways_find_the_same(data: st.DataObject, torus: bool, d: int) -> None:
    shape = tuple(data.draw(st.integers(1, 6)) for _ in range(d))
    cells = st.tuples(*(st.integers(0, side - 1) for side in shape))
    blocked = tuple(sorted(data.draw(st.sets(cells, max_size=3))))
    mesh = Submesh("mesh", shape, (), (1,) * d, torus=torus, blocked=blocked)
    boxes = {}
    for i in range(data.draw(st.integers(0, 5))):
        low = data.draw(cells)
        most = [s - 1 if torus else s - 1 - x for s, x in zip(shape, low, strict=True)]
        longer = [data.draw(st.integers(0, m)) for m in most]
        high = (x + more for x, more in zip(low, longer, strict=True))
        boxes[f"b{i}"] = (*low, *high)
    assert instance._first_met(mesh, boxes) == first_overlap(mesh, boxes)


@pytest.mark.parametrize("torus", [False, True])
def test_many_residents_are_compared_at_once(torus: bool) -> None:
    side = 150  # 22 500 boxes: pairs would take minutes
    boxes = {f"{i},{j}": (i, j, i, j) for i, j in np.ndindex(side, side)}
    mesh = Submesh("mesh", (side, side), (), (1, 1), torus=torus)
    assert first_overlap(mesh, boxes) is None
    boxes["again"] = (17, 4, 18, 4)
    assert first_overlap(mesh, boxes) == ("17,4", "again")
