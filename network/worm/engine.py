"""Wormhole switching on meshes and tori, worm by worm: the fast engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...instances import Topology
from .kernels import run_until
from .layout import (
    ASKING,
    AT,
    BUCKETS,
    CARRIED,
    FIRST,
    HEAD,
    LAST,
    LENGTH,
    NUMBERS,
    SINCE,
    SPARE,
    TAIL,
    WHO,
    WIDTH,
    C,
    Ints,
    W,
    Worms,
)
from .mail import Wormhole


class RigidWorms(Wormhole):
    """Wormhole switching with buffers of one flit, on meshes and tori.

    A channel holds one flit, and belongs to a packet from its header to its last flit.
    The header takes one channel a cycle; a channel may be taken in the cycle in which
    it becomes free. Headers wait for channels in the order of the cycle in which they
    ask, those of one cycle by the number of their message. Messages leave a processor
    one after the other, in the order in which they are released.

    A packet of L flits over D links that meets no other arrives D + L + 1 cycles after
    its release.

    Parameters
    ----------
    topology
        Mesh or torus, of any number of axes; processors are numbered in lexicographic
        order of their sites.
    axes
        The axes in the order in which they are travelled; None for the first axis
        first.
    packet
        Longest packet in flits: longer messages are split into packets of this length
        and a shorter last one, which are sent one after the other. None for no limit.
    datelines
        Whether links of a torus have two lanes, which makes them free of deadlocks; see
        `worm_routes`. Each lane has wires of its own: two packets on the two lanes of a
        link do not slow each other down.
    local
        Whether a message to its own processor takes the injection and the ejection
        channel, in L + 1 cycles; otherwise it is delivered when it is released.

    Raises
    ------
    InputError
        If the topology is neither a mesh nor a torus, `axes` is no order of its axes,
        or `packet` is below 1.

    Notes
    -----
    A packet takes at most 2 (D + 2) events whatever its length. Memory: 128 bytes per
    message, and per channel 136 bytes and 4 bytes per channel of the longest path.
    Mache 2 and 4 describe the router.

    Examples
    --------
    >>> from closeknit.instances import Mesh
    >>> from closeknit.network.messages import messages
    >>> engine = RigidWorms(Mesh(8, 8))
    >>> engine.add(messages([(0, 63, 16)]))
    >>> engine.run(), engine.time  # 14 links, 16 flits
    ([0], 31)
    """

    def __init__(
        self,
        topology: Topology,
        *,
        axes: Sequence[int] | None = None,
        packet: int | None = None,
        datelines: bool = True,
        local: bool = False,
    ) -> None:
        super().__init__(
            topology, axes=axes, packet=packet, datelines=datelines, local=local
        )
        c = self.map.count
        numbers = np.zeros(NUMBERS, np.int64)
        numbers[SPARE], numbers[WIDTH] = c, self.map.longest
        channel = np.zeros((c, C), np.int64)
        channel[:, HEAD] = -1
        self._worms = Worms(
            path=np.empty(c * self.map.longest, np.int32),
            worm=np.empty(c * W, np.int64),
            channel=channel.reshape(-1),
            spare=W * np.arange(c - 1, -1, -1, dtype=np.int64),
            asking=np.empty(c, np.int64),
            work=np.empty(c, np.int64),
            bucket=np.full(BUCKETS, -1, np.int64),
            chained=np.empty(2 * c, np.int64),
            numbers=numbers,
        )

    def _go_on(self, until: int) -> int:
        return int(run_until(self._mail, self.map.wires, self._worms, until))

    def _waiting(self) -> dict[int, tuple[int, int, int, int]]:
        worms = self._worms
        spare = worms.spare[: worms.numbers[SPARE]] // W
        asking = set((worms.asking[: worms.numbers[ASKING]] // W).tolist())
        used = np.setdiff1d(np.arange(self.map.count), spare).tolist()
        holder: dict[int, int] = {}
        wants: dict[int, int] = {}
        for slot in used:
            worm = worms.worm[W * slot : W * slot + W]
            at, first = int(worm[AT]), int(worm[FIRST])
            if at > worm[LAST]:
                continue
            held = worms.path[max(first, at - int(worm[LENGTH])) : at] // C
            holder |= dict.fromkeys(held.tolist(), slot)
            if slot not in asking:
                wants[slot] = int(worms.path[at]) // C
        return {
            slot: (
                int(worms.worm[W * slot + WHO]),
                c,
                int(worms.worm[W * slot + SINCE]),
                holder[c],
            )
            for slot, c in wants.items()
            if c in holder
        }

    def _drop(self, n: int) -> None:
        super()._drop(n)
        worms = self._worms
        worms.worm[WHO::W] -= n  # also of spare slots, where it means nothing
        entries = worms.channel[C * self.map.entries :].reshape(-1, C)
        queues = entries[:, HEAD] >= 0
        entries[queues, HEAD] -= n
        entries[queues, TAIL] -= n

    @property
    def carried(self) -> Ints:
        """Flits that each channel has carried, those of a packet when it takes it."""
        return self.map.by_kind(self._worms.channel[CARRIED::C])
