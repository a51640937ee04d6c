"""The dynamic program over trees: exact, whatever the shape, and never stuck."""

from __future__ import annotations

import random
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.ksubset.cuts_bb.search import CutsSearch
from closeknit.exact.ksubset.tree_dp import program as tree_dp
from closeknit.instances import (
    InputError,
    KSubset,
    Points,
    Torus,
    Tree,
    check,
    cost,
    mesh,
)
from closeknit.methods import KSUBSET
from closeknit.solvers import Grade, Limit, Settings, Status
from closeknit.solvers.running import clock

from ...oracles import optimum
from ..stopped import after, assert_stopped

METHOD = KSUBSET["tree-dp"]


def proved(instance: KSubset) -> int:
    """Cost of what tree-dp chooses, proved optimal by itself."""
    result = METHOD(instance)
    assert result.status is Status.OPTIMAL
    assert result.proof
    assert (result.proof.grade, result.proof.by) == (Grade.ENUMERATED, "tree-dp")
    assert result.chosen is not None
    assert check(instance, result.chosen) == []
    assert isinstance(result.objective, int)
    assert result.objective == result.bound == cost(instance, result.chosen)
    return result.objective


def some_tree(rng: random.Random, nodes: int, *, reach: int = 0) -> KSubset:
    """Any tree, deep if ``reach`` is small, its nodes numbered in any order."""
    name = list(range(nodes))
    rng.shuffle(name)
    parent, weight = [-1] * nodes, [0] * nodes
    heaviest = rng.choice([0, 1, 1, 9, 10**6])
    for v in range(1, nodes):
        parent[name[v]] = name[rng.randrange(max(0, v - reach) if reach else 0, v)]
        weight[name[v]] = rng.randint(0, heaviest)
    places = rng.sample(range(nodes), rng.randint(1, nodes))
    free = rng.sample(places, rng.randint(1, len(places)))
    topology = Tree(tuple(parent), tuple(weight), tuple(places))
    k = rng.randint(1, len(free))
    return KSubset("tree", topology, tuple((v,) for v in free), k)


def fat_tree(*ways: int, weights: tuple[int, ...], share: float = 1) -> KSubset:
    """Switches of these degrees from the root down, processors as leaves."""
    parent, weight, last = [-1], [0], [0]
    for way, hops in zip(ways, weights, strict=True):
        begin = len(parent)
        parent += [v for v in last for _ in range(way)]
        weight += [hops] * (len(parent) - begin)
        last = list(range(begin, len(parent)))
    pick = random.Random(5)
    free = tuple((v,) for v in last if pick.random() < share)
    return KSubset("fat", Tree(tuple(parent), tuple(weight), tuple(last)), free, 1)


def with_k(instance: KSubset, k: int) -> KSubset:
    return KSubset(instance.name, instance.topology, instance.free, k)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_as_good_as_every_subset(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(500):
        instance = some_tree(rng, rng.randint(1, 11), reach=rng.choice([0, 1, 2]))
        assert proved(instance) == optimum(instance)


def test_it_agrees_with_the_branch_and_bound_on_larger_trees() -> None:
    rng = random.Random(11)
    agreed = 0
    for number in range(60):
        instance = some_tree(rng, rng.randint(30, 80), reach=rng.choice([0, 3, 9]))
        least = proved(instance)
        search = CutsSearch(instance, tuple(range(instance.k)))
        limit = search.run(clock.now() + 60, node_limit=20_000)
        assert search.bound <= least <= search.best, number
        agreed += limit is None
    assert agreed >= 50


def test_tables_may_be_computed_anew_segment_by_segment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tree_dp, "_KEPT", 1)
    monkeypatch.setattr(tree_dp, "isqrt", lambda number: 0)
    monkeypatch.setattr(tree_dp, "_WORK", 1)
    rng = random.Random(3)
    for _ in range(300):
        instance = some_tree(rng, rng.randint(1, 11), reach=rng.choice([0, 1, 2]))
        assert proved(instance) == optimum(instance)


def test_equal_subtrees_share_a_table() -> None:
    instance = with_k(fat_tree(4, 5, 6, weights=(3, 2, 1)), 50)
    plan = tree_dp._Program(instance).plan
    # beside the root's: one of 6 processors, and one of 5 of these
    assert len(plan.leader) == 3
    assert sorted(plan.size[plan.leader]) == [6, 30, 120]
    other = with_k(fat_tree(4, 5, 6, weights=(3, 2, 1), share=0.7), 50)
    assert len(tree_dp._Program(other).plan.leader) > 3


