"""A network without packets as records of one array, for the cut-through engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .layout import (
    ABOVE,
    AGENDA,
    AGENDA_END,
    AGENDA_FIRST,
    ARRIVED_LIST,
    ASKED_LIST,
    AT,
    AXES,
    AXIS_SIZE,
    BEHIND,
    BIT,
    BIT_ABOVE,
    BITS_AT,
    CHANGED_LIST,
    COLUMNS,
    CREDIT,
    CREDITS,
    EVENT_SIZE,
    FAT_TREE,
    FRESH_LIST,
    FROM,
    GRAPH,
    GRID,
    HEAD,
    HEADER,
    INPUT,
    INPUTS,
    KIND,
    LANE,
    LANES,
    LEVEL,
    LINK,
    LINK_SIZE,
    LIST,
    LOW,
    MASK_BITS,
    NUMBER,
    OPEN_NOW,
    OUTPUT,
    OWN_LIST,
    PORTS,
    QUEUE_SIZE,
    RADIX,
    RING,
    RING_BEGIN,
    RING_END,
    SAME_RING,
    SHIFT,
    SLOT_SIZE,
    SOLE,
    SOON_LIST,
    VERTEX,
    VERTICES,
    WAITING,
    WAY,
    Ints,
    Net,
)
from .nets import NetworkPlan, check_room

LINE = 16
"""Numbers of a line of a cache, at which records of queues and vertices begin."""


@dataclass(frozen=True)
class Records:
    """A network as records, and the places of these.

    Parameters
    ----------
    net
        All records, see `cut_through_layout`.
    vertices, links, queues
        Places of the records; the queues of links come before those of injection.
    entry
        Place of the injection queue of every processor.
    """

    net: Net
    vertices: Ints
    links: Ints
    queues: Ints
    entry: Ints

    @property
    def slots(self) -> Ints:
        """Places of all packets in queues, those of a queue in a row."""
        begin, end = self.net[[RING_BEGIN, RING_END]].tolist()
        return self.queues[:, None] + np.arange(begin, end, SLOT_SIZE)


def lay_out_records(plan: NetworkPlan, slots: int) -> Records:
    """Return the records of a network whose queues hold so many packets each.

    Raises
    ------
    InputError
        If the queues together hold too many packets.
    """
    routes, count = plan.routes, int(plan.lanes.sum())
    check_room(count, slots)
    ports = np.diff(routes.first)
    feeds = np.repeat(np.arange(len(plan.links)), plan.lanes)
    at = np.concatenate([plan.links[feeds, 1], routes.home])
    order = np.argsort(at, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    inputs = np.bincount(at, minlength=len(ports))
    start = np.concatenate([[0], np.cumsum(inputs)[:-1]])

    k = routes.radix if routes.kind == FAT_TREE else 0
    table = routes.at if routes.kind in (GRID, FAT_TREE) else np.zeros((0, 1), np.int64)
    own = table.shape[1] if routes.kind == GRID else 1
    lanes = int(plan.lanes.max(initial=1)) + (routes.kind == GRAPH)
    sizes = {
        LINK_SIZE: -(-(CREDITS + lanes) // 8) * 8,
        RING_BEGIN: OWN_LIST + own,
        RING_END: OWN_LIST + own + SLOT_SIZE * slots,
    }
    sizes[QUEUE_SIZE] = -(-sizes[RING_END] // LINE) * LINE

    room = _Room()
    vertices = room.of(-(-(WAITING + inputs + (k + 1 if k else 0)) // LINE) * LINE)
    outputs = room.of(ports * sizes[LINK_SIZE])
    queues = room.take(len(order), sizes[QUEUE_SIZE])[rank]
    links = np.empty(len(plan.links), np.int64)
    here = routes.out >= 0
    port = np.arange(len(routes.out)) - np.repeat(routes.first[:-1], ports)
    place = np.repeat(outputs, ports) + sizes[LINK_SIZE] * port
    links[routes.out[here]] = place[here]
    lists = {
        AT: table.size,
        AXES: AXIS_SIZE * own,
        PORTS: 4 * int(routes.sides[:, 0].sum()) if routes.kind == GRID else 0,
        AGENDA: EVENT_SIZE * (3 * len(links) + len(queues) + 8),
        SOON_LIST: len(links) + 1,
        FRESH_LIST: len(queues) + 1,
        CHANGED_LIST: len(ports) + 1,
        ARRIVED_LIST: len(links) + len(queues) + 1,
        ASKED_LIST: int(ports.max(initial=0)) + 1,
    }
    begins = {entry: int(room.take(1, size)[0]) for entry, size in lists.items()}
    net = room.array()
    if routes.kind == GRID:
        _write_ports(net, begins[AXES], begins.pop(PORTS), routes.sides)
    for entry, value in (sizes | begins).items():
        net[entry] = value
    net[[KIND, WAY, RADIX]] = routes.kind, routes.way, routes.radix
    net[[VERTICES, COLUMNS, LANES]] = len(ports), table.shape[1], lanes
    net[[AGENDA_FIRST, AGENDA_END]] = begins[AGENDA], begins[AGENDA] + lists[AGENDA]
    net[begins[AT] : begins[AT] + table.size] = table.ravel()

    sole = ports * lanes <= MASK_BITS
    bits = 1 << np.where(np.repeat(sole, ports), port * lanes, port % MASK_BITS)
    net[place[here] + BIT] = bits[here]
    for lane in range(lanes):  # also for links to processors, for ever
        net[links + CREDITS + lane] = slots
    first = np.concatenate([[0], np.cumsum(plan.lanes)])[:-1]
    inner = plan.lanes > 0
    net[links[inner] + BEHIND] = queues[first[inner]]

    filled = vertices[inputs > 0]
    net[filled + INPUT] = queues[order[start[inputs > 0]]]
    net[vertices + INPUTS] = inputs
    net[vertices + OUTPUT] = outputs
    net[vertices + SOLE] = np.where(sole, LOW, 0)
    net[vertices + NUMBER] = np.arange(len(ports))
    net[vertices + LEVEL], net[vertices + ABOVE] = plan.traits.T
    every = bits * np.where(np.repeat(sole, ports), (1 << min(lanes, 31)) - 1, 1)
    at_vertex = np.repeat(vertices, ports)[here]
    np.bitwise_or.at(net, at_vertex + OPEN_NOW, every[here].astype(np.int32))

    net[queues + VERTEX] = vertices[at]
    net[queues + HEAD] = queues + sizes[RING_BEGIN]
    net[queues + BITS_AT] = vertices[at] + WAITING + rank - start[at]
    net[queues + LIST] = queues + OWN_LIST
    net[queues + SAME_RING] = -1
    lane = np.arange(count) - first[feeds]
    below = queues[:count]
    net[below + LINK] = links[feeds]
    net[below + CREDIT] = links[feeds] + CREDITS + lane
    net[below + FROM] = vertices[plan.links[feeds, 0]]
    if routes.kind == GRID:
        net[below[lane == 0] + SAME_RING] = plan.links[feeds[lane == 0], 2]
        net[queues + LANE] = 1
    elif routes.kind == GRAPH:
        hosts = np.zeros(len(links), np.bool_) if plan.hosts is None else plan.hosts
        net[below + LANE] = lane - hosts[feeds] + 1
    elif k:
        ups = vertices + WAITING + inputs
        for i in range(k):
            up = outputs + (k + i) * sizes[LINK_SIZE]
            net[ups + 1 + i] = up
            net[ups] |= net[up + BIT]
    net[queues + SHIFT] = net[queues + LANE] * sole[at]
    above = plan.links[feeds, 0]
    net[below + BIT_ABOVE] = net[links[feeds] + BIT] << lane * sole[above]
    return Records(net, vertices, links, queues, queues[count:])


def _write_ports(net: Net, axes: int, begin: int, sides: Ints) -> None:
    """Write the tables of ports of a grid: minimal ways, odd senders down if equal."""
    for a, (side, ring) in enumerate(sides.tolist()):
        step = np.arange(1 - side, side)
        ahead = np.where(step < 0, step + side, step)
        row = axes + AXIS_SIZE * a
        net[row + RING] = ring
        for odd in (0, 1):
            up = (2 * ahead < side) | ((2 * ahead == side) & (odd == 0))
            port = 2 * a + np.where(up if ring else step > 0, 0, 1)
            net[row + PORTS + odd] = begin + side - 1
            net[begin : begin + len(step)] = np.where(step == 0, 0, 1 + port)
            begin += len(step)


class _Room:
    """Places for records, one after the other."""

    def __init__(self) -> None:
        self._end = HEADER

    def of(self, sizes: Ints) -> Ints:
        """Return places of records of given sizes."""
        ends = self._start() + np.cumsum(sizes)
        self._end = int(ends[-1]) if len(ends) else self._end
        return np.asarray(ends - sizes)

    def take(self, count: int, size: int) -> Ints:
        """Return places of records of one size."""
        return self.of(np.full(count, size))

    def _start(self) -> int:
        self._end = -(-self._end // LINE) * LINE
        return self._end

    def array(self) -> Net:
        """Return zeros for all records, the first at the beginning of a line."""
        values = np.zeros(self._end + LINE, np.int32)
        skip = -values.ctypes.data % 64 // 4
        return values[skip : skip + self._end]
