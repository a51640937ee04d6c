"""Wormhole switching on meshes and tori, flit by flit, with the options of a router."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from closeknit.instances import InputError, Topology
from closeknit.network.worm.layout import C, Ints
from closeknit.network.worm.mail import Wormhole
from closeknit.network.worm.routes import Channels

from .kernels import flow
from .layout import (
    ASKED,
    AT,
    BUBBLE,
    BUFFER,
    CAME,
    CARRIED,
    COUNT,
    DELAY,
    ENTRY,
    FEEDER,
    FIRST,
    HALVES,
    LAST,
    LEFT_AT,
    NUMBERS,
    OUT,
    OWNER,
    ROBIN,
    ROOM,
    SINCE,
    SPARE,
    STAGES,
    START,
    VIRTUAL,
    WHO,
    WIDTH,
    WIRE,
    Routers,
)


class Arbitration(Enum):
    """Who is served first by a router."""

    OLDEST = "oldest"
    """Headers in the order in which they ask (then by number); at the switch the
    message that was released first."""
    ROUND_ROBIN = "round robin"
    """Inputs in turn; at the switch one iteration of iSLIP."""


@dataclass(frozen=True)
class Router:
    """Options of a router; the defaults are those of `RigidWorms`.

    Parameters
    ----------
    buffer
        Flits that the buffer of a virtual channel holds, at least 1.
    stages
        Cycles from crossing the switch of a router to that of the next, at least 1.
    wire
        Cycles that a link between routers adds to these.
    bubble
        Cycles that a header waits between being given a virtual channel and asking for
        the switch.
    virtual
        Virtual channels of each channel, which share its wires. 1 on a torus leaves the
        two lanes of `Channels` with wires of their own, otherwise each has half of
        them.
    credit_delay
        Cycles from a flit leaving a buffer to the sender knowing; 0 means in the same
        cycle, and is for one virtual channel only.
    entry
        Cycles from the source into the router, at least 1.
    arbitration
        Who is served first.

    Raises
    ------
    InputError
        If a number is too small, or delay and virtual channels do not go together.
    """

    buffer: int = 1
    stages: int = 1
    wire: int = 0
    bubble: int = 0
    virtual: int = 1
    credit_delay: int = 0
    entry: int = 1
    arbitration: Arbitration = Arbitration.OLDEST

    def __post_init__(self) -> None:
        for field, value, least in (
            ("buffer", self.buffer, 1),
            ("stages", self.stages, 1),
            ("wire", self.wire, 0),
            ("bubble", self.bubble, 0),
            ("virtual", self.virtual, 1),
            ("credit_delay", self.credit_delay, int(self.virtual > 1)),
            ("entry", self.entry, 1),
        ):
            if value < least:
                raise InputError(f"must be at least {least}", field=field, value=value)

    def latency(self, hops: int, flits: int) -> int:
        """Cycles of a packet that meets no other, if buffers cover the credits' way.

        Examples
        --------
        >>> Router().latency(14, 16)
        31
        """
        each = self.stages + self.bubble
        return self.entry + each * (hops + 1) + self.wire * hops + flits - 1


class Flits(Wormhole):
    """Wormhole switching on meshes and tori, flit by flit.

    Parameters
    ----------
    topology, axes, packet, datelines, local
        As for `RigidWorms`.
    router
        Buffers, stages, virtual channels and the like.

    Raises
    ------
    InputError
        As for `RigidWorms`; or if the virtual channels of a torus with datelines are an
        odd number above 1.

    Notes
    -----
    With the default router every message is delivered in the same cycle as by
    `RigidWorms`. O(channels) time per cycle in which packets are in the network.
    """

    def __init__(
        self,
        topology: Topology,
        router: Router | None = None,
        *,
        axes: Sequence[int] | None = None,
        packet: int | None = None,
        datelines: bool = True,
        local: bool = False,
    ) -> None:
        super().__init__(
            topology, axes=axes, packet=packet, datelines=datelines, local=local
        )
        self.router = router = router or Router()
        fine, coarse = self.map, self.map
        if router.virtual > 1 and fine.lanes > 1:
            if router.virtual % 2:
                raise InputError(
                    "must be even on a torus", field="virtual", value=router.virtual
                )
            coarse = Channels(topology, axes, datelines=False)
        self._ports = coarse
        port, lane = _ports(fine, coarse)
        p, n = coarse.count, coarse.nodes
        buffers = p * router.virtual
        slots = buffers * router.buffer + n
        virtual = np.zeros((buffers, 9), np.int64)
        virtual[:, [FEEDER, OUT, ASKED, LEFT_AT, OWNER]] = -1
        virtual[:, ROOM] = router.buffer
        wire = np.zeros((p, 8), np.int64)
        wire[:, CAME] = -1
        node = np.full((n, 5), -1, np.int64)
        numbers = np.zeros(NUMBERS, np.int64)
        for place, value in (
            (VIRTUAL, router.virtual),
            (BUFFER, router.buffer),
            (STAGES, router.stages),
            (WIRE, router.wire),
            (BUBBLE, router.bubble),
            (DELAY, router.credit_delay),
            (ENTRY, router.entry),
            (ROBIN, router.arbitration is Arbitration.ROUND_ROBIN),
            (WIDTH, fine.longest),
            (SPARE, slots),
            (SINCE, -1),
            (HALVES, coarse is not fine),
        ):
            numbers[place] = value
        inputs = _inputs(coarse)
        self._routers = Routers(
            path=np.empty(slots * fine.longest, np.int32),
            port=port,
            lane=lane,
            inputs=inputs,
            virtual=virtual,
            flit=np.zeros((buffers * router.buffer, 3), np.int64),
            wire=wire,
            packet=np.zeros((slots, 4), np.int64),
            node=node,
            spare=np.arange(slots - 1, -1, -1, dtype=np.int64),
            returned=np.zeros((router.credit_delay + 1, buffers), np.int64),
            returns=np.zeros(router.credit_delay + 1, np.int64),
            bids=np.zeros((4, inputs.shape[1] * router.virtual), np.int64),
            offer=np.zeros((inputs.shape[1], coarse.block), np.int64),
            numbers=numbers,
        )

    def _go_on(self, until: int) -> int:
        return int(
            flow(self._mail, self.map.wires, self._routers, until, self._ports.block)
        )

    def _waiting(self) -> dict[int, tuple[int, int, int, int]]:
        routers, size, lanes = self._routers, self.router.buffer, self.router.virtual
        virtual = routers.virtual
        found = {}
        for q in np.flatnonzero(virtual[:, COUNT]).tolist():
            if q // lanes % self._ports.block == self._ports.block - 1 and (
                q < self._ports.entries * lanes
            ):
                continue
            slot, number, _ = routers.flit[q * size + virtual[q, START]].tolist()
            if number or virtual[q, ASKED] < 0:
                continue
            channel = int(routers.path[routers.packet[slot, AT] + 1]) // C
            out = int(virtual[q, OUT])
            holder = -1
            if out < 0:
                holder = int(virtual[routers.port[channel] * lanes, OWNER])
            elif virtual[out, COUNT] == size:
                holder = int(routers.flit[out * size + virtual[out, START], 0])
            if holder >= 0:
                who, since = int(routers.packet[slot, WHO]), int(virtual[q, ASKED])
                found[slot] = (who, channel, since, holder)
        return found

    def _circle(self) -> list[int]:
        """Find packets that wait for each other; several virtual channels: not seen.

        A header that may take one of several is not blocked by the owner of one.
        """
        return super()._circle() if self.router.virtual == 1 else []

    def _drop(self, n: int) -> None:
        super()._drop(n)
        routers = self._routers
        routers.packet[:, WHO] -= n  # also of spare slots, where it means nothing
        waiting = routers.node[:, FIRST] >= 0
        routers.node[waiting, FIRST] -= n
        routers.node[waiting, LAST] -= n

    @property
    def carried(self) -> Ints:
        """Flits that each channel has carried so far."""
        return self._ports.by_kind(self._routers.wire[:, CARRIED])


def _ports(fine: Channels, coarse: Channels) -> tuple[Ints, Ints]:
    """Return port and lane of each channel: lanes share a port if `coarse` has none."""
    channel = np.arange(fine.count)
    if fine is coarse:
        return channel, np.zeros(fine.count, np.int64)
    node, place = np.divmod(channel, fine.block)
    port = node * coarse.block + place // 2
    port[fine.entries :] = coarse.entries + np.arange(fine.nodes)
    lane = np.where(place < fine.block - 1, place % 2, 0)
    lane[fine.entries :] = 0
    return port, lane


def _inputs(ports: Channels) -> Ints:
    """Return the ports that lead to each node, shape (n, ports of a router)."""
    lower, ends = ports.links()
    inputs = np.full((ports.nodes, ports.block), -1, np.int64)
    filled = np.zeros(ports.nodes, np.int64)
    for first, x in zip(lower.tolist(), ends[:, 1].tolist(), strict=True):
        for lane in range(ports.lanes):
            inputs[x, filled[x]] = first + lane
            filled[x] += 1
    inputs[np.arange(ports.nodes), filled] = ports.entries + np.arange(ports.nodes)
    return inputs
