from __future__ import annotations

import random
from itertools import combinations

import pytest

from closeknit.formulations.ksubset.bounds import stars
from closeknit.formulations.ksubset.bounds.bounds import (
    axis_bound,
    best_bound,
    compute_bound,
    star_bound,
    town_bound,
)
from closeknit.instances import KSubset, Points, Torus, mesh
from closeknit.instances.ksubset.lower_bounds import AXIS, STAR, TOWN
from closeknit.solvers import Grade, Proof

from ...oracles import cheapest_stars, optimum
from ...strategies import seeded_ksubset


@pytest.mark.parametrize("seed", range(240))
def test_no_bound_exceeds_the_optimum(seed: int) -> None:
    instance = seeded_ksubset(seed)
    least = optimum(instance)
    for bound in (star_bound, town_bound, axis_bound):
        assert (bound(instance) or 0) <= least, bound.__name__
    value, proof = best_bound(instance)
    assert value <= least
    assert proof.grade is Grade.CHECKED
    assert compute_bound(instance, proof.by) == value


def test_star_bound_by_hand() -> None:
    # On a 3 x 3 mesh a corner's star costs 1 + 1 + 2, the five others 1 + 1 + 1.
    assert star_bound(mesh(3, 3, k=4)) == 4 * 3 // 2
    # On a 2 x 3 mesh four corners cost 4 and only two cells cost 3.
    assert star_bound(mesh(2, 3, k=4)) == (3 + 3 + 4 + 4) // 2


def test_bounds_are_exact_for_pairs_and_alone() -> None:
    for seed in range(60):
        instance = seeded_ksubset(seed)
        if instance.n < 2:
            continue
        pair = KSubset("pair", instance.topology, instance.free, 2)
        assert star_bound(pair) == optimum(pair)
        alone = KSubset("alone", instance.topology, instance.free, 1)
        assert best_bound(alone)[0] == 0


@pytest.mark.parametrize("seed", range(60))
def test_stars_by_shells_and_by_rows_are_the_definition(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = seeded_ksubset(seed, most=14)
    monkeypatch.setattr(stars, "_CHUNK", 20)
    assert stars.cheapest_stars(instance) == cheapest_stars(instance)
    monkeypatch.setattr(stars, "_FEW", 0)
    assert stars.cheapest_stars(instance) == cheapest_stars(instance)


def test_stars_cut_short_stay_below(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = mesh(6, 6, k=12)
    full = stars.cheapest_stars(instance)
    monkeypatch.setattr(stars, "_FEW", 0)
    monkeypatch.setattr(stars, "_MOST_SHIFTED", 0)
    # Looked at: radius 0 only; the 11 others are at least one hop away.
    assert stars.cheapest_stars(instance) == 12 * 11 <= full


def test_too_many_points_have_no_stars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stars, "_MOST_PAIRS", 0)
    points = Points(((0, 0), (5, 0), (9, 3)))
    instance = KSubset("huge", points, points.coordinates, 2)
    assert star_bound(instance) == 0
    assert axis_bound(instance) == 4
    assert best_bound(instance)[1].by == TOWN or best_bound(instance)[0] >= 4


def test_town_bound_is_for_distinct_lattice_points() -> None:
    assert town_bound(mesh(9, k=4)) == 10
    assert town_bound(mesh(9, 9, k=5)) == 16
    torus = Torus((9, 9))
    assert town_bound(KSubset("t", torus, tuple(torus.locations()), 5)) is None
    twice = Points(((0, 0), (0, 0), (1, 0)))
    assert town_bound(KSubset("p", twice, twice.coordinates, 2)) is None
    assert town_bound(mesh(3, 3, 3, k=8)) == 48
    assert town_bound(mesh(2, 2, 2, 2, k=4)) is None


@pytest.mark.parametrize("seed", range(20))
def test_the_axis_bound_is_that_of_consecutive_coordinates(seed: int) -> None:
    pick = random.Random(seed)
    d, n = pick.randint(1, 3), pick.randint(3, 9)
    sites = [tuple(pick.randrange(1000) for _ in range(d)) for _ in range(n)]
    points = Points(tuple(sites))
    k = pick.randint(2, n)
    expected = 0
    for axis in zip(*sites, strict=True):
        x = sorted(axis)
        expected += min(
            sum(abs(p - q) for p, q in combinations(x[left : left + k], 2))
            for left in range(n - k + 1)
        )
    assert axis_bound(KSubset("axes", points, points.coordinates, k)) == expected


@pytest.mark.parametrize("known", [None, 0, 10**9])
def test_a_known_cost_leaves_out_only_slow_towns(known: int | None) -> None:
    assert best_bound(mesh(5, 5, k=5), cost=known) == (16, Proof(Grade.CHECKED, TOWN))
    large = mesh(12, 13, k=41)
    wanted = STAR if known == 10**9 else TOWN
    found, proof = best_bound(large, cost=known)
    assert (found, proof.by) == (compute_bound(large, wanted), wanted)


def test_an_unknown_proof_gives_no_bound() -> None:
    assert compute_bound(mesh(3, 3, k=3), "moon phase") is None
    assert compute_bound(mesh(3, 3, k=3), AXIS) is None
    assert compute_bound(mesh(3, 3, k=3), STAR) == 3
