"""All exact routes agree beyond enumeration, and stay exact at the edge."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from closeknit.instances import InputError, KSubset, Points, Torus, check, cost, mesh
from closeknit.instances.ksubset.generators import random_occupancy, uniform_points
from closeknit.methods import KSUBSET
from closeknit.solvers import Settings, Status

from ..strategies import random_ksubset

OWN = [
    name
    for name, method in KSUBSET.items()
    if method.exact and "/" not in name and name != "bruteforce"
]


def takes(name: str, instance: KSubset) -> bool:
    refuses = KSUBSET[name].refuses
    return refuses is None or refuses(instance) is None


# the slow ones draw an instance that takes one method 5 s to 40 s
@pytest.mark.parametrize(
    "seed",
    [*(pytest.param(one, marks=pytest.mark.slow) for one in (0, 3, 6)), 1, 2, 4, 5],
)
def test_they_agree_beyond_enumeration(seed: int) -> None:
    rng = random.Random(f"beyond {seed}")
    for _ in range(25):
        instance = random_ksubset(rng, most=60)
        found = {
            name: KSUBSET[name](instance, Settings(time_limit=60)).objective
            for name in OWN
            if takes(name, instance)
        }
        assert len(set(found.values())) == 1, found


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_when_stopped(seed: int) -> None:
    rng = random.Random(f"stopped {seed}")
    for _ in range(25):
        instance = random_ksubset(rng, most=40)
        optimum = KSUBSET["auto"](instance).objective
        assert isinstance(optimum, int)
        for name in OWN:
            if not takes(name, instance):
                continue
            few = Settings(node_limit=rng.randint(1, 60))
            result = KSUBSET[name](instance, few)
            assert result.chosen is not None
            assert check(instance, result.chosen) == []
            assert result.objective == cost(instance, result.chosen)
            assert isinstance(result.objective, int)
            assert result.objective >= optimum
            if result.bound is not None:
                assert isinstance(result.bound, int)
                assert result.bound <= optimum


def scaled(instance: KSubset, factor: int) -> KSubset:
    """The same points, far apart."""
    sites = tuple(tuple(x * factor for x in site) for site in instance.free)
    return KSubset("far", Points(sites), sites, instance.k)


def test_coordinates_to_2_to_the_31_stay_exact() -> None:
    for seed in range(5):
        near = uniform_points(60, 2, 12, seed, size=1000)
        far = scaled(near, 2**31 // 1000)
        for name in ("auto", "cuts-bb"):
            small, large = KSUBSET[name](near), KSUBSET[name](far)
            assert isinstance(small.objective, int)
            assert large.objective == small.objective * (2**31 // 1000)
            assert large.status is Status.OPTIMAL
        for name in ("mm", "mm-inc", "mc1x1"):
            result = KSUBSET[name](far)
            assert result.chosen is not None
            assert result.objective == cost(far, result.chosen)


def test_k_of_ten_thousand_at_2_to_the_31_is_exact_or_refused() -> None:
    rng = random.Random(1)
    row = [(rng.randrange(2**31),) for _ in range(10_500)]
    instance = KSubset("line", Points(tuple(row)), tuple(row), 10_000)
    result = KSUBSET["auto"](instance)
    assert result.status is Status.OPTIMAL
    assert result.chosen is not None
    x = sorted(row[i][0] for i in range(len(row)))
    best = min(
        sum((2 * r - 9_999) * v for r, v in enumerate(x[i : i + 10_000]))
        for i in range(0, 501)
    )
    assert result.objective == best
    wide = [(x, 2**40) for (x,) in row[:-1]] + [(0, -(2**40))]
    with pytest.raises(InputError, match="more than 62 bits"):
        KSubset("wide", Points(tuple(wide)), tuple(wide), 10_000)


def test_full_meshes_and_tori_of_odd_and_even_sides() -> None:
    for shape in ((7, 7), (6, 7), (5, 5, 3)):
        for k in (2, 5, 9, 12):
            flat = mesh(*shape, k=k)
            round_ = KSubset("torus", Torus(shape), flat.free, k)
            on_mesh, on_torus = (KSUBSET["auto"](each) for each in (flat, round_))
            assert isinstance(on_mesh.objective, int)
            assert isinstance(on_torus.objective, int)
            assert on_torus.objective <= on_mesh.objective
            assert KSUBSET["cuts-bb"](flat).objective == on_mesh.objective


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_they_agree_on_machines_of_a_real_size(seed: int) -> None:
    for shape, k in (((16, 16), 32), ((24, 24), 40), ((6, 6, 6), 20)):
        instance = random_occupancy(shape, k, Fraction(1, 2), seed)
        found = {
            name: KSUBSET[name](instance, Settings(time_limit=120)).objective
            for name in ("auto", "cuts-bb")
            if takes(name, instance)
        }
        assert len(set(found.values())) == 1, found
