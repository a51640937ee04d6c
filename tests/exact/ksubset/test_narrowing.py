"""Counts cut off by cost, and companions: kernels agree with plainer ways."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.ksubset.cuts_bb import kernels_bounds, kernels_exchange, layout
from closeknit.exact.ksubset.cuts_bb.box import CutBox
from closeknit.exact.ksubset.cuts_bb.kernels_counts import narrow_by_cost
from closeknit.instances import KSubset, Mesh, Points, arrays, cost
from closeknit.instances.ksubset.certificate import CertificateChecker
from closeknit.instances.ksubset.counts import CHOSEN, REJECTED, CountState

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
    checker = CertificateChecker(instance, objective)
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
    checker: CertificateChecker,
    state: CountState,
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


@pytest.mark.parametrize("seed", range(8))
def test_runs_of_a_plane_count_the_pairs(seed: int) -> None:
    """Who needs whom is the same by rows as pair by pair, in every closed state."""
    rng = random.Random(f"runs {seed}")
    counted = 0
    for _ in range(40):
        shape = rng.randint(2, 9), rng.randint(2, 9)
        sites = rng.sample(list(Mesh(shape).locations()), rng.randint(3, shape[0] * 2))
        if seed % 2:  # gaps of several lengths
            sites = [(y * y, 3 * x + x % 2) for y, x in sites]
        instance = KSubset("plane", Points(tuple(sites)), tuple(sites), len(sites) // 2)
        problem = CutBox.of(instance, 0).problem
        if len(problem.chain) < 2:
            continue
        scratch = layout.room_for(problem)
        k, m = instance.k, len(problem.weight)
        status = np.array(
            [rng.choice([0, 0, 0, layout.CHOSEN, layout.REJECTED]) for _ in sites],
            dtype=np.int8,
        )
        low = np.array([rng.randint(0, k // 3) for _ in range(m)], dtype=np.int64)
        high = np.array([rng.randint(k // 2, k) for _ in range(m)], dtype=np.int64)
        if not kernels_bounds.close(problem, status, low, high, scratch):
            continue
        points = np.flatnonzero(status == layout.UNDECIDED)
        kernels_exchange.bound_gains(problem, low, high, scratch)
        by_pairs, by_runs = np.empty((2, 2, len(points)), dtype=np.int64)
        kernels_exchange.count_pairs(problem, points, scratch, *by_pairs)
        kernels_exchange.count_runs(problem, points, scratch, *by_runs)
        assert (by_pairs == by_runs).all()
        counted += int(by_pairs.sum())
    assert counted
