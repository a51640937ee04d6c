"""The search for level sets: exact in the plane, and honest when it is stopped."""

from __future__ import annotations

import random
import signal
import threading
import time

import numpy as np
import pytest

from closeknit.exact.ksubset.cuts_bb.search import CutsSearch as CutSearch
from closeknit.exact.ksubset.levelset_bb.search import LevelSetSearch
from closeknit.instances import (
    InputError,
    KSubset,
    Mesh,
    Points,
    Site,
    Torus,
    Tree,
    check,
    cost,
    mesh,
)
from closeknit.methods import KSUBSET
from closeknit.solvers import Grade, Limit, Settings, Status
from closeknit.solvers.running import clock

from ...oracles import optimum_by_table

SHAPES = [(1, 1), (1, 12), (12, 1), (2, 9), (3, 5), (4, 4), (5, 5), (7, 3), (12, 12)]


def some_mesh(rng: random.Random, shape: tuple[int, int], most: int) -> KSubset:
    """A mesh of this shape with at most so many free processors and any k."""
    cells: list[Site] = list(Mesh(shape).locations())
    free = rng.sample(cells, rng.randint(1, min(most, len(cells))))
    k = rng.choice([1, len(free), rng.randint(1, len(free))])
    return KSubset("mesh", Mesh(shape), tuple(free), k)


def proved(search: LevelSetSearch) -> int:
    """Run to the end; return the optimum, its proof and its choice checked."""
    assert search.run(clock.now() + 60) is None
    assert search.best == search.bound
    return search.best


@pytest.mark.parametrize("shape", SHAPES)
def test_it_finds_the_optimum_from_any_start(shape: tuple[int, int]) -> None:
    rng = random.Random(str(shape))
    for _ in range(250):
        instance = some_mesh(rng, shape, most=11)
        start = tuple(rng.sample(range(instance.n), instance.k))
        search = LevelSetSearch(instance, start)
        assert search.best == cost(instance, start)
        assert proved(search) == optimum_by_table(instance)
        assert check(instance, search.chosen) == []
        assert cost(instance, search.chosen) == search.best


@pytest.mark.parametrize("side", [8, 10, 12, 14])
def test_it_agrees_with_the_search_over_cut_counts(side: int) -> None:
    rng = random.Random(side)
    cells = list(Mesh((side, side)).locations())
    for _ in range(50):
        n = rng.randint(side, side * side)
        k = rng.randint(2, min(n, 60 if 10 * n < 9 * side * side else 12))
        instance = KSubset("mesh", Mesh((side, side)), tuple(rng.sample(cells, n)), k)
        start = tuple(rng.sample(range(n), k))
        by_counts = CutSearch(instance, start)
        assert by_counts.run(clock.now() + 60) is None
        search = LevelSetSearch(instance, start)
        assert proved(search) == by_counts.best
        assert cost(instance, search.chosen) == search.best


@pytest.mark.parametrize("seed", range(4))
def test_blocks_of_busy_processors_do_no_harm(seed: int) -> None:
    """Rows without a chosen cell between others, columns likewise."""
    rng = random.Random(seed)
    for _ in range(40):
        side = rng.randint(6, 11)
        grid = np.ones((side, side), dtype=bool)
        for _ in range(rng.randint(1, 5)):
            i, j = rng.randrange(side), rng.randrange(side)
            grid[i : i + rng.randint(1, side), j : j + rng.randint(1, 4)] = False
        free = tuple((int(i), int(j)) for i, j in np.argwhere(grid))
        if not free:
            continue
        k = rng.randint(1, min(len(free), 16))
        instance = KSubset("blocks", Mesh((side, side)), free, k)
        start = tuple(range(k))
        by_counts = CutSearch(instance, start)
        assert by_counts.run(clock.now() + 60) is None
        assert proved(LevelSetSearch(instance, start)) == by_counts.best


def test_far_apart_processors_are_counted_exactly() -> None:
    """Gaps of different widths: only a few processors of a long mesh are free."""
    rng = random.Random(2)
    for _ in range(150):
        shape = rng.choice([(1000, 1000), (3, 100_000), (100_000, 4)])
        n = rng.randint(2, 10)
        free = {tuple(rng.randrange(side) for side in shape) for _ in range(n)}
        instance = KSubset("long", Mesh(shape), tuple(free), rng.randint(1, len(free)))
        search = LevelSetSearch(instance, tuple(range(instance.k)))
        assert proved(search) == optimum_by_table(instance)


@pytest.mark.parametrize(("k", "optimum"), [(9, 72), (16, 318), (25, 992)])
def test_full_meshes_cost_what_towns_cost(k: int, optimum: int) -> None:
    # Bender et al. 2008, Figure 2; 992 from the published sequence of towns
    result = KSUBSET["levelset-bb"](mesh(8, 8, k=k))
    assert (result.objective, result.status) == (optimum, Status.OPTIMAL)
    assert result.proof is not None
    assert result.proof.grade is Grade.ENUMERATED


