"""How many nodes of a cluster whole groups can take, and the largest free submesh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np

from ...instances import IntArray
from ..placement import NodeSelector
from ..placement.domains import WHOLE
from ..placement.program import Chooser, Flags
from ..topologies import FabricKind, Hierarchy, Space

_MOST_CELLS = 2**15
"""Maximal number of cells of a grid whose free submeshes are looked at."""


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
                FabricKind.GRAPH, fabric.nodes, home, (WHOLE,), root, none, (WHOLE,)
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


def largest_submesh(space: Space, free: Flags) -> tuple[int, ...] | None:
    """Return the sides, in nodes, of the largest free box of a mesh or torus.

    On a torus boxes may reach over the ends. Of boxes with as many cells the first
    one found; None on other networks and on grids of more than 32 768 cells.
    """
    grid = space.topology.grid
    if grid is None or grid.processors_in_all > _MOST_CELLS:
        return None
    host = space.host or (1,) * grid.dimension
    cells = np.zeros(np.floor_divide(grid.shape, host), dtype=np.bool_)
    for i in np.flatnonzero(free).tolist():
        cells[tuple(np.floor_divide(space.sites[i], host))] = True
    return _largest_box(cells, 1, grid.rings) or (0,) * cells.ndim


def _largest_box(
    cells: Flags, least: int, rings: Sequence[bool]
) -> tuple[int, ...] | None:
    """Return the sides of the largest full box with at least so many cells, or None.

    Layers along the first axis are put on top of each other, one more at a time; a cell
    stays if it is full in all of them, and the largest box of these is found likewise.
    """
    if cells.ndim == 1:
        run = _longest_run(cells, rings[0])
        return (run,) if run >= least else None
    side, best = len(cells), None
    for begin in range(side):
        left = cells[begin]
        for count in range(1, side + 1 if rings[0] else side - begin + 1):
            left = left & cells[(begin + count - 1) % side]
            full = int(np.count_nonzero(left))
            if not full:
                break
            if full * count < least:
                continue
            if inner := _largest_box(left, -(-least // count), rings[1:]):
                best = (count, *inner)
                least = prod(best) + 1
    return best


def _longest_run(cells: Flags, wraps: bool) -> int:
    if cells.all():
        return len(cells)
    line = np.concatenate([cells, cells]) if wraps else cells
    empty = np.flatnonzero(~line)
    return int(np.diff(empty, prepend=-1, append=len(line)).max()) - 1
