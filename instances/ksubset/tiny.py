"""Tiny instances for compiling kernels, on which searches still branch."""

from __future__ import annotations

from collections.abc import Iterator

from ..topologies import Graph, Mesh, Points, Torus, Tree
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
)
"""Networks and numbers of axes that `closeknit warm` compiles for."""


def tiny(structure: str, d: int) -> Iterator[KSubset]:
    """Yield instances on a tree, a graph, points, or a mesh or torus of d axes."""
    if structure == "tree":
        parent = (-1, 0, 0, 0, *(1 + i % 3 for i in range(9)))
        tree = Tree(parent, (0,) + (1,) * 12, tuple(range(4, 13)))
        yield KSubset("tiny", tree, tuple((p,) for p in range(4, 13)), 4)
    elif structure == "graph":
        # A ring of 9 with a chord has no cuts, a cube has cuts, and a star is a tree.
        ring = ((0, 4, 1), *((v, (v + 1) % 9, 1) for v in range(9)))
        cube = ((u, u | b, 1) for u in range(8) for b in (1, 2, 4) if not u & b)
        star = ((0, v, v) for v in range(1, 9))
        for nodes, edges in (9, ring), (8, tuple(cube)), (9, tuple(star)):
            graph = Graph(nodes, tuple(edges), tuple(range(nodes)))
            yield KSubset("tiny", graph, tuple(graph.locations()), 4)
    elif structure == "points":
        places = sorted(
            tuple((i * (j + 3) + i * i) % 17 for j in range(d)) for i in range(9)
        )
        points = Points(tuple(places))
        yield KSubset("tiny", points, points.coordinates, 4)
    else:
        side = {1: 15, 2: 5}.get(d, 3)
        for shape in ((side,) * d, (side + 1,) * d):
            topology = (Torus if structure == "torus" else Mesh)(shape)
            places = list(topology.locations())
            free = tuple(p for i, p in enumerate(places) if i * i % 7 != 1)
            yield KSubset("tiny", topology, free, 5)
