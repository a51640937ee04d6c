"""The search on distances, against the cost of every subset."""

from __future__ import annotations

import random
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.ksubset.distances_bb import kernels
from closeknit.exact.ksubset.distances_bb.search import (
    DistancesSearch,
    refusal,
    twins,
)
from closeknit.instances import Graph, InputError, KSubset, Points, arrays, cost, mesh
from closeknit.instances.ksubset.graph_generators import (
    dragonfly,
    fat_tree,
    random_regular,
)
from closeknit.methods import KSUBSET
from closeknit.solvers import Limit, Settings, Status
from closeknit.solvers.running import clock

from ...oracles import optimum
from ...strategies import graphs, ksubsets, topologies
from ..stopped import assert_stopped


def searched(instance: KSubset, step: int) -> DistancesSearch:
    """Search in steps of so many nodes, from the first choice there is."""
    search = DistancesSearch(instance, tuple(range(instance.k)))
    least = optimum(instance)
    before = 0
    while search.bound < search.best:
        search._step(step)
        assert before <= search.bound <= least <= search.best
        assert cost(instance, search.chosen) == search.best
        before = search.bound
    return search


@pytest.mark.parametrize("part", range(4))
def test_the_bound_of_what_is_left_holds_after_each_node(part: int) -> None:
    """Where the first candidate is not in an optimum, what is left has to show it."""
    for seed in range(40 * part, 40 * part + 40):
        chance = random.Random(seed)
        n = chance.randint(6, 11)
        edges = {}
        for v in range(1, n):
            edges[chance.randrange(v), v] = chance.randint(1, 3)
        for _ in range(chance.randint(0, 8)):
            a, b = sorted(chance.sample(range(n), 2))
            edges.setdefault((a, b), chance.randint(1, 3))
        graph = Graph(
            n, tuple((*ends, w) for ends, w in edges.items()), tuple(range(n))
        )
        free = tuple((i,) for i in range(n))
        instance = KSubset("any", graph, free, chance.randint(3, 5))
        assert searched(instance, 1).best == optimum(instance)


@settings(max_examples=150, deadline=None)
@given(instance=ksubsets(graphs()), step=st.sampled_from([1, 3, 1000]))
def test_finds_the_optimum_of_graphs(instance: KSubset, step: int) -> None:
    assert searched(instance, step).best == optimum(instance)


@pytest.mark.parametrize(
    ("nodes", "k", "seed"), [(14, 4, 86670), (16, 6, 207), (18, 5, 221)]
)
def test_a_candidate_is_bounded_by_its_own_place(nodes: int, k: int, seed: int) -> None:
    """Once the places of candidates left out were taken while others were bounded."""
    instance = random_regular(nodes, 3, k, seed=seed)
    found = KSUBSET["distances-bb"](instance)
    assert found.status is Status.OPTIMAL
    assert found.objective == KSUBSET["bruteforce"](instance).objective


@settings(max_examples=80, deadline=None)
@given(instance=ksubsets(topologies()))
def test_finds_the_optimum_of_any_metric(instance: KSubset) -> None:
    if refusal(instance) is None:
        assert searched(instance, 7).best == optimum(instance)


@settings(max_examples=100, deadline=None)
@given(graph=graphs())
def test_twins_can_stand_for_each_other(graph: Graph) -> None:
    hops = arrays.hops(KSubset("all", graph, tuple(graph.locations()), 1))
    twin = twins(hops)
    for i, j in combinations(range(len(hops)), 2):
        others = [x for x in range(len(hops)) if x not in (i, j)]
        same = all(hops[i, x] == hops[j, x] for x in others)
        assert (twin[i] == twin[j]) == same


@given(
    values=st.lists(st.integers(-50, 50), min_size=1, max_size=60),
    number=st.integers(0, 60),
)
@settings(deadline=None)
def test_the_smallest_are_summed(values: list[int], number: int) -> None:
    number = min(number, len(values))
    array = np.array([*values, -99])  # the last is not among those counted
    total = kernels.smallest(array, len(values), number)
    assert total == sum(sorted(values)[:number])
    assert sorted(array[:number].tolist()) == sorted(values)[:number]
    assert sorted(array[:-1].tolist()) == sorted(values)


def test_a_solution_from_elsewhere_is_taken_over() -> None:
    instance = random_regular(30, 3, 6, seed=2)
    least = KSUBSET["auto"](instance)
    assert least.chosen is not None
    search = DistancesSearch(instance, tuple(range(6)))
    assert search.best > least.objective  # type: ignore[operator]
    search.offer(least.chosen, cost(instance, least.chosen))
    assert (search.best, search.chosen) == (least.objective, least.chosen)
    search.offer(tuple(range(6)), 10**6)
    assert search.chosen == least.chosen
    assert search.run(clock.now() + 60) is None
    assert search.best == least.objective


def test_stops_at_its_limits_with_a_bound() -> None:
    instance = dragonfly(8, 4, 4, 64)
    result = KSUBSET["distances-bb"](instance, Settings(node_limit=40))
    assert_stopped(instance, result, Limit.NODES)
    assert 6000 < result.bound < result.objective < 7400  # type: ignore[operator]


@pytest.mark.parametrize(
    ("instance", "route"),
    [
        (fat_tree(4, 6), "tree-dp"),
        (random_regular(24, 3, 6, seed=4), "distances-bb"),
        (dragonfly(4, 2, 2, 8), "distances-bb"),
    ],
)
def test_auto_takes_the_route_for_the_graph(instance: KSubset, route: str) -> None:
    result = KSUBSET["auto"](instance)
    assert result.status is Status.OPTIMAL
    assert str(result.proof) in (f"enumerated: {route}", "checked: star bound")
    found = KSUBSET["distances-bb"](instance)
    assert found.bound == found.objective == result.objective


def test_the_optimum_of_a_dragonfly_group_is_known() -> None:
    """Four routers with two hosts each: 4 pairs at 2 hops, 24 at 3."""
    assert KSUBSET["auto"](dragonfly(4, 2, 2, 8)).objective == 4 * 2 + 24 * 3


def test_what_is_too_large_is_refused() -> None:
    far = Points(((0,), (2**58,), (5,)))
    instance = KSubset("far", far, far.coordinates, 2)
    assert refusal(instance) == (
        f"bounds could overflow 64 bits (k = 2, largest distance up to {2**58})"
    )
    with pytest.raises(
        InputError, match=r"^distances-bb: 4225 free processors; at most"
    ):
        KSUBSET["distances-bb"](mesh(65, 65, k=2))


def test_cuts_are_needed_where_cuts_are_used() -> None:
    graph = Graph.from_networkx(nx.complete_bipartite_graph(2, 3))
    instance = KSubset("no cuts", graph, tuple(graph.locations()), 2)
    for name in ("cuts-bb", "cuts-unary/cbc", "cuts-unary/cpsat"):
        with pytest.raises(
            InputError, match=rf"^{name}: needs distances that are sums"
        ):
            KSUBSET[name](instance)
    for name, why in (
        ("tree-dp", "needs a tree, or a graph with the distances of one"),
        ("mc1x1", "needs coordinates; a graph has none"),
        ("line-window", "needs a mesh or points, not a graph"),
        ("hilbert/best-fit", "needs "),
    ):
        with pytest.raises(InputError, match=rf"^{name}: {why}"):
            KSUBSET[name](instance)
    assert KSUBSET["pairs/cbc"](instance).objective == 1
