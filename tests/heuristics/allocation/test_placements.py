"""Placements: rows, columns, quadrants of tori; switches and ports of fat-trees."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import Grid, Mesh, Topology, Torus, Tree
from closeknit.instances.topologies import switch_tree
from closeknit.methods.allocators.table import allocator

from ...strategies import trees


def used(name: str, topology: Topology, k: int, *, busy: range = range(0)) -> list[int]:
    one = allocator(name, topology)
    one.hold(busy)
    grant = one.find(k)
    assert grant is not None
    numbers: list[int] = grant.used.tolist()
    assert sorted(numbers) == grant.held.tolist()
    return numbers


# Fat-trees


def fat_tree() -> Tree:
    """Two levels of switches with four nodes each, as in the paper's Figure 1."""
    return switch_tree((4, 4))


def test_consecutive_fills_switch_after_switch() -> None:
    assert used("consecutive", fat_tree(), 16) == list(range(16))
    assert used("consecutive", fat_tree(), 5, busy=range(2, 5)) == [0, 1, 5, 6, 7]


def test_shuffle_takes_one_port_of_every_switch() -> None:
    columns = [s * 4 + p for p in range(4) for s in range(4)]
    assert used("shuffle", fat_tree(), 16) == columns
    assert used("shuffle", fat_tree(), 3, busy=range(0, 16, 8)) == [4, 12, 1]


def test_switches_count_from_left_to_right_whatever_their_numbers() -> None:
    #        0
    #     5     1         6 and 2 below 5, 3 and 4 below 1, children by number
    tree = Tree((-1, 0, 5, 1, 1, 0, 5), (0,) + (1,) * 6, (2, 3, 4, 6))
    numbers = {site[0]: i for i, site in enumerate(tree.locations())}
    assert used("consecutive", tree, 4) == [numbers[v] for v in (3, 4, 2, 6)]
    assert used("shuffle", tree, 4) == [numbers[v] for v in (3, 2, 4, 6)]


@settings(max_examples=100, deadline=None)
@given(tree=trees())
def test_trees_are_taken_in_the_order_of_their_switches(tree: Topology) -> None:
    assert isinstance(tree, Tree)
    below: dict[int, list[int]] = {}
    for v, up in enumerate(tree.parent):
        below.setdefault(up, []).append(v)
    switches = [-1]

    def visit(v: int) -> None:
        switches.append(v)
        for child in below.get(v, []):
            visit(child)

    visit(below[-1][0])
    keys = {}
    for switch in switches:
        ports = [v for v in below.get(switch, []) if v in tree.processors]
        for port, v in enumerate(ports):
            keys[v] = (switches.index(switch), port)
    k = len(tree.processors)
    by_switch = sorted(tree.processors, key=lambda v: keys[v])
    by_port = sorted(tree.processors, key=lambda v: keys[v][::-1])
    assert [tree.processors[i] for i in used("consecutive", tree, k)] == by_switch
    assert [tree.processors[i] for i in used("shuffle", tree, k)] == by_port


# Tori and meshes


@pytest.mark.parametrize("kind", [Mesh, Torus])
def test_columns(kind: Callable[..., Grid]) -> None:
    assert used("column", kind((3, 4)), 6) == [0, 4, 8, 1, 5, 9]
    assert used("column", kind((3, 4)), 3, busy=range(4, 9)) == [0, 1, 9]


@pytest.mark.parametrize("side", [16, 32])
def test_jobs_of_64_tasks_get_the_quadrants_of_the_paper(side: int) -> None:
    one = allocator("quadrant", Torus((side, side)))
    for block in product(range(0, side, 8), repeat=2):
        grant = one.allocate(64)
        assert grant is not None
        cells = [one.places[number] for number in grant.used]
        assert cells == [
            (block[0] + x, block[1] + y) for x in range(8) for y in range(8)
        ]
    assert one.free == 0


def test_quadrants_of_other_jobs_and_machines() -> None:
    torus = Torus((6, 6))
    assert used("quadrant", torus, 4) == [0, 1, 6, 7]
    assert used("quadrant", torus, 3) == [0, 1, 6]
    assert used("quadrant", torus, 4, busy=range(1)) == [2, 3, 8, 9]
    assert used("quadrant", torus, 3, busy=range(1)) == [1, 6, 7]
    assert used("quadrant", Mesh((4, 4, 4)), 8) == [0, 1, 4, 5, 16, 17, 20, 21]
    assert used("quadrant", Mesh((1, 9)), 4) == [0, 1, 2, 3]
    # 5 x 5: the squares at the edges are cut off; no square of side 2 with four idle
    mesh = Mesh((5, 5))
    one = allocator("quadrant", mesh)
    one.hold([0, 2, 10, 12])
    grant = one.find(4)
    assert grant is not None
    assert grant.used.tolist() == [1, 5, 6, 3]


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_square_with_enough_idle_is_used_alone(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([(7, 13), (8, 8), (5, 4, 3), (9,)]))
    one = allocator("quadrant", Mesh(shape))
    cells = range(len(one.places))
    one.hold(data.draw(st.sets(st.sampled_from(cells), max_size=len(cells) - 1)))
    k = data.draw(st.integers(1, one.free))
    a = next(a for a in range(1, k + 1) if a ** len(shape) >= k)
    squares: dict[tuple[int, ...], list[int]] = {}
    for number, site in enumerate(one.places):
        if one.idle[number]:
            squares.setdefault(tuple(x // a for x in site), []).append(number)
    ordered = [squares[square] for square in sorted(squares)]
    wanted = next(
        (some[:k] for some in ordered if len(some) >= k),
        list(chain.from_iterable(ordered))[:k],
    )
    grant = one.find(k)
    assert grant is not None
    assert grant.used.tolist() == wanted
