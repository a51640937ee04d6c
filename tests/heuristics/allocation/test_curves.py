"""Curves through machines, and how jobs are packed along them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.heuristics.allocation.allocator import Allocator
from closeknit.heuristics.allocation.curves import processors_along
from closeknit.heuristics.allocation.curves_hilbert import can_cross, hilbert
from closeknit.instances import KSubset, Mesh, Site, Topology, Torus
from closeknit.instances.ksubset.worst_cases import hilbert_gap
from closeknit.methods import KSUBSET
from closeknit.methods.allocators.table import STRATEGIES, allocator

ORDERS = ("hilbert", "snake", "row")
PACKINGS = ("first-fit", "best-fit", "sorted-free")

Shape = tuple[int, ...]


def walk(shape: Shape) -> list[Site]:
    return [tuple(cell) for cell in hilbert(shape).tolist()]


def along(order: str, shape: Shape) -> list[Site]:
    places = list(Mesh(shape).locations())
    return [places[number] for number in processors_along(order, shape).tolist()]


def is_walk(cells: list[Site], shape: Shape) -> bool:
    """Whether all cells are visited once, by unit steps."""
    steps = (
        sum(abs(a - b) for a, b in zip(p, q, strict=True)) for p, q in pairwise(cells)
    )
    return sorted(cells) == list(Mesh(shape).locations()) and set(steps) <= {1}


# The orders


@pytest.mark.parametrize(("d", "most"), [(1, 9), (2, 24), (3, 7), (4, 3), (5, 2)])
def test_hilbert_visits_every_cell_of_every_box_by_unit_steps(
    d: int, most: int
) -> None:
    for shape in product(range(1, most + 1), repeat=d):
        assert is_walk(walk(shape), shape), shape


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=2, max_size=3))
def test_hilbert_visits_larger_boxes_too(sides: list[int]) -> None:
    shape = tuple(sides if len(sides) == 2 else [1 + side // 4 for side in sides])
    assert is_walk(walk(shape), shape)


@pytest.mark.parametrize(
    ("d", "most"),
    [
        (2, 20),
        (3, 6),
        pytest.param(2, 100, marks=pytest.mark.slow),
        pytest.param(3, 16, marks=pytest.mark.slow),
        pytest.param(4, 5, marks=pytest.mark.slow),
    ],
)
def test_parity_alone_decides_which_corners_a_walk_joins(d: int, most: int) -> None:
    for shape in product(range(2, most + 1), repeat=d):
        even = {axis for axis, side in enumerate(shape) if side % 2 == 0}
        for crossed in product((False, True), repeat=d):
            crosses = {axis for axis in range(d) if crossed[axis]}
            allowed = len(crosses & even) % 2 == 1 if even else len(crosses) > 0
            assert can_cross(shape, frozenset(crosses)) == allowed, (shape, crosses)


def classic(m: int) -> list[Site]:
    """Hilbert's curve of order m, by its four transformed copies."""
    if m == 0:
        return [(0, 0)]
    side = 2 ** (m - 1)
    quarter = classic(m - 1)
    return [
        *((y, x) for x, y in quarter),
        *((x, y + side) for x, y in quarter),
        *((x + side, y + side) for x, y in quarter),
        *((2 * side - 1 - y, side - 1 - x) for x, y in quarter),
    ]


@pytest.mark.parametrize("m", range(8))
def test_hilbert_is_the_classic_curve_on_squares_of_powers_of_two(m: int) -> None:
    assert walk((2**m, 2**m)) == classic(m)


@pytest.mark.parametrize("m", range(1, 5))
def test_hilbert_fills_cubes_by_cubes(m: int) -> None:
    cells = walk((2**m,) * 3)
    for order in range(m):
        block = 8**order
        for start in range(0, 8**m, block):
            corners = {
                tuple(x >> order for x in cell) for cell in cells[start : start + block]
            }
            assert len(corners) == 1


@pytest.mark.parametrize("shape", [(16, 22), (7, 13), (13, 14), (31, 20), (33, 32)])
def test_hilbert_keeps_what_is_near_on_the_curve_near(shape: Shape) -> None:
    cells = hilbert(shape)
    for gap in (4, 16, 64):  # 1.2 to 1.3 times the root on 64 x 64
        hops = np.abs(cells[gap:] - cells[:-gap]).sum(axis=1).mean()
        assert hops < 1.6 * gap**0.5
    snake = np.array(along("snake", shape))
    here, there = (np.abs(c[4:] - c[:-4]).sum(axis=1).mean() for c in (cells, snake))
    assert here < 0.75 * there


