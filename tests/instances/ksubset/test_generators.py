"""Generated instances are what their names say; worst cases cost what they must."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.ksubset.guarantees import rho, shells, star
from closeknit.instances import (
    InputError,
    KSubset,
    Torus,
    Tree,
    arrays,
    cost,
    mesh,
    problem_of,
)
from closeknit.instances.ksubset.dispersal import pieces
from closeknit.instances.ksubset.generators import (
    clustered_points,
    network_of,
    random_occupancy,
    share_text,
    torus,
    tree,
    uniform_points,
)
from closeknit.instances.ksubset.worst_cases import (
    WorstCase,
    genalg,
    genalg_tree,
    hilbert_gap,
    mc1x1_family,
    median_decoys,
    mm_distinct,
    theorem1,
)
from closeknit.instances.library import (
    SUITES,
    all_worst_cases,
    bundled,
    bundled_names,
    suite,
)
from closeknit.instances.problems import CORE
from closeknit.instances.topologies import switch_tree
from closeknit.methods import KSUBSET, METHODS
from closeknit.simulation.fragmentation import fragment
from closeknit.solvers import Settings, Status

from ...additions.recipes import recipes
from ...data import REFERENCE
from ...oracles import optimum_by_table

HALF = Fraction(1, 2)
EPS = Fraction(1, 10)


# --- generators --------------------------------------------------------------


def test_full_networks() -> None:
    assert mesh(3, 4, k=2).n == 12
    assert torus(3, 4, k=2).topology == Torus((3, 4))
    leaves = tree(2, 3, k=2)
    assert leaves.n == 6
    assert sorted(set(arrays.hops(leaves).ravel().tolist())) == [0, 2, 4]


def test_switch_tree_has_its_fan_outs() -> None:
    built = switch_tree((2, 3, 4))
    children = [built.parent.count(v) for v in range(len(built.parent))]
    assert children == [2, *[3] * 2, *[4] * 6, *[0] * 24]
    assert built.processors == tuple(range(9, 33))
    assert set(built.weight[1:]) == {1}


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=3),
    st.sampled_from(["mesh", "torus", "tree"]),
    st.integers(0, 10),
    st.data(),
)
def test_random_occupancy_leaves_as_many_free_as_asked(
    shape: list[int], kind: str, seed: int, data: st.DataObject
) -> None:
    total = len(list(network_of(kind, shape).locations()))
    free = data.draw(st.integers(1, total))
    k = data.draw(st.integers(1, free))
    instance = random_occupancy(shape, k, free, seed, kind=kind)
    assert (instance.n, instance.k, instance.seed) == (free, k, seed)
    assert instance.topology.kind == kind
    assert instance == random_occupancy(shape, k, free, seed, kind=kind)
    share = Fraction(free, total)
    assert random_occupancy(shape, k, share, seed, kind=kind).free == instance.free


def test_every_processor_is_free_about_as_often() -> None:
    times = dict.fromkeys(mesh(4, 4, k=1).free, 0)
    for seed in range(400):
        for site in random_occupancy((4, 4), 1, HALF, seed).free:
            times[site] += 1
    assert sum(times.values()) == 400 * 8
    assert all(150 < n < 250 for n in times.values())  # five standard deviations


def test_another_seed_is_another_instance_with_another_name() -> None:
    makers: list[Callable[[int], KSubset]] = [
        lambda seed: random_occupancy((8, 8), 4, HALF, seed),
        lambda seed: uniform_points(20, 2, 4, seed),
        lambda seed: clustered_points(20, 2, 4, seed),
        lambda seed: fragment((8, 8), 4, seed, allocator="row-major"),
    ]
    for make in makers:
        made = [make(seed) for seed in range(5)]
        assert len({instance.free for instance in made}) == 5
        assert len({instance.name for instance in made}) == 5
        assert [instance.seed for instance in made] == list(range(5))
        assert make(3) == made[3]


def test_clusters_are_clusters() -> None:
    loose = uniform_points(60, 2, 2, seed=1)
    tight = clustered_points(60, 2, 2, seed=1, clusters=3, spread=5)
    single = clustered_points(60, 2, 2, seed=1, clusters=1, spread=0)
    assert len(set(single.free)) == 1

    def near(instance: KSubset) -> int:
        """Pairs no further apart than 20 hops."""
        return int((arrays.hops(instance) <= 20).sum()) - instance.n

    assert near(tight) > 20 * near(loose)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (7, "7free"),
        (HALF, "50pct"),
        (Fraction(1, 8), "12.5pct"),
        (Fraction(1, 3), "1of3"),
        (Fraction(1), "100pct"),
    ],
)
def test_shares_in_names(share: int | Fraction, text: str) -> None:
    assert share_text(share) == text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mesh(k=1), "topology.shape: needs at least one side"),
        (lambda: mesh(2, 2, k=5), r"k: must be at most the number of free .* \(4\)"),
        (lambda: tree(3, 0, k=1), r"topology.shape\[1\]: must be at least 1, not 0"),
        (
            lambda: random_occupancy((4, 4), 9, HALF, 0),
            r"k: must be at most the number of free processors \(8\), not 9",
        ),
        (
            lambda: random_occupancy((4, 4), 1, 17, 0),
            "free: must leave between 1 and all 16 processors free, not 17",
        ),
        (lambda: random_occupancy((4, 4), 1, Fraction(1, 99), 0), "free: must leave"),
        (lambda: random_occupancy((4, 4), 1, HALF, -1), "seed: must be at least 0"),
        (
            lambda: random_occupancy((4, 4), 1, HALF, 0, kind="ring"),
            "kind: must be mesh, torus, tree, or grid with the axes that are rings, as "
            "in grid:1,3, not 'ring'",
        ),
        (
            lambda: random_occupancy((4, 4), 1, HALF, 0, kind="grid:1,3"),
            "kind: has 2 axes: 'grid:1,3'",
        ),
        (lambda: uniform_points(0, 2, 1, 0), "n: must be at least 1, not 0"),
        (lambda: uniform_points(5, 0, 1, 0), "d: must be at least 1, not 0"),
        (lambda: uniform_points(5, 2, 6, 0), "k: must be at most the number of"),
        (lambda: uniform_points(5, 2, 1, 0, 0), "size: must be at least 1, not 0"),
        (lambda: uniform_points(5, 2, 1, 0, 2**62), "size: must be smaller than"),
        (lambda: uniform_points(2**24, 2, 1, 0), "n: must be at most 2.24 divided"),
        (lambda: clustered_points(5, 2, 1, 0, clusters=0), "clusters: must be at"),
        (lambda: clustered_points(5, 2, 1, 0, spread=-1), "spread: must lie between"),
    ],
)
def test_nonsense_is_refused(make: Callable[[], KSubset], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


# --- fragmented machines -----------------------------------------------------


@pytest.mark.parametrize("kind", ["mesh", "torus", "tree"])
@pytest.mark.parametrize("sizes", ["exponential", "uniform"])
@pytest.mark.parametrize("allocator", ["mm", "row-major", "random"])
def test_fragmented_machines_keep_to_their_target(
    kind: str, sizes: str, allocator: str
) -> None:
    share = Fraction(4, 5)

    def made() -> KSubset:
        how: Any = {"sizes": sizes, "allocator": allocator, "kind": kind}
        return fragment((6, 6), 5, 3, utilisation=share, mean_size=4, **how)

    instance = made()
    assert 36 - int(36 * share) <= instance.n < 36
    assert instance.topology.kind == kind
    assert instance == made()
    assert allocator in instance.name


def test_one_job_is_placed_where_the_allocator_puts_it() -> None:
    instance = fragment(
        (4, 4), 1, 0, mean_size=1, sizes="uniform", jobs=3, allocator="row-major"
    )
    assert instance.free == mesh(4, 4, k=1).free[3:]


def test_coming_and_going_breaks_up_what_is_free() -> None:
    def parts(seed: int, **options: Any) -> int:
        one = fragment((16, 16), 1, seed, **options)
        return pieces(one.topology, one.free)

    assert all(parts(seed, jobs=2) <= 2 for seed in range(4))
    assert all(parts(seed, utilisation=Fraction(9, 10)) >= 4 for seed in range(4))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"utilisation": Fraction(0)}, "utilisation: must lie between 0 and 1"),
        ({"utilisation": Fraction(1)}, "utilisation: must lie between 0 and 1"),
        ({"utilisation": Fraction(1, 99)}, "utilisation: leaves no processor to use"),
        ({"mean_size": 0}, "mean_size: must lie between 1 and the processors in"),
        ({"mean_size": 13}, r"must lie between 1 and the processors in use \(12\)"),
        ({"sizes": "normal"}, "sizes: must be exponential or uniform, not 'normal'"),
        ({"jobs": 0}, "jobs: must be at least 1, not 0"),
        ({"allocator": "best"}, r"allocator: no such method: .best. \(known: mm, "),
        ({"k": 16}, "k: must be at most the number of free processors"),
        ({"seed": -1}, "seed: must be at least 0, not -1"),
    ],
)
def test_bad_fragmentation_is_refused(change: dict[str, int], message: str) -> None:
    numbers = {"k": 2, "seed": 0, "mean_size": 2, "allocator": "row-major", **change}
    with pytest.raises(InputError, match=message):
        fragment((4, 4), **numbers)  # type: ignore[arg-type]


# --- bundled instances -------------------------------------------------------


def test_bundled_instances_can_be_made_anew() -> None:
    made = {instance.name: instance for instance in recipes()}
    assert sorted(made) == bundled_names()
    for name, instance in made.items():
        assert bundled(name) == instance, name


def test_suites() -> None:
    assert [instance.name for instance in suite("bundled")] == bundled_names()
    for name in SUITES:
        names = [instance.name for instance in suite(name)]
        least = 12 if name in ("bundled", "bundled-ksubset", "worst-cases") else 2
        assert len(set(names)) == len(names) >= least
    for problem in CORE:
        met = {problem_of(instance).name for instance in suite(f"bundled-{problem}")}
        assert met == {problem}
    ksubsets = suite("bundled-ksubset")
    kinds = {one.topology.kind for one in ksubsets if isinstance(one, KSubset)}
    assert kinds == {"mesh", "torus", "points", "tree"}
    with pytest.raises(InputError, match=r"suite: no such suite: 'none' "):
        suite("none")
    with pytest.raises(InputError, match=r"name: no such bundled instance: '\.\./x'"):
        bundled("../x")


@pytest.mark.parametrize("name", bundled_names())
def test_bundled_instances_are_solved_to_optimality(name: str) -> None:
    instance = bundled(name)
    own = {"ksubset": "cuts-bb"}.get(problem_of(instance).name, "auto")
    method = METHODS[problem_of(instance).name][own]
    result = method(instance, Settings(time_limit=60))
    assert result.status is Status.OPTIMAL


# --- worst cases -------------------------------------------------------------


def _hops(p: tuple[int, ...], q: tuple[int, ...]) -> int:
    return sum(abs(a - b) for a, b in zip(p, q, strict=True))


def _shell(p: tuple[int, ...], q: tuple[int, ...]) -> int:
    return max(abs(a - b) for a, b in zip(p, q, strict=True))


def _nearest(instance: KSubset, far: list[int]) -> Iterator[tuple[int, ...]]:
    """Every choice of k nearest processors, coincident ones told apart once."""
    radius = sorted(far)[instance.k - 1]
    inside = [i for i in range(instance.n) if far[i] < radius]
    rim = [i for i in range(instance.n) if far[i] == radius]
    some = combinations(rim, instance.k - len(inside))
    apart = {tuple(instance.free[i] for i in one): one for one in some}
    return ((*inside, *one) for one in apart.values())


def _plain(case: WorstCase) -> set[int]:
    """Return the least and the largest cost that ties let the method pay.

    Written from the papers' definitions, sharing nothing with the methods.
    """
    instance = case.instance
    if case.method == "mc1x1":
        offers = []
        for centre in set(instance.free):
            far = [_shell(centre, p) for p in instance.free]
            total = sum(sorted(far)[: instance.k])
            offers += [(total, cost(instance, s)) for s in _nearest(instance, far)]
        least = min(total for total, _ in offers)
        return {paid for total, paid in offers if total == least}
    if case.method == "mm-free":
        centres = {*instance.free}
    else:
        assert case.method == "mm"
        axes = [{*axis} for axis in zip(*instance.free, strict=True)]
        centres = {*product(*axes)}  # all intersections of the lines they span
    distance = _hops
    if isinstance(instance.topology, Tree):
        distance = instance.topology.distance
    best, worst = [], []
    for centre in centres:
        far = [distance(centre, p) for p in instance.free]
        costs = [cost(instance, chosen) for chosen in _nearest(instance, far)]
        best.append(min(costs))
        worst.append(max(costs))
    return {min(best), min(worst)}


SMALL = [
    *(theorem1(1, k, eps) for k in (4, 8) for eps in (EPS, HALF, Fraction(1, 132))),
    *(theorem1(2, 8, eps) for eps in (EPS, HALF, Fraction(1, 132), Fraction(3, 7))),
    theorem1(3, 12, HALF),
    *(median_decoys(d, k, EPS) for d in (1, 2, 3) for k in range(4, 10)),
    *(mm_distinct(L) for L in (6, 7, 11, 20, 555)),
    *(mc1x1_family(k, r) for k, r in ((2, 10), (4, 50), (6, 90), (8, 50))),
    *(mc1x1_family(4, 60, d) for d in (1, 3, 4)),
    *(genalg(L) for L in (3, 4, 100)),
    *(genalg_tree(k, k) for k in (3, 4)),
]


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.instance.name)
def test_worst_cases_cost_what_they_must_under_every_tie(case: WorstCase) -> None:
    assert _plain(case) == {case.cost}


@pytest.mark.parametrize(
    "case",
    [case for case in SMALL if comb(case.instance.n, case.instance.k) < 40_000],
    ids=lambda case: case.instance.name,
)
def test_optima_of_worst_cases_are_the_least_of_all(case: WorstCase) -> None:
    assert optimum_by_table(case.instance) == case.optimum


@pytest.mark.parametrize("case", all_worst_cases(), ids=lambda case: case.instance.name)
def test_the_registered_methods_fall_for_the_suite(case: WorstCase) -> None:
    assert KSUBSET[case.method](case.instance).objective == case.cost
    exact = KSUBSET["cuts-bb"](case.instance, Settings(time_limit=60))
    assert (exact.status, exact.objective) == (Status.OPTIMAL, case.optimum)


@settings(max_examples=30)
@given(
    st.integers(1, 5),
    st.integers(1, 5),
    st.fractions(Fraction(1, 999), HALF, max_denominator=999),
)
def test_theorem_1_tends_to_its_limit(d: int, q: int, eps: Fraction) -> None:
    limit = 2 - Fraction(1, 2 * d)
    case = theorem1(d, 4 * d * q, eps)
    assert case.ratio == limit * (1 - eps * (1 - Fraction(1, 2 * d)))
    assert case.ratio < limit == rho(4 * d * q, d)


@given(st.integers(1, 4), st.integers(4, 40))
def test_decoys_for_every_k_tend_to_rho(d: int, k: int) -> None:
    case = median_decoys(d, k, Fraction(1, 10**6))
    if k // 2 >= 2 and rho(k, d) > 1:
        assert 0 <= rho(k, d) - case.ratio < Fraction(1, 10**5)


def test_other_limits_are_approached_from_below() -> None:
    for k in (2, 4, 8):
        case = mc1x1_family(k, 10**5)
        assert 0 <= shells(case.instance) - case.ratio < Fraction(1, 100)
    assert 0 < Fraction(4, 3) - genalg(10**4).ratio < Fraction(1, 10**3)
    for k in (3, 5, 9):
        case = genalg_tree(k, 10**4)
        factor = star(case.instance)
        assert factor is not None
        assert 0 < factor - case.ratio < Fraction(1, 10**3)
    assert mm_distinct(555).ratio > Fraction(174, 100)
    assert mm_distinct(554).ratio < Fraction(174, 100)
    assert theorem1(2, 8, Fraction(1, 132)).ratio == Fraction(1225, 704)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: theorem1(0, 8, EPS), "d: must be at least 1, not 0"),
        (lambda: theorem1(2, 12, EPS), "k: must be a multiple of 4d = 8, not 12"),
        (lambda: theorem1(2, 0, EPS), "k: must be a multiple of 4d = 8, not 0"),
        (lambda: theorem1(2, 8, Fraction(0)), "eps: must lie between 0 and 1, not '0'"),
        (lambda: theorem1(2, 8, Fraction(1)), "eps: must lie between 0 and 1, not '1'"),
        (
            lambda: theorem1(2, 8, Fraction(3, 5)),
            "eps: must be smaller for d = 2, k = 8: decoys become optimal, not '3/5'",
        ),
        (lambda: theorem1(2, 8, Fraction(1, 2**70)), "topology.coordinates"),
        (lambda: theorem1(2, 2**24, EPS), "d times k: must be at most"),
        (lambda: median_decoys(2, 3, EPS), "k: must be at least 4, not 3"),
        (lambda: mm_distinct(5), "L: must be at least 6, not 5"),
        (
            lambda: mm_distinct(2**60),
            "topology: sums of distances need more than 62 bits",
        ),
        (lambda: mc1x1_family(3, 50), "k: must be even and at least 2, not 3"),
        (lambda: mc1x1_family(0, 50), "k: must be even and at least 2, not 0"),
        (lambda: mc1x1_family(8, 1), "r: is too small for k = 8: 1"),
        (lambda: mc1x1_family(8, 0), "r: must be at least 1, not 0"),
        (lambda: mc1x1_family(8, 50, 0), "d: must be at least 1, not 0"),
        (lambda: mc1x1_family(10**6, 50), "k times d: must be at most 2048"),
        (lambda: genalg(2), "L: must be at least 3, not 2"),
        (lambda: genalg_tree(2), "k: must be at least 3, not 2"),
        (lambda: hilbert_gap(2), "N: must be at least 4, not 2"),
        (lambda: hilbert_gap(24), "N: must be a power of two, not 24"),
        (lambda: hilbert_gap(8192), "N: must be at most 4096, not 8192"),
        (lambda: genalg_tree(9, 8), "L: must be at least 9, not 8"),
    ],
)
def test_constructions_refuse_what_they_cannot_be(
    make: Callable[[], WorstCase], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_worst_cases_equal_the_reference() -> None:
    reference = json.loads((REFERENCE / "worst_cases.json").read_text())
    for row in reference["mm_k8"]:
        case = mm_distinct(row["L"])
        assert sorted(map(tuple, row["points"])) == list(case.instance.free)
        assert (case.cost, case.optimum) == (row["mm"], row["opt"])
    for row in reference["mc1x1"]:
        case = mc1x1_family(row["k"], row["r"])
        assert sorted(map(tuple, row["points"])) == list(case.instance.free)
        assert (case.cost, case.optimum) == (row["mc_w"], row["opt_at_most"])
    row = reference["hilbert"]
    case = hilbert_gap(row["N"])
    assert sorted(map(tuple, row["free"])) == list(case.instance.free)
    assert (case.instance.k, case.ratio) == (row["k"], row["ratio"])
    with (REFERENCE / "mm_worst_case_exact.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 105
    for row in rows:
        eps = Fraction(row["eps"])
        case = theorem1(int(row["d"]), int(row["k"]), eps)
        unit = eps.denominator
        assert Fraction(case.cost, unit) == Fraction(row["mm_worst_ties"])
        assert Fraction(case.optimum, unit) == Fraction(row["k2_over_4"])
        assert case.ratio == Fraction(row["ratio"])
