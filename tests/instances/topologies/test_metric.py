"""Networks of users' own classes, which are known by their distances alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import closeknit as ck
from closeknit.heuristics.ksubset.guarantees import median_bounds
from closeknit.instances import (
    Grid,
    InputError,
    KSubset,
    Mesh,
    Site,
    arrays,
    check,
    cost,
    sha256,
    write_ksubset,
)
from closeknit.instances.support import own_network
from closeknit.instances.support.ksubset import describe, features
from closeknit.instances.support.own_network import Metric
from closeknit.instances.topologies import as_topology
from closeknit.instances.topologies.topology import NO_CUTS
from closeknit.methods import KSUBSET
from closeknit.solvers import Settings, Status, Ties

Numbers = np.ndarray[Any, Any]


class Cylinder:
    """A network of a user: rings of processors, one above the other.

    All that it says of itself but its sites and distances is wrong, or fails.
    """

    kind = "cylinder"
    dimension = 2
    has_cuts = True
    is_flat = True
    ring_lengths = (0, 0)
    repeats = True

    def __init__(self, around: int, height: int) -> None:
        self.shape = self.size = (around, height)
        self.grid = Mesh(around, height)

    def locations(self) -> Iterator[Site]:
        """From the top ring to the bottom, so not in lexicographic order."""
        around, height = self.shape
        return ((x, y) for y in reversed(range(height)) for x in range(around))

    def distance(self, p: Site, q: Site) -> int:
        """Hops."""
        step = abs(p[0] - q[0])
        return min(step, self.shape[0] - step) + abs(p[1] - q[1])

    def distances(self, p: Numbers, q: Numbers) -> Numbers:
        """Hops without rings, and too many of them."""
        hops: Numbers = 7 * np.abs(p - q).sum(axis=-1) + 1
        return hops

    def pair_sum(self, sites: list[Site]) -> int:
        """Nothing."""
        return 0

    def spread(self, points: Numbers) -> int:
        """Nothing."""
        return 0

    def cuts(self, points: Numbers) -> None:
        """Fail."""
        raise AssertionError


class Priced:
    """A few sites in a row; their distances are a table."""

    kind = "priced"
    dimension = 1

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def locations(self) -> Iterator[Site]:
        """List the sites."""
        return ((i,) for i in range(len(self.rows)))

    def distance(self, p: Site, q: Site) -> Any:
        """Look up."""
        return self.rows[p[0]][q[0]]


class Line:
    """So many sites in a row, which count how often they are asked."""

    kind = "line"
    dimension = 1
    asked = 0

    def __init__(self, n: int) -> None:
        self.n = n

    def locations(self) -> Iterator[Site]:
        """List the sites."""
        return ((i,) for i in range(self.n))

    def distance(self, p: Site, q: Site) -> int:
        """Steps."""
        self.asked += 1
        return abs(p[0] - q[0])


def job_on(network: Any, k: int, busy: int = 0, seed: int = 0) -> KSubset:
    """Return an instance, with so many processors busy at random."""
    sites = list(network.locations())
    Random(seed).shuffle(sites)
    return KSubset("own", network, tuple(sites[busy:]), k)


def paid(network: Any, job: KSubset, chosen: tuple[int, ...]) -> int:
    """Add up what the user's class says."""
    sites = [job.free[i] for i in chosen]
    return sum(network.distance(p, q) for p, q in combinations(sites, 2))


def least(network: Any, job: KSubset) -> int:
    """Look at every subset."""
    return min(paid(network, job, s) for s in combinations(range(job.n), job.k))


def refused(job: KSubset) -> dict[str, str]:
    """Why methods do not take an instance, by their names."""
    whys = {
        name: method.refuses(job) for name, method in KSUBSET.items() if method.refuses
    }
    return {name: why for name, why in whys.items() if why}


