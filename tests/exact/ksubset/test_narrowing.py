"""Counts cut off by cost: the kernel and the checker of certificates agree."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.ksubset.cuts_bb import kernels_bounds, layout
from closeknit.exact.ksubset.cuts_bb.box import CutBox
from closeknit.exact.ksubset.cuts_bb.kernels_counts import narrow_by_cost
from closeknit.instances import KSubset, arrays, cost
from closeknit.instances.ksubset.certificate import Checker
from closeknit.instances.ksubset.counts import CHOSEN, REJECTED, State

from ...strategies import ksubsets, topologies


@settings(max_examples=150, deadline=None)
@given(
    instance=ksubsets(topologies()),
    above=st.integers(-2, 4),
    decided=st.lists(st.sampled_from([0, 0, CHOSEN, REJECTED]), max_size=6),
)
def test_counts_are_cut_off_where_nothing_cheaper_has_them(
    instance: KSubset, above: int, decided: list[int]
) -> None:
    objective = cost(instance, tuple(range(instance.k))) + above
    problem = CutBox.of(instance, 0).problem
    scratch = layout.room_for(problem)
    checker = Checker(instance, objective)
    state = checker.root()
    state.status[: len(decided)] = decided[: instance.n]
    if not len(problem.weight) or not checker.close(state):
        return
    status = np.array(state.status, dtype=np.int8)
    low, high = np.array(state.low), np.array(state.high)
    kernels_bounds.count(problem, status, scratch)
    constant = kernels_bounds.weigh(problem, low, high, scratch)
    bound = kernels_bounds.bound_by_secants(problem, status, constant, scratch)[0]
    assert bound == checker.bound(state)[0]
    if bound >= checker.threshold:
        return
    gap = checker.threshold - bound
    cut = narrow_by_cost(problem, status, low, high, gap, scratch)
    left = checker.affordable(state, range(len(low)))
    if not all(left):
        assert cut < 0
    else:
        assert (low == [each[0] for each in left]).all()
        assert (high == [each[-1] for each in left]).all()
        assert cut == (low - high).sum() + sum(state.high) - sum(state.low)
    _nothing_is_lost(instance, checker, state, left)


def _nothing_is_lost(
    instance: KSubset,
    checker: Checker,
    state: State,
    left: list[list[int]],
) -> None:
    """Look at all cheaper choices of a node: every one keeps all its counts."""
    units, sides = arrays.cuts(instance).denominator, arrays.cuts(instance).sides
    for chosen in combinations(range(instance.n), instance.k):
        member = np.isin(np.arange(instance.n), chosen)
        counts = sides.astype(np.int64) @ member
        if (
            cost(instance, chosen) * units < checker.threshold
            and member[state.points(CHOSEN)].all()
            and not member[state.points(REJECTED)].any()
            and (state.low <= counts).all()
            and (counts <= state.high).all()
        ):
            assert all(c in some for c, some in zip(counts, left, strict=True))
