"""MC, MC-Elongated and PLAS against their definitions, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from math import prod
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.allocation.allocator import Allocator
from closeknit.heuristics.allocation.mc import MC, rank_cells
from closeknit.heuristics.allocation.mc_elongated import MCElongated
from closeknit.heuristics.allocation.plas import PLAS, middle_out
from closeknit.heuristics.allocation.shells import FAR, Shells, squarest
from closeknit.instances import (
    Grid,
    KSubset,
    Mesh,
    Site,
    Torus,
)
from closeknit.instances.ksubset.dispersal import balance_factor
from closeknit.methods import KSUBSET
from closeknit.methods.allocators.table import allocator

from ...strategies import cylinder, grids, tunnel

Kind = TypeVar("Kind", bound=Allocator)
PLANES: list[Site] = [(1, 1), (1, 9), (6, 1), (4, 4), (5, 6), (3, 5)]
SPACES: list[Site] = [*PLANES, (7,), (2, 3, 3), (3, 1, 4), (2, 2, 2, 2)]


@st.composite
def partly_held(
    draw: st.DrawFn, shapes: list[tuple[int, ...]]
) -> tuple[Grid, list[bool], int]:
    """A grid, which of its processors are idle, and the size of a job."""
    shape = draw(st.sampled_from(shapes))
    kinds = [Mesh, Torus, cylinder, tunnel][: 2 + 2 * (len(shape) > 1)]
    topology = draw(st.sampled_from(kinds))(shape)
    n = len(list(topology.locations()))
    idle = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    idle[draw(st.integers(0, n - 1))] = True
    return topology, idle, draw(st.integers(1, sum(idle)))


def prepared(
    kind: type[Kind], topology: Grid, idle: list[bool]
) -> tuple[Kind, list[Site]]:
    one = kind(topology)
    one.hold(np.flatnonzero(~np.array(idle)))
    return one, [site for site, its in zip(one.places, idle, strict=True) if its]


def given_to(one: Allocator, k: int, shape: tuple[int, ...] | None = None) -> set[Site]:
    grant = one.find(k, shape)
    assert grant is not None
    assert sorted(grant.used) == grant.held.tolist()
    return {one.places[i] for i in grant.used}


def apart(topology: Grid, axis: int, a: int, b: int) -> int:
    """Steps between two coordinates on one axis; one may lie beyond a mesh's edge."""
    side = topology.shape[axis]
    steps = abs(a - b)
    return min(steps % side, -steps % side) if topology.rings[axis] else steps


