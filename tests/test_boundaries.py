"""Exact cases at the edge: what mutants of formulas and checkers had survived."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest

from closeknit.heuristics.allocation.curves_hilbert import can_cross
from closeknit.heuristics.allocation.table import allocator
from closeknit.heuristics.guarantees import rho
from closeknit.instances import (
    InputError,
    KSubset,
    Mesh,
    Points,
    Submesh,
    Sukp,
    Torus,
    Tree,
    check,
)
from closeknit.instances.ksubset import described, locations
from closeknit.instances.submesh import Resident
from closeknit.instances.submesh_plan import replay
from closeknit.simulation.stream import simulate
from closeknit.simulation.stream_jobs import StreamJob

TREE = Tree((-1, 0, 0, 1), (0, 2, 3, 4), (1, 2, 3))


def test_a_single_processor_is_placed_exactly() -> None:
    assert [rho(1, d) for d in (1, 2, 3)] == [Fraction(1)] * 3


@pytest.mark.parametrize("make", [Mesh, Torus])
def test_networks_have_at_most_2_to_the_24_processors(make: type) -> None:
    assert make((2**24,)).dimension == 1
    with pytest.raises(InputError, match="2\\^24"):
        make((2**24 + 1,))
    with pytest.raises(InputError, match="2\\^24"):
        make((2**12, 2**12 + 1))


@pytest.mark.parametrize("network", [Mesh((3, 2)), Torus((3, 2)), TREE])
def test_networks_do_not_change_and_count_in_hops(network: Mesh) -> None:
    assert network.scale == 1
    with pytest.raises(FrozenInstanceError):
        network.shape = (9, 9)  # type: ignore[misc]


def test_the_scale_is_the_least_that_the_decimals_need() -> None:
    assert Points(((11,), (20,)), 10).scale == 10
    with pytest.raises(InputError, match="least"):
        Points(((10,), (20,)), 10)


def test_spreads() -> None:
    """Half the circumference, half of every ring, twice the depth."""
    assert Mesh((9, 9)).spread(np.array([[1, 2], [4, 7]])) == 8
    assert Points(((1, 2), (4, 7))).spread(np.array([[1, 2], [4, 7]])) == 8
    assert Torus((9, 4)).spread(np.array([[0, 0]])) == 6
    assert TREE.spread(np.array([[1]])) == 12


def test_what_is_told_of_networks() -> None:
    tree = KSubset("tree", TREE, ((1,), (3,)), 2)
    assert locations(tree) == 3
    assert described(tree) == "tree of 4 nodes, 2 of 3 processors free, k = 2"
    points = KSubset("points", Points(((1, 2), (4, 7))), ((1, 2),), 1)
    assert described(points) == "2 points in 2-D, 1 of 2 processors free, k = 1"


def test_items_outside_a_knapsack() -> None:
    one = Sukp("one", (5,), (3,), ((0,),), 3)
    assert [check(one, [i]) for i in (-1, 0, 1)] == [["no item -1"], [], ["no item 1"]]


def test_moves_are_copied_unless_they_may_slide() -> None:
    one = Submesh("one", (4, 1), (Resident((0, 0, 1, 0)),), (1, 1))
    move = [(0, (1, 0, 2, 0))]
    assert len(replay(one, move)) == 1
    assert replay(one, move, slide=True) == []


def test_events_of_a_stream_are_told_apart() -> None:
    jobs = [StreamJob(i, 0, 2, 3, 3) for i in range(3)]
    events = list(simulate(jobs, allocator("row-major", Mesh((2,)))))
    assert len(set(events)) == 6


def test_corners_of_the_same_colour_are_not_joined() -> None:
    assert not can_cross((2, 2), frozenset({0, 1}))
    assert not can_cross((2, 4), frozenset({0, 1}))
    assert not can_cross((3, 3), frozenset())
    assert can_cross((3, 3), frozenset({0, 1}))
