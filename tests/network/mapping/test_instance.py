"""Traffic and hops: what they cost, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeknit.instances import InputError
from closeknit.network.mapping.instance import RankMapping

from ...strategies import mappings

PAIR = [[0, 1], [1, 0]]


@given(mapping=mappings(), random=st.randoms(use_true_random=False))
def test_cost_is_traffic_times_hops_over_ordered_pairs(
    mapping: RankMapping, random: Any
) -> None:
    order = list(range(mapping.ranks))
    random.shuffle(order)
    cost = sum(
        int(mapping.traffic[i, j]) * int(mapping.hops[order[i], order[j]])
        for i in range(mapping.ranks)
        for j in range(mapping.ranks)
    )
    assert mapping.cost(order) == cost
    assert cost % mapping.unit == 0
    assert mapping.check(order) == []


@pytest.mark.parametrize(
    ("traffic", "hops", "complaint"),
    [
        (
            [[0, 1, 2], [1, 0, 1]],
            PAIR,
            "traffic: must be a square matrix, not '(2, 3)'",
        ),
        ([[0, 1], [1]], PAIR, "traffic: must have rows of one length"),
        ([], PAIR, "traffic: must be a square matrix, not '(0,)'"),
        ([[0, -1], [1, 0]], PAIR, "traffic[0][1]: must be at least 0, not -1"),
        ([[0, 1.5], [1, 0]], PAIR, "traffic[0][1]: must be a whole number, not 1.5"),
        ([[0, float("nan")], [1, 0]], PAIR, "[0][1]: must be a whole number, not nan"),
        (
            [[0, 1], [float("inf"), 0]],
            PAIR,
            "traffic[1][0]: must be below 2^61, not inf",
        ),
        ([["a", "b"], ["c", "d"]], PAIR, "traffic: must be whole numbers"),
        (PAIR, [[0]], "hops: must have as many rows as ranks, 2, not 1"),
        (PAIR, [[0, 1], [2, 0]], "hops[0][1]: must be symmetric, not 1"),
        (PAIR, [[3, 1], [1, 0]], "hops[0][0]: must be 0 from a processor to itself"),
        (PAIR, [[0, -1], [-1, 0]], "hops[0][1]: must be at least 0, not -1"),
        (
            [[0, 2**60], [0, 0]],
            [[0, 2], [2, 0]],
            "traffic: makes costs of 2^61 or more",
        ),
        (np.zeros((5000, 5000), np.int8), PAIR, "traffic: must have at most 4096 rows"),
    ],
)
def test_what_is_no_mapping_is_refused(traffic: Any, hops: Any, complaint: str) -> None:
    with pytest.raises(InputError) as refused:
        RankMapping(traffic, hops)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_diagonal_of_traffic_is_not_used() -> None:
    given = np.array([[7, 1], [2, 9]])
    mapping = RankMapping(given, np.array(PAIR))
    assert mapping.cost([1, 0]) == 3
    assert given[0, 0] == 7  # what was given stays
    assert pickle.loads(pickle.dumps(mapping)).cost([0, 1]) == 3


@pytest.mark.parametrize("order", [[0, 0], [0], [0, 2], [0, 1, 1]])
def test_what_is_no_order_is_told(order: list[int]) -> None:
    mapping = RankMapping(np.array(PAIR), np.array(PAIR))
    assert mapping.check(order) == ["must be an order of the processors 0 to 1"]
