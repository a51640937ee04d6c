"""The PTAS, published and improved: bounds, factors and counts, against brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from closeknit import InputError, KSubset, Mesh, Points, Settings, Torus, cost, mesh
from closeknit.heuristics.ksubset.ptas import published as ptas_published
from closeknit.heuristics.ksubset.ptas import scheme as ptas
from closeknit.heuristics.ksubset.ptas.scheme import crossing
from closeknit.heuristics.ksubset.strips import (
    arcsine_sizes,
    even_sizes,
    factor,
    hidden_share,
    slopes,
)
from closeknit.instances import arrays
from closeknit.methods import KSUBSET
from closeknit.solvers import Limit

IMPROVED, PUBLISHED = tuple(ptas.STRIPS), tuple(ptas_published.STRIPS)


@st.composite
def instances(draw: st.DrawFn, most: int = 9, dimension: int = 0) -> KSubset:
    """Few processors, on a mesh or as points of which some coincide."""
    d = dimension or draw(st.integers(1, 2))
    spread = draw(st.sampled_from([2, 4, 30]))
    site = st.tuples(*[st.integers(0, spread)] * d)
    if draw(st.booleans()):
        free = tuple(draw(st.lists(site, min_size=2, max_size=most)))
        k = draw(st.integers(1, len(free)))
        return KSubset("points", Points(free), free, k)
    free = tuple(draw(st.sets(site, min_size=2, max_size=most)))
    return KSubset(
        "mesh", Mesh((spread + 1,) * d), free, draw(st.integers(1, len(free)))
    )


def optimum(instance: KSubset) -> int:
    least = KSUBSET["bruteforce"](instance).objective
    assert isinstance(least, int)
    return least


def least_crossing(instance: KSubset, sizes: tuple[int, ...]) -> int:
    """Least cost between strips over all choices: what the flows should find."""
    return min(
        crossing(arrays.points(instance)[list(pick)], sizes)
        for pick in combinations(range(instance.n), instance.k)
    )


@pytest.mark.parametrize("name", IMPROVED)
@settings(max_examples=60, deadline=None)
@given(instance=instances())
def test_bound_is_the_least_crossing_of_all(name: str, instance: KSubset) -> None:
    sizes = arcsine_sizes(instance.k, ptas.STRIPS[name])
    result = KSUBSET[name](instance)
    assert result.bound == least_crossing(instance, sizes)
    assert result.chosen is not None
    chosen = arrays.points(instance)[list(result.chosen)]
    assert crossing(chosen, sizes) == result.bound
    least = optimum(instance)
    assert result.bound <= least
    if (proven := KSUBSET[name].guarantee(instance)) is not None:  # type: ignore[misc]
        assert result.objective <= proven * result.bound  # type: ignore[operator]


@settings(max_examples=200, deadline=None)
@given(instance=instances(), m=st.integers(2, 6), pick=st.data())
def test_strips_hide_no_more_than_their_share(
    instance: KSubset, m: int, pick: st.DataObject
) -> None:
    """The inequality behind the factor, for any choice and any sizes of strips."""
    chosen = pick.draw(st.permutations(range(instance.n)))[: instance.k]
    for sizes in (arcsine_sizes(instance.k, m), even_sizes(instance.k, m)):
        whole = cost(instance, sorted(chosen))
        assert isinstance(whole, int)
        across = crossing(arrays.points(instance)[chosen], sizes)
        assert (1 - hidden_share(sizes)) * whole <= across <= whole


def test_sizes_and_factors() -> None:
    for k, m in product(range(1, 60), range(1, 9)):
        for sizes in (arcsine_sizes(k, m), even_sizes(k, m)):
            assert (sum(sizes), len(sizes)) == (k, m)
            assert min(sizes) >= 0
        if m % 2 or k % 2 == 0:
            assert arcsine_sizes(k, m) == arcsine_sizes(k, m)[::-1]
    assert factor((32,)) is None
    assert slopes((3, 3, 2)) == (-5, 1, 6)
    for m, limit in ((2, 2), (3, 4 / 3), (4, 1.1716), (5, 1.1056), (8, 1.0396)):
        found = factor(arcsine_sizes(4000, m))
        assert found is not None
        assert float(found) == pytest.approx(limit, abs=2e-3)


def test_factor_of_the_paper() -> None:
    """What it prints means nothing below five strips, and beats 7/4 from nine on."""
    square = mesh(6, 6, k=10)
    assert ptas_published.guarantee(5, square) == 6
    assert ptas_published.guarantee(4, square) is None
    assert ptas_published.guarantee(5, mesh(6, 6, k=11)) is None
    assert ptas_published.guarantee(9, mesh(9, k=9)) == Fraction(28, 17)


@pytest.mark.parametrize("name", PUBLISHED[:1])
@settings(max_examples=40, deadline=None)
@given(instance=instances(most=7))
def test_published_is_as_good_as_its_best_guess(name: str, instance: KSubset) -> None:
    """The optimal choice's own strips are a case, so crossing costs no more there."""
    method = KSUBSET[name]
    sizes = even_sizes(instance.k, ptas_published.STRIPS[name])
    d = instance.topology.dimension
    assume(ptas_published.cases(instance.n, sizes, d) <= 2000)
    result = method(instance)
    assert result.chosen is not None
    share = 1 - hidden_share(sizes)
    assert isinstance(result.objective, int)
    assert share * result.objective <= optimum(instance)


