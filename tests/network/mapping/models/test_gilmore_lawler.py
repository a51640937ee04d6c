"""The Gilmore-Lawler bound: its assignments, and that it is below every order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from closeknit.network.mapping.instance import RankMapping
from closeknit.network.mapping.models.gilmore_lawler import (
    gilmore_lawler,
    matrices_of,
    room_for,
)
from closeknit.network.mapping.models.gilmore_lawler_kernels import assign, bound

from ....oracles import cheapest_order
from ....strategies import mappings, nug12


@settings(max_examples=60)
@given(n=st.integers(1, 9), seed=st.integers(0, 10**6), most=st.sampled_from([2, 99]))
def test_assignments_are_scipy_s(n: int, seed: int, most: int) -> None:
    costs = np.random.default_rng(seed).integers(0, most, (n, n))
    room = room_for(n)
    rows, columns = linear_sum_assignment(costs)
    total = costs[rows, columns].sum()
    assert assign(costs, n, room) == total
    reduced = costs - room.u[1 : n + 1, None] - room.v[None, 1 : n + 1]
    assert reduced.min() >= 0
    assert room.u[1 : n + 1].sum() + room.v[1 : n + 1].sum() == total
    assert all(reduced[room.match[j] - 1, j - 1] == 0 for j in range(1, n + 1))


@settings(max_examples=30, deadline=None)
@given(mapping=mappings(most=5))
def test_no_order_is_below_the_bound_of_its_beginning(mapping: RankMapping) -> None:
    """At every node of the whole tree; the reduced costs bound the children, too."""
    n = mapping.ranks
    given, room = matrices_of(mapping), room_for(n)
    for k in range(n + 1):
        for begun in permutations(range(n), k):
            best = cheapest_order(mapping, begun)
            assert gilmore_lawler(mapping, begun) <= best
            place, holder = np.full(n, -1), np.full(n, -1)
            place[:k] = begun
            holder[list(begun)] = range(k)
            twice, count = bound(given, place, holder, room)
            assert count == n - k
            for y in range(count):  # the next rank on every free processor
                then = (*begun, int(room.sites[y]))
                raised = twice + int(room.costs[0, y])
                assert raised <= 2 * cheapest_order(mapping, then)
        if k == n:
            assert gilmore_lawler(mapping, begun) == mapping.cost(begun)


def test_the_published_bound_of_nug12_is_met() -> None:
    """It is 493 in QAPLIB; costs are even."""
    assert gilmore_lawler(nug12()) == 494
