"""Optimal towns against exhaustive search, published values and each other."""

import csv
import sys
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.formulations.ksubset.bounds import towns
from closeknit.formulations.ksubset.bounds.diagrams import partition_cost, pos
from closeknit.formulations.ksubset.bounds.towns import (
    TOWN_SEARCH,
    town,
    town_bound_value,
    town_in_space,
    town_sites,
    town_sites_in_space,
)

from ...data import REFERENCE
from ...modules import loaded
from ...oracles import cheaper_in_box
from ...paths import ROOT


def pair_sum(points: list[tuple[int, ...]]) -> int:
    return sum(
        abs(a - b)
        for p, q in combinations(points, 2)
        for a, b in zip(p, q, strict=True)
    )


def boxes(total: int, dimension: int) -> set[tuple[int, ...]]:
    """Boxes whose extents add up to ``total``; every smaller one lies in one."""
    return {
        tuple(sorted(extent + 1 for extent in extents))
        for extents in product(range(total + 1), repeat=dimension)
        if sum(extents) == total
    }


@pytest.mark.parametrize(
    ("d", "k"), [*((2, k) for k in range(2, 9)), *((3, k) for k in range(2, 7))]
)
def test_no_set_is_cheaper(d: int, k: int) -> None:
    """k points whose extents add up to E cost at least (k - 1) E."""
    value = town(k) if d == 2 else town_in_space(k)
    assert town_bound_value(k, d) == value
    widest = value // (k - 1)
    assert not any(cheaper_in_box(box, k, value) for box in boxes(widest, d))
    assert any(cheaper_in_box(box, k, value + 1) for box in boxes(widest, d))


@pytest.mark.parametrize("k", [1, 2, 7, 20, 33, 60])
def test_partition_is_one_of_k_and_costs_what_it_says(k: int) -> None:
    partition = towns._town(k)[1]
    assert sum(partition) == k
    assert list(partition) == sorted(partition, reverse=True)
    assert partition_cost(partition) == town(k)


def test_published_terms_are_compared_and_certified(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    oeis = loaded(ROOT / "tools" / "oeis.py")
    monkeypatch.setattr(sys, "argv", ["oeis.py", "--last", "14", "14"])
    assert oeis.main() == 0
    *_, last = capsys.readouterr().out.splitlines()
    assert last == "| A290190 | 14 | 201 | certificate |"
    for file in oeis.FOLDER.glob("b*.txt"):
        (tmp_path / file.name).write_text(file.read_text().replace("13 168", "13 167"))
    monkeypatch.setattr(oeis, "FOLDER", tmp_path)
    assert oeis.main() == 1
    assert capsys.readouterr().err == "docs/papers/oeis: a(13) of A290190 is 167\n"


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6))
def test_cost_of_a_partition_is_that_of_its_points(parts: list[int]) -> None:
    partition = tuple(sorted(parts, reverse=True))
    points: list[tuple[int, ...]] = [
        (pos(i), pos(j)) for i, a in enumerate(partition) for j in range(a)
    ]
    assert partition_cost(partition) == pair_sum(points)


@given(st.sets(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=1))
def test_centring_columns_never_costs_more(points: set[tuple[int, int]]) -> None:
    """The step on which the reduction to partitions rests."""
    columns: dict[int, int] = {}
    for x, _ in points:
        columns[x] = columns.get(x, 0) + 1
    centred: list[tuple[int, ...]] = [
        (x, pos(j)) for x, a in columns.items() for j in range(a)
    ]
    assert pair_sum(centred) <= pair_sum(list(points))


@pytest.mark.parametrize(("d", "side", "most"), [(2, 8, 30), (3, 4, 24)])
@settings(deadline=None)  # the first example fills the table
@given(data=st.data())
def test_bounds_every_set(d: int, side: int, most: int, data: st.DataObject) -> None:
    sites = st.tuples(*[st.integers(0, side - 1)] * d)
    points = data.draw(st.sets(sites, min_size=2, max_size=most))
    bound = town_bound_value(len(points), d)
    assert bound is not None
    assert bound <= pair_sum(list(points))


@pytest.mark.slow
def test_values_beyond_the_search_stay_below_a_square() -> None:
    """A side x side square and a cube are sets like any other."""
    for dimension, side in ((2, 15), (2, 20), (3, 4), (3, 5)):
        k = side**dimension
        assert k > TOWN_SEARCH[dimension]
        bound = town_bound_value(k, dimension)
        cell = list(product(range(side), repeat=dimension))
        assert bound is not None
        assert 0.4 * pair_sum(cell) < bound <= pair_sum(cell)


