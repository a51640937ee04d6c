"""Networks as arrays for the cut-through engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...instances import Grid, InputError
from ..kary_tree import KaryTree
from .layout import FAT_TREE, GRID, Ints, Routes

MOST_SLOTS = 2**24
"""Maximal number of packets that the queues of a network may hold."""


@dataclass(frozen=True)
class NetworkPlan:
    """A network before its queues are laid out.

    Parameters
    ----------
    routes
        What routing looks up.
    links
        Two vertices and a port (on graphs a length) of every link, shape (c, 3).
    lanes
        Virtual channels of every link, 0 if it ends at a processor.
    traits
        Columns LEVEL and ABOVE of the vertices, shape (vertices, 2).
    channels
        Names of kinds of links, and their two ends as shown.
    name_of
        Name of a vertex.
    """

    routes: Routes
    links: Ints
    lanes: Ints
    traits: Ints
    channels: list[tuple[str, npt.NDArray[np.int64]]]
    name_of: Callable[[int], str]
    hosts: npt.NDArray[np.bool_] | None = None
    """Links out of processors that have no other link; these are no hops."""


NONE = np.zeros(0, np.int64)
NO_TABLE = np.zeros((0, 0), np.int64)


def grid_plan(grid: Grid, adaptive: bool) -> NetworkPlan:
    """Lay out a mesh or torus; a switch and a processor at every cell.

    Both ways round a ring of two are the same link. Channel 0 is the escape channel,
    channel 1 adaptive.
    """
    axes = [pair for pair in zip(grid.shape, grid.rings, strict=True) if pair[0] > 1]
    sides, rings = np.array(axes or [(1, False)], np.int64).T
    rings = (sides > 2) & (rings > 0)
    cells = int(np.prod(sides))
    at = np.stack(np.unravel_index(np.arange(cells), sides), axis=1).astype(np.int64)
    rows: list[Ints] = []
    out = np.full((cells, 2 * len(sides)), -1, np.int64)
    count = 0
    for axis, (side, ring) in enumerate(zip(sides.tolist(), rings, strict=True)):
        for port, step in ((2 * axis, 1), (2 * axis + 1, -1)):
            there = at.copy()
            there[:, axis] += step
            inside = (there[:, axis] >= 0) & (there[:, axis] < side)
            begin = np.flatnonzero(inside | ring)
            end = np.ravel_multi_index((there[begin] % sides).T, sides)
            ports = np.full(len(begin), port)
            rows.append(np.stack([begin, end, ports], axis=1))
            out[begin, port] = np.arange(count, count + len(begin))
            count += len(begin)
    links = np.concatenate(rows).astype(np.int64)
    routes = Routes(
        kind=GRID,
        way=int(adaptive),
        radix=0,
        home=np.arange(cells),
        first=np.arange(cells + 1) * 2 * len(sides),
        out=out.ravel(),
        ends=links[:, 1:].copy(),
        at=at,
        sides=np.stack([sides, rings], axis=1).astype(np.int64),
        row=NONE,
        away=NO_TABLE,
        middles=NONE,
    )
    return NetworkPlan(
        routes=routes,
        links=links,
        lanes=np.full(count, 2, np.int64),
        traits=np.zeros((cells, 2), np.int64),
        channels=[("link", links[:, :2].copy())],
        name_of=lambda v: f"processor {v}",
    )


def tree_plan(tree: KaryTree) -> NetworkPlan:
    """Lay out a k-ary n-tree; its injection queues are ports of leaf switches."""
    k, n, width = tree.k, tree.n, tree.width
    switches = n * width
    digit = k ** np.arange(n + 1, dtype=np.int64)
    number = np.arange(width)
    out = np.full((switches, 2 * k), -1, np.int64)
    up, down = [], []
    for level in range(n - 1):
        plain = number - number // digit[level] % k * digit[level]
        for port in range(k):
            above = (level + 1) * width + plain + port * digit[level]
            here = level * width + number
            up.append(np.stack([here, above, np.full(width, k + port)], axis=1))
            back = number // digit[level] % k
            down.append(np.stack([above, here, back], axis=1))
    sink = np.arange(width * k)
    rows = [*up, *down, np.stack([sink // k, -1 - sink, sink % k], axis=1)]
    links = np.concatenate(rows).astype(np.int64)
    out[links[:, 0], links[:, 2]] = np.arange(len(links))
    between = (n - 1) * width * k
    lanes = np.ones(len(links), np.int64)
    lanes[2 * between :] = 0
    processors = width * k
    shown = np.where(links[:, 1:2] >= 0, links[:, :2] + processors, links[:, :2])
    shown[2 * between :, 0] = links[2 * between :, 0] + processors
    shown[2 * between :, 1] = sink
    home = np.arange(processors) // k
    levels = np.arange(switches) // width
    routes = Routes(
        kind=FAT_TREE,
        way=1,
        radix=k,
        home=home,
        first=np.arange(switches + 1) * 2 * k,
        out=out.ravel(),
        ends=links[:, 1:].copy(),
        at=sink[:, None] // digit,
        sides=NO_TABLE,
        row=NONE,
        away=NO_TABLE,
        middles=NONE,
    )
    return NetworkPlan(
        routes=routes,
        links=links,
        lanes=lanes,
        traits=np.stack([levels, np.tile(number, n) // digit[levels]], axis=1),
        channels=[
            ("up", shown[:between]),
            ("down", shown[between : 2 * between]),
            ("ejection", shown[2 * between :]),
        ],
        name_of=lambda v: f"switch {v % width} of level {v // width}",
    )


def check_room(queues: int, slots: int) -> None:
    """Refuse networks whose queues together hold too many packets."""
    if queues * slots > MOST_SLOTS:
        raise InputError(
            f"the queues would hold more than {MOST_SLOTS} packets",
            "topology",
            queues * slots,
        )