# What is broken here: sites 0 and 2 lie farther apart than the way over 1
DETOUR = [
    [0, 1, 9, 2, 4, 3],
    [1, 0, 1, 5, 2, 6],
    [9, 1, 0, 3, 3, 2],
    [2, 5, 3, 0, 8, 1],
    [4, 2, 3, 8, 0, 7],
    [3, 6, 2, 1, 7, 0],
]
JOBS: dict[str, tuple[Any, KSubset]] = {
    f"{type(network).__name__}-{k}": (network, job_on(network, k, busy, k))
    for network, k, busy in (
        (Cylinder(4, 3), 1, 0),
        (Cylinder(4, 3), 4, 2),
        (Cylinder(5, 2), 9, 0),
        (Priced(DETOUR), 2, 0),
        (Priced(DETOUR), 3, 0),
        (Priced(DETOUR), 4, 1),
    )
}
SOME = ("Cylinder-4", "Priced-3")
"""For methods that run a solver, each in a process of its own."""
ANSWERING = [name for name in KSUBSET if name not in refused(job_on(Cylinder(4, 3), 4))]


def test_what_needs_no_more_than_distances_answers() -> None:
    own = {name for name in ANSWERING if not KSUBSET[name].runs_solver}
    assert own == {
        "mm", "mm-free", "mm-all", "mm-inc", "mm-inc-first", "mm-inc-all", "random",
        "row-major", "bruteforce", "distances-bb", "dnn-bb", "auto",
    }  # fmt: skip
    assert {"pairs/cpsat", "pairs/highs", "rlt/cbc", "opb/exact"} <= set(ANSWERING)


@pytest.mark.parametrize(
    ("name", "on"),
    [
        (name, on)
        for name in ANSWERING
        for on in JOBS
        if on in SOME or not KSUBSET[name].runs_solver
    ],
)
def test_answers_are_priced_by_the_given_distance(name: str, on: str) -> None:
    method, (network, job) = KSUBSET[name], JOBS[on]
    best = least(network, job)
    if method.takes_ties:
        for ties in Ties:
            other = method(job, Settings(ties=ties))
            assert other.objective == paid(network, job, other.chosen or ()) >= best
    result = method(job)
    assert result.chosen is not None
    assert check(job, result.chosen) == []
    assert result.objective == paid(network, job, result.chosen) >= best
    assert result.objective == cost(job, result.chosen)
    if method.exact:
        assert result.status is Status.OPTIMAL
        assert result.objective == result.bound == best
    elif result.bound is not None:
        assert isinstance(result.bound, int)
        assert result.bound <= best
    factor = method.guarantee and method.guarantee(job)
    if factor is not None:
        assert result.objective <= factor * best


@pytest.mark.parametrize("k", [3, 9, 20])
def test_answers_are_those_on_the_same_grid(k: int) -> None:
    """The sites are those of a grid with mixed rings, and so are the distances."""
    own = job_on(Cylinder(6, 4), k)
    grid = KSubset("grid", Grid((6, 4), (True, False)), own.free, k)
    assert own.free == grid.free
    assert np.array_equal(arrays.hops(own), arrays.hops(grid))
    for name in ("mm-free", "mm-all", "mm-inc-all", "row-major", "random"):
        assert KSUBSET[name](own).chosen == KSUBSET[name](grid).chosen, name
    if k == 3:
        assert KSUBSET["auto"](own).objective == KSUBSET["auto"](grid).objective


