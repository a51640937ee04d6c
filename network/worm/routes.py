"""Channels of meshes and tori, and the routes of packets: dimension by dimension.

Between neighbours there is a link each way; every processor has an injection and an
ejection channel. A packet travels along one axis after the other, on a torus the
shorter way round each; where both ways are equally long, packets from processors whose
coordinates have an even sum go upwards, the others downwards, so that both directions
carry the same.

Deadlock freedom: on a mesh a channel is followed only by channels further on in the
same direction, or on later axes, or by an ejection channel, so channels cannot wait for
each other in a circle. On a torus each link has two *lanes*: a packet that will cross
the dateline of a ring (between its last and first coordinate) uses the upper lane up to
and with the link across it; behind the dateline, and where no dateline is crossed, it
uses the lower lane. Upper lanes lead to lower lanes and never back; the links across
the dateline are not used in the lower lane, and no packet of an upper lane goes on in
it behind the dateline: neither lane contains a circle (Dally and Seitz 1987).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import prod

import numpy as np

from ...instances import InputError, Topology
from .kernels import lay
from .layout import C, Ints, Wires


class Channels:
    """The channels of a mesh or torus, and routes along them.

    Channels are numbered node by node, without gaps for links that a mesh lacks: the
    links of each axis, upwards and downwards, each with its lanes, and the ejection
    channel; then the injection channels of all nodes.

    Parameters
    ----------
    topology
        Mesh or torus; processors are numbered in lexicographic order of their sites.
    axes
        The axes in the order in which they are travelled; None for the first axis
        first.
    datelines
        Whether links of a torus have two lanes; without them packets can block each
        other.

    Raises
    ------
    InputError
        If the topology is neither a mesh nor a torus, or `axes` is no order of its
        axes.
    """

    def __init__(
        self,
        topology: Topology,
        axes: Sequence[int] | None = None,
        datelines: bool = True,
    ) -> None:
        if topology.grid is None:
            raise InputError("must be a mesh or a torus", "topology")
        shape, rings = topology.grid.shape, topology.grid.ring_lengths
        d = len(shape)
        order = list(range(d)) if axes is None else list(axes)
        if sorted(order) != list(range(d)):
            raise InputError(f"must name each of the {d} axes once", "axes")
        self.shape = shape
        self.nodes = prod(shape)
        self.lanes = 2 if any(rings) and datelines else 1
        self.block = 2 * d * self.lanes + 1
        self.entries = self.nodes * self.block
        """Number of the injection channel of node 0."""
        self.count = self.entries + self.nodes
        if self.count >= 2**31 // C:
            raise InputError("must have fewer than 2^29 channels", "topology")
        self.longest = 2 + sum(
            ring // 2 or side - 1 for side, ring in zip(shape, rings, strict=True)
        )
        """Channels of the longest path, injection and ejection included."""
        strides = [*accumulate(reversed(shape[1:]), int.__mul__, initial=1)][::-1]
        self._order = order
        sites = np.indices(shape, dtype=np.int64).reshape(d, -1)
        self.wires = Wires(
            side=np.array([shape[a] for a in order], dtype=np.int64),
            stride=np.array([strides[a] for a in order], dtype=np.int64),
            coordinate=np.ascontiguousarray(sites[order].T).reshape(-1),
            odd=sites.sum(axis=0) % 2,
            ring=np.array([rings[a] for a in order], dtype=np.int64),
            numbers=np.array([self.nodes, self.block, self.lanes], dtype=np.int64),
        )

    def route(self, source: int, target: int) -> list[int]:
        """Return the channels of a packet, injection and ejection included."""
        path = np.empty(self.longest, np.int32)
        path[0] = C * (self.entries + source)
        last = lay(self.wires, path, 0, source, target)
        return [int(c) // C for c in path[: last + 1]]

    def links(self) -> tuple[Ints, Ints]:
        """Return the links of the network: their lower channels, and their ends.

        Returns
        -------
        tuple
            Channels, shape (l,), and the nodes from which and to which each leads,
            shape (l, 2); by node, axis in order of travel, upwards before downwards.
        """
        node = np.arange(self.nodes)
        d = len(self.shape)
        where = self.wires.coordinate.reshape(-1, d)
        numbers, ends, exists = [], [], []
        for a in range(d):
            side, stride = self.wires.side[a], self.wires.stride[a]
            for turn, step in enumerate((1, -1)):
                x = where[:, a] + step
                exists.append(
                    np.full(self.nodes, side > 1)
                    if self.wires.ring[a]
                    else (x >= 0) & (x < side)
                )
                other = node + (x % side - where[:, a]) * stride
                ends.append(np.stack([node, other], axis=1))
                numbers.append(node * self.block + (2 * a + turn) * self.lanes)
        real = np.stack(exists, axis=1).reshape(-1)
        every = np.stack(numbers, axis=1).reshape(-1)
        pairs = np.stack(ends, axis=1).reshape(-1, 2)
        return every[real], pairs[real]

    def kinds(self) -> list[tuple[str, Ints]]:
        """Return names and ends of the kinds of channels; see `Engine.channels`."""
        node = np.arange(self.nodes)
        own = np.stack([node, node], axis=1)
        return [("link", self.links()[1]), ("injection", own), ("ejection", own)]

    def by_kind(self, carried: Ints) -> Ints:
        """Sum up lanes and order counts per channel, shape (c,), as `kinds` does."""
        lower, _ = self.links()
        link = sum(carried[lower + lane] for lane in range(self.lanes))
        ejection = carried[self.block - 1 : self.entries : self.block]
        return np.concatenate([link, carried[self.entries :], ejection])

    def name(self, channel: int) -> str:
        """Describe a channel: where it leads, and its lane."""
        if channel >= self.entries:
            return f"injection at {channel - self.entries}"
        node, place = divmod(channel, self.block)
        if place == self.block - 1:
            return f"ejection at {node}"
        a, rest = divmod(place, 2 * self.lanes)
        turn, lane = divmod(rest, self.lanes)
        x = self.wires.coordinate[node * len(self.shape) + a]
        y = (x + (-1 if turn else 1)) % self.wires.side[a]
        text = f"{node} -> {node + (y - x) * self.wires.stride[a]}"
        return f"{text} (upper lane)" if lane else text
