"""Choices on networks that are no tree, against all choices."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.clusters.placement import (
    NodeSelector,
    Objective,
    Placement,
    Request,
    space,
)
from closeknit.clusters.placement.node_classes import Alike
from closeknit.clusters.topologies import Space, parse_cluster
from closeknit.instances import InputError
from closeknit.solvers import Limit, Settings, Status
from closeknit.solvers.running.kernels import interpreted

from ..clusters import Wiring, come_in_groups, grid, rails, random_fabric, space_of


def defined(
    fabric: Space, hosts: Wiring, objective: Objective, chosen: tuple[int, ...]
) -> tuple[int, ...]:
    """The numbers of an objective, from single distances and cables."""
    lengths = [fabric.distance(a, b) for a, b in combinations(chosen, 2)]
    if objective is Objective.SPREAD:
        return max(lengths, default=0), sum(lengths)
    if objective is Objective.SWITCHES:
        return len({s for i in chosen for s in hosts[fabric.nodes[i]]}), sum(lengths)
    return (sum(lengths),)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([Objective.HOPS, Objective.SWITCHES, Objective.SPREAD]),
    st.integers(1, 5),
    st.data(),
)
def test_on_fabrics_the_choice_is_the_best_of_all(
    seed: int, objective: Objective, k: int, data: st.DataObject
) -> None:
    chance = random.Random(seed)
    selector, hosts = random_fabric(chance)
    fabric = selector.cluster.fabrics[0]
    if not isinstance(fabric, Space):
        return  # its hops are those of a tree
    busy = [name for name in fabric.nodes if chance.random() < 0.1]
    free = selector.free(without=busy)
    left = [i for i, one in enumerate(free[0]) if one]
    segment = data.draw(st.sampled_from([s for s in (1, 2) if k % s == 0]))
    required: bool = data.draw(st.booleans())
    require = frozenset({fabric.nodes[chance.choice(left)]} if required else ())
    choices = [
        chosen
        for chosen in combinations(left, k)
        if require <= {fabric.nodes[i] for i in chosen}
        and come_in_groups([fabric.nodes[i] for i in chosen], segment, hosts)
    ]
    with interpreted():
        request = Request(k, objective, segment, require=require)
        found = selector.select(request, free)
    if not choices:
        assert found.status is Status.INFEASIBLE
        return
    assert found.status is Status.OPTIMAL
    assert found.chosen in choices
    best = min(defined(fabric, hosts, objective, chosen) for chosen in choices)
    assert found.objective == found.bound == best
    assert defined(fabric, hosts, objective, found.chosen) == best


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.booleans())
def test_the_least_diameter_on_a_torus(seed: int, k: int, required: bool) -> None:
    chance = random.Random(seed)
    selector = NodeSelector(parse_cluster(grid("torus 4x3")))
    fabric = space_of(selector.cluster)
    busy = [name for name in fabric.nodes if chance.random() < 0.4]
    free = selector.free(without=busy)
    left = [i for i, one in enumerate(free[0]) if one]
    if len(left) < k:
        return
    must = chance.choice(left)
    require = frozenset({fabric.nodes[must]} if required else ())
    choices = [c for c in combinations(left, k) if not required or must in c]
    with interpreted():
        found = selector.select(Request(k, Objective.SPREAD, require=require), free)
    best = min(defined(fabric, {}, Objective.SPREAD, c) for c in choices)
    assert found.objective == found.bound == best
    assert defined(fabric, {}, Objective.SPREAD, found.chosen) == best


def test_fewest_leaf_switches_of_rails() -> None:
    selector = rails()
    fabric = space_of(selector.cluster)
    assert len(Alike(fabric).classes) == 3
    found = selector.select(Request(4), selector.free())
    assert found.objective == found.bound == (2, 12)
    assert len({fabric.nodes[i][0] for i in found.chosen}) == 1
    apart = Request(2, require=frozenset({"g0", "i0"}))
    assert selector.select(apart, selector.free()).objective == (4, 4)
    free = selector.free(without=["g3", "h3", "i3"])
    two_each = selector.select(Request(6, Objective.SWITCHES, 2), free)
    assert two_each.objective == (3, 30)
    names = [fabric.nodes[i][0] for i in two_each.chosen]
    assert "g" not in names or "i" not in names


def test_an_own_bound_confirms_what_the_model_claims() -> None:
    selector = NodeSelector(parse_cluster("node,x\na,0\nb,1\nc,3\nd,6"))
    for one, cost, grade in (("a", 1, "confirmed"), ("d", 3, "solver")):
        request = Request(2, Objective.HOPS, require=frozenset({one}))
        found = selector.select(request, selector.free())
        assert found.objective == found.bound == (cost,)
        assert found.by.startswith(f"{grade}: cp-sat ")
        assert found.by.endswith(", counting") == (grade == "confirmed")


def stopped(selector: NodeSelector, request: Request) -> Placement:
    return selector.select(request, selector.free(), Settings(time_limit=1e-9))


def test_stopped_early_there_is_a_bound() -> None:
    selector = rails()
    for objective in (Objective.HOPS, Objective.SWITCHES, Objective.SPREAD):
        best = selector.select(Request(5, objective), selector.free())
        found = stopped(selector, Request(5, objective))
        assert found.limit is Limit.TIME
        assert found.bound is not None
        assert best.objective is not None
        assert found.bound <= best.objective
        if found.objective is not None:
            assert best.objective <= found.objective
    none = stopped(selector, Request(4, segment=2))
    assert none.status is Status.UNKNOWN
    assert none.chosen == ()


def test_points_at_one_place_are_no_hops_apart() -> None:
    selector = NodeSelector(parse_cluster("node,x\na,0\nb,0\nc,3\nd,4"))
    with interpreted():
        found = selector.select(Request(2, Objective.SPREAD), selector.free())
        more = selector.select(Request(3, Objective.SPREAD), selector.free())
    assert (found.objective, found.chosen) == ((0, 0), (0, 1))
    assert more.objective == (3, 6)


def test_what_is_not_defined_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    selector = rails()
    free = selector.free()
    for objective in (Objective.BLOCKS, Objective.FRAGMENTATION, Objective.THRIFTY):
        with pytest.raises(InputError, match="must be hops or switches or spread"):
            selector.select(Request(4, objective), free)
    with pytest.raises(InputError, match=r"levels: no such level.*there is: switch"):
        selector.select(Request(4, levels={"rack": 2}), free)
    monkeypatch.setattr(space, "MOST_CLASSES", 1)
    with pytest.raises(InputError, match="must be hops with more than 1 different"):
        selector.select(Request(4), free)
    with pytest.raises(InputError, match="is for at most 1 different nodes here"):
        selector.select(Request(4, Objective.HOPS, 2), free)
