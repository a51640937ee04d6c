"""Lines and rings: windows on the one, a turning diameter on the other."""

from __future__ import annotations

import random
import signal
import threading
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.cli.app import run
from closeknit.exact.ksubset.cuts_bb.search import CutsSearch
from closeknit.exact.ksubset.ring_dp import program as ring_dp
from closeknit.instances import (
    InputError,
    KSubset,
    Mesh,
    Points,
    Site,
    Topology,
    Torus,
    Tree,
    check,
    cost,
    write_ksubset,
)
from closeknit.methods import KSUBSET
from closeknit.solvers import Grade, Limit, Result, Settings, Status
from closeknit.solvers.running import clock

from ...oracles import failing_windows, optimum
from ..stopped import after

Masks = npt.NDArray[np.int16]

LINE, RING, WINDOW = (
    KSUBSET[name] for name in ("line-window", "ring-dp", "ring-window")
)
FAILURE = (2, 11, 14, 15, 17, 26, 29, 31, 32, 39, 44, 45)
"""Free on a ring of 46: no window of 10 is optimal."""


def ring(side: int, free: tuple[int, ...], k: int) -> KSubset:
    return KSubset("ring", Torus((side,)), tuple((x,) for x in free), k)


def line(free: tuple[int, ...], k: int) -> KSubset:
    sites = tuple((x,) for x in free)
    return KSubset("line", Points(sites), sites, k)


def some_ring(rng: random.Random, longest: int, most: int) -> KSubset:
    """Odd or even, full or sparse."""
    side = rng.randint(1, longest)
    n = min(side, rng.choice([most, rng.randint(1, most)]))
    return ring(side, tuple(rng.sample(range(side), n)), rng.randint(1, n))


def proved(result: Result, by: str) -> int:
    assert result.status is Status.OPTIMAL
    assert result.proof
    assert (result.proof.grade, result.proof.by) == (Grade.ENUMERATED, by)
    assert isinstance(result.objective, int)
    return result.objective


# Lines


@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_windows_are_optimal_on_a_line(data: st.DataObject) -> None:
    far = data.draw(st.sampled_from([2, 30, 2**50]))
    x = data.draw(st.lists(st.integers(-far, far), min_size=1, max_size=11))
    instance = line(tuple(x), data.draw(st.integers(1, len(x))))
    assert proved(LINE(instance), "line-window") == optimum(instance)


def test_windows_are_optimal_on_a_mesh_of_one_row() -> None:
    rng = random.Random(1)
    for _ in range(300):
        side = rng.randint(1, 30)
        free = rng.sample(range(side), min(side, rng.randint(1, 11)))
        k = rng.randint(1, len(free))
        flat = KSubset("flat", Mesh((side,)), tuple((x,) for x in free), k)
        least = optimum(flat)
        assert proved(LINE(flat), "line-window") == least
        for topology, place in (
            (Mesh((1, side)), lambda x: (0, x)),
            (Mesh((3, side, 2)), lambda x: (2, x, 1)),
            (Mesh((side, 4)), lambda x: (x, 3)),
        ):
            sites: tuple[Site, ...] = tuple(place(x) for x in free)
            row = KSubset("row", topology, sites, k)
            assert proved(LINE(row), "line-window") == least


def test_repeated_points_and_the_first_of_equal_windows() -> None:
    assert LINE(line((4, 4, 4, 0, 9, 9, 9), 3)).chosen == (1, 2, 3)
    assert LINE(line((4, 4, 4, 0, 9, 9, 9), 4)).objective == 12
    assert LINE(line((0, 1, 2, 3, 4), 2)).chosen == (0, 1)


def test_coordinates_of_any_size() -> None:
    low, gap = -(2**62) + 1, 2**40
    steps = [i * i for i in range(40)]
    large = LINE(line(tuple(low + gap * step for step in steps), 20))
    small = LINE(line(tuple(steps), 20))
    assert isinstance(small.objective, int)
    assert large.chosen == small.chosen == tuple(range(20))
    assert large.objective == gap * small.objective


