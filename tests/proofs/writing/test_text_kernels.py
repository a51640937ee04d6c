"""Integers written as text."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from closeknit.proofs.writing.text_kernels import multiples

PAIR = st.tuples(st.integers(0, 2**63 - 1), st.integers(1, 3) | st.integers(1, 2**62))


@given(st.lists(PAIR))
def test_multiples_are_added_in_words(pairs: list[tuple[int, int]]) -> None:
    expected = [f"{row} +" if by == 1 else f"{row} {by} * +" for row, by in pairs]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    assert multiples(table[:, 0], table[:, 1]) == " ".join(expected)
