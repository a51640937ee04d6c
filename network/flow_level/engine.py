"""Networks at flow level: messages share links fairly, for quick answers.

Every message is a flow over its links. Links, and the way out of every processor, carry
one phit a cycle; at any time the rates are max-min fair (Bertsekas and Gallager 1992,
section 6.5.2), as in SimGrid's rule: the link whose flows get least is filled first,
its flows share it equally, and so on with what is left. A message is delivered as many
cycles after its last phit was sent as it crosses links, rounded up to cycles, so the
zero-load latency is that of the packets: h + 16 m.

Packets that wait behind others for different links are left out, but for one case: a
link down a k-ary n-tree, to which packets have no other way, carries only 2 - √2 =
0.586 phits a cycle if several messages share it. That is what switches with one queue
per input let pass when the heads of the queues want random outputs (Karol, Hluchyj and
Morgan 1987, for many inputs). Packets of permutations on a 4-ary 3-tree reach 0.56,
with queues of 256 packets 0.62. Measured over 16 workloads of 64 tasks and at most 4 kB
in three placements and five permutations of 4 kB, as a ratio to the packets' time
(least, quartiles, most):

    8 x 8 torus, dimension order     0.63  0.84  0.88  0.99  1.08
    8 x 8 torus, adaptive            0.95  1.05  1.16  1.27  1.46
    dragonfly of 72 hosts, minimal   0.75  0.99  1.01  1.05  1.18
    4-ary 3-tree                     0.50  0.78  0.87  1.00  1.47
    2-ary 6-tree                     0.39  0.78  0.95  1.07  1.59
    8-ary 2-tree                     0.54  0.80  0.88  1.01  1.47

What is left on trees: the packets of different rounds drift apart, so that several
senders meet at one receiver, which flows do not. 63 shifts of 64 processors take
162 000 cycles one right after the other, and 98 000 if each waits for the end of the
last one. And packets of processors in order meet in a regular pattern, which lets them
pass as if they were alone; flows are slowed down there, too.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...instances import InputError
from ..cut_through.layout import ACTIVE, ARRIVING, STALE, Ints
from ..cut_through.message_queue import PACKET, Network, Posted
from ..cut_through.nets import NetworkPlan
from ..grow_array import grow
from ..messages import Messages
from .kernels import NEEDS_ROOM, FairScratch, Floats, Flows, fair, flow
from .kernels_routes import spread

HEAD_OF_LINE = 2 - 2**0.5
"""Phits per cycle of a link down a k-ary n-tree that several messages share."""
MOST_KEPT = 2**20
"""Links of all pairs together beyond which those not in use are forgotten."""
MOST_ENTRIES = 2**25
"""Maximal number of links of all pairs of processors together."""


class FlowLevel(Posted):
    """An interconnect at flow level.

    Where packets choose or draw among links, a message spreads over them: equally over
    the minimal directions at every cell of a grid, over all ways up a k-ary n-tree,
    over the shortest paths at every vertex (``drawn``), or over all switches half-way
    (``valiant``).

    Parameters
    ----------
    network, routing, table
        As of `CutThrough`.
    packet
        Phits of a packet; messages are padded to whole packets.
    in_turn
        Whether a processor sends its messages one after the other, as from an injection
        queue, or all at once.

    Raises
    ------
    InputError
        If an option is out of range, or a pair has no route.

    Examples
    --------
    >>> from closeknit.instances import Torus
    >>> from closeknit.network.messages import messages
    >>> engine = FlowLevel(Torus(8, 8))
    >>> engine.add(messages([(0, 3, 32)]))
    >>> engine.finish()  # three links, two packets
    35
    """

    def __init__(
        self,
        network: Network,
        *,
        routing: str = "",
        table: npt.ArrayLike | None = None,
        packet: int = PACKET,
        in_turn: bool = True,
    ) -> None:
        super().__init__(network, routing, table, packet)
        self._lines = len(self._plan.links) + self.processors
        self._pairs: dict[int, int] = {}
        none, nothing = np.zeros(0, np.int64), np.zeros(0)
        self._flows = Flows(
            *(none, np.zeros(1, np.int64), none, nothing, none),
            *(nothing, nothing, nothing, none),
            *(np.full(self.processors, -1), np.full(self.processors, -1), none),
            carried=np.zeros(self._lines),
            since=np.array([0, in_turn], np.int64),
            together=_together(self._plan, self.processors),
        )
        self._scratch = self._room(2**12)

    def _add(self, messages: Messages, job: int) -> None:
        """Add messages, and the links of pairs of processors that are new."""
        begin, end = self._count, self._count + len(messages)
        far = messages.source != messages.target
        keys = messages.source * self.processors + messages.target
        new = [key for key in np.unique(keys[far]).tolist() if key not in self._pairs]
        if new:
            self._spread(new)
        super()._add(messages, job)
        flows = self._flows
        room = len(self._mail.messages)
        flows = flows._replace(
            route=grow(flows.route, room),
            left=grow(flows.left, room),
            size=grow(flows.size, room),
            rate=grow(flows.rate, room),
            active=grow(flows.active, room),
            arrivals=grow(flows.arrivals, room),
        )
        route = [self._pairs.get(key, -1) for key in keys.tolist()]
        flows.route[begin:end] = route
        packets = -(-messages.length // self._packet_phits)
        flows.left[begin:end] = flows.size[begin:end] = packets * self._packet_phits
        self._flows = flows

    def _drop(self, n: int) -> None:
        super()._drop(n)
        flows, tally, stay = self._flows, self._tally, self._count - n
        for values in (flows.route, flows.left, flows.size, flows.rate):
            values[:stay] = values[n : self._count]
        for numbers in (
            flows.active[: tally[ACTIVE]],
            flows.arrivals[: tally[ARRIVING]],
            flows.front,
            flows.last,  # means nothing where there is no message in front
        ):
            numbers -= n
        if flows.first[-1] > MOST_KEPT:
            self._drop_pairs(np.unique(flows.route[:stay]))

    def _drop_pairs(self, kept: Ints) -> None:
        """Keep the links only of pairs of processors that messages need."""
        flows, kept = self._flows, kept[kept >= 0]
        number = np.full(len(self._pairs) + 1, -1)  # the last one of those without
        number[kept] = np.arange(len(kept))
        flows.route[:] = number[flows.route]
        self._pairs = {
            key: int(number[i]) for key, i in self._pairs.items() if number[i] >= 0
        }
        size = flows.first[kept + 1] - flows.first[kept]
        first = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
        entries = np.arange(first[-1]) + np.repeat(flows.first[kept] - first[:-1], size)
        self._flows = flows._replace(
            first=first,
            links=flows.links[entries],
            shares=flows.shares[entries],
            hops=flows.hops[kept],
        )

    def _spread(self, keys: list[int]) -> None:
        """Find the links of new pairs of processors."""
        flows = self._flows
        count = len(self._pairs)
        for i, key in enumerate(keys):
            self._pairs[key] = count + i
        pairs = np.array([divmod(key, self.processors) for key in keys], np.int64)
        first = np.zeros(len(pairs) + 1, np.int64)
        first[0] = flows.first[count]
        links, shares = flows.links, flows.shares
        done = 0
        while True:
            done = int(spread(pairs, done, self._plan.routes, first, links, shares))
            if done == len(pairs):
                break
            if len(links) >= MOST_ENTRIES:
                raise InputError(
                    f"messages would spread over more than {MOST_ENTRIES} links; "
                    "route them by one way each",
                    field="routing",
                )
            room = 2 * len(links) + self._lines
            links, shares = grow(links, room), grow(shares, room)
        through = np.add.reduceat(shares[: first[-1]], first[:-1]) - 1
        self._flows = flows._replace(
            first=np.concatenate([flows.first, first[1:]]),
            links=links,
            shares=shares,
            hops=np.concatenate([flows.hops, np.ceil(through - 1e-6).astype(np.int64)]),
        )

    def _advance(self, until: int) -> int:
        while True:
            why = int(flow(self._tally, self._mail, self._flows, self._scratch, until))
            if why != NEEDS_ROOM:
                return why
            self._scratch = self._room(2 * len(self._scratch.owner))

    def _room(self, entries: int) -> FairScratch:
        lines = self._lines
        return FairScratch(
            following=np.zeros(entries, np.int64),
            owner=np.zeros(entries, np.int64),
            head=np.full(lines, -1),
            used=np.zeros(lines, np.int64),
            unfixed=np.zeros(lines, np.int64),
            weight=np.zeros(lines),
            room=np.zeros(lines),
        )

    def _blockage(self) -> str:
        return f"no message can be sent at cycle {self.time}"

    @property
    def rates(self) -> dict[int, float]:
        """Phits per cycle of every message that is being sent now."""
        flows = self._flows
        active = flows.active[: self._tally[ACTIVE]]
        if self._tally[STALE]:
            entries = flows.route, flows.first, flows.links, flows.shares
            rates = flows.rate, flows.together
            while not fair(active, *entries, *rates, self._scratch):
                self._scratch = self._room(2 * len(self._scratch.owner))
            self._tally[STALE] = 0
        return {int(i): float(self._flows.rate[i]) for i in active}

    @property
    def carried(self) -> Ints:
        """Number of phits that have gone over each link so far; see `channels`."""
        flows = self._flows
        found = flows.carried.copy()
        for message in flows.active[: self._tally[ACTIVE]]:  # which count when sent
            pair = flows.route[message]
            part = slice(flows.first[pair], flows.first[pair + 1])
            sent = flows.size[message] - flows.left[message]
            np.add.at(found, flows.links[part], flows.shares[part] * sent)
        return np.rint(found[: len(self._plan.links)]).astype(np.int64)


def _together(plan: NetworkPlan, processors: int) -> Floats:
    """Return the phits per cycle of links, and out of processors, that are shared."""
    found = np.ones(len(plan.links) + processors)
    begin = 0
    for name, ends in plan.channels:
        if name == "down":
            found[begin : begin + len(ends)] = HEAD_OF_LINE
        begin += len(ends)
    return found