@pytest.mark.parametrize(
    ("why", "names"),
    [
        ("needs coordinates; a cylinder has none", ("mc1x1", "mc1x1-all")),
        ("needs a mesh or points", ("ptas", "ptas/2", "ptas-published")),
        ("needs a mesh or points, not a cylinder", ("line-window",)),
        ("needs a torus, not a cylinder", ("ring-dp", "ring-window")),
        ("needs a mesh of two or three axes", ("town",)),
        ("needs a mesh or a torus of two axes", ("plas", "mc-elongated")),
        ("needs a mesh or a torus", ("hilbert/best-fit", "mbs", "thrifty", "row")),
        ("needs a tree", ("consecutive", "shuffle")),
        ("needs a tree, or a graph with the distances of one", ("tree-dp",)),
        (NO_CUTS, ("cuts-bb", "cuts-unary/highs", "cuts-unary/cpsat")),
    ],
)
def test_what_needs_more_is_refused(why: str, names: tuple[str, ...]) -> None:
    job = job_on(Cylinder(4, 3), 3)
    for name in names:
        assert refused(job)[name] == why
        with pytest.raises(InputError) as error:
            KSUBSET[name](job)
        assert str(error.value) == f"{name}: {why}"


def test_it_can_no_more_than_its_distances() -> None:
    network = as_topology(Cylinder(4, 3))
    assert isinstance(network, Metric)
    assert as_topology(network) is network
    assert not network.has_cuts
    assert not network.is_flat
    assert not network.repeats
    for name in ("ring_lengths", "grid", "tree", "graph"):
        assert getattr(network, name) is None, name
    job = job_on(Cylinder(4, 3), 3)
    assert arrays.tree_of(job) is None
    assert not arrays.has_cuts(job)
    with pytest.raises(InputError, match=r"^topology: needs distances that are sums"):
        network.cuts([(0, 0), (1, 1)])


def test_what_is_told_of_it() -> None:
    job = job_on(Cylinder(4, 3), 3, busy=2)
    assert describe(job) == (
        "cylinder of 12 processors, 10 of 12 processors free, k = 3"
    )
    told = features(job)
    assert (told.structure, told.shape, told.d) == ("cylinder", (12,), 2)
    assert (told.n, told.k, told.locations) == (10, 3, 12)


def test_sites_are_in_order_but_truth_values_as_given() -> None:
    network = Cylinder(4, 3)
    assert [*as_topology(network).locations()] == sorted(network.locations())
    top = [y == 2 for _, y in network.locations()]
    job = ck.ksubset(network, k=2, free=top)
    assert job.free == ((0, 2), (1, 2), (2, 2), (3, 2))
    job = ck.ksubset(network, k=2, busy=np.array(top))
    assert job.free == tuple(product(range(4), range(2)))
    assert ck.ksubset(network, k=2, busy=[(0, 2)]).n == 11
    assert ck.solve(network, k=4, busy=top).cost == 8


@pytest.mark.parametrize(
    ("free", "said"),
    [
        (((0, 0), (4, 0)), "free[1]: no such processor: [4, 0]"),
        (((0, 0), (0, 0)), "free[0]: listed too often: [0, 0]"),
        (((0, 0), (1,)), "free[1]: no such processor: [1]"),
    ],
)
def test_sites_that_are_not_there(free: tuple[Site, ...], said: str) -> None:
    with pytest.raises(InputError) as error:
        KSubset("own", Cylinder(4, 3), free, 1)  # type: ignore[arg-type]
    assert str(error.value) == said


# Distances that are none


def changed(i: int, j: int, to: Any, back: Any = ...) -> Priced:
    """Return five sites, with another distance from i to j, and back."""
    rows: list[list[Any]] = [[abs(i - j) for j in range(5)] for i in range(5)]
    rows[i][j] = to
    rows[j][i] = to if back is ... else back
    return Priced(rows)


