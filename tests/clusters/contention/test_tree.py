"""The choice by links on trees against all choices."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from closeknit.clusters.contention.definition import link_cost
from closeknit.clusters.contention.links import TreeLinks
from closeknit.clusters.contention.tree import LinkRun, LinkWish
from closeknit.clusters.placement import NodeSelector
from closeknit.clusters.placement.program import Chooser
from closeknit.clusters.placement.request import Objective, Request
from closeknit.clusters.topologies import Cluster, FabricKind, Hierarchy
from closeknit.instances import InputError
from closeknit.network.contention import tree
from closeknit.network.contention import tree_kernels as kernels
from closeknit.solvers import Limit, Settings, Status

KINDS = {
    "links": (Objective.LINKS, 0, 0),
    "job": (Objective.CONTENTION, 4, 0),
    "stream": (Objective.CONTENTION, 2, 1),
}


def tree_of(
    parent: Sequence[int], home: Sequence[int], ups: Sequence[int]
) -> Hierarchy:
    """Return the tree of these domains, nodes, and levels in hops."""
    return Hierarchy(
        FabricKind.TREE,
        tuple(f"n{i}" for i in range(len(home))),
        np.array(home),
        tuple(f"s{v}" for v in range(len(parent))),
        np.array(parent),
        np.array([0, *ups]),
    )


def random_tree(chance: random.Random, nodes: int) -> Hierarchy:
    """Draw a tree whose domains are listed depth first."""
    parent = [-1]
    path = [0]
    for v in range(1, chance.randrange(2, 8)):
        path = path[: chance.randrange(1, len(path) + 1)]
        parent.append(path[-1])
        path.append(v)
    home = sorted(chance.randrange(len(parent)) for _ in range(nodes))
    return tree_of(parent, home, [2 * chance.randrange(1, 3) for _ in parent[1:]])


def random_links(chance: random.Random, fabric: Hierarchy) -> TreeLinks:
    """Draw capacities, and background on every other tree."""
    n = len(fabric.parent)
    capacity = np.array([chance.choice([50, 100, 150, 400]) for _ in range(n)])
    if chance.random() < 0.5:
        return TreeLinks(capacity)
    busy = np.array([[chance.randrange(int(c) + 1) for c in capacity] for _ in "ud"])
    busy[:, 0] = 0
    return TreeLinks(capacity, busy)


@pytest.mark.parametrize("kind", KINDS)
def test_no_choice_is_better(kind: str) -> None:
    chance = random.Random(kind)
    objective, power, reserve = KINDS[kind]
    for _ in range(150):
        fabric = random_tree(chance, chance.randrange(1, 9))
        links = random_links(chance, fabric)
        free = np.array([chance.random() < 0.8 for _ in fabric.nodes])
        k = chance.randrange(1, len(fabric.nodes) + 1)
        wish = LinkWish(links, power, reserve)
        found = Chooser(fabric).select(Request(k, objective, links=wish), free)
        every = [
            link_cost(fabric, links, some, power, reserve)
            for some in combinations(np.flatnonzero(free).tolist(), k)
        ]
        if not every:
            assert found.status is Status.INFEASIBLE
            continue
        assert found.status is Status.OPTIMAL
        assert found.objective == found.bound == min(every)


def test_the_busiest_link_from_its_definition() -> None:
    fabric = tree_of([-1, 0, 0], [1, 1, 1, 2, 2, 2], [2, 2])
    links = TreeLinks(np.array([1, 200, 100]), np.array([[0, 50, 0], [0, 0, 10]]))
    wish = LinkWish(links)
    # 2 of these 3 are left, so 2 * 1 / 2 of a port each way, on half a port
    cost, hops = link_cost(fabric, links, (1, 2, 3), 0, 0)
    assert wish.part_of(cost, 3) == Fraction(11, 10)
    assert hops == 2 + 4 + 4
    stream = LinkWish(links, 2, 1)
    (cost,) = link_cost(fabric, links, (1, 2, 3), 2, 1)
    ways = [(200, 250), (200, 200), (100, 100), (100, 110)]
    expected = sum(((before + 100) ** 2 - before**2) / cap**2 for cap, before in ways)
    assert float(stream.part_of(cost, 3)) == pytest.approx(expected)


def big_tree(leaves: int, nodes: int) -> Hierarchy:
    """Return leaf switches in groups of 16."""
    rows = -(-leaves // 16)
    parent, home = [-1], []
    for row in range(rows):
        parent.append(0)
        up = len(parent) - 1
        for _ in range(min(16, leaves - 16 * row)):
            parent.append(up)
            home += [len(parent) - 1] * nodes
    return tree_of(parent, home, [2] * (len(parent) - 1))


def test_numbers_beyond_64_bits_are_exact() -> None:
    fabric = big_tree(64, 16)
    capacity = np.where(fabric.level == 0, 1600, 12800)
    chance = np.random.default_rng(3)
    busy = chance.integers(0, 800, (2, len(capacity)))
    wish = LinkWish(TreeLinks(capacity, busy), 4, 0)
    free = chance.random(1024) < 0.9
    found = Chooser(fabric).select(Request(512, Objective.CONTENTION, links=wish), free)
    assert found.status is Status.OPTIMAL
    assert found.objective is not None
    assert found.objective[0] > 2**64
    assert found.objective == link_cost(fabric, wish.links, found.chosen, 4, 0)
    other = Chooser(fabric).select(Request(512, Objective.HOPS), free)
    assert link_cost(fabric, wish.links, other.chosen, 4, 0) >= found.objective


def test_numbers_that_are_too_large_are_refused() -> None:
    fabric = big_tree(32, 16)
    capacity = np.array([100, *[10_007] * (len(fabric.parent) - 2), 2_000_003])
    wish = LinkWish(TreeLinks(capacity), 4, 0)
    free = np.ones(512, dtype=np.bool_)
    with pytest.raises(InputError, match="objective: numbers are too large"):
        Chooser(fabric).select(Request(64, Objective.CONTENTION, links=wish), free)


def test_numbers_beyond_floating_point_are_exact() -> None:
    fabric = big_tree(2, 255)
    wide = 549_755_813_877  # times 255 * 255 it is rounded down
    wish = LinkWish(TreeLinks(np.array([1, wide, 1, wide])))
    assert int(float(wide * 255 * 255)) < wide * 255 * 255
    free = np.ones(510, dtype=np.bool_)
    found = Chooser(fabric).select(Request(510, Objective.LINKS, links=wish), free)
    assert found.status is Status.OPTIMAL
    assert found.objective == (wide * 255 * 255, 510 * 509 + 255 * 255 * 2)


def test_a_limit_leaves_a_choice_and_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_WORK", 0)
    fabric = big_tree(64, 16)
    links = TreeLinks(np.where(fabric.level == 0, 800, 6400))
    free = np.ones(1024, dtype=np.bool_)
    for power in (0, 4):
        objective = Objective.CONTENTION if power else Objective.LINKS
        request = Request(300, objective, links=LinkWish(links, power))
        with monkeypatch.context() as patch:
            patch.setattr(tree, "_WORK", 2**20)
            best = Chooser(fabric).select(request, free)
        found = Chooser(fabric).select(request, free, Settings(time_limit=0.01))
        assert found.limit is Limit.TIME
        assert len(found.chosen) == 300
        assert found.bound is not None
        assert best.objective is not None
        assert found.objective is not None
        assert found.bound <= best.objective <= found.objective


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({"segment": 2}, "cannot be given with groups"),
        ({"require": frozenset({"n1"})}, "cannot be given with groups"),
    ],
)
def test_what_is_not_for_links_is_refused(
    request_: dict[str, Any], problem: str
) -> None:
    fabric = big_tree(2, 4)
    wish = LinkWish(TreeLinks(np.full(len(fabric.parent), 100)))
    with pytest.raises(InputError, match=problem):
        Request(4, Objective.LINKS, links=wish, **request_)


def test_an_objective_needs_links_and_links_an_objective() -> None:
    fabric = big_tree(2, 4)
    selector = NodeSelector(Cluster("drawn", (fabric,)))
    with pytest.raises(InputError, match="objective: needs links, not 'links'"):
        selector.select(Request(4, Objective.LINKS), selector.free())
    wish = LinkWish(TreeLinks(np.full(3, 100)))
    with pytest.raises(InputError, match="objective: is not about links: 'hops'"):
        Request(4, Objective.HOPS, links=wish)


def test_a_threshold_by_counting_is_that_of_the_program() -> None:
    chance = random.Random(8)
    for _ in range(100):
        fabric = random_tree(chance, 8)
        links = random_links(chance, fabric)
        free = np.ones(8, dtype=np.bool_)
        k = chance.randrange(2, 9)
        run = LinkRun(
            LinkWish(links),
            Chooser(fabric),
            Request(k, Objective.LINKS, links=LinkWish(links)),
            free,
        )
        least = run.program.threshold()
        if least:
            tables = run.program._fill(least - 1, 0.0, Settings())
            assert not isinstance(tables, Limit)
            assert tables.have[0] <= k


def test_what_limits_leave_out_is_in_no_best_choice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On larger trees, most with numbers of more than 60 bits."""
    chance = np.random.default_rng(29)
    limited = tree.TreeProgram._limits
    cut = long = 0
    for _ in range(120):
        n = int(chance.integers(2, 40))
        parent = np.array([0, *(int(chance.integers(0, v)) for v in range(1, n))])
        own = chance.integers(0, chance.integers(2, 30), n)
        k = int(chance.integers(1, own.sum() + 2))
        if k > own.sum():
            continue
        below = own.copy()
        kernels.add_up(parent, below)
        busy = chance.integers(0, int(10 ** chance.uniform(0, 4)), (2, n))
        rates = kernels.Rates(
            *(k, int(chance.choice([2, 4])), 0, int(chance.integers(1, 20))),
            *(chance.integers(1, 50, n), busy, np.ones(n, np.int64)),
        )
        program = tree.TreeProgram(parent, own, below, rates)
        value, taken, _ = program.solve(0.0, Settings(time_limit=60))
        everything = np.full((2, k + 1), kernels.FAR)
        cut += bool((limited(program) < everything).any())
        monkeypatch.setattr(tree.TreeProgram, "_limits", lambda *_, e=everything: e)
        whole, same, _ = program.solve(0.0, Settings(time_limit=60))
        monkeypatch.setattr(tree.TreeProgram, "_limits", limited)
        assert value == whole
        assert taken is not None
        assert same is not None
        assert (taken == same).all()
        long += isinstance(value, int) and value >= 2**kernels.WORD
    assert cut > 100
    assert long > 20