def test_a_long_line_agrees_with_every_window() -> None:
    rng = random.Random(6)
    x = sorted(rng.choices(range(10**6), k=400))
    for k in (1, 2, 37, 399, 400):
        instance = line(tuple(x), k)
        windows = (range(i, i + k) for i in range(400 - k + 1))
        least = min(cost(instance, window) for window in windows)
        assert proved(LINE(instance), "line-window") == least


# Rings


@settings(max_examples=200, deadline=None)
@given(data=st.data(), side=st.integers(1, 50))
def test_the_diameter_finds_the_optimum(data: st.DataObject, side: int) -> None:
    places = st.integers(0, side - 1)
    free = data.draw(st.lists(places, unique=True, min_size=1, max_size=11))
    k = data.draw(st.integers(1, len(free)))
    instance = ring(side, tuple(free), k)
    assert proved(RING(instance), "ring-dp") == optimum(instance)
    sites = tuple((2, x) for x in free)
    row = KSubset("row", Torus((3, side)), sites, k)
    assert RING(row).chosen == RING(instance).chosen


@pytest.mark.parametrize("charges", [0, 1, 12])
def test_tables_and_bounds_need_no_window(
    charges: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Started from nothing: every optimum must come out of a table. Without
    # charges every table is filled.
    monkeypatch.setattr(ring_dp, "_CHARGES", charges)
    rng = random.Random(charges)
    for _ in range(700):
        instance = some_ring(rng, rng.choice([11, 40]), 11)
        least = optimum(instance)
        turn = ring_dp._Turn(instance)
        turn.best, turn.chosen = 2 * least + 2, []
        assert turn.run(lambda: None) is None
        assert turn.best == 2 * least
        assert turn.bound == least
        assert check(instance, turn.chosen) == []
        assert cost(instance, turn.chosen) == least


def test_it_agrees_with_the_branch_and_bound_on_larger_rings() -> None:
    rng = random.Random(5)
    agreed = 0
    for _ in range(60):
        instance = some_ring(rng, 150, 60)
        least = proved(RING(instance), "ring-dp")
        search = CutsSearch(instance, tuple(range(instance.k)))
        limit = search.run(clock.now() + 60, node_limit=3_000)
        assert search.bound <= least <= search.best
        agreed += limit is None
    assert agreed >= 30


def test_bounds_hold_whenever_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ring_dp, "_WORK", 1)
    rng = random.Random(2)
    stopped = 0
    for _ in range(60):
        instance = some_ring(rng, 30, 11)
        least = optimum(instance)
        for looks in (0, 1, 2, 3, 5, 8, 13, 21, 34, 55):
            turn = ring_dp._Turn(instance)
            turn.best = 2 * cost(instance, range(instance.k))
            turn.chosen = list(range(instance.k))
            end = turn.run(after(looks))
            assert turn.bound <= least <= cost(instance, turn.chosen)
            assert check(instance, turn.chosen) == []
            assert end is not None or turn.bound == least
            stopped += end is not None
    assert stopped > 200


def test_no_time_at_all_still_gives_an_answer() -> None:
    result = RING(ring(46, FAILURE, 10), Settings(time_limit=0))
    assert result.status is Status.FEASIBLE
    assert result.limit is Limit.TIME
    assert result.objective == 532
    assert result.bound is not None


def test_ctrl_c_gives_the_best_so_far() -> None:
    rng = random.Random(1)
    instance = ring(6000, tuple(rng.sample(range(6000), 1500)), 1000)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    result = RING(instance)
    timer.join()
    assert result.limit in (Limit.INTERRUPT, None)
    assert (result.limit is None) == (result.status is Status.OPTIMAL)
    assert result.chosen is not None