WRONG: dict[str, tuple[Any, str]] = {
    "asymmetric": (changed(1, 3, 2, 1), "(1,) and (3,) is 2, and 1 the other way"),
    "asymmetric, last": (changed(3, 4, 2, 1), "(3,) and (4,) is 2, and 1 the other"),
    "negative": (changed(0, 4, -1), "(0,) and (4,) must lie between 0 and 2^62, not -"),
    "negative one way": (changed(0, 4, 4, -1), "(4,) and (0,) must lie between 0 and"),
    "fractional": (changed(2, 3, 0.5), "(2,) and (3,) is no whole number: 0.5"),
    "fraction": (changed(2, 3, Fraction(1, 2)), "(2,) and (3,) is no whole number: "),
    "float": (changed(2, 3, 1.0), "(2,) and (3,) is no whole number: 1.0"),
    "bool": (changed(0, 1, True), "(0,) and (1,) is no whole number: True"),
    "bool of numpy": (changed(0, 1, np.True_), "(0,) and (1,) is no whole number: "),
    "text": (changed(0, 1, "1"), "(0,) and (1,) is no whole number: '1'"),
    "nothing": (changed(0, 1, None), "(0,) and (1,) is no whole number: None"),
    "not a number": (changed(0, 1, float("nan")), "(0,) and (1,) is no whole number: "),
    "infinite": (changed(0, 1, float("inf")), "(0,) and (1,) is no whole number: inf"),
    "diagonal": (changed(2, 2, 3), "(2,) and (2,) must be 0, not 3"),
    "too long": (changed(0, 1, 2**62), "(0,) and (1,) must lie between 0 and 2^62"),
}


@pytest.mark.parametrize(("network", "said"), WRONG.values(), ids=WRONG)
def test_distances_that_are_none(network: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        as_topology(network)
    assert str(error.value).startswith(f"topology: the distance of {said}")


def test_they_are_refused_wherever_a_network_is_given() -> None:
    network, said = WRONG["asymmetric"]
    makers: list[Callable[[], object]] = [
        lambda: KSubset("own", network, ((0,),), 1),
        lambda: ck.ksubset(network, k=1),
        lambda: ck.solve(network, k=1),
    ]
    for make in makers:
        with pytest.raises(InputError, match=re.escape(f"the distance of {said}")):
            make()


def test_numbers_of_numpy_are_distances() -> None:
    rows = np.array(DETOUR, dtype=np.int32)
    job = job_on(Priced(rows), 3)
    assert KSUBSET["auto"](job).objective == least(Priced(DETOUR), job)
    assert type(cost(job, (0, 1, 2))) is int


@pytest.mark.parametrize(
    ("sites", "said"),
    [
        ([], "topology: must have between 1 and 65536 processors, not 0"),
        ([(0,), (1, 2)], "topology: has sites of different dimensions"),
        ([0, 1], "topology: has a site that is no tuple of integers: 0"),
        ([(0.5,)], "topology: has a site that is no tuple of integers: (0.5,)"),
        ([("a",)], "topology: has a site that is no tuple of integers: ('a',)"),
        ([(True,)], "topology: has a site that is no tuple of integers: (True,)"),
    ],
)
def test_sites_that_are_none(sites: list[Any], said: str) -> None:
    class Sites(Line):
        def locations(self) -> Iterator[Site]:
            return iter(sites)

    with pytest.raises(InputError) as error:
        as_topology(Sites(3))
    assert str(error.value) == said


def test_too_many_sites_are_refused_before_they_are_priced() -> None:
    network = Line(2**16 + 1)
    with pytest.raises(InputError, match="between 1 and 65536 processors, not 65537"):
        as_topology(network)
    assert network.asked == 0


def test_sites_may_be_shared() -> None:
    class Twice(Line):
        def locations(self) -> Iterator[Site]:
            return (site for site in super().locations() for _ in range(2))

    network = as_topology(Twice(4))
    assert network.repeats
    assert network.processors_in_all == 8
    job = KSubset("own", network, tuple(network.locations()), 4)
    assert KSUBSET["auto"](job).objective == least(Line(4), job) == 4
    with pytest.raises(InputError, match="listed too often"):
        KSubset("own", network, ((0,), (0,), (0,)), 1)


def test_sums_that_need_more_than_62_bits_are_refused() -> None:
    job = job_on(changed(0, 4, 2**50), 3)
    assert KSUBSET["auto"](job).objective == 4
    with pytest.raises(InputError, match="sums of distances need more than 62 bits"):
        job_on(changed(0, 4, 2**61), 3)


# What is proven on metrics only


def test_a_broken_triangle_takes_factors_away() -> None:
    broken, whole = job_on(Priced(DETOUR), 3), job_on(Cylinder(4, 3), 3)
    assert not arrays.is_metric(broken.topology)
    assert arrays.is_metric(whole.topology)
    proven = {
        name
        for name in ANSWERING
        if (factor := KSUBSET[name].guarantee) and factor(whole) is not None
    }
    assert {"mm", "mm-free", "mm-all", "mm-inc", "mm-inc-all"} <= proven
    for name in ANSWERING:
        factor = KSUBSET[name].guarantee
        assert factor is None or factor(broken) is None, name
    assert median_bounds(broken) == []
    assert [bound for bound, _ in median_bounds(whole)] == [Fraction(4, 3)]


@pytest.mark.parametrize(("i", "j"), list(combinations(range(5), 2)))
def test_any_triangle_can_be_the_broken_one(i: int, j: int) -> None:
    assert arrays.is_metric(as_topology(changed(i, j, j - i)))
    assert not arrays.is_metric(as_topology(changed(i, j, 5)))


def test_a_longer_way_may_be_as_long() -> None:
    assert arrays.is_metric(as_topology(changed(0, 4, 2)))
    assert not arrays.is_metric(as_topology(changed(0, 4, 1)))  # from 1 to 4 over 0
    for hops, holds in (
        ([[0, 2, 4], [2, 0, 2], [4, 2, 0]], True),
        ([[0, 2, 5], [2, 0, 2], [5, 2, 0]], False),
        ([[0, 0, 2], [0, 0, 2], [2, 2, 0]], True),
    ):
        assert arrays.is_metric(as_topology(Priced(hops))) == holds


# Many sites


def test_of_many_pairs_some_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_network, "MOST_PAIRS", 100)
    every, some = Line(14), Line(15)  # 91 and 105 pairs
    as_topology(every)
    as_topology(some)
    assert every.asked == 14 + 2 * 91
    assert some.asked == 15 + 2 * 100
    assert as_topology(Line(15)).distance((0,), (14,)) == 14


