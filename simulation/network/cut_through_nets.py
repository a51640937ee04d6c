"""Networks as arrays for the cut-through engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...instances import InputError, Mesh, Torus
from .cut_through_layout import (
    ABOVE,
    BEGIN,
    BIT,
    FAT_TREE,
    FEEDS,
    FIRST,
    FROM,
    GRID,
    INPUT,
    INPUTS,
    LEVEL,
    LINK_WIDTH,
    MASK_BITS,
    NUMBERS,
    OUT,
    OUT_END,
    PARITY,
    PLACE,
    QUEUE_WIDTH,
    VERTEX,
    VERTEX_WIDTH,
    WINNER,
    Ints,
    Net,
    Routes,
)
from .kary_tree import KaryTree

MOST_SLOTS = 2**24
"""Maximal number of packets that the queues of a network may hold."""


@dataclass(frozen=True)
class Plan:
    """A network before its queues are laid out.

    Parameters
    ----------
    kind
        Kind of routing, see `cut_through_layout`.
    vertices
        Number of vertices.
    links
        Two vertices and a port (on graphs a length) of every link, shape (c, 3).
    lanes
        Virtual channels of every link, 0 if it ends at a processor.
    home
        Vertex of every processor.
    routes
        What routing looks up.
    widest
        Most links that a packet may choose from.
    out_ends
        Ends of the rows of ``routes.out``, shape (vertices + 1,).
    traits
        Columns PARITY, LEVEL and ABOVE of the vertices, shape (vertices, 3).
    channels
        Names of kinds of links, and their two ends as shown.
    name_of
        Name of a vertex.
    """

    kind: int
    vertices: int
    links: Ints
    lanes: Ints
    home: Ints
    routes: Routes
    widest: int
    out_ends: Ints
    traits: Ints
    channels: list[tuple[str, npt.NDArray[np.int64]]]
    name_of: Callable[[int], str]
    hosts: npt.NDArray[np.bool_] | None = None
    """Links out of processors that have no other link; these are no hops."""


NONE = np.zeros(0, np.int64)
NO_TABLE = np.zeros((0, 0), np.int64)


def grid_plan(grid: Mesh | Torus) -> Plan:
    """Lay out a mesh or torus; a switch and a processor at every cell.

    Both ways round a ring of two are the same link. Channel 0 is the escape channel,
    channel 1 adaptive.
    """
    sides = np.array([side for side in grid.shape if side > 1] or [1], np.int64)
    rings = (sides > 2) & isinstance(grid, Torus)
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
    return Plan(
        kind=GRID,
        vertices=cells,
        links=links,
        lanes=np.full(count, 2, np.int64),
        home=np.arange(cells),
        routes=Routes(
            home=np.arange(cells),
            entry=NONE,
            out=out.ravel(),
            at=at,
            sides=np.stack([sides, rings], axis=1).astype(np.int64),
            ends=NO_TABLE,
            lane=NONE,
            row=NONE,
            away=NO_TABLE,
            middles=NONE,
        ),
        widest=len(sides),
        out_ends=np.arange(cells + 1) * 2 * len(sides),
        traits=np.stack([at.sum(axis=1) % 2, *np.zeros((2, cells), np.int64)], axis=1),
        channels=[("link", links[:, :2].copy())],
        name_of=lambda v: f"processor {v}",
    )


def tree_plan(tree: KaryTree) -> Plan:
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
    return Plan(
        kind=FAT_TREE,
        vertices=switches,
        links=links,
        lanes=lanes,
        home=home,
        routes=Routes(
            home,
            NONE,
            out.ravel(),
            sink[:, None] // digit,
            *(NO_TABLE, NO_TABLE, NONE, NONE, NO_TABLE, NONE),
        ),
        widest=k,
        out_ends=np.arange(switches + 1) * 2 * k,
        traits=np.stack(
            [0 * levels, levels, np.tile(number, n) // digit[levels]], axis=1
        ),
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
            field="topology",
            value=queues * slots,
        )


def laid_out(plan: Plan, slots: int, tally: Ints) -> tuple[Net, Routes]:
    """Return the arrays of a network that holds no packets yet.

    Raises
    ------
    InputError
        If the queues together hold too many packets.
    """
    first = np.concatenate([[0], np.cumsum(plan.lanes)])
    count = int(first[-1])
    check_room(count, slots)
    links = _rows(len(plan.links), LINK_WIDTH)
    links[:, FROM] = plan.links[:, 0]
    links[:, WINNER] = -1
    place = np.empty(len(links), np.int64)
    inner = plan.routes.out[plan.routes.out >= 0]
    owner = plan.links[inner, 0]
    began = np.searchsorted(owner, owner)
    place[inner] = np.arange(len(inner)) - began
    links[:, BIT] = 1 << (place % MASK_BITS)
    feeds = np.repeat(np.arange(len(plan.links)), plan.lanes)
    at = np.concatenate([plan.links[feeds, 1], plan.home])
    order = np.argsort(at, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    links[:, FIRST] = np.where(
        plan.lanes > 0, rank[np.minimum(first[:-1], len(order) - 1)], -1
    )
    inputs = np.bincount(at, minlength=plan.vertices)
    start = np.concatenate([[0], np.cumsum(inputs)[:-1]])
    queues = _rows(len(order), QUEUE_WIDTH)
    queues[:, VERTEX] = at[order]
    queues[:, PLACE] = np.arange(len(order)) - start[at[order]]
    queues[rank[:count], FEEDS] = feeds
    entry = rank[count:]
    queues[entry, FEEDS] = queues[entry, BEGIN] = -1
    lane = np.full(len(order), -1, np.int64)
    lane[rank[:count]] = np.arange(count) - first[feeds]
    if plan.hosts is not None:
        lane[rank[:count]] -= plan.hosts[feeds]
    vertices = _rows(plan.vertices, VERTEX_WIDTH)
    vertices[:, INPUT] = start
    vertices[:, INPUTS] = inputs
    vertices[:, [PARITY, LEVEL, ABOVE]] = plan.traits
    vertices[:, OUT], vertices[:, OUT_END] = plan.out_ends[:-1], plan.out_ends[1:]
    routes = plan.routes._replace(ends=plan.links[:, 1:].copy(), lane=lane, entry=entry)
    net = Net(
        numbers=np.zeros(NUMBERS, np.int64),
        tally=tally,
        queues=queues,
        links=links,
        vertices=vertices,
        packets=np.zeros((len(queues) * slots, 2), np.int64),
        masks=np.zeros(len(queues), np.int64),
        options=np.zeros((len(queues), plan.widest), np.int64),
        agenda=np.zeros((3 * len(links) + len(queues) + 8, 3), np.int64),
        soon=np.zeros(len(links) + 1, np.int64),
        fresh=np.zeros(len(queues) + 1, np.int64),
        changed=np.zeros(plan.vertices + 1, np.int64),
        asked=np.zeros(len(links) + 1, np.int64),
    )
    return net, routes


def _rows(count: int, width: int) -> Ints:
    """Return rows of zeros, the first at the beginning of a line of the cache."""
    values = np.zeros(count * width + 8, np.int64)
    skip = -values.ctypes.data % 64 // 8
    return values[skip : skip + count * width].reshape(count, width)