def test_extension_agrees_with_searched_values() -> None:
    """Bounded by one point less, a searched value may only be larger."""
    for k in range(3, 40):
        assert town(k) * (k - 2) >= k * town(k - 1)
        assert town_bound_value(k, 2) == town(k)


def test_beyond_the_search_a_mean_over_one_point_less_bounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(towns.TOWN_SEARCH, 2, 10)
    towns._extend.cache_clear()
    try:
        assert town_bound_value(10, 2) == town(10)
        at_11 = -(-11 * town(10) // 9)
        assert town_bound_value(11, 2) == at_11
        assert town_bound_value(12, 2) == -(-12 * at_11 // 10)
    finally:
        towns._extend.cache_clear()


def test_a_partition_grows_by_a_cell_in_every_way() -> None:
    assert towns._grown((2, 2, 1)) == [(3, 2, 1), (2, 2, 2), (2, 2, 1, 1)]
    assert towns._grown((3, 2)) == [(4, 2), (3, 3), (3, 2, 1)]
    assert towns._grown(()) == [(1,)]


@pytest.mark.parametrize(
    ("d", "k"),
    [
        *((2, k) for k in (1, 2, 3, 5, 12, 30, 41, 47, 50, 60, 200)),
        *((3, k) for k in (1, 7, 20, 41, 48)),
    ],
)
def test_points_begin_at_zero_and_cost_what_they_should(d: int, k: int) -> None:
    """As far as the bound searches."""
    assert k <= TOWN_SEARCH[d]
    sites = town_sites(k) if d == 2 else town_sites_in_space(k)
    assert [min(axis) for axis in zip(*sites, strict=True)] == [0] * d
    assert pair_sum(list(sites)) == town_bound_value(k, d)
    assert len(set(sites)) == k


def test_one_dimension_is_a_row() -> None:
    for k in range(1, 9):
        assert town_bound_value(k, 1) == pair_sum([(x,) for x in range(k)])


def test_small_and_impossible_sizes() -> None:
    assert (town(0), town(1), town_in_space(0)) == (0, 0, 0)
    assert town_sites(0) == ()
    assert town_bound_value(5, 4) is None
    with pytest.raises(ValueError, match="not -1"):
        town(-1)
    with pytest.raises(ValueError, match="not -1"):
        town_in_space(-1)


@pytest.mark.parametrize("k", [2, 3, 12, 13, 30, 47])
def test_machine_code_finds_the_same_towns(k: int) -> None:
    """The two searches of the plane agree, tables of all smaller towns being there."""
    town(k)
    plain, compiled = towns._search(k), towns._compiled_search(k)
    assert plain[0] == compiled[0] == partition_cost(compiled[1])
    assert sum(compiled[1]) == k


@pytest.mark.parametrize("k", [2, 3, 8, 13, 17])
def test_machine_code_finds_the_same_towns_in_space(
    k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    town_in_space(k)
    found = []
    for plain in (0, 20):
        monkeypatch.setattr(towns, "_PLAIN_IN_SPACE", plain)
        found.append(towns._search_in_space(k))
    assert found[0] == found[1]
    assert sum(map(sum, found[0][1])) == k


def test_a_plane_partition_grows_by_a_cell_in_every_way() -> None:
    assert list(towns._grown_in_space(((2, 1), (1,)))) == [
        ((3, 1), (1,)),
        ((2, 2), (1,)),
        ((2, 1, 1), (1,)),
        ((2, 1), (2,)),
        ((2, 1), (1, 1)),
        ((2, 1), (1,), (1,)),
    ]


def test_two_hundred_and_forty_eight() -> None:
    """As far as the bound searches."""
    assert TOWN_SEARCH == {2: 200, 3: 48}
    assert (town(200), town_in_space(48)) == (183386, 3808)


def test_depth_of_the_search_is_no_matter() -> None:
    """The table grows in a loop: no recursion as deep as k."""
    deep = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(200)
        assert town(70) == 13209
    finally:
        sys.setrecursionlimit(deep)


@pytest.mark.parametrize(
    ("name", "rows", "columns"),
    [
        ("optimal_towns_2d", 100, ("n", "w")),
        ("optimal_towns_3d", 30, ("n", "w3")),
        ("bender_figure2", 20, ("k", "pair_sum")),
    ],
)
def test_published_values(name: str, rows: int, columns: tuple[str, str]) -> None:
    search = town_in_space if name.endswith("3d") else town
    with (REFERENCE / f"{name}.csv").open(encoding="utf-8") as lines:
        found = [tuple(int(row[c]) for c in columns) for row in csv.DictReader(lines)]
    assert len({k for k, _ in found}) == rows
    assert all(search(k) == value for k, value in found)
