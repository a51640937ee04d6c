"""Measures of the dispersal of a job's processors, and of their I/O balance.

Plain Python after the definitions, as a reference for faster code. A mesh or torus has
one I/O node per row, before its first column; the middle I/O link joins those of the
two middle rows.
"""

from __future__ import annotations

from collections.abc import Collection

from ..errors import InputError
from ..topologies import Grid, Site, Topology


def nodes_affected(topology: Topology, sites: Collection[Site]) -> int:
    """Count the processors of the smallest enclosing box, idle or not.

    On a torus the box may wrap round.

    Raises
    ------
    InputError
        If the network is not a mesh or torus.

    Notes
    -----
    Source: Mache et al. 1999, section 2.2.

    Examples
    --------
    >>> from closeknit.instances import Mesh, Torus
    >>> nodes_affected(Mesh((4, 4)), [(0, 0), (3, 1)])
    8
    >>> nodes_affected(Torus((4, 4)), [(0, 0), (3, 1)])
    4
    """
    grid = _grid(topology)
    cells = 1 if sites else 0
    for axis, (side, ring) in enumerate(zip(grid.shape, grid.rings, strict=True)):
        occupied = sorted({site[axis] for site in sites})
        if not ring:
            cells *= occupied[-1] - occupied[0] + 1 if occupied else 0
            continue
        following = [*occupied[1:], *(x + side for x in occupied[:1])]
        skipped = [b - a - 1 for a, b in zip(occupied, following, strict=True)]
        cells *= side - max(skipped, default=side)
    return cells


def balance_factor(topology: Topology, sites: Collection[Site]) -> int:
    """Return the absolute difference of the numbers above and below the middle link.

    Rows are numbered by the first coordinate. The middle one of an odd number of rows
    is neither above nor below.

    Raises
    ------
    InputError
        If the network is not a mesh or torus.

    Notes
    -----
    Source: Mache et al. 1999, section 2.3; of one job, or of all in the system.

    Examples
    --------
    >>> from closeknit.instances import Mesh
    >>> balance_factor(Mesh((4, 4)), [(0, 0), (0, 1), (1, 0), (1, 1)])
    4
    >>> balance_factor(Mesh((4, 4)), [(0, 0), (1, 0), (2, 0), (3, 0)])
    0
    """
    rows = _grid(topology).shape[0]
    above = sum(2 * site[0] < rows - 1 for site in sites)
    below = sum(2 * site[0] > rows - 1 for site in sites)
    return abs(above - below)


def pieces(topology: Topology, sites: Collection[Site]) -> int:
    """Count the connected components of the processors.

    Raises
    ------
    InputError
        If the network is not a mesh or torus.

    Examples
    --------
    >>> from closeknit.instances import Mesh, Torus
    >>> pieces(Mesh((3, 3)), [(0, 0), (0, 1), (1, 2), (2, 0)])
    3
    >>> pieces(Torus((3, 3)), [(0, 0), (0, 1), (1, 2), (2, 0)])
    2
    """
    grid = _grid(topology)
    left = set(sites)
    count = 0
    while left:
        count += 1
        reached = [left.pop()]
        while reached:
            near = [q for q in _neighbours(grid, reached.pop()) if q in left]
            left.difference_update(near)
            reached.extend(near)
    return count


def _grid(topology: Topology) -> Grid:
    if topology.grid is None:
        raise InputError("needs a mesh or a torus", "topology", topology.kind)
    return topology.grid


def _neighbours(grid: Grid, site: Site) -> set[Site]:
    """Return the sites one hop away."""
    linked = set()
    for axis, (side, ring) in enumerate(zip(grid.shape, grid.rings, strict=True)):
        for step in (-1, 1):
            x = site[axis] + step
            if ring:
                x %= side
            if 0 <= x < side:
                linked.add((*site[:axis], x, *site[axis + 1 :]))
    return linked - {site}
