"""Counts cut off by cost: the kernel and the checker of certificates agree."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.ksubset.cuts_bb import kernels_bounds, layout
from closeknit.exact.ksubset.cuts_bb.box import CutBox
from closeknit.exact.ksubset.cuts_bb.kernels_counts import narrow_by_cost
from closeknit.instances import KSubset, cost
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
    status = state.status.astype(np.int8)
    low, high = state.low.copy(), state.high.copy()
    kernels_bounds.count(problem, status, scratch)
    constant = kernels_bounds.weigh(problem, low, high, scratch)
    bound = kernels_bounds.bound_by_secants(problem, status, constant, scratch)[0]
    assert bound == checker.bound(state)[0]
    if bound >= checker.threshold:
        return
    gap = checker.threshold - bound
    cut = narrow_by_cost(problem, status, low, high, gap, scratch)
    left = checker.affordable(state, np.arange(len(low)))
    ends = [np.flatnonzero(each) for each in left]
    if not all(map(len, ends)):
        assert cut < 0
    else:
        assert (low == [each[0] for each in ends]).all()
        assert (high == [each[-1] for each in ends]).all()
        assert cut == (low - state.low + state.high - high).sum()
    _nothing_is_lost(instance, checker, state, left)


def _nothing_is_lost(
    instance: KSubset,
    checker: Checker,
    state: State,
    left: npt.NDArray[np.bool_],
) -> None:
    """Look at all cheaper choices of a node: every one keeps all its counts."""
    units = instance.cuts.denominator
    for chosen in combinations(range(instance.n), instance.k):
        member = np.isin(np.arange(instance.n), chosen)
        counts = checker.sides @ member
        if (
            cost(instance, chosen) * units < checker.threshold
            and member[state.status == CHOSEN].all()
            and not member[state.status == REJECTED].any()
            and (state.low <= counts).all()
            and (counts <= state.high).all()
        ):
            assert left[np.arange(len(counts)), counts].all()
