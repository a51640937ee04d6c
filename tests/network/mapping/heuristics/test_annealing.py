"""Annealing: exact changes of the cost, seeds, limits, and how good it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import Mesh, Torus
from closeknit.network.mapping.heuristics import annealing_kernels as kernels
from closeknit.network.mapping.heuristics.annealing import (
    Annealing,
    annealing,
    partners_of,
)
from closeknit.network.mapping.heuristics.baselines import greedy, identity, random
from closeknit.network.mapping.instance import RankMapping
from closeknit.network.processor_numbers import hops_between
from closeknit.solvers import Limit, Settings, Status

from ....oracles import cheapest_order
from ....strategies import mappings


@settings(max_examples=30)
@given(mapping=mappings(), seed=st.integers(0, 10**6))
def test_changes_are_those_of_the_cost(mapping: RankMapping, seed: int) -> None:
    n = mapping.ranks
    place = np.random.default_rng(seed).permutation(n)
    before = mapping.cost(place)
    for a in range(n):
        for b in range(n):
            then = place.copy()
            then[[a, b]] = place[[b, a]]
            if a != b:
                rise = kernels.change(partners_of(mapping), place, a, b)
                assert before + rise == mapping.cost(then)


@settings(max_examples=40, deadline=None)
@given(mapping=mappings(), seed=st.integers(0, 3))
def test_small_jobs_are_ordered_optimally(mapping: RankMapping, seed: int) -> None:
    """No guarantee: but ten runs of seven ranks have not missed it."""
    found = annealing(mapping, Settings(seed=seed))
    assert found.objective == cheapest_order(mapping)


@settings(max_examples=40, deadline=None)
@given(mapping=mappings(), seed=st.integers(0, 10**6))
def test_running_costs_stay_true(mapping: RankMapping, seed: int) -> None:
    search = Annealing(mapping, seed)
    if mapping.ranks > 1:
        search._begin()
        for budget in (1, 7, 100):
            search._step(budget)
            assert search._costs[0] == mapping.cost(search._place)
            assert search._costs[1] == mapping.cost(search._top)
        search._end(descend=True)
    assert search.cost == mapping.cost(search.best)
    others = [mapping.cost(one(mapping).chosen or ()) for one in (identity, greedy)]
    assert search.cost <= min(others)


def ring(n: int, seed: int) -> RankMapping:
    """Put a ring of ranks, in random order, on a torus: the optimum is known."""
    order = np.random.default_rng(seed).permutation(n)
    traffic = np.zeros((n, n), np.int64)
    traffic[order, np.roll(order, 1)] = 5
    return RankMapping(traffic, hops_between(Torus(4, n // 4), np.arange(n)))


@pytest.mark.parametrize("seed", [0, 1])
def test_a_ring_on_a_torus_has_neighbours_only(seed: int) -> None:
    found = annealing(ring(20, seed), Settings(seed=seed))
    assert found.objective == found.bound == 5 * 20
    assert found.status is Status.OPTIMAL  # the bound is met, and checked


def test_one_seed_has_one_result_and_steps_do_not_matter() -> None:
    grid = hops_between(Mesh(4, 5), np.arange(20))
    mapping = RankMapping(np.random.default_rng(1).integers(0, 9, (20, 20)), grid)
    orders = []
    for budget in (1000, 77):
        search = Annealing(mapping, seed=3)
        search._begin()
        for _ in range(77 * 1000 // budget):
            search._step(budget)
        orders.append((search._place.tolist(), search._heat))
    assert orders[0] == orders[1]
    same = [annealing(mapping, Settings(seed=3, node_limit=10**5)) for _ in range(2)]
    assert same[0].chosen == same[1].chosen
    assert same[0].limit is Limit.NODES
    drawn = {random(mapping, Settings(seed=seed)).chosen for seed in (0, 0, 1)}
    assert len(drawn) == 2


def test_at_once_the_better_of_identity_and_greedy_is_left() -> None:
    mapping = ring(20, seed=0)
    found = annealing(mapping, Settings(time_limit=0))
    assert found.limit is Limit.TIME
    others = [mapping.cost(one(mapping).chosen or ()) for one in (identity, greedy)]
    assert found.objective == min(others)


def test_the_greedy_order_by_hand() -> None:
    """Rank 1 exchanges most, and takes the middle; 2 and then 0 come beside it."""
    traffic = [[0, 1, 0], [1, 0, 9], [0, 9, 0]]
    line = hops_between(Mesh(3), np.arange(3))
    found = greedy(RankMapping(np.array(traffic), line))
    assert found.chosen == (2, 1, 0)
    assert found.objective == 20
