"""Placements of Navaridas et al.: the processors in one fixed order, or by squares.

A job gets the first idle processors in an order; tasks are placed by their numbers.
The paper places jobs of 64 tasks on idle networks that they fill; here other jobs
arrive and leave, and the order skips busy processors.

Their nodes (x, y) are numbered along a row by x; here the last axis runs along a row.
In a fat-tree a node is at port p of switch s. The switch is the parent of a processor;
switches are numbered from left to right, that is, depth first from the root, lower
nodes first, and ports by the numbers of their processors.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from ...instances import IntArray, Topology, Tree
from . import curves_kernels as kernels
from .allocator import Allocation, Allocator
from .curves import processors_along


class PlacementRule(Allocator):
    """Take the first k idle processors {order}.

    Guarantee: none.
    Time: O(n) for n processors, idle or not.
    Ties: none; the order decides.
    Source: Navaridas et al. 2009, section III.B.
    """

    WORDS = MappingProxyType(
        {
            "order": {
                "row": "row by row; the choice of row/sorted-free",
                "column": "column by column",
                "consecutive": "switch by switch, and in a switch port by port",
                "shuffle": "by port, of one port switch by switch",
            }
        }
    )

    def __init__(self, topology: Topology, *, seed: int = 0, order: str) -> None:
        super().__init__(topology, seed=seed)
        if topology.tree:
            self.order = _ports(topology.tree, first=order == "shuffle")
        else:
            self.order = processors_along(order, topology.size)

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        return Allocation.of(kernels.take(self.idle, self.order, 0, k))


class Quadrant(Allocator):
    """Take k idle processors of the first square of about k processors that has them.

    The machine is cut into squares of side a, the least with a^d ≥ k, from the origin
    on; those at the far edges may be smaller. Squares are ordered by rows, and so are
    the processors within each. If no square has k idle processors, the first k idle
    ones are taken square by square. In the paper squares have exactly k processors, all
    of them idle.

    Guarantee: none.
    Time: O(n) for n processors, idle or not.
    Ties: none; the order decides.
    Source: Navaridas et al. 2009, section III.B; for other k than squares,
    derived for closeknit.
    """

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        sides: tuple[int, ...] = self.topology.shape  # type: ignore[attr-defined]
        a = _root(k, len(sides))
        numbers = np.flatnonzero(self.idle)
        cells = np.unravel_index(numbers, sides)
        grid = tuple(-(-side // a) for side in sides)
        square = np.ravel_multi_index(tuple(axis // a for axis in cells), grid)
        order = np.argsort(square, kind="stable")
        idle = np.bincount(square)
        enough = np.flatnonzero(idle >= k)
        start = int(idle[: enough[0]].sum()) if len(enough) else 0
        return Allocation.of(numbers[order[start : start + k]])


def _root(k: int, d: int) -> int:
    """Return the least whole number whose d-th power is at least k."""
    a = 1
    while a**d < k:
        a += 1
    return a


def _ports(tree: Tree, *, first: bool) -> IntArray:
    """Return the processors by switch and port, or by port and switch."""
    below: list[list[int]] = [[] for _ in tree.parent]
    for v, up in enumerate(tree.parent):
        if up >= 0:
            below[up].append(v)
    number = {-1: -1}  # of the switches; above the root there is none
    waiting = [tree.order[0]]
    while waiting:
        v = waiting.pop()
        number[v] = len(number)
        waiting.extend(reversed(below[v]))
    switch = [number[tree.parent[v]] for v in tree.processors]
    ports: dict[int, int] = {}
    port = []
    for s in switch:
        port.append(ports.get(s, 0))
        ports[s] = port[-1] + 1
    keys = (switch, port) if first else (port, switch)
    return np.lexsort(keys).astype(np.int64)