def test_a_snake_goes_there_and_back() -> None:
    assert processors_along("snake", (2, 3)).tolist() == [0, 1, 2, 5, 4, 3]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_orders_of_any_box(sides: list[int]) -> None:
    shape = tuple(sides)
    cells = sorted(product(*map(range, shape)))
    assert along("row", shape) == cells
    assert along("column", shape) == sorted(cells, key=lambda cell: cell[::-1])
    assert is_walk(along("snake", shape), shape)
    assert not processors_along("snake", shape).flags.writeable


@pytest.mark.parametrize("order", ORDERS)
def test_on_a_line_all_orders_are_the_line(order: str) -> None:
    for shape in ((9,), (1, 9), (9, 1), (1, 9, 1)):
        assert processors_along(order, shape).tolist() == list(range(9))


# The packings


def slow(order: str, packing: str, one: Allocator, k: int) -> list[int]:
    """Choose from the definition, in plain Python."""
    line = processors_along(order, one.topology.shape).tolist()  # type: ignore[attr-defined]
    idle = [place for place, number in enumerate(line) if one.idle[number]]
    windows = [idle[i : i + k] for i in range(len(idle) - k + 1)]
    if packing != "sorted-free":
        runs: list[list[int]] = []
        for place in idle:
            if runs and runs[-1][-1] == place - 1:
                runs[-1].append(place)
            else:
                runs.append([place])
        fitting = [run for run in runs if len(run) >= k]
        if packing == "best-fit":
            fitting.sort(key=len)
        windows.sort(key=lambda window: window[-1] - window[0])
        windows = [run[:k] for run in fitting] + windows
    return [line[place] for place in windows[0]]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("packing", PACKINGS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_packs_as_defined(order: str, packing: str, data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([(4, 5), (3, 3, 2), (12,), (1, 7), (8, 8)]))
    topology = Torus(shape) if data.draw(st.booleans()) else Mesh(shape)
    one = allocator(f"{order}/{packing}", topology)
    cells = range(len(one.places))
    one.hold(data.draw(st.sets(st.sampled_from(cells), max_size=len(cells) - 1)))
    k = data.draw(st.integers(1, one.free))
    grant = one.find(k)
    assert grant is not None
    assert grant.used.tolist() == slow(order, packing, one, k)


def test_the_three_packings_differ() -> None:
    idle = "..x.x...xx....."  # along a line: runs of 2, 1, 3, 5
    for packing, k, wanted in (
        ("first-fit", 3, [5, 6, 7]),
        ("best-fit", 3, [5, 6, 7]),
        ("sorted-free", 3, [0, 1, 3]),
        ("first-fit", 1, [0]),
        ("best-fit", 1, [3]),
        ("first-fit", 4, [10, 11, 12, 13]),
        ("first-fit", 6, [0, 1, 3, 5, 6, 7]),  # span 8, as three later ones
        ("best-fit", 2, [0, 1]),
    ):
        one = allocator(f"row/{packing}", Mesh((len(idle),)))
        one.hold(i for i, mark in enumerate(idle) if mark == "x")
        grant = one.find(k)
        assert grant is not None
        assert grant.used.tolist() == wanted, (packing, k)


# Worst cases


@pytest.mark.parametrize("m", range(2, 8))
def test_hilbert_best_fit_pays_what_was_derived(m: int) -> None:
    N = 2**m
    case = hilbert_gap(N)
    for packing in ("best-fit", "first-fit"):  # no run of two: both go by span
        result = KSUBSET[f"hilbert/{packing}"](case.instance)
        assert result.objective == case.cost
        assert Fraction(case.cost, case.optimum) == case.ratio == Fraction(5 * N, 4) - 2
    place = {cell: i for i, cell in enumerate(walk((N, N)))}
    near = place[N // 2 - 1, 0], place[N // 2, 0]
    far = place[0, N - 1], place[3 * N // 4 - 1, N // 2]
    assert near == ((N * N // 4 - 1) // 3, N * N - 1 - (N * N // 4 - 1) // 3)
    assert far == ((N * N - 1) // 3, (N * N - 1) // 3 + 3 * N * N // 16)


def lost(order: str, packing: str, N: int) -> list[Site]:
    """Four or three idle processors, two of them neighbours, that a curve misses."""
    last = along(order, (N, N))[-2:]
    if packing == "sorted-free":
        return [(0, 0), *last]
    misses: dict[str, list[Site]] = {
        "hilbert": list(hilbert_gap(N).instance.free),
        "row": [(0, 0), (1, 0), (3, 0), (3, N - 1)],
        "snake": [(0, 0), (1, 0), (4, 0), (5, N - 1)],
    }
    return misses[order]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("N", [8, 64])
def test_every_packing_along_every_curve_can_miss_by_order_n(
    order: str, packing: str, N: int
) -> None:
    free = tuple(lost(order, packing, N))
    instance = KSubset("missed", Mesh((N, N)), free, 2)
    result = KSUBSET[f"{order}/{packing}"](instance)
    assert isinstance(result.objective, int)
    assert result.objective >= N - 2
    assert KSUBSET["mm"](instance).objective == 1


# What survives a change of the machine


def chosen(name: str, topology: Topology, free: list[Site], k: int) -> list[Site]:
    result = KSUBSET[name](KSubset("drawn", topology, tuple(free), k))
    assert result.chosen is not None
    return [sorted(free)[i] for i in result.chosen]


@st.composite
def states(draw: st.DrawFn, d: int = 2) -> tuple[Shape, list[Site], int]:
    """A mesh, what is idle of it, and a request."""
    shape = draw(st.tuples(*[st.integers(1, 6)] * d))
    cells = sorted(product(*map(range, shape)))
    free = draw(st.lists(st.sampled_from(cells), unique=True, min_size=1))
    return shape, free, draw(st.integers(1, len(free)))


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("order", ["row", "snake"])
@settings(max_examples=30, deadline=None)
@given(state=states(), more=st.integers(1, 4), before=st.sampled_from([0, 2, 4, 6]))
def test_more_lines_at_either_end_change_nothing(
    packing: str,
    order: str,
    state: tuple[Shape, list[Site], int],
    more: int,
    before: int,
) -> None:
    """Before a snake's lines come an even number of others."""
    (lines, length), free, k = state
    moved: list[Site] = [(x + before, y) for x, y in free]
    here = chosen(f"{order}/{packing}", Mesh(lines, length), free, k)
    longer = Mesh(before + lines + more, length)
    beyond = chosen(f"{order}/{packing}", longer, moved, k)
    assert [moved[free.index(site)] for site in here] == beyond


@pytest.mark.parametrize("packing", PACKINGS)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), side=st.sampled_from([2, 4, 8]))
def test_hilbert_is_at_home_in_a_square_of_twice_the_side(
    packing: str, data: st.DataObject, side: int
) -> None:
    cells = list(product(range(side), repeat=2))
    free = data.draw(st.lists(st.sampled_from(cells), unique=True, min_size=1))
    k = data.draw(st.integers(1, len(free)))
    name = f"hilbert/{packing}"
    here = chosen(name, Mesh((side, side)), free, k)
    turned = [site[::-1] for site in free]  # the larger curve begins sideways
    larger = chosen(name, Mesh((2 * side, 2 * side)), turned, k)
    assert sorted(site[::-1] for site in larger) == here


# Names for the same choice


@settings(max_examples=30, deadline=None)
@given(state=states(3))
def test_aliases_choose_alike(state: tuple[Shape, list[Site], int]) -> None:
    shape, free, k = state
    for kind in (Mesh, Torus):
        first = chosen("row-major", kind(shape), free, k)
        for name in ("row", "row/sorted-free", "paging"):
            assert chosen(name, kind(shape), free, k) == first
        columns = sorted(free, key=lambda site: site[::-1])
        assert chosen("column", kind(shape), free, k) == sorted(columns[:k])


def test_what_each_entry_says_of_itself() -> None:
    said = {name: KSUBSET[name].summary for name in STRATEGIES}
    assert said["row/sorted-free"].endswith("k idle processors, along the rows.")
    assert not any("{" in line or "}" in line for line in said.values())
    assert len({said[f"{o}/{p}"] for o in ORDERS for p in PACKINGS}) == 9