@pytest.mark.parametrize("side", [1, 2, 3, 7, 8])
def test_one_processor_and_all_processors(side: int) -> None:
    everything = tuple(range(side))
    whole = ring(side, everything, side)
    assert proved(RING(whole), "ring-dp") == cost(whole, everything)
    assert WINDOW(whole).objective == cost(whole, everything)
    assert proved(RING(ring(side, everything, 1)), "ring-dp") == 0
    assert WINDOW(ring(side, everything, 1)).chosen == (0,)


def test_instances_beyond_memory_are_refused() -> None:
    instance = ring(40_000, tuple(range(40_000)), 5_000)
    with pytest.raises(InputError, match=r"ring-dp: .* MiB, more than 1024$"):
        RING(instance)
    assert WINDOW(instance).objective == cost(instance, range(5_000))


# Windows on rings


def windows(instance: KSubset) -> list[int]:
    n, k = instance.n, instance.k
    return [cost(instance, {i % n for i in range(f, f + k)}) for f in range(n)]


def test_the_window_is_the_best_of_all() -> None:
    rng = random.Random(3)
    for _ in range(500):
        instance = some_ring(rng, rng.choice([11, 60]), 25)
        result = WINDOW(instance)
        prices = windows(instance)
        assert result.objective == min(prices)
        assert result.bound is None
        first = prices.index(min(prices))
        window = sorted((first + i) % instance.n for i in range(instance.k))
        assert result.chosen == tuple(window)


def test_the_window_is_within_its_guarantee_and_never_above_mm_free() -> None:
    rng = random.Random(4)
    for _ in range(300):
        instance = some_ring(rng, 40, 11)
        result = WINDOW(instance)
        assert isinstance(result.objective, int)
        assert WINDOW.guarantee
        factor = WINDOW.guarantee(instance)
        assert factor == max(Fraction(1), 2 - Fraction(2, instance.k))
        assert result.objective <= factor * optimum(instance)
        other = KSUBSET["mm-free"](instance).objective
        assert isinstance(other, int)
        assert result.objective <= other


def test_no_window_is_optimal_on_this_ring() -> None:
    instance = ring(46, FAILURE, 10)
    assert WINDOW(instance).objective == min(windows(instance)) == 532
    assert proved(RING(instance), "ring-dp") == 530
    every = combinations(range(12), 10)
    assert min(cost(instance, chosen) for chosen in every) == 530


@pytest.mark.parametrize("side", range(1, 13))
def test_windows_are_optimal_on_all_short_rings(side: int) -> None:
    assert failing_windows(side) == 0


@pytest.mark.slow
@pytest.mark.parametrize("side", range(13, 21))
def test_windows_are_optimal_on_all_rings_up_to_20(side: int) -> None:
    assert failing_windows(side) == 0


# What is not taken


@pytest.mark.parametrize(
    ("name", "topology", "why"),
    [
        ("line-window", Torus((5,)), "needs a mesh or points, not a torus"),
        (
            "line-window",
            Tree((-1, 0), (0, 1), (0, 1)),
            "needs a mesh or points, not a tree",
        ),
        (
            "line-window",
            Mesh((2, 2)),
            "needs free processors that differ on one axis, not on 2",
        ),
        ("ring-dp", Mesh((5,)), "needs a torus, not a mesh"),
        ("ring-dp", Points(((0,), (1,))), "needs a torus, not points"),
        ("ring-dp", Torus((2, 2, 2)), "needs free processors .*, not on 3"),
        ("ring-window", Mesh((5,)), "needs a torus, not a mesh"),
    ],
)
def test_other_networks_are_refused(
    name: str,
    topology: Topology,
    why: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    instance = KSubset("other", topology, tuple(topology.locations()), 2)
    with pytest.raises(InputError, match=f"^{name}: {why}$"):
        KSUBSET[name](instance)
    write_ksubset(instance, tmp_path / "other.json")
    assert run(["solve", str(tmp_path / "other.json"), "--method", name]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert name in said.err
