"""Grids whose axes are lines or rings, against walks along their links."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import combinations, compress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import (
    Grid,
    InputError,
    KSubset,
    Mesh,
    Site,
    Torus,
    arrays,
    cost,
    read_ksubset,
    sha256,
    write_ksubset,
)
from closeknit.instances.ksubset.json import parse_ksubset
from closeknit.instances.reading.json_text import dumps
from closeknit.instances.reading.parsing import parse_json
from closeknit.instances.support.ksubset import describe, document_of, features
from closeknit.instances.support.networks import describe_network, with_article

from ...strategies import with_rings

SHAPES = [
    (1,), (2,), (5,), (8,), (1, 1), (1, 4), (2, 2), (4, 3), (3, 6), (5, 5), (2, 3, 4),
    (3, 3, 2), (1, 2, 5), (2, 2, 2, 3),
]  # fmt: skip
GRIDS = st.sampled_from(SHAPES).flatmap(with_rings)
HELD = Grid((4, 3), (True, False))


def walked(grid: Grid, start: Site) -> dict[Site, int]:
    """Breadth-first search along links, which knows nothing of formulas."""
    reached, waiting = {start: 0}, deque([start])
    while waiting:
        here = waiting.popleft()
        for axis, (side, ring) in enumerate(zip(grid.shape, grid.rings, strict=True)):
            for step in (-1, 1):
                x = here[axis] + step
                if not ring and not 0 <= x < side:
                    continue
                beside = (*here[:axis], x % side, *here[axis + 1 :])
                if beside not in reached:
                    reached[beside] = reached[here] + 1
                    waiting.append(beside)
    return reached


def some_of(grid: Grid, data: st.DataObject, *, twice: bool = False) -> list[Site]:
    """Draw cells, in any order."""
    cells = st.sampled_from(list(grid.locations()))
    return data.draw(st.lists(cells, unique=not twice, min_size=1, max_size=20))


# Distances


@settings(max_examples=60, deadline=None)
@given(GRIDS)
def test_distances_are_the_shortest_walks(grid: Grid) -> None:
    sites = list(grid.locations())
    points = np.array(sites)
    hops = arrays.distances(grid, points[:, None], points[None])
    for i, p in enumerate(sites):
        walks = walked(grid, p)
        assert len(walks) == len(sites) == grid.processors_in_all
        assert [walks[q] for q in sites] == [grid.distance(p, q) for q in sites]
        assert hops[i].tolist() == [walks[q] for q in sites]


def test_distances_by_hand() -> None:
    cylinder = Grid((8, 5), (True, False))
    assert cylinder.distance((0, 0), (7, 4)) == 1 + 4
    assert cylinder.distance((0, 0), (4, 4)) == 4 + 4
    assert cylinder.distance((1, 3), (6, 0)) == 3 + 3
    assert Grid((8, 5), (False, True)).distance((0, 0), (7, 4)) == 7 + 1


@settings(max_examples=100, deadline=None)
@given(GRIDS, st.data())
def test_pair_sums_are_those_of_walks(grid: Grid, data: st.DataObject) -> None:
    """Up to 8 pair by pair, more axis by axis; sites may be listed twice."""
    sites = some_of(grid, data, twice=True)
    walks = {p: walked(grid, p) for p in set(sites)}
    expected = sum(walks[p][q] for p, q in combinations(sites, 2))
    assert grid.pair_sum(sites) == expected


@pytest.mark.parametrize("n", [7, 8, 9, 10])
def test_pair_sums_change_their_way_unseen(n: int) -> None:
    grid = Grid((7, 6, 2), (False, True, True))
    sites = list(grid.locations())[:: 84 // n][:n]
    assert len(sites) == n
    pairs = combinations(sites, 2)
    assert grid.pair_sum(sites) == sum(walked(grid, p)[q] for p, q in pairs)


@settings(max_examples=100, deadline=None)
@given(GRIDS, st.data())
def test_weighted_cuts_sum_up_to_distances(grid: Grid, data: st.DataObject) -> None:
    sites = some_of(grid, data)
    cuts = grid.cuts(sites)
    sides = [set(along[start:stop]) for along, start, stop in cuts.insides()]
    assert cuts.denominator == 1 + any(n % 2 for n in grid.ring_lengths)
    for i, p in enumerate(sites):
        walks = walked(grid, p)
        for j, q in enumerate(sites):
            apart = [(i in side) != (j in side) for side in sides]
            total = sum(compress(cuts.weights, apart))
            assert total == cuts.denominator * walks[q]


@settings(max_examples=100, deadline=None)
@given(GRIDS, st.data())
def test_no_distance_is_longer_than_the_spread(grid: Grid, data: st.DataObject) -> None:
    sites = some_of(grid, data)
    spread = grid.spread(sites)
    assert max(walked(grid, p)[q] for p in sites for q in sites) <= spread


def test_the_spread_is_half_a_ring_and_as_long_as_a_line() -> None:
    far = [(1, 1), (4, 5)]
    assert Grid((9, 9), (True, False)).spread(far) == 4 + 4
    assert Grid((9, 9), (False, True)).spread(far) == 3 + 4
    assert Grid((30, 9), (False, True)).spread(far) == 3 + 4


# What it is


def test_with_lines_only_it_is_a_mesh_and_with_rings_only_a_torus() -> None:
    for shape in SHAPES:
        for make, ring in ((Mesh, False), (Torus, True)):
            grid, same = Grid(shape, (ring,) * len(shape)), make(*shape)
            assert grid == same
            assert hash(grid) == hash(same)
            assert repr(grid) == repr(same)
            assert grid.kind == make.__name__.lower()
            jobs = [
                KSubset("one", network, tuple(network.locations()), 1)
                for network in (grid, same)
            ]
            assert document_of(jobs[0]) == document_of(jobs[1])
            assert document_of(jobs[0])["topology"] == {
                "kind": make.__name__.lower(), "shape": list(shape)
            }  # fmt: skip
            assert sha256(jobs[0]) == sha256(jobs[1])


def test_digests_tell_rings_from_lines() -> None:
    every = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    grids = [Grid((2, 2, 2), tuple(map(bool, rings))) for rings in every]
    jobs = [KSubset("one", grid, tuple(grid.locations()), 3) for grid in grids]
    assert len(set(map(sha256, jobs))) == 8
    assert len(set(grids)) == 8


def test_what_it_says_of_itself() -> None:
    grid = Grid((4, 3, 5), (True, False, True))
    assert (grid.kind, grid.dimension, grid.size) == ("grid", 3, (4, 3, 5))
    assert grid.ring_lengths == (4, 0, 5)
    assert (grid.is_flat, grid.has_cuts, grid.repeats) == (False, True, False)
    assert grid.is_metric
    assert grid.grid is grid
    assert (grid.tree, grid.graph, grid.on_nodes) == (None, None, False)
    assert describe_network(grid) == "4×3×5 grid with rings on axis 1 and 3"
    assert with_article(grid) == "a grid"
    assert repr(grid) == "Grid((4, 3, 5), rings=(True, False, True))"
    assert eval(repr(grid), {"Grid": Grid}) == grid
    assert Mesh(4, 3).is_flat
    assert not Torus(4, 3).is_flat
    job = KSubset("one", HELD, tuple(HELD.locations())[2:], 3)
    assert describe(job) == (
        "4×3 grid with rings on axis 1, 10 of 12 processors free, k = 3"
    )
    told = features(job)
    assert (told.structure, told.shape, told.d) == ("grid", (4, 3), 2)
    assert (told.n, told.k, told.locations) == (10, 3, 12)


def test_numbers_of_numpy_are_taken() -> None:
    rings = np.array([True, False])
    assert Grid(np.array([4, 3]), rings) == HELD  # type: ignore[arg-type]
    assert Grid([4, 3], [True, False]) == HELD
    assert {type(ring) for ring in Grid((4, 3), rings).rings} == {bool}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("site", "said"),
    [
        ((-1, 0), "lies outside the grid"),
        ((4, 0), "lies outside the grid"),
        ((0, 3), "lies outside the grid"),
        ((0,), "must have 2 coordinates"),
        ((2, 1), "listed twice"),
    ],
)
def test_sites_that_are_not_there(site: Site, said: str) -> None:
    with pytest.raises(InputError, match=rf"^free\[\d\]: {said}"):
        KSubset("one", HELD, ((2, 1), site), 1)


# Files


@settings(max_examples=60, deadline=None)
@given(GRIDS, st.data())
def test_files_are_read_as_they_were_written(grid: Grid, data: st.DataObject) -> None:
    free = tuple(some_of(grid, data))
    job = KSubset("job", grid, free, data.draw(st.integers(1, len(free))))
    again = parse_ksubset(parse_json(dumps(document_of(job))))
    assert again == job
    assert again.topology == grid
    assert sha256(again) == sha256(job)
    assert cost(again, range(job.n)) == cost(job, range(job.n))


def test_a_file_names_its_rings(tmp_path: Path) -> None:
    job = KSubset("job", HELD, tuple(HELD.locations())[1:], 2)
    assert document_of(job)["topology"] == {
        "kind": "grid", "shape": [4, 3], "rings": [True, False]
    }  # fmt: skip
    write_ksubset(job, tmp_path / "job.json")
    assert read_ksubset(tmp_path / "job.json") == job


@pytest.mark.parametrize(("make", "ring"), [(Mesh, False), (Torus, True)])
def test_a_file_of_a_grid_may_be_one_of_a_mesh_or_torus(
    make: Callable[..., Grid], ring: bool
) -> None:
    job = parse_ksubset(of_file(rings=[ring, ring]))
    same = KSubset("job", make(4, 3), tuple(make(4, 3).locations()), 2)
    assert job.topology == make(4, 3)
    assert sha256(job) == sha256(same)
    assert document_of(job)["topology"]["kind"] == make.__name__.lower()


def of_file(**changed: Any) -> dict[str, Any]:
    """Return an instance file of a grid, with some fields of its network changed."""
    topology = {"kind": "grid", "shape": [4, 3], "rings": [True, False], **changed}
    topology = {name: value for name, value in topology.items() if value is not None}
    return {"format": "closeknit/ksubset", "version": 1, "topology": topology, "k": 2}


WRONG_RINGS: dict[str, tuple[Any, str]] = {
    "too few": ([True], "topology.rings: must have 2 entries, one per axis, not 1"),
    "none": ([], "topology.rings: must have 2 entries, one per axis, not 0"),
    "too many": (
        [True, False, True],
        "topology.rings: must have 2 entries, one per axis, not 3",
    ),
    "number": ([True, 1], "topology.rings[1]: must be true or false, not 1"),
    "length": ([0, False], "topology.rings[0]: must be true or false, not 0"),
    "text": (["true", False], "topology.rings[0]: must be true or false, not 'true'"),
    "nothing": ([True, None], "topology.rings[1]: must be true or false, not "),
    "nested": ([[True], False], "topology.rings[0]: must be true or false, not [True]"),
    "no list": (True, "topology.rings: must be a list, not True"),
    "word": ("yes", "topology.rings: must be a list, not 'yes'"),
}


@pytest.mark.parametrize(("rings", "said"), WRONG_RINGS.values(), ids=WRONG_RINGS)
def test_rings_that_are_none(rings: Any, said: str) -> None:
    with pytest.raises(InputError) as of_python:
        Grid((4, 3), rings)
    assert str(of_python.value).startswith(said)
    with pytest.raises(InputError) as of_json:
        parse_ksubset(parse_json(dumps(of_file(rings=rings))))
    place = said.partition(": ")[0]
    assert str(of_json.value).startswith(f"{place}: must ")


def test_shapes_are_those_of_meshes() -> None:
    for shape, said in (
        ((), r"^topology.shape: needs at least one side"),
        ((4, 0), r"^topology.shape\[1\]: must be at least 1, not 0"),
        ((2**12, 2**13), r"^topology.shape: must have at most 2\^24 processors"),
    ):
        with pytest.raises(InputError, match=said):
            Grid(shape, (True,) * len(shape))
        rings = [True] * len(shape)
        with pytest.raises(InputError, match=said):
            parse_ksubset(of_file(shape=list(shape), rings=rings))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"rings": None}, "topology.rings: is missing"),
        ({"shape": None}, "topology.shape: is missing"),
        ({"sides": [4, 3]}, "topology.sides: unknown field"),
        ({"kind": "mesh"}, "topology.rings: unknown field"),
        ({"kind": "torus"}, "topology.rings: unknown field"),
        ({"shape": [4, True]}, r"topology.shape\[1\]: must be an integer"),
    ],
)
def test_files_that_are_none(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=f"^{said}"):
        parse_ksubset(of_file(**changed))
