"""How many nodes of a cluster whole groups can take."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...instances import IntArray
from ..placement import NodeSelector
from ..placement.program import Chooser
from ..topologies import Hierarchy, Kind


def choosers_of(selector: NodeSelector) -> list[Chooser]:
    """Return what chooses in each fabric; networks that are no tree are one domain."""
    found = []
    for fabric, chooser in zip(
        selector.cluster.fabrics, selector.choosers, strict=True
    ):
        if not isinstance(chooser, Chooser):
            home = np.zeros(len(fabric.nodes), dtype=np.int64)
            root, none = np.array([-1]), np.array([0])
            alone = Hierarchy(
                Kind.GRAPH, fabric.nodes, home, ("network",), root, none, ("network",)
            )
            chooser = Chooser(alone)
        found.append(chooser)
    return found


def in_groups(fabric: Hierarchy, sizes: Mapping[int, int], at: IntArray) -> IntArray:
    """Return how many of the nodes below each domain whole groups can take.

    Parameters
    ----------
    fabric
        The domains.
    sizes
        The sizes of groups by level, each a multiple of those below.
    at
        Nodes at every domain itself; all count, also those above a level with groups.
    """
    total = np.array(at, dtype=np.int64)
    for v in range(len(total) - 1, -1, -1):
        total[v] -= total[v] % sizes.get(int(fabric.level[v]), 1)
        if v:
            total[fabric.parent[v]] += total[v]
    return total
