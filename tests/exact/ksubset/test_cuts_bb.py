"""The branch and bound: exact everywhere, and honest when it is stopped."""

from __future__ import annotations

import random
import signal
import threading
import time

import pytest

from closeknit.exact.ksubset.cuts_bb import layout
from closeknit.exact.ksubset.cuts_bb.box import CutBox
from closeknit.exact.ksubset.cuts_bb.search import CutsSearch
from closeknit.instances import (
    KSubset,
    Points,
    Torus,
    check,
    cost,
    mesh,
)
from closeknit.instances.ksubset.generators import tree
from closeknit.methods import KSUBSET
from closeknit.solvers import Grade, Limit, Settings, Status
from closeknit.solvers.running import clock

from ...oracles import optimum
from ...strategies import random_ksubset
from ..stopped import assert_stopped


@pytest.mark.parametrize("seed", range(8))
def test_it_finds_the_optimum_from_any_start(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(100):
        instance = random_ksubset(rng)
        start = tuple(rng.sample(range(instance.n), instance.k))
        search = CutsSearch(instance, start)
        assert search.best == cost(instance, start)
        assert search.run(clock.now() + 60) is None
        assert search.best == search.bound == optimum(instance)
        assert check(instance, search.chosen) == []
        assert cost(instance, search.chosen) == search.best


def test_bounds_hold_whenever_it_is_stopped() -> None:
    rng = random.Random(7)
    for _ in range(150):
        instance = random_ksubset(rng)
        least = optimum(instance)
        search = CutsSearch(instance, tuple(range(instance.k)))
        previous = 0
        for nodes in range(1, 40, rng.randint(1, 5)):
            ended = search.run(clock.now() + 60, node_limit=nodes)
            assert previous <= search.bound <= least <= search.best
            assert cost(instance, search.chosen) == search.best
            previous = search.bound
            if ended is None:
                assert search.bound == search.best
                break
            assert ended is Limit.NODES
            assert search.nodes == nodes


def test_a_known_bound_ends_it_without_a_node() -> None:
    instance = mesh(3, 3, k=4)
    square = tuple(instance.free.index(p) for p in [(0, 0), (0, 1), (1, 0), (1, 1)])
    search = CutsSearch(instance, square, bound=8)
    assert search.run(clock.now() + 60) is None
    assert (search.best, search.bound, search.nodes) == (8, 8, 0)


@pytest.mark.parametrize(("k", "optimum"), [(9, 72), (16, 318), (25, 992)])
def test_full_meshes_cost_what_towns_cost(k: int, optimum: int) -> None:
    # Bender et al. 2008, Figure 2; 992 from the published sequence of towns
    result = KSUBSET["cuts-bb"](mesh(8, 8, k=k))
    assert (result.objective, result.status) == (optimum, Status.OPTIMAL)
    assert result.proof is not None
    assert result.proof.grade is Grade.ENUMERATED


def test_the_stack_grows_as_needed() -> None:
    """Coordinates far apart make deep branches."""
    rng = random.Random(3)
    sites = tuple((rng.randint(0, 10**6), rng.randint(0, 10**6)) for _ in range(90))
    instance = KSubset("deep", Points(sites), sites, 20)
    search = CutsSearch(instance, tuple(range(20)))
    assert search.run(clock.now() + 60) is None
    assert search.best == search.bound == cost(instance, search.chosen)


def test_large_trees_take_little_memory() -> None:
    problem = CutBox.of(tree(128, 128, k=8), 0).problem
    assert sum(len(each) for each in layout.room_for(problem)) < 2**20


_CELLS = random.Random(5).sample(list(Torus((30, 30)).locations()), 700)
TORUS = KSubset("torus", Torus((30, 30)), tuple(_CELLS), 100)
"""Too large to be solved."""


def test_limits_give_incumbent_and_bound() -> None:
    result = KSUBSET["cuts-bb"](TORUS, Settings(node_limit=3000))
    assert_stopped(TORUS, result, Limit.NODES)
    soon = KSUBSET["cuts-bb"](TORUS, Settings(time_limit=1e-9))
    assert soon.limit is Limit.TIME
    assert soon.objective is not None


def test_ctrl_c_gives_incumbent_and_bound() -> None:
    search = CutsSearch(TORUS, tuple(range(TORUS.k)))
    search.run(clock.now() + 60, node_limit=1)  # compiled before the clock runs
    before = signal.getsignal(signal.SIGINT)

    def press() -> None:
        while not search.bound:
            time.sleep(0.05)
        signal.raise_signal(signal.SIGINT)

    presser = threading.Thread(target=press, daemon=True)
    presser.start()
    assert search.run(clock.now() + 60) is Limit.INTERRUPT
    presser.join()
    assert signal.getsignal(signal.SIGINT) is before
    assert 0 < search.bound < search.best
    assert check(TORUS, search.chosen) == []
