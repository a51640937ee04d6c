"""Ranks on chosen nodes: hops from paths, patterns, orders against all permutations."""

from __future__ import annotations

import random
from itertools import permutations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.ranks import hops_between, order_on
from closeknit.clusters.topologies import parse_cluster
from closeknit.instances import InputError
from closeknit.instances.arrays import IntArray
from closeknit.network.workloads.communication import traffic_of
from closeknit.solvers import Status

from .clusters import grid, small_tree


def links_of(name: str, ranks: int) -> IntArray:
    """Return who sends to whom by a pattern that is known."""
    traffic = traffic_of(name, ranks)
    assert traffic is not None
    return traffic


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_hops_are_those_of_the_paths(seed: int) -> None:
    chance = random.Random(seed)
    text = small_tree(chance) if chance.random() < 0.7 else grid("torus 4x4")
    [fabric] = parse_cluster(text).fabrics
    nodes = sorted(chance.sample(range(len(fabric.nodes)), min(5, len(fabric.nodes))))
    expected = [[fabric.distance(a, b) for b in nodes] for a in nodes]
    assert hops_between(fabric, nodes).tolist() == expected


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["ring", "halo2d", "all-to-all"]))
def test_small_orders_are_optimal(seed: int, pattern: str) -> None:
    chance = random.Random(seed)
    [fabric] = parse_cluster(small_tree(chance)).fabrics
    k = min(6, len(fabric.nodes))
    nodes = sorted(chance.sample(range(len(fabric.nodes)), k))
    traffic = links_of(pattern, k)
    hops = hops_between(fabric, nodes)
    found, plain = order_on(fabric, nodes, traffic)
    assert found.chosen is not None

    def cost(order: tuple[int, ...]) -> int:
        return int((traffic * hops[np.ix_(order, order)]).sum())

    assert plain == cost(tuple(range(k)))
    assert cost(found.chosen) == found.objective == found.bound
    assert found.objective == min(map(cost, permutations(range(k))))
    assert found.status is Status.OPTIMAL


def test_ranks_of_a_switch_are_in_the_order_of_its_nodes() -> None:
    text = "SwitchName=a Nodes=a[0-3]\nSwitchName=b Nodes=b[0-3]\n"
    text += "SwitchName=t Switches=a,b"
    [fabric] = parse_cluster(text).fabrics
    traffic = links_of("ring", 8)
    found, plain = order_on(fabric, range(8), traffic)
    assert (found.objective, plain) == (20, 20)
    for places in ([0, 1, 2, 3], [4, 5, 6, 7]):
        assert [p for p in found.chosen or () if p in places] == places


@given(st.integers(1, 64), st.sampled_from(["halo2d", "halo3d"]))
@settings(max_examples=40, deadline=None)
def test_halos_have_the_links_of_a_grid(ranks: int, name: str) -> None:
    traffic = links_of(name, ranks)
    axes = 2 if name == "halo2d" else 3
    shapes = (
        [shape for shape in np.ndindex(*[ranks + 1] * axes) if prod(shape) == ranks]
        if ranks <= 20
        else []
    )
    counts = {sum(ranks // side * (side - 1) for side in shape) for shape in shapes}
    assert not shapes or int(traffic.sum()) in counts
    assert not (traffic * traffic.T).any()
    assert (np.triu(traffic) == traffic).all()


def test_patterns_by_their_definition() -> None:
    ring = links_of("ring", 4)
    assert np.argwhere(ring).tolist() == [[0, 1], [1, 2], [2, 3], [3, 0]]
    assert [int(links_of("ring", k).sum()) for k in (1, 2)] == [0, 1]
    every = links_of("all-to-all", 5)
    assert int(every.sum()) == 10
    halo = links_of("halo3d:1x2x3", 6)
    pairs = {(0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (4, 5)}
    assert {*map(tuple, np.argwhere(halo).tolist())} == pairs
    assert traffic_of("traffic.csv", 5) is None


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [
        ("halo2d:2x3", r"map: has 6 ranks, the job has 8 nodes: 'halo2d:2x3'"),
        ("halo2d:2x2x2", "map: must be halo2d:AxB, not"),
        ("halo3d:0x1x8", "map: must be halo3d:AxBxC, not"),
        ("ring:8", "map: ring has no sides"),
    ],
)
def test_bad_patterns(pattern: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        traffic_of(pattern, 8)
    with pytest.raises(InputError, match="is for at most 4096 ranks"):
        traffic_of("ring", 5000)
