"""Tiny instances for compiling kernels: small, yet searches still have to search."""

from __future__ import annotations

from collections.abc import Iterator

from ..topologies import Mesh, Points, Torus, Tree
from .instance import KSubset

KINDS = (
    ("mesh", 2),
    ("torus", 2),
    ("tree", 1),
    ("mesh", 1),
    ("torus", 1),
    ("points", 2),
    ("mesh", 3),
)
"""Networks and numbers of axes that `closeknit warm` compiles for."""


def tiny(structure: str, d: int) -> Iterator[KSubset]:
    """Yield instances on a tree, on points, or on a mesh or torus, of d axes."""
    if structure == "tree":
        parent = (-1, 0, 0, 0, *(1 + i % 3 for i in range(9)))
        tree = Tree(parent, (0,) + (1,) * 12, tuple(range(4, 13)))
        yield KSubset("tiny", tree, tuple((p,) for p in range(4, 13)), 4)
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
