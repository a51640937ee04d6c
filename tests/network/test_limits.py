"""Bounds on a steady load: by hand, by force, and never passed by an engine."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from closeknit.instances import Graph, Mesh, Torus, Tree
from closeknit.network.cut_through.engine import CutThrough
from closeknit.network.cut_through.message_queue import Network
from closeknit.network.kary_tree import KaryTree
from closeknit.network.limits import cut_limit, hop_limit, load_limit
from closeknit.network.messages import Ints
from closeknit.network.open_loop.engine import Phases, measure
from closeknit.network.processor_numbers import network_named
from closeknit.network.runs import links_of
from closeknit.network.workloads.patterns import PATTERNS, partners
from closeknit.network.worm.engine import RigidWorms

BELL = Graph(
    8,
    (
        *((0, 1, 1), (0, 2, 1), (1, 2, 1), (5, 6, 1), (5, 7, 1), (6, 7, 1)),
        *((2, 3, 7), (3, 4, 1), (4, 5, 1)),
    ),
    tuple(range(8)),
)
"""Two triangles and a path between them."""


def ends_of(network: Network) -> Ints:
    return links_of(CutThrough(network))[0]


def test_cuts_of_grids_by_hand() -> None:
    for network, own, limit in (
        (Mesh(8, 8), True, 4 / 8),
        (Torus(8, 8), True, 8 / 8),
        (Mesh(2), False, 1.0),
        (Mesh(5, 5), True, 5 / 6),
        (Mesh(4, 6), False, 4 * 23 / (12 * 12)),
    ):
        ends = ends_of(network)
        assert cut_limit(network, ends, own=own) == pytest.approx(limit)
        twice = cut_limit(network, ends, own=own, lanes=2)
        assert twice == pytest.approx(2 * limit)


def test_partners_across_the_middle() -> None:
    grid = Mesh(8, 8)
    partner = partners(grid, "complement")
    assert cut_limit(grid, ends_of(grid), partner) == 8 / 32
    around = partners(Torus(8), "tornado")
    assert hop_limit(Torus(8), ends_of(Torus(8)), around) == 16 / 24
    assert cut_limit(Torus(8), ends_of(Torus(8)), around) == 2 / 3


def _by_force(graph: Graph, ends: Ints, partner: Ints | None) -> float:
    """Try all parts of a graph whose nodes are processors."""
    n = graph.nodes
    least = float("inf")
    for size in range(1, n):
        for part in combinations(range(n), size):
            inside = np.isin(np.arange(n), part)
            out = (inside[ends[:, 0]] & ~inside[ends[:, 1]]).sum()
            flow = size * (n - size) / (n - 1)
            if partner is not None:
                flow = (inside & ~inside[partner]).sum()
            if flow:
                least = min(least, out / flow)
    return least


@pytest.mark.parametrize("pattern", sorted(PATTERNS))
def test_a_narrow_graph_is_known_by_its_bridge(pattern: str) -> None:
    ends = ends_of(BELL)
    partner = partners(BELL, pattern, 4) if pattern != "transpose" else None
    found = cut_limit(BELL, ends, partner)
    assert found >= _by_force(BELL, ends, partner) - 1e-12
    if partner is None:
        assert found == pytest.approx(7 / 16)


def test_hops_of_all_networks() -> None:
    """Lengths of links do not count, injection queues are no links."""
    path = Tree((-1, 0, 1), (0, 5, 5), (0, 1, 2))
    assert hop_limit(path, ends_of(path)) == pytest.approx(4 / (8 / 2))
    tree = KaryTree(2, 2)
    # 8 links up and down, 4 to processors; 1 hop to the next, 3 to two others
    assert hop_limit(tree, ends_of(tree)) == pytest.approx(12 / (4 * 7 / 3))


@pytest.mark.parametrize(
    "name", ["mesh:4x4", "torus:4x4", "tree:2x4", "dragonfly:2,2,1", "mesh:2x2x4"]
)
@pytest.mark.parametrize("pattern", ["uniform", "complement", "neighbour"])
def test_engines_keep_to_the_limit(name: str, pattern: str) -> None:
    network = network_named(name)
    partner = partners(network, pattern)
    engines = [CutThrough(network)]
    limits = [load_limit(network, ends_of(network), partner).load]
    if network.grid:
        worms = RigidWorms(network)
        limits.append(
            load_limit(network, links_of(worms)[0], partner, worms.map.lanes).load
        )
        engines.append(worms)  # type: ignore[arg-type]
    for engine, limit in zip(engines, limits, strict=True):
        point = measure(engine, 1.0, 16, Phases(1000, 3000, 0), seed=2, partner=partner)
        assert point.accepted <= limit * 1.03
        assert point.accepted > 0.15 * limit
