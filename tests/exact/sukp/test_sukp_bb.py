"""The search over excluded elements: exact, and honest when it is stopped."""

from __future__ import annotations

import csv
import random
import signal
import threading
from fractions import Fraction
from itertools import combinations, count, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.exact.sukp.bruteforce import bruteforce
from closeknit.exact.sukp.sukp_bb import kernels
from closeknit.exact.sukp.sukp_bb.kernels_bound import from_shares, to_shares
from closeknit.exact.sukp.sukp_bb.layout import (
    MULTIPLIER_BITS,
    FlatInstance,
    blank,
    to_arrays,
)
from closeknit.exact.sukp.sukp_bb.search import ExclusionSearch
from closeknit.heuristics.sukp.sukp_greedy import greedy
from closeknit.instances import Sukp, check, cost, read_instance
from closeknit.instances.sukp.generators import random_sukp
from closeknit.methods import SUKP
from closeknit.solvers import Limit, Settings, Status
from closeknit.solvers.running import clock

from ...data import KNAPSACKS, require
from ...oracles import least_left_out
from ...strategies import some_sukp, sukps
from ..stopped import assert_stopped

METHOD = SUKP["sukp-bb"]


def proved(search: ExclusionSearch) -> int:
    """Run to the end; return the optimum, its proof and its choice checked."""
    assert search.run(clock.now() + 60) is None
    assert search.best == search.bound
    assert not check(search.instance, search.chosen)
    assert cost(search.instance, search.chosen) == search.best
    return search.best


@pytest.mark.parametrize("unit", [1, 2**30, 2**52])
def test_agrees_with_enumeration(unit: int) -> None:
    rng = random.Random(unit)
    for _ in range(60):
        instance = some_sukp(rng, rng.randint(6, 13), rng.randint(4, 22), unit=unit)
        assert METHOD(instance).objective == bruteforce(instance).objective


@settings(max_examples=100, deadline=None)
@given(sukps(), st.randoms(use_true_random=False))
def test_any_order_of_small_steps_is_exact(instance: Sukp, rng: random.Random) -> None:
    best = least_left_out(instance)
    search = ExclusionSearch(instance, ())
    before = 0
    while search.bound < search.best:
        limit = search.run(clock.now() + 60, search.nodes + rng.randint(1, 3))
        assert limit in (None, Limit.NODES)
        assert before <= search.bound <= best <= search.best
        before = search.bound
    assert search.best == best


def test_bounds_of_a_stopped_search_hold_and_rise() -> None:
    rng = random.Random(5)
    for _ in range(6):
        instance = some_sukp(rng, 15, 24, unit=rng.choice([1, 2**40]))
        best = bruteforce(instance).objective
        assert isinstance(best, int)
        bounds = []
        for nodes in (1, 3, 30):
            result = METHOD(instance, Settings(node_limit=nodes))
            assert isinstance(result.bound, int)
            assert result.bound <= best
            assert result.objective is not None
            bounds.append(result.bound)
        assert bounds == sorted(bounds)


@settings(max_examples=100, deadline=None)
@given(sukps(most_elements=6), st.data())
def test_the_bound_holds_below_every_node(instance: Sukp, data: st.DataObject) -> None:
    """Decide elements and items: the bound is never above what is looked for there."""
    state = [
        data.draw(st.sampled_from(kinds))
        for kinds, size in (
            ([0, 0, 1, 2], len(instance.weights)),
            ([0, 0, 0, 0, 1, 2], instance.n),
        )
        for _ in range(size)
    ]
    assert_the_bound_holds_below(instance, state)


@pytest.mark.parametrize("state", [*product((0, 1, 2), repeat=4)])
def test_the_bound_holds_where_an_element_weighs_nothing(
    state: tuple[int, ...],
) -> None:
    """Nothing is divided by a weight of 0, whatever is decided."""
    instance = Sukp("weightless", (1,), (0, 1, 1), ((0, 1),), 1)
    assert_the_bound_holds_below(instance, [*state])


def assert_the_bound_holds_below(instance: Sukp, state: list[int]) -> None:
    problem, index = to_arrays(instance)
    search = ExclusionSearch(instance, ())
    m = len(index)
    sought = [
        lost(instance, r)
        for size in range(m + 1)
        for r in map(frozenset, combinations(map(int, index), size))
        if is_sought(instance, r, [int(e) for e in index], problem.need)
        and all((int(index[i]) in r) == (s == 1) for i, s in enumerate(state[:m]) if s)
        and all(
            r.isdisjoint(instance.items[j]) == (s == 2)
            for j, s in enumerate(state[m:])
            if s
        )
    ]
    cheaper = [loss for loss in sought if loss < search.best]
    bound = bound_below(problem, state, search.best)
    if cheaper:
        assert bound is not None
        assert bound <= min(cheaper)


def bound_below(problem: FlatInstance, state: list[int], best: int) -> int | None:
    """Bound of one node, by the state of each element, heaviest first, and item.

    None: pruned.
    """
    first, out = blank(problem, 1), blank(problem, len(state) + 3)
    first.state[0] = state
    picked = np.zeros(len(problem.weight), dtype=np.int8)
    found, _, opens = kernels.search(problem, first, best, picked, 1, 50, out)
    if found < best:
        return int(found)
    return int(out.least[:opens].min()) if opens else None


def lost(instance: Sukp, excluded: frozenset[int]) -> int:
    """Profit of the items that need an excluded element."""
    needs = zip(instance.profits, instance.items, strict=True)
    return sum(p for p, e in needs if not excluded.isdisjoint(e))