def beyond(
    topology: Grid, centre: Site, box: tuple[int, ...], site: Site
) -> tuple[int, ...]:
    """Steps on every axis to the nearest cell of a box that is drawn without edges."""
    nearest = []
    for axis, (x, side, y) in enumerate(zip(centre, box, site, strict=True)):
        cells = range(x - (side - 1) // 2, x + side // 2 + 1)
        assert len(cells) == side
        nearest.append(min(apart(topology, axis, cell, y) for cell in cells))
    return tuple(nearest)


def rank(
    topology: Grid, centre: Site, box: tuple[int, ...], site: Site
) -> tuple[int, int, int, Site]:
    """Return shell, axes on which it leaves the shell before, size of its side."""
    away = beyond(topology, centre, box, site)
    shell = max(away)
    if shell == 0:
        return 0, 0, 0, site
    sides = topology.shape
    side = prod(
        min(length + 2 * shell - 2, most)
        for length, most, steps in zip(box, sides, away, strict=True)
        if steps < shell
    )
    return shell, away.count(shell), side, site


def by_definition(
    topology: Grid, free: list[Site], k: int, boxes: list[tuple[int, ...]]
) -> set[Site]:
    """Return the processors of the best candidate."""
    best: tuple[int, set[Site]] | None = None
    for box, centre in product(boxes, free):
        candidate = sorted(rank(topology, centre, box, site) for site in free)[:k]
        cost = sum(shell for shell, *_ in candidate)
        if best is None or cost < best[0]:
            best = cost, {site for *_, site in candidate}
    assert best is not None
    return best[1]


@given(partly_held(SPACES), st.data())
@settings(max_examples=120, deadline=None)
def test_mc_of_a_shape(case: tuple[Grid, list[bool], int], data: st.DataObject) -> None:
    topology, idle, k = case
    sides = topology.shape
    shape = data.draw(st.tuples(*(st.integers(1, side + 2) for side in sides)))
    k = min(k, prod(shape))
    one, free = prepared(MC, topology, idle)
    cut = tuple(
        min(a, b) if ring else a
        for a, b, ring in zip(shape, sides, topology.rings, strict=True)
    )
    assert given_to(one, k, shape) == by_definition(topology, free, k, [cut])


@given(partly_held(SPACES))
@settings(max_examples=120, deadline=None)
def test_mc_of_no_shape_tries_every_orientation_of_the_squarest(
    case: tuple[Grid, list[bool], int],
) -> None:
    topology, idle, k = case
    sides = topology.shape
    one, free = prepared(MC, topology, idle)
    boxes = sorted(
        box
        for box in set(permutations(squarest(k, sides)))
        if all(a <= b for a, b in zip(box, sides, strict=True))
    )
    assert given_to(one, k) == by_definition(topology, free, k, boxes)


@pytest.mark.parametrize("turned", [False, True])
def test_shorter_sides_come_before_longer_ones_and_corners_last(turned: bool) -> None:
    # a submesh of 1x3 in a mesh of 3x5; in each group in lexicographic order
    groups = [
        [(1, 1), (1, 2), (1, 3)],
        [(1, 0), (1, 4)],
        [(0, 1), (0, 2), (0, 3), (2, 1), (2, 2), (2, 3)],
        [(0, 0), (0, 4), (2, 0), (2, 4)],
    ]
    sides, box, centre = (3, 5), (1, 3), (1, 2)
    if turned:
        groups = [sorted((y, x) for x, y in group) for group in groups]
        sides, box, centre = (5, 3), (3, 1), (2, 1)
    shells = Shells(np.ones(sides, dtype=np.int64), rings=(False, False))
    cells = np.array(list(Mesh(sides).locations()))
    order = rank_cells(shells, shells.box(box), np.array(centre), cells)
    assert cells[order].tolist() == [list(site) for group in groups for site in group]


@given(partly_held(SPACES))
@settings(max_examples=80, deadline=None)
def test_single_processors_for_shell_0_make_mc1x1(
    case: tuple[Grid, list[bool], int],
) -> None:
    topology, idle, k = case
    sides = topology.shape
    weights = np.array(idle).reshape(sides).astype(np.int64)
    free = np.argwhere(weights)
    shells = Shells(weights, rings=topology.rings)
    box = shells.box([1] * len(sides))
    cost, where = shells.scan(box, k, free)
    shell = shells.beyond(box, free[where], free).max(axis=1)
    nearest = np.argsort(shell, kind="stable")
    sites = tuple(tuple(map(int, site)) for site in free)
    chosen = KSUBSET["mc1x1"](KSubset("one", topology, sites, k)).chosen
    assert chosen is not None
    assert set(chosen) == set(nearest[:k].tolist())
    assert shells.scan(box, k, free, cost) == (cost, -1)
    assert cost < FAR


@given(
    st.integers(1, 60), st.sampled_from([(7,), (9, 9), (2, 40), (4, 5, 3), (3, 1, 9)])
)
def test_squarest(k: int, grid: tuple[int, ...]) -> None:
    k = min(k, prod(grid))
    every = [
        (sum(sides), -prod(sides), sides)
        for sides in product(*(range(1, side + 1) for side in grid))
        if prod(sides) >= k
    ]
    assert squarest(k, grid) == min(every)[2]


# MC-Elongated and PLAS


@given(partly_held(PLANES))
@settings(max_examples=150, deadline=None)
def test_mc_elongated(case: tuple[Grid, list[bool], int]) -> None:
    topology, idle, k = case
    rows, columns = topology.shape
    one, free = prepared(MCElongated, topology, idle)
    width = max(1, k // rows)
    found = []
    for centre in range(columns):
        whole = range(centre - (width - 1) // 2, centre + width // 2 + 1)
        shell = [
            min(apart(topology, 1, cell, column) for cell in whole)
            for column in range(columns)
        ]
        candidate = sorted(
            (shell[column], abs(2 * row - rows + 1), column, row)
            for row, column in free
        )[:k]
        cost = sum(number for number, *_ in candidate)
        found.append((cost, centre, {(row, column) for *_, column, row in candidate}))
    assert one.costs(k) == [cost for cost, _, _ in found]
    assert given_to(one, k) == min(found, key=lambda one: one[:2])[2]


@given(st.lists(st.integers(1, 40), max_size=12), st.sampled_from([8, 16, 5]))
def test_plas_keeps_an_idle_machine_balanced(jobs: list[int], rows: int) -> None:
    one = PLAS(Mesh((rows, 22)))
    for k in jobs:
        if one.allocate(k) is not None:
            assert balance_factor(one.topology, held_by(one)) <= 1


@given(st.lists(st.integers(1, 20), max_size=12), st.sampled_from([8, 16]))
def test_mc_elongated_balances_even_jobs(halves: list[int], rows: int) -> None:
    one = MCElongated(Mesh((rows, 22)))
    for half in halves:
        grant = one.allocate(2 * half)
        if grant is not None:
            job = [one.places[i] for i in grant.used]
            assert balance_factor(one.topology, job) == 0
            assert balance_factor(one.topology, held_by(one)) == 0


def held_by(one: Allocator) -> list[Site]:
    return [site for site, idle in zip(one.places, one.idle, strict=True) if not idle]


@given(partly_held(PLANES))
@settings(max_examples=80, deadline=None)
def test_plas_takes_the_first_in_its_scan(
    case: tuple[Grid, list[bool], int],
) -> None:
    topology, idle, k = case
    rows, columns = topology.shape
    one, free = prepared(PLAS, topology, idle)
    scan = [(row, column) for column in range(columns) for row in middle_out(rows)]
    assert len(set(scan)) == rows * columns
    taken = [site for site in scan if site in free][:k]
    grant = one.find(k)
    assert grant is not None
    assert [one.places[i] for i in grant.used] == taken


@given(st.integers(1, 40))
def test_middle_out_goes_outwards_and_stays_balanced(rows: int) -> None:
    order = middle_out(rows).tolist()
    heights = [abs(2 * row - rows + 1) for row in order]
    assert sorted(order) == list(range(rows))
    assert heights == sorted(heights)
    for some in range(rows + 1):
        begun = [(row, 0) for row in order[:some]]
        assert balance_factor(Mesh((rows, 1)), begun) <= 1


def test_a_shape_may_be_huge() -> None:
    one = MC(Mesh((4, 4)))
    assert given_to(one, 16, (2**40, 2**40)) == set(one.places)


@given(grids(Mesh, d=2), st.integers(1, 30))
def test_on_an_idle_machine_mc_finds_a_whole_box(topology: Grid, k: int) -> None:
    one = MC(topology)
    sides = topology.shape
    k = min(k, len(one.places))
    sites = np.array(sorted(given_to(one, k)))
    extent = sites.max(axis=0) - sites.min(axis=0) + 1
    assert sum(extent) <= sum(squarest(k, sides))


@pytest.mark.parametrize("kind", [Mesh, Torus])
@settings(deadline=None)
@given(data=st.data())
def test_column_major_ties_are_those_of_the_mesh_turned_over(
    kind: Callable[..., Grid], data: st.DataObject
) -> None:
    """With the axes in reverse the other order of ties chooses the same sites."""
    sides = tuple(data.draw(st.lists(st.integers(1, 6), min_size=2, max_size=3)))
    one = MC(kind(sides), ties="column")
    other = MC(kind(sides[::-1]))
    n = len(one.places)
    busy = data.draw(st.sets(st.integers(0, n - 1), max_size=n - 1))
    turned = {site: number for number, site in enumerate(other.places)}
    one.hold(busy)
    other.hold(turned[one.places[number][::-1]] for number in busy)
    k = data.draw(st.integers(1, one.free))
    shape = data.draw(st.none() | st.just(tuple(-(-k // a) for a in sides)))
    if shape is not None and np.prod(shape) < k:
        shape = None
    back = None if shape is None else shape[::-1]
    mirrored = {site[::-1] for site in given_to(other, k, back)}
    assert given_to(one, k, shape) == mirrored


def test_ties_decide_where_mc_begins() -> None:
    """Two processors side by side, or one below the other."""
    row, column = (allocator(name, Mesh((8, 8))) for name in ("mc", "mc/column-major"))
    assert given_to(row, 2) == {(0, 0), (0, 1)}
    assert given_to(column, 2) == {(0, 0), (1, 0)}