def test_published_in_space_and_with_a_factor() -> None:
    cube = KSubset("cube", Mesh((2, 2, 2)), tuple(product(range(2), repeat=3))[:6], 3)
    assert KSUBSET["ptas-published"](cube).objective == 4
    row = mesh(9, k=5)
    result = KSUBSET["ptas-published/5"](row)
    assert result.objective == optimum(row)


@pytest.mark.parametrize(
    ("sizes", "d", "count"),
    [
        *(((1, 1, 1), 2, 6), ((2, 2, 2), 2, 21), ((1, 1), 3, 4), ((1, 1, 1), 3, 36)),
        *(((3, 1, 2), 3, 391), ((1, 0, 2), 3, 5)),
    ],
)
def test_tables_are_counted_before_they_are_listed(
    sizes: tuple[int, ...], d: int, count: int
) -> None:
    assert ptas_published.tables(sizes, d) == count
    plenty = {
        at: list(range(sum(sizes))) for at in product(range(len(sizes)), repeat=d)
    }
    listed = list(ptas_published._tables(sizes, d, plenty))
    assert len({tuple(sorted(table.items())) for table in listed}) == count


def test_cases_are_those_gone_through() -> None:
    """On points without a cell that is short of any, every case is met."""
    ends = list(ptas_published._cuts(8, (2, 2, 2)))
    assert ptas_published.cases(8, (2, 2, 2), 2) == len(ends) ** 2 * 21
    assert len(ends) == 6


@pytest.mark.parametrize(
    ("name", "instance", "why"),
    [
        ("ptas", KSubset("t", Torus((3, 3)), ((0, 0), (1, 1)), 2), "mesh or points"),
        ("ptas-published", mesh(16, 16, k=16), "cases; at most 50000"),
        ("ptas-published/5", mesh(4, 4, k=5), "through more than 1863225 cases"),
        ("ptas", mesh(2, 2, 2, k=3), "two axes"),
        ("ptas", mesh(2100, 2, k=5), "cut vectors; at most 2000000"),
    ],
)
def test_refuses_with_the_count(name: str, instance: KSubset, why: str) -> None:
    with pytest.raises(InputError, match=why):
        KSUBSET[name](instance)


@pytest.mark.parametrize("nodes", [1, 2, 7])
def test_cut_short_the_bound_still_holds(nodes: int) -> None:
    rng = np.random.default_rng(3)
    sites = list(product(range(9), repeat=2))
    free = tuple(sites[i] for i in rng.choice(81, 40, replace=False))
    instance = KSubset("cut-short", Mesh((9, 9)), free, 12)
    whole = KSUBSET["ptas"](instance)
    result = KSUBSET["ptas"](instance, Settings(node_limit=nodes))
    assert result.limit is Limit.NODES
    assert result.chosen is not None
    assert result.bound is not None
    assert whole.bound is not None
    assert 0 <= result.bound <= whole.bound  # type: ignore[operator]
