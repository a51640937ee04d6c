"""The Manhattan median, against its definition in plain Python."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.ksubset import mm as module
from closeknit.heuristics.ksubset.centres import (
    Centres,
    Scan,
    everywhere,
    free_sites,
    intersections,
)
from closeknit.heuristics.ksubset.mm import (
    mm,
    scan_of_cloud,
    scan_of_mesh,
    scanner,
)
from closeknit.heuristics.ksubset.ranking import kernels as kernels
from closeknit.heuristics.ksubset.ranking.distances import distances, nearest
from closeknit.heuristics.ksubset.ranking.selection_kernels import select
from closeknit.heuristics.ksubset.ranking.ties import MOST, shell
from closeknit.heuristics.ksubset.stars import star_sums
from closeknit.instances import (
    Grid,
    InputError,
    KSubset,
    Mesh,
    Points,
    Site,
    Torus,
    Tree,
    cost,
    mesh,
)
from closeknit.instances.ksubset.worst_cases import theorem1
from closeknit.methods import KSUBSET
from closeknit.solvers import Limit, Settings, Status, Ties

from ...data import REFERENCE
from ...strategies import ksubsets

# The definition, slowly


def crossings(instance: KSubset) -> Iterable[Site]:
    if isinstance(instance.topology, Tree):
        return ((v,) for v in range(len(instance.topology.parent)))
    return product(*(sorted(set(axis)) for axis in zip(*instance.free, strict=True)))


def locations(instance: KSubset) -> Iterable[Site]:
    if instance.topology.grid:
        return instance.topology.locations()
    return crossings(instance)


CENTRES = {
    "mm": crossings,
    "mm-free": lambda instance: sorted(set(instance.free)),
    "mm-all": locations,
}


def slow_mm(instance: KSubset, centres: Iterable[Site]) -> tuple[int, ...]:
    """Sort for every centre, add up every pair, keep the first cheapest."""
    distance = instance.topology.distance
    best: tuple[int, tuple[int, ...]] | None = None
    for centre in centres:
        order = sorted(
            range(instance.n), key=lambda i: (distance(centre, instance.free[i]), i)
        )
        chosen = tuple(sorted(order[: instance.k]))
        price = cost(instance, chosen)
        if best is None or price < best[0]:
            best = price, chosen
    assert best is not None
    return best[1]


def slow_ties(instance: KSubset, ties: Ties) -> int:
    """Complete every ball in every way."""
    distance = instance.topology.distance
    extreme = min if ties is Ties.BEST else max
    found = []
    for centre in crossings(instance):
        away = [distance(centre, site) for site in instance.free]
        radius = sorted(away)[instance.k - 1]
        inside = [i for i, d in enumerate(away) if d < radius]
        rim = [i for i, d in enumerate(away) if d == radius]
        found.append(
            extreme(
                cost(instance, [*inside, *more])
                for more in combinations(rim, instance.k - len(inside))
            )
        )
    return min(found)


@pytest.mark.parametrize("name", CENTRES)
@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_is_what_its_definition_says(name: str, data: st.DataObject) -> None:
    instance = data.draw(ksubsets(most_free=16))
    expected = slow_mm(instance, CENTRES[name](instance))
    assert KSUBSET[name](instance).chosen == expected


@pytest.mark.parametrize("ties", [Ties.BEST, Ties.WORST])
@settings(max_examples=60, deadline=None)
@given(instance=ksubsets())
def test_ties_are_broken_as_asked(instance: KSubset, ties: Ties) -> None:
    assert mm(instance, Settings(ties=ties)).objective == slow_ties(instance, ties)


# The two ways over a mesh of two dimensions


def random_state(shape: tuple[int, ...], pick: random.Random) -> KSubset:
    places = list(product(*map(range, shape)))
    free = pick.sample(places, pick.randint(1, len(places)))
    k = min(len(free), pick.choice([1, 2, 3, 8, 20, len(free)]))
    return KSubset("state", Mesh(shape), tuple(free), k)


SOUGHT = (intersections, free_sites, everywhere)


def best_by(scan: Scan, centres: Centres) -> tuple[int, list[int]]:
    best, winner = kernels.FAR, [-1]
    for part in centres.parts():
        best, where = scan(part, best)
        if where >= 0:
            winner = part[where].tolist()
    return best, winner


@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("centres", SOUGHT)
def test_grid_and_cloud_agree(part: int, centres: Callable[[KSubset], Centres]) -> None:
    for seed in range(part, 300, 10):
        pick = random.Random(seed)
        instance = random_state((pick.randint(1, 20), pick.randint(1, 20)), pick)
        sought = centres(instance)
        on_grid = best_by(scan_of_mesh(instance, sought), sought)
        assert on_grid == best_by(scan_of_cloud(instance), sought)
        chosen = nearest(instance, np.array(on_grid[1]))
        assert on_grid[0] == cost(instance, chosen)


LARGER: list[Grid] = [
    *map(Mesh, [(1, 400), (400, 1), (2, 90), (30, 30), (7, 8, 9), (5, 4, 3, 4)]),
    *map(Torus, [(14, 15), (2, 21), (6, 5, 7), (30,)]),
]
"""On the tori balls are much smaller than the ring: windows wrap on either side."""


@pytest.mark.parametrize("grid", LARGER, ids=lambda one: f"{one.kind}{one.shape}")
@pytest.mark.parametrize("seed", range(4))
def test_larger_grids_as_defined(grid: Grid, seed: int) -> None:
    pick = random.Random(seed)
    places = list(grid.locations())
    for k, free in [(5, 40), (9, 30), (30, 30), (40, 60), (1, 50)]:
        if free > len(places):
            continue
        instance = KSubset("state", grid, tuple(pick.sample(places, free)), k)
        assert mm(instance).chosen == slow_mm(instance, crossings(instance))
        for centres in SOUGHT:
            best, winner = best_by(scan_of_cloud(instance), centres(instance))
            assert best == cost(instance, nearest(instance, np.array(winner)).tolist())


def test_a_few_in_a_wide_mesh_need_no_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = Mesh((4000, 4000))
    pick = random.Random(2)
    free = [(pick.randrange(4000), pick.randrange(4000)) for _ in range(30)]
    instance = KSubset("wide", wide, tuple(free), 6)
    monkeypatch.setattr(module, "scan_of_mesh", None)
    assert mm(instance).chosen == slow_mm(instance, crossings(instance))
    monkeypatch.undo()
    dense = mesh(70, 70, k=200)
    monkeypatch.setattr(module, "scan_of_cloud", None)
    scanner(dense, intersections(dense))


def test_a_corner_of_a_wide_mesh_is_laid_out_alone() -> None:
    free = tuple((3980 + x, 3970 + y) for x in range(6) for y in range(7))
    instance = KSubset("corner", Mesh((4000, 4000)), free, 9)
    near = KSubset("near", Mesh((6, 7)), tuple(product(range(6), range(7))), 9)
    assert mm(instance).chosen == mm(near).chosen


# Numbers near the largest allowed


def test_wide_coordinates_stay_exact() -> None:
    pick = random.Random(1)
    for _ in range(20):
        far = 2**50
        sites = tuple(
            (pick.randint(-far, far), pick.randint(-far, far)) for _ in range(12)
        )
        instance = KSubset("far", Points(sites), sites, 7)
        assert mm(instance).chosen == slow_mm(instance, crossings(instance))


def test_coordinates_far_from_zero_stay_exact() -> None:
    base = 2**62 - 100
    sites = tuple((base + x, -base - x * x % 7) for x in range(10))
    instance = KSubset("offset", Points(sites), sites, 4)
    assert mm(instance).chosen == slow_mm(instance, crossings(instance))
    exact, inc = KSUBSET["bruteforce"](instance), KSUBSET["mm-inc"](instance)
    assert (exact.chosen, exact.objective) == (inc.chosen, inc.objective)


# Theorem 1


def test_worst_cases_cost_what_they_must_in_every_tie_order() -> None:
    with (REFERENCE / "mm_worst_case_exact.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 105
    for row in rows:
        eps = Fraction(row["eps"])
        case = theorem1(int(row["d"]), int(row["k"]), eps).instance
        for ties in (Ties.BEST, Ties.WORST):
            objective = mm(case, Settings(ties=ties)).objective
            assert isinstance(objective, int)
            assert Fraction(objective, eps.denominator) == Fraction(
                row[f"mm_{ties.value}_ties"]
            ), row


# Limits and refusals


def test_too_many_ties_are_refused_with_their_number() -> None:
    ring = [(10 + x, 10 + y) for x in range(-9, 10) for y in (9 - abs(x), abs(x) - 9)]
    instance = KSubset("ring", Mesh((21, 21)), tuple(set(ring)), 18)
    ways = shell(instance, np.array([10, 10])).ways
    assert ways == 9_075_135_300  # 36 choose 18
    with pytest.raises(InputError, match=r"ties: \d+ ways .* centre.*worst") as error:
        mm(instance, Settings(ties=Ties.WORST))
    assert str(MOST) in str(error.value)
    assert "\n" not in str(error.value)


def test_coinciding_processors_are_counted_not_enumerated() -> None:
    sites = ((0,),) * 40 + ((2,),) * 40 + ((1,),)
    instance = KSubset("twins", Points(sites), sites, 41)
    assert shell(instance, np.array([1])).ways == 41
    result = mm(instance, Settings(ties=Ties.WORST))
    assert result.objective == 40  # 40 at 0, and the one at 1


def test_time_limit_still_gives_an_answer() -> None:
    pick = random.Random(0)
    sites = tuple(
        tuple(pick.randrange(10**6) for _ in range(4)) for _ in range(300)
    )  # 8.1e9 centres
    instance = KSubset("many", Points(sites), sites, 20)
    for name in ("mm", "mm-all", "mm-inc", "mm-inc-first"):
        result = KSUBSET[name](instance, Settings(time_limit=0.05))
        assert result.status is Status.FEASIBLE
        assert result.limit is Limit.TIME
    result = mm(instance, Settings(time_limit=0.05, ties=Ties.BEST))
    assert result.limit is Limit.TIME


@pytest.mark.parametrize("name", ["mm", "mm-inc", "mc1x1"])
def test_interrupted_gives_the_best_so_far(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Centres.part
    calls = 0

    def part(self: Centres, first: int, number: int) -> object:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise KeyboardInterrupt
        return whole(self, first, number)

    monkeypatch.setattr(Centres, "part", part)
    result = KSUBSET[name](mesh(20, 20, k=9))
    assert result.limit is Limit.INTERRUPT
    assert result.status is Status.FEASIBLE
    with pytest.raises(KeyboardInterrupt):  # nothing found yet
        KSUBSET[name](mesh(20, 20, k=9))


# Parts


@settings(max_examples=100, deadline=None)
@given(instance=ksubsets(), data=st.data())
def test_stars_add_up(instance: KSubset, data: st.DataObject) -> None:
    some = data.draw(st.sets(st.integers(0, instance.n - 1)))
    chosen = np.array(sorted(some), dtype=np.int64)
    expected = [
        sum(instance.topology.distance(site, instance.free[s]) for s in some)
        for site in instance.free
    ]
    assert star_sums(instance, chosen).tolist() == expected


@settings(max_examples=100, deadline=None)
@given(instance=ksubsets(), data=st.data())
def test_distances_from_any_centre(instance: KSubset, data: st.DataObject) -> None:
    centre = data.draw(st.sampled_from(list(locations(instance))))
    expected = [instance.topology.distance(centre, site) for site in instance.free]
    assert distances(instance, np.array(centre)).tolist() == expected
    by_distance = sorted(range(instance.n), key=expected.__getitem__)
    assert nearest(instance, np.array(centre)).tolist() == by_distance[: instance.k]


@settings(max_examples=100, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    first=st.integers(0, 40),
    number=st.integers(1, 50),
)
def test_centres_in_pieces(sizes: list[int], first: int, number: int) -> None:
    axes = tuple(np.arange(size) * 3 - 1 for size in sizes)
    every = list(product(*(axis.tolist() for axis in axes)))
    centres = Centres(axes)
    assert centres.count == len(every)
    first = min(first, len(every) - 1)
    part = centres.part(first, number)
    assert list(map(tuple, part.tolist())) == every[first : first + number]
    assert sum(map(len, centres.parts())) == len(every)


def test_more_centres_than_64_bits_can_count() -> None:
    axis = np.arange(2**17)
    centres = Centres((axis,) * 4)
    assert centres.count == 2**68
    last = centres.part(2**68 - 2, 10)
    assert last.tolist() == [[2**17 - 1] * 3 + [2**17 - 2], [2**17 - 1] * 4]


@pytest.mark.parametrize("k", [2, 3, 5, 11])
def test_few_among_many_values_are_sorted(k: int) -> None:
    """Chosen ones next to each other on one axis, many values apart on another."""
    pick = random.Random(k)
    sites = tuple((pick.randrange(1000), pick.randrange(10**6)) for _ in range(250))
    instance = KSubset("flat", Points(sites), sites, k)
    result = KSUBSET["mm-free"](instance)
    assert result.chosen == slow_mm(instance, sorted(set(sites)))


@pytest.mark.parametrize("k", [1, 2, 9])
@pytest.mark.parametrize("seed", range(5))
def test_pair_sums_of_few_and_of_many_values(k: int, seed: int) -> None:
    pick = random.Random(seed)
    none = np.zeros(0, dtype=np.int64)
    value = np.array(sorted(pick.sample(range(10**9), 1000)))
    ends = np.array([0, len(value)])
    nothing = none.reshape(0, 1)
    cloud = kernels.Cloud(nothing, none, none, none, nothing, value, ends)
    counts = np.zeros(len(value), dtype=np.int64)
    for spread in (1000, 16 * k + 1, 16 * k, 3):
        first = pick.randint(0, 1000 - spread)
        ranks = np.array([pick.randrange(first, first + spread) for _ in range(k)])
        ranks[[0, -1]] = first, first + spread - 1
        expected = sum(abs(int(a - b)) for a, b in combinations(value[ranks], 2))
        assert kernels._by_values(cloud, 0, counts, ranks.copy(), k) == expected
        assert not counts.any()


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1), st.data())
def test_sorting_and_selecting(values: list[int], data: st.DataObject) -> None:
    rank = data.draw(st.integers(0, len(values) - 1))
    array = np.array(values, dtype=np.int64)
    assert select(array.copy(), rank) == sorted(values)[rank]
    kernels._sort(array)
    assert array.tolist() == sorted(values)


@settings(max_examples=300, deadline=None)
@given(
    last=st.lists(st.integers(0, 12), min_size=1),
    z=st.integers(0, 12),
    reach=st.integers(0, 14),
    wraps=st.booleans(),
)
def test_windows_hold_all_within_reach(
    last: list[int], z: int, reach: int, wraps: bool
) -> None:
    ring = 13 if wraps else 0
    reach = min(reach, 5) if wraps else reach  # else there is no window
    last.sort()
    window = np.zeros((2, 2), dtype=np.int64)
    kernels._window(np.array(last), z, reach, ring, window)
    found = [p for start, stop in window.tolist() for p in range(start, stop)]
    expected = [p for p, x in enumerate(last) if kernels._hops(x, z, ring) <= reach]
    assert sorted(found) == expected
