"""Hypothesis strategies for instances, shared by the tests."""

from __future__ import annotations

from itertools import combinations
from math import comb

from hypothesis import strategies as st

from closeknit.instances import KSubset, Mesh, Points, Topology, Torus, Tree, cost

SHAPES = [
    (1,), (7,), (12,), (1, 1), (1, 9), (6, 1), (2, 2), (3, 5), (4, 4), (5, 6),
    (2, 3, 3), (3, 3, 3), (1, 2, 4), (2, 2, 2, 2), (3, 1, 2, 2),
]  # fmt: skip
"""Shapes of meshes and tori: lines, odd and even, up to four dimensions."""


def grids(
    *kinds: type[Mesh] | type[Torus], d: int | None = None
) -> st.SearchStrategy[Topology]:
    """Small meshes or tori or both, of d dimensions or any."""
    shapes = st.sampled_from([s for s in SHAPES if d is None or len(s) == d])
    return st.one_of(*(shapes.map(kind) for kind in kinds or (Mesh, Torus)))


@st.composite
def points(draw: st.DrawFn, *, d: int | None = None) -> Topology:
    """Points in d dimensions, or one to four; some crowded, so that they coincide."""
    d = draw(st.integers(1, 4)) if d is None else d
    far = draw(st.sampled_from([1, 3, 40, 2**50]))
    coordinate = st.integers(-far, far)
    site = st.tuples(*[coordinate] * d)
    return Points(tuple(draw(st.lists(site, min_size=1, max_size=12))))


@st.composite
def trees(draw: st.DrawFn) -> Topology:
    """Trees of up to 15 nodes, some edges of no length, some nodes processors."""
    nodes = draw(st.integers(1, 15))
    names = draw(st.permutations(range(nodes)))
    parent, weight = [-1] * nodes, [0] * nodes
    for v in range(1, nodes):
        parent[names[v]] = names[draw(st.integers(0, v - 1))]
        weight[names[v]] = draw(st.integers(0, 4))
    processors = draw(
        st.lists(st.sampled_from(names), unique=True, min_size=1, max_size=12)
    )
    return Tree(tuple(parent), tuple(weight), tuple(processors))


def by_kind() -> list[tuple[Topology, st.SearchStrategy[Topology]]]:
    """Every kind of topology and number of dimensions apart, each with an example."""
    apart: list[tuple[Topology, st.SearchStrategy[Topology]]] = [
        (kind((3,) * d), grids(kind, d=d))
        for kind in (Mesh, Torus)
        for d in range(1, 5)
    ]
    apart += [(Points(((0,) * d, (1,) * d)), points(d=d)) for d in range(1, 5)]
    return [*apart, (Tree((-1, 0, 0), (0, 1, 1), (1, 2)), trees())]


def topologies() -> st.SearchStrategy[Topology]:
    """All four kinds."""
    return st.one_of(grids(), grids(), points(), trees())


@st.composite
def ksubsets(
    draw: st.DrawFn,
    over: st.SearchStrategy[Topology] | None = None,
    *,
    most_free: int = 11,
) -> KSubset:
    """Instances small enough to enumerate: at most ``most_free`` free processors."""
    topology = draw(topologies() if over is None else over)
    places = list(topology.locations())
    which = st.lists(
        st.sampled_from(range(len(places))),
        unique=True,
        min_size=1,
        max_size=min(most_free, len(places)),
    )
    free = tuple(places[i] for i in draw(which))
    return KSubset("drawn", topology, free, draw(st.integers(1, len(free))))


def optimum(instance: KSubset) -> int:
    """Least cost, by looking at every subset."""
    assert comb(instance.n, instance.k) <= 1000
    return min(cost(instance, s) for s in combinations(range(instance.n), instance.k))