def test_fat_tree_by_hand() -> None:
    # Two of the four switches hold 3 free each: 3 pairs within at 2 hops, 9
    # pairs between at 2 (1 + 5).
    instance = with_k(fat_tree(4, 3, weights=(5, 1)), 6)
    assert proved(instance) == 2 * 3 * 2 + 9 * 12
    result = METHOD(instance)
    assert result.chosen is not None
    assert len({i // 3 for i in result.chosen}) == 2


def test_a_long_chain_is_a_line() -> None:
    n = 20_000
    tree = Tree((*range(1, n), -1), (1,) * n, tuple(range(n)))
    pick = random.Random(1)
    free = tuple((v,) for v in range(n) if pick.random() < 0.5)
    chain = KSubset("chain", tree, free, 100)
    line = KSubset("line", Points(free), free, 100)
    assert proved(chain) == KSUBSET["line-window"](line).objective


def test_a_wide_star_takes_the_nearest() -> None:
    n = 20_000
    tree = Tree((-1, *[0] * n), (0, *range(n, 0, -1)), tuple(range(1, n + 1)))
    star = KSubset("star", tree, tuple((v,) for v in range(1, n + 1)), 40)
    assert METHOD(star).chosen == tuple(range(n - 40, n))
    assert proved(star) == 39 * 40 * 41 // 2


def test_a_fat_tree_of_many_processors() -> None:
    instance = with_k(fat_tree(10, 50, 200, weights=(1, 1, 1)), 10_000)
    # One of the ten subtrees, full: 50 switches of 200.
    within, between = 50 * 200 * 199 // 2, 50 * 49 // 2 * 200 * 200
    assert proved(instance) == 2 * within + 4 * between


def test_bounds_hold_whenever_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_dp, "_WORK", 1)
    rng = random.Random(2)
    stopped = 0
    for _ in range(400):
        instance = some_tree(rng, rng.randint(2, 13))
        if instance.k == instance.n:
            continue
        least = optimum(instance)
        for looks in range(12):
            program = tree_dp._Program(instance)
            end = program.run(after(looks))
            chosen = [int(i) for i in program.chosen(complete=end is None)]
            assert check(instance, chosen) == []
            assert program.bound <= least <= cost(instance, chosen)
            if end is None:
                assert program.bound == least == cost(instance, chosen)
                break
            stopped += 1
    assert stopped > 200


def test_no_time_at_all_still_gives_an_answer_and_a_bound() -> None:
    instance = with_k(fat_tree(5, 4, 6, weights=(1, 2, 3), share=0.6), 20)
    result = METHOD(instance, Settings(time_limit=0))
    assert_stopped(instance, result, Limit.TIME, proved(instance))


@pytest.mark.parametrize("stage", ["climb", "run"])
def test_ctrl_c_gives_the_best_so_far(
    monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    instance = with_k(fat_tree(5, 4, 6, weights=(1, 2, 3), share=0.6), 20)
    least = proved(instance)
    step, calls = getattr(tree_dp.kernels, stage), 0

    def pressed(*arguments: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 2:
            signal.raise_signal(signal.SIGINT)
        return step(*arguments)

    monkeypatch.setattr(tree_dp, "_WORK", 1)  # a look at the event after every step
    monkeypatch.setattr(tree_dp.kernels, stage, pressed)
    result = METHOD(instance)
    assert calls == 2
    assert_stopped(instance, result, Limit.INTERRUPT, least)


@pytest.mark.parametrize(
    "other",
    [
        mesh(3, 3, k=2),
        KSubset("ring", Torus((5,)), ((0,), (1,)), 2),
        KSubset("points", Points(((0, 0), (1, 2))), ((0, 0), (1, 2)), 2),
    ],
)
def test_only_trees_are_taken(other: KSubset) -> None:
    told = "tree-dp: needs a tree, or a graph with the distances of one"
    with pytest.raises(InputError, match=f"^{told}$"):
        METHOD(other)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([1, 10**3, 10**12]))
def test_large_weights_stay_exact(seed: int, scale: int) -> None:
    small = some_tree(random.Random(seed), 11)
    tree = small.topology
    assert isinstance(tree, Tree)
    heavy = Tree(tree.parent, tuple(scale * w for w in tree.weight), tree.processors)
    if 2 * 2 * max(heavy.depth) * max(small.k, 2) ** 2 >= 2**62:
        with pytest.raises(InputError, match="more than 62 bits"):
            KSubset("heavy", heavy, small.free, small.k)
        return
    large = KSubset("heavy", heavy, small.free, small.k)
    assert proved(large) == scale * proved(small)
