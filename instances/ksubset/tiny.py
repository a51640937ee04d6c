"""Tiny instances for compiling kernels, on which searches still branch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from ..topologies import Graph, Grid, Points, Tree
from .instance import KSubset

KINDS = (
    ("mesh", 2),
    ("torus", 2),
    ("tree", 1),
    ("mesh", 1),
    ("torus", 1),
    ("points", 2),
    ("mesh", 3),
    ("graph", 1),
    ("grid", 2),
)
"""Networks and numbers of axes that `closeknit warm` compiles for."""


def compiled_for(instance: KSubset) -> tuple[str, int]:
    """Return the network and number of axes that the machine code depends on."""
    return instance.topology.kind, instance.topology.dimension


def tiny(structure: str, d: int) -> Iterator[KSubset]:
    """Yield instances on a network of d axes; for kinds of users, on graphs."""
    return _MAKERS.get(structure, _graphs)(d)


def _trees(_: int) -> Iterator[KSubset]:
    parent = (-1, 0, 0, 0, *(1 + i % 3 for i in range(9)))
    tree = Tree(parent, (0,) + (1,) * 12, tuple(range(4, 13)))
    yield KSubset("tiny", tree, tuple((p,) for p in range(4, 13)), 4)


def _graphs(_: int) -> Iterator[KSubset]:
    # A ring of 9 with a chord has no cuts, a cube has cuts, and a star is a tree.
    ring = ((0, 4, 1), *((v, (v + 1) % 9, 1) for v in range(9)))
    cube = ((u, u | b, 1) for u in range(8) for b in (1, 2, 4) if not u & b)
    star = ((0, v, v) for v in range(1, 9))
    for nodes, edges in (9, ring), (8, tuple(cube)), (9, tuple(star)):
        graph = Graph(nodes, tuple(edges), tuple(range(nodes)))
        yield KSubset("tiny", graph, tuple(graph.locations()), 4)


def _points(d: int) -> Iterator[KSubset]:
    places = sorted(
        tuple((i * (j + 3) + i * i) % 17 for j in range(d)) for i in range(9)
    )
    points = Points(tuple(places))
    yield KSubset("tiny", points, points.coordinates, 4)


def _grids(first: bool, rest: bool, d: int) -> Iterator[KSubset]:
    side = {1: 15, 2: 5}.get(d, 3)
    for shape in ((side,) * d, (side + 1,) * d):
        topology = Grid(shape, [first, *[rest] * (d - 1)])
        places = list(topology.locations())
        free = tuple(p for i, p in enumerate(places) if i * i % 7 != 1)
        yield KSubset("tiny", topology, free, 5)


_MAKERS: dict[str, Callable[[int], Iterator[KSubset]]] = {
    "mesh": partial(_grids, False, False),
    "torus": partial(_grids, True, True),
    "grid": partial(_grids, True, False),
    "points": _points,
    "tree": _trees,
}