def is_sought(
    instance: Sukp, excluded: frozenset[int], heaviest: list[int], need: int
) -> bool:
    """Whether it is, of all elements without an item left, the first to reach need."""
    used = {e for items in instance.items if excluded.isdisjoint(items) for e in items}
    prefix: set[int] = set()
    for e in heaviest:
        if sum(instance.weights[f] for f in prefix) >= need:
            break
        if e not in used:
            prefix.add(e)
    heavy = sum(instance.weights[e] for e in excluded) >= need
    return heavy and prefix == excluded


@settings(max_examples=60, deadline=None)
@given(sukps(most_elements=6))
def test_an_optimum_is_of_the_form_sought(instance: Sukp) -> None:
    problem, index = to_arrays(instance)
    heaviest = [int(e) for e in index]
    losses = [
        lost(instance, r)
        for size in range(len(heaviest) + 1)
        for r in map(frozenset, combinations(heaviest, size))
        if is_sought(instance, r, heaviest, problem.need)
    ]
    assert min(losses) == least_left_out(instance)


def test_units_are_rounded_to_the_safe_side() -> None:
    for shift in (5, 0, -3):
        for loss in range(200):
            units = to_shares(loss, shift)
            assert units * 2**-shift >= loss
            # whatever exceeds a loss by a finest unit proves one more, at best
            value = units << MULTIPLIER_BITS
            assert from_shares(value - 1, shift) <= loss
            if shift >= 0:
                assert from_shares(value + 1, shift) == loss + 1


def test_the_largest_numbers_do_not_overflow() -> None:
    rng = random.Random(9)
    for _ in range(20):
        profits = tuple(rng.randint(0, 2**58) for _ in range(12))
        weights = tuple(rng.randint(0, 2**58) for _ in range(14))
        items = tuple(tuple(rng.sample(range(14), 3)) for _ in profits)
        for share in (4, 2):
            instance = Sukp("big", profits, weights, items, sum(weights) // share)
            assert METHOD(instance).objective == bruteforce(instance).objective


def test_a_bound_is_there_however_little_time_is() -> None:
    instance = random_sukp(70, 60, Fraction(3, 20), Fraction(17, 20), seed=1)
    METHOD(instance, Settings(node_limit=1))
    starved = METHOD(instance, Settings(time_limit=1e-6))
    assert starved.limit is Limit.TIME
    brief = METHOD(instance, Settings(node_limit=1))
    assert brief.limit is Limit.NODES
    full = METHOD(instance)
    assert str(full.proof) == "enumerated: sukp-bb"
    assert isinstance(starved.bound, int)
    assert isinstance(brief.bound, int)
    assert isinstance(full.objective, int)
    assert 0 < starved.bound <= brief.bound < full.objective


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_find_the_same_every_time(threads: int) -> None:
    instance = random_sukp(60, 60, Fraction(1, 10), Fraction(3, 4), seed=2)
    whole = METHOD(instance, Settings(threads=threads))
    assert whole.status is Status.OPTIMAL
    assert whole.objective == METHOD(instance).objective
    one, two = (
        METHOD(instance, Settings(threads=threads, node_limit=700)) for _ in range(2)
    )
    assert one.nodes == two.nodes
    assert (one.chosen, one.bound, one.limit) == (two.chosen, two.bound, two.limit)
    assert one.nodes is not None
    assert one.nodes <= 700


def test_a_common_divisor_of_the_weights_is_used() -> None:
    """Elements of weight 6, of which 10 are to leave: two, which shares cannot see."""
    instance = Sukp("even", (1, 1, 1), (6, 6, 6), ((0,), (1,), (2,)), 8)
    search = ExclusionSearch(instance, ())
    search.run(clock.now() + 60, 1)
    assert search.bound == 2


def test_is_interrupted() -> None:
    instance = some_sukp(random.Random(1), 200, 200)
    METHOD(instance, Settings(node_limit=1))
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    result = METHOD(instance, Settings(time_limit=60))
    timer.join()
    assert result.limit is Limit.INTERRUPT
    assert result.bound is not None
    assert result.chosen is not None


def test_stops_at_its_time_limit_with_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock runs by looks at it, so that no machine is too slow, or too fast."""
    instance = some_sukp(random.Random(1), 200, 200)
    looks = count()
    monkeypatch.setattr(clock, "now", lambda: next(looks) / 100)
    result = METHOD(instance, Settings(time_limit=0.5))
    assert_stopped(instance, result, Limit.TIME)
    assert result.seconds >= 0.5


@given(sukps())
def test_greedy_fits_and_leaves_nothing_that_fits(instance: Sukp) -> None:
    chosen = greedy(instance)
    assert not check(instance, chosen)
    for i in range(instance.n):
        assert i in chosen or check(instance, [*chosen, i])


SMALL = [
    f"sukp_{shape}_{density}"
    for shape in ("85_100", "100_85", "100_100")
    for density in ("0.10_0.75", "0.15_0.85")
]


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_proves_the_small_benchmark_instances(name: str) -> None:
    require("data/sukp")
    instance = read_instance(KNAPSACKS / "setI" / f"{name}.txt.xz")
    assert isinstance(instance, Sukp)
    with (KNAPSACKS / "best_known.csv").open() as file:
        known = {row["name"]: row for row in csv.DictReader(file)}
    best = int(known[name]["best_verified_lower_bound"])
    result = METHOD(instance, Settings(time_limit=600))
    assert result.status is Status.OPTIMAL
    assert result.objective == sum(instance.profits) - best
