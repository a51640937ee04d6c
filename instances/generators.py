"""Instances made from a few numbers; the seed is stored inside."""

from __future__ import annotations

from .ksubset import KSubset
from .topology import Mesh


def mesh(*shape: int, k: int) -> KSubset:
    """All processors of an empty mesh.

    >>> mesh(4, 3, k=5).n
    12
    """
    topology = Mesh(shape)
    name = "x".join(map(str, shape)) + f"-full-k{k}"
    return KSubset(name, topology, tuple(topology.locations()), k, source="full mesh")