def test_bounds_hold_whenever_it_is_stopped() -> None:
    rng = random.Random(7)
    stopped = 0
    for _ in range(150):
        instance = some_mesh(rng, rng.choice(SHAPES), most=11)
        optimum = optimum_by_table(instance)
        search = LevelSetSearch(instance, tuple(range(instance.k)))
        previous = 0
        for nodes in range(1, 100):
            ended = search.run(clock.now() + 60, node_limit=nodes)
            assert previous <= search.bound <= optimum <= search.best
            assert cost(instance, search.chosen) == search.best
            previous = search.bound
            if ended is None:
                assert search.bound == search.best
                break
            stopped += 1
            assert ended is Limit.NODES
            assert search.nodes == nodes
    assert stopped > 50


def test_bounds_hold_on_larger_meshes() -> None:
    rng = random.Random(9)
    for _ in range(6):
        instance = some_mesh(rng, (12, 12), most=144)
        start = tuple(range(instance.k))
        whole = LevelSetSearch(instance, start)
        optimum = proved(whole)
        search = LevelSetSearch(instance, start)
        limit, previous = 0, 0
        while search.bound < search.best:
            limit += rng.randint(1, max(2, whole.nodes // 5))
            search.run(clock.now() + 60, node_limit=limit)
            assert previous <= search.bound <= optimum <= search.best
            previous = search.bound
        assert search.chosen == whole.chosen
        assert search.nodes == whole.nodes


def test_a_known_bound_ends_it_without_a_node() -> None:
    instance = mesh(3, 3, k=4)
    square = tuple(instance.free.index(p) for p in [(0, 0), (0, 1), (1, 0), (1, 1)])
    search = LevelSetSearch(instance, square, bound=8)
    assert search.run(clock.now() + 60) is None
    assert (search.best, search.bound, search.nodes) == (8, 8, 0)


@pytest.fixture
def large() -> KSubset:
    """An instance that takes minutes."""
    rng = random.Random(5)
    cells = rng.sample(list(Mesh((120, 120)).locations()), 7000)
    return KSubset("large", Mesh((120, 120)), tuple(cells), 250)


def test_limits_give_incumbent_and_bound(large: KSubset) -> None:
    result = KSUBSET["levelset-bb"](large, Settings(node_limit=1000))
    assert result.limit is Limit.NODES
    assert result.status is Status.FEASIBLE
    assert isinstance(result.bound, int)
    assert isinstance(result.objective, int)
    assert 0 < result.bound < result.objective
    soon = KSUBSET["levelset-bb"](large, Settings(time_limit=1e-9))
    assert soon.limit is Limit.TIME
    assert soon.objective is not None


def test_ctrl_c_gives_incumbent_and_bound(large: KSubset) -> None:
    search = LevelSetSearch(large, tuple(range(large.k)))
    search.run(clock.now() + 60, node_limit=1)  # compiled before the clock runs
    before = signal.getsignal(signal.SIGINT)

    def press() -> None:
        nodes = search.nodes
        while search.nodes == nodes:
            time.sleep(0.05)
        signal.raise_signal(signal.SIGINT)

    presser = threading.Thread(target=press, daemon=True)
    presser.start()
    assert search.run(clock.now() + 60) is Limit.INTERRUPT
    presser.join()
    assert signal.getsignal(signal.SIGINT) is before
    assert 0 < search.bound < search.best
    assert check(large, search.chosen) == []


def test_it_gives_the_same_answer_twice() -> None:
    rng = random.Random(8)
    for _ in range(20):
        instance = some_mesh(rng, (12, 12), most=30)
        first, second = (KSUBSET["levelset-bb"](instance) for _ in range(2))
        assert first.chosen == second.chosen
        assert first.status is Status.OPTIMAL


@pytest.mark.parametrize(
    "instance",
    [
        KSubset("torus", Torus((3, 3)), ((0, 0), (1, 1)), 1),
        KSubset("points", Points(((0, 0), (0, 0))), ((0, 0), (0, 0)), 1),
        KSubset("tree", Tree((-1, 0), (0, 1), (0, 1)), ((0,), (1,)), 1),
        KSubset("space", Mesh((2, 2, 2)), ((0, 0, 0), (1, 1, 1)), 1),
        KSubset("line", Mesh((4,)), ((0,), (1,)), 1),
    ],
    ids=lambda instance: str(instance.name),
)
def test_it_takes_meshes_of_two_dimensions_only(instance: KSubset) -> None:
    with pytest.raises(InputError, match="two-dimensional mesh") as caught:
        KSUBSET["levelset-bb"](instance)
    assert "levelset-bb" in str(caught.value)
