"""The tiers of the tests themselves."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .tiers import draw_more


def test_every_drawn_test_draws_more(request: pytest.FixtureRequest) -> None:
    counts = {"set": 0, "unset": 0}

    @settings(max_examples=7, database=None)
    @given(st.integers())
    def with_a_number(x: int) -> None:
        counts["set"] += 1

    @given(st.integers())
    def without_one(x: int) -> None:
        counts["unset"] += 1

    parent = request.node.parent
    items = [
        pytest.Function.from_parent(parent, name=one.__name__, callobj=one)
        for one in (with_a_number, without_one)
    ]
    draw_more(items, 3)
    with_a_number()
    without_one()
    assert counts == {"set": 21, "unset": 3 * settings().max_examples}
