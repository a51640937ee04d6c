"""Grids whose axes are lines or rings, against walks along their links.

What holds on any network (sums over pairs, cuts, files) is in test_topology.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closeknit.instances import (
    Grid,
    InputError,
    KSubset,
    Mesh,
    Site,
    Torus,
    arrays,
    read_ksubset,
    sha256,
    write_ksubset,
)
from closeknit.instances.ksubset.json import parse_ksubset
from closeknit.instances.support.ksubset import describe, document_of, features
from closeknit.instances.support.networks import describe_network, with_article

SHAPES = [
    (1,), (2,), (5,), (8,), (1, 1), (1, 4), (2, 2), (4, 3), (3, 6), (5, 5), (2, 3, 4),
    (3, 3, 2), (1, 2, 5), (2, 2, 2, 3),
]  # fmt: skip
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


# Distances


@pytest.mark.parametrize("shape", SHAPES)
def test_distances_are_the_shortest_walks(shape: tuple[int, ...]) -> None:
    for rings in product((False, True), repeat=len(shape)):
        grid = Grid(shape, rings)
        sites = list(grid.locations())
        points = np.array(sites)
        hops = arrays.distances(grid, points[:, None], points[None])
        for i, p in enumerate(sites):
            walks = walked(grid, p)
            assert len(walks) == len(sites) == grid.processors_in_all
            assert [walks[q] for q in sites] == [grid.distance(p, q) for q in sites]
            assert hops[i].tolist() == [walks[q] for q in sites]


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
    grids = [Grid((2, 2, 2), r) for r in product((False, True), repeat=3)]
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


# Files


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
    topology = {"kind": "grid", "shape": [4, 3], "rings": [ring, ring]}
    head = {"format": "closeknit/ksubset", "version": 1, "k": 2}
    job = parse_ksubset({**head, "topology": topology})
    same = KSubset("job", make(4, 3), tuple(make(4, 3).locations()), 2)
    assert job.topology == make(4, 3)
    assert sha256(job) == sha256(same)
    assert document_of(job)["topology"]["kind"] == make.__name__.lower()


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


def test_shapes_are_those_of_meshes() -> None:
    for shape, said in (
        ((), r"^topology.shape: needs at least one side"),
        ((4, 0), r"^topology.shape\[1\]: must be at least 1, not 0"),
        ((2**12, 2**13), r"^topology.shape: must have at most 2\^24 processors"),
    ):
        with pytest.raises(InputError, match=said):
            Grid(shape, (True,) * len(shape))
