"""MC1x1, against its definition in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.ksubset import mc1x1 as kernels
from closeknit.heuristics.ksubset.mc1x1 import mc1x1, mc1x1_all
from closeknit.instances import KSubset, Mesh, Points, Site
from closeknit.solvers import Limit, Settings

from ...strategies import grids, ksubsets, points


def shell(instance: KSubset, p: Site, q: Site) -> int:
    steps = [abs(a - b) for a, b in zip(p, q, strict=True)]
    if grid := instance.topology.grid:
        steps = [
            min(step, side - step) if ring else step
            for step, side, ring in zip(steps, grid.shape, grid.rings, strict=True)
        ]
    return max(steps)


def filled(instance: KSubset, centre: Site) -> tuple[int, list[int]]:
    """Return the sum of the k first shell numbers, and whose they are."""
    order = sorted(
        (shell(instance, centre, site), i) for i, site in enumerate(instance.free)
    )[: instance.k]
    return sum(number for number, _ in order), [i for _, i in order]


def slow_mc1x1(
    instance: KSubset, centres: Iterable[Site] | None = None
) -> tuple[int, ...]:
    best: tuple[int, list[int]] | None = None
    for centre in instance.free if centres is None else centres:
        candidate = filled(instance, centre)
        if best is None or candidate[0] < best[0]:
            best = candidate
    assert best is not None
    return tuple(sorted(best[1]))


def box(instance: KSubset) -> Iterable[Site]:
    """Cells of the bounding box, which on rings is the whole ring."""
    grid = instance.topology.grid
    assert grid
    axes = zip(zip(*instance.free, strict=True), grid.shape, grid.rings, strict=True)
    return product(
        *(
            range(side) if ring else range(min(axis), max(axis) + 1)
            for axis, side, ring in axes
        )
    )


@settings(max_examples=600, deadline=None)
@given(instance=ksubsets(st.one_of(grids(), points()), most_free=16))
def test_is_what_its_definition_says(instance: KSubset) -> None:
    assert mc1x1(instance).chosen == slow_mc1x1(instance)


@settings(max_examples=300, deadline=None)
@given(instance=ksubsets(grids(), most_free=16))
def test_all_locations_are_tried(instance: KSubset) -> None:
    everywhere = list(instance.topology.locations())
    chosen = mc1x1_all(instance).chosen
    assert chosen == slow_mc1x1(instance, box(instance))
    least = min(filled(instance, centre)[0] for centre in everywhere)
    assert least in (
        total
        for total, taken in (filled(instance, centre) for centre in everywhere)
        if tuple(sorted(taken)) == chosen
    )


def test_a_busy_centre_can_be_better() -> None:
    corners = ((0, 0), (0, 2), (2, 0), (2, 2))  # shell 1 of (1, 1)
    line = ((0, 5), (0, 6), (0, 7), (0, 9))  # shells 1, 0, 1, 3 of (0, 6)
    both = KSubset("both", Mesh((3, 10)), corners + line, 4)
    assert sorted(both.free[i] for i in mc1x1_all(both).chosen or ()) == list(corners)
    assert sorted(both.free[i] for i in mc1x1(both).chosen or ()) == list(line)


def test_prefix_sums_agree_with_the_definition() -> None:
    for seed in range(60):
        pick = random.Random(seed)
        grid = Mesh(pick.randint(1, 20), pick.randint(1, 20))
        places = list(grid.locations())
        free = pick.sample(places, pick.randint(1, len(places)))
        instance = KSubset("state", grid, tuple(free), pick.randint(1, len(free)))
        assert mc1x1(instance).chosen == slow_mc1x1(instance)


@pytest.mark.parametrize("most", [6, 1000])  # counted, selected
def test_only_sums_below_the_best_count(most: int) -> None:
    sites = np.array([[0, 0], [0, 1], [5, 5], [5, 6]])
    none = np.zeros(2, dtype=np.int64)
    assert kernels.scan_cloud(sites, none, most, 2, sites, 2) == (1, 0)
    assert kernels.scan_cloud(sites, none, most, 2, sites, 1) == (1, -1)


def test_wide_coordinates_stay_exact() -> None:
    sites = tuple((2**50 * x, -(2**50) * (x * x % 5)) for x in range(9))
    instance = KSubset("far", Points(sites), sites, 4)
    assert mc1x1(instance).chosen == slow_mc1x1(instance)


def test_time_limit_still_gives_an_answer() -> None:
    pick = random.Random(0)
    sites = tuple((pick.randrange(10**6), pick.randrange(10**6)) for _ in range(3000))
    instance = KSubset("many", Points(sites), sites, 20)
    result = mc1x1(instance, Settings(time_limit=0.0))
    assert result.limit is Limit.TIME
    assert result.objective is not None
