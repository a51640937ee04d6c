"""Measures of dispersal, against their definitions written another way."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeknit.instances import InputError, Mesh, Points, Site, Topology, arrays
from closeknit.instances.ksubset.dispersal import (
    average_distance,
    balance_factor,
    nodes_affected,
    pieces,
)

from ...strategies import grids


@st.composite
def held(draw: st.DrawFn) -> tuple[Topology, list[Site]]:
    """A small mesh or torus and some of its processors."""
    topology = draw(grids())
    places = list(topology.locations())
    return topology, draw(st.lists(st.sampled_from(places), unique=True, max_size=9))


@given(held())
@settings(max_examples=150, deadline=None)
def test_nodes_affected_is_the_least_box(case: tuple[Topology, list[Site]]) -> None:
    topology, sites = case
    grid = topology.grid
    assert grid
    best = 0
    if sites:
        best = len(list(topology.locations()))
        arcs = []
        for axis, side in enumerate(grid.shape):
            lengths = [
                length
                for start in range(side)
                for length in range(1, side + 1)
                if (grid.rings[axis] or start + length <= side)
                and all((site[axis] - start) % side < length for site in sites)
            ]
            arcs.append(lengths)
        best = min(int(np.prod(sides)) for sides in product(*map(set, arcs)))
    assert nodes_affected(topology, sites) == best


@given(held())
@settings(max_examples=150, deadline=None)
def test_pieces_are_the_components_of_hops_of_one(
    case: tuple[Topology, list[Site]],
) -> None:
    topology, sites = case
    root = {site: site for site in sites}
    for p, q in combinations(sites, 2):
        if topology.distance(p, q) == 1 and root[p] != root[q]:
            old = root[q]
            root = {s: root[p] if r == old else r for s, r in root.items()}
    assert pieces(topology, sites) == len(set(root.values()))


@given(held())
@settings(max_examples=100, deadline=None)
def test_balance_survives_turning_the_mesh_upside_down(
    case: tuple[Topology, list[Site]],
) -> None:
    topology, sites = case
    rows: int = topology.shape[0]  # type: ignore[attr-defined]
    turned = [(rows - 1 - site[0], *site[1:]) for site in sites]
    assert balance_factor(topology, sites) == balance_factor(topology, turned)
    together = set(sites) | set(turned)
    assert balance_factor(topology, together) == 0


@given(held())
@settings(max_examples=100, deadline=None)
def test_average_distance(case: tuple[Topology, list[Site]]) -> None:
    topology, sites = case
    k = len(sites)
    if k < 2:
        assert average_distance(topology, sites) is None
        return
    array = np.array(sites)
    hops = int(arrays.distances(topology, array[:, None], array[None]).sum())
    assert average_distance(topology, sites) == Fraction(hops, k * (k - 1))


def test_decimals_are_scaled_back() -> None:
    topology = Points(((0,), (15,)), scale=10)
    assert average_distance(topology, [(0,), (15,)]) == Fraction(3, 2)


def test_a_middle_row_is_on_neither_side() -> None:
    assert balance_factor(Mesh((3, 2)), [(1, 0), (1, 1)]) == 0
    assert balance_factor(Mesh((3, 2)), [(1, 0), (0, 1)]) == 1


@pytest.mark.parametrize("measure", [nodes_affected, balance_factor, pieces])
def test_needs_a_grid(measure: type) -> None:
    with pytest.raises(InputError, match="topology: needs a mesh or a torus"):
        measure(Points(((0, 0),)), [(0, 0)])