def test_drawn_pairs_name_what_they_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_network, "MOST_PAIRS", 100)

    class Uneven(Line):
        def distance(self, p: Site, q: Site) -> int:
            return max(0, p[0] - q[0])

    for _ in range(2):  # drawn alike
        with pytest.raises(InputError, match=r"^topology: the distance of \(\d"):
            as_topology(Uneven(40))


def test_of_so_many_sites_no_triangle_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(own_network, "MOST_PAIRS", 1000)
    topology = as_topology(Line(1500))
    assert not arrays.is_metric(topology)
    job = KSubset("own", topology, tuple((i,) for i in range(0, 1500, 15)), 5)
    assert KSUBSET["mm"](job).objective == 15 * 20
    guarantee = KSUBSET["mm"].guarantee
    assert guarantee
    assert guarantee(job) is None


# Files


def test_it_has_no_file(tmp_path: Path) -> None:
    job = job_on(Cylinder(4, 3), 3)
    told = r"^topology.kind: cannot be written to a file: 'cylinder'$"
    with pytest.raises(InputError, match=told):
        write_ksubset(job, tmp_path / "job.json")
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match=told):
        job.topology.document()
    assert sha256(job) == sha256(job_on(Cylinder(4, 3), 3))  # as answers need one
    assert sha256(job) != sha256(job_on(Cylinder(3, 4), 3))


def test_networks_are_equal_if_what_was_given_is() -> None:
    network = Cylinder(4, 3)
    assert as_topology(network) == as_topology(network)
    assert hash(as_topology(network)) == hash(as_topology(network))
    assert as_topology(network) != as_topology(Cylinder(4, 3))
    assert repr(as_topology(network)).startswith("Metric(<")
