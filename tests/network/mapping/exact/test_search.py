"""Branch and bound over orders of ranks: optima, bounds on the way, symmetries."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings

from closeknit.instances import Grid, InputError, IntArray, Mesh, Torus
from closeknit.network.kary_tree import KaryTree
from closeknit.network.mapping.exact import kernels
from closeknit.network.mapping.exact.search import MappingSearch, exact
from closeknit.network.mapping.instance import RankMapping
from closeknit.network.processor_numbers import hops_between
from closeknit.solvers import Grade, Limit, Settings, Status
from closeknit.solvers.running import clock

from ....oracles import cheapest_order
from ....strategies import mappings, nug12


def dense(n: int, hops: IntArray, seed: int = 1) -> RankMapping:
    return RankMapping(np.random.default_rng(seed).integers(0, 10, (n, n)), hops)


@settings(max_examples=60, deadline=None)
@given(mapping=mappings())
def test_the_search_finds_the_optimum_from_any_order(mapping: RankMapping) -> None:
    best = cheapest_order(mapping)
    for start in (range(mapping.ranks), reversed(range(mapping.ranks))):
        search = MappingSearch(mapping, tuple(start))
        last = search.bound
        while search.bound < search.best:
            search._step(1)
            assert last <= search.bound <= best <= search.best
            last = search.bound
        assert search.run(clock.now() + 60) is None
        assert search.best == search.bound == best == mapping.cost(search.chosen)


def test_nug12_is_578() -> None:
    found, again = exact(nug12()), exact(nug12())
    assert (found.status, found.objective) == (Status.OPTIMAL, 578)
    assert found.proof is not None
    assert found.proof.grade is Grade.ENUMERATED
    assert (found.chosen, found.nodes) == (again.chosen, again.nodes)


@pytest.mark.parametrize(
    ("network", "symmetries"),
    [(Torus(2, 3), 12), (Mesh(2, 3), 4), (KaryTree(2, 3), 128)],
)
def test_equivalent_points_are_those_that_a_symmetry_exchanges(
    network: Grid | KaryTree, symmetries: int
) -> None:
    n = sum(1 for _ in network.locations())
    hops = hops_between(network, np.arange(n))
    state = MappingSearch(dense(n, hops), tuple(range(n)))._state
    all_ = [
        images
        for images in permutations(range(n))
        if (hops[np.ix_(images, images)] == hops).all()
    ]
    assert len(all_) == symmetries
    for fixed in range(3):
        taken = np.where(np.arange(n) < fixed, 0, -1)
        keep = [one for one in all_ if one[:fixed] == tuple(range(fixed))]
        for a, b in permutations(range(fixed, n), 2):
            found = kernels.equivalent(hops, taken, a, b, state)
            assert found == any(one[a] == b for one in keep)


@pytest.mark.parametrize("network", [Torus(3, 4), KaryTree(2, 4)])
def test_symmetries_save_nodes(network: Grid | KaryTree) -> None:
    """Distances that are all a little different have none, and need more nodes."""
    n = 10
    hops = hops_between(network, np.arange(n))
    search = MappingSearch(dense(n, hops), tuple(range(n)))
    assert search.run(clock.now() + 60) is None
    uneven = 1000 * hops + np.add.outer(np.arange(n), np.arange(n))
    np.fill_diagonal(uneven, 0)
    other = MappingSearch(dense(n, uneven), tuple(range(n)))
    assert other.run(clock.now() + 60) is None
    assert search.nodes < other.nodes


def test_limits_leave_an_order_and_a_bound() -> None:
    mapping = dense(16, hops_between(Mesh(4, 4), np.arange(16)))
    found = exact(mapping, Settings(node_limit=100))
    assert (found.status, found.limit) == (Status.FEASIBLE, Limit.NODES)
    assert found.nodes == 100
    assert 0 < (found.bound or 0) < (found.objective or 0)  # type: ignore[operator]
    assert mapping.cost(found.chosen or ()) == found.objective
    at_once = exact(mapping, Settings(time_limit=0))
    assert at_once.limit is Limit.TIME
    assert at_once.nodes == 0
    assert mapping.check(at_once.chosen or ()) == []


def test_steps_do_not_matter() -> None:
    mapping = dense(9, hops_between(Mesh(3, 3), np.arange(9)))
    whole = MappingSearch(mapping, tuple(range(9)))
    whole._step(10**6)
    single = MappingSearch(mapping, tuple(range(9)))
    while single.bound < single.best or single._unfinished():
        single._step(1)
    assert (whole.nodes, whole.chosen) == (single.nodes, single.chosen)


def test_too_many_ranks_are_refused() -> None:
    many = np.zeros((65, 65), np.int64)
    with pytest.raises(
        InputError, match=r"^method: exact takes at most 64 ranks, not 65"
    ):
        exact(RankMapping(many, many))
