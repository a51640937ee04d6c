"""Virtual cut-through networks, simulated by packet.

Switches have input queues and pass packets of 16 phits. A packet granted at cycle t has
its header in the next queue at t + 1, and frees link and slot at t + 16, so a link
carries one phit a cycle and a queue is read at one phit a cycle. Zero-load latency of m
packets over h links is h + 16 m. The nodes are reactive sources and sinks: a message is
cut into packets, the last one padded, and is delivered with the last of them. A
processor consumes packets of different links at once. The injection queue of four
packets is the front of the messages that a processor has to send, in order of release,
so its size does not influence when anything arrives.

Source: Navaridas, Pascual and Miguel-Alonso 2009, section III C; Puente et al. 2001 for
the bubble. Where the paper is silent: of several outputs a packet asks for the one with
most free slots in the next queue, ties drawn; packets go round a ring of even length
by the parity of the sender if both ways are equal; the two channels of a link are
queues of their own that can be read at once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...instances import InputError
from ...instances.reading.numbers import at_least, between
from ..kary_tree import KaryTree
from ..messages import Messages
from .kernels import advance
from .kernels_routes import PER_MESSAGE
from .layout import (
    AGENDA,
    AGENDA_COUNT,
    AGENDA_END,
    AGENDA_FIRST,
    BACKWARDS,
    BITS_AT,
    BUBBLE,
    CARRIED,
    CONSUMED,
    ENTRY,
    EVENT_SIZE,
    FULL,
    GOAL_OF,
    HEAD,
    INJECTED,
    LAST,
    LOW,
    MESSAGE,
    NUMBER,
    OPEN,
    OVERFLOW,
    PHITS,
    SEED,
    SINCE,
    SOURCE,
    STATE,
    TARGET,
    VERTEX,
    Ints,
)
from .message_queue import PACKET, QUEUE, Network, Posted
from .records import lay_out_records

_MOST_SHOWN = 3
_MOST_SEED = 2**31 - 1
_MOST_PACKETS = 2**30


class CutThrough(Posted):
    """A virtual cut-through network in operation.

    Meshes and tori: minimal adaptive channels and an escape channel with dimension
    order and bubble flow control. k-ary n-trees: up by the port with most credits, down
    by the only way. Graphs and trees: see `graph_plan`. None of them can deadlock.

    Parameters
    ----------
    network
        Where the processors are; they are numbered in the order of its ``locations``.
        On graphs the link out of a processor counts as any other; on k-ary n-trees the
        injection queue is a port of the switch.
    routing
        On grids ``adaptive`` (the default) or ``dimension-order``; on graphs and trees
        ``minimal`` (the default), ``drawn`` or ``valiant``; on k-ary n-trees
        ``adaptive``.
    table
        Routes of a graph instead of a routing, see `graph_plan`.
    seed
        Of all drawn choices, from 0 to 2^31 - 1.
    packet, queue
        Phits of a packet, and packets that a queue holds.
    bubble
        Free slots that a packet needs to enter a ring; with 1 the network can deadlock.
    backwards
        Process what happens within a cycle in the opposite order. This changes no
        result; tests use it.

    Attributes
    ----------
    injected, consumed
        Packets of all messages released so far, and of those the packets that have
        reached their processor.

    Raises
    ------
    InputError
        If an option is out of range, or a pair has no route.

    Examples
    --------
    >>> from closeknit.instances import Torus
    >>> from closeknit.network.messages import messages
    >>> engine = CutThrough(Torus(8, 8))
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
        seed: int = 0,
        packet: int = PACKET,
        queue: int = QUEUE,
        bubble: int = 2,
        backwards: bool = False,
    ) -> None:
        between(seed, 0, _MOST_SEED, "seed")
        between(packet, 2, 2**20, "packet")
        at_least(queue, 2, "queue")
        between(bubble, 1, queue, "bubble")
        super().__init__(network, routing, table, packet, queue)
        self._records = lay_out_records(self._plan, queue)
        net = self._records.net
        net[PHITS], net[BUBBLE] = packet, bubble
        net[SEED], net[BACKWARDS] = seed, backwards

    def _add(self, messages: Messages, job: int) -> None:
        """Add messages; those that are too long to count their packets are refused."""
        begin = self._count
        packets = -(-messages.length // self._packet_phits)
        if len(messages) and packets.max() > _MOST_PACKETS:
            at = int(packets.argmax())
            raise InputError(
                f"must be at most {_MOST_PACKETS} packets of {self._packet_phits} "
                f"phits, not {messages.length[at]} phits",
                field=f"length[{at}]",
            )
        goal = messages.target
        if not isinstance(self.network, KaryTree):
            goal = self._plan.routes.home[goal]
        odd = 0
        if self.network.grid:
            odd = self._plan.routes.at[messages.source].sum(axis=1) % 2
        super()._add(messages, job)
        rows = self._mail.messages[begin : self._count]
        rows[:, ENTRY] = self._records.entry[messages.source]
        rows[:, GOAL_OF] = 2 * goal + odd

    def _advance(self, until: int) -> int:
        net, routes = self._records.net, self._plan.routes
        return int(advance(net, routes, self._tally, self._mail, until))

    @property
    def carried(self) -> Ints:
        """Number of phits that each link has carried, or begun to; see `channels`."""
        net, links = self._records.net.astype(np.int64), self._records.links
        found: Ints = 2**FULL * net[links + OVERFLOW] + net[links + CARRIED]
        return found * self._packet_phits

    @property
    def injected(self) -> int:
        """Number of packets of all messages released so far."""
        return int(self._tally[INJECTED])

    @property
    def consumed(self) -> int:
        """Number of packets that have reached their processor."""
        return int(self._tally[CONSUMED])

    def _drop(self, n: int) -> None:
        super()._drop(n)
        net = self._records.net
        net[SEED] = (int(net[SEED]) + n * PER_MESSAGE) & LOW
        net[self._records.slots + MESSAGE] -= n  # also of free slots: means nothing
        net[self._records.entry + LAST] -= n
        begin, size = int(net[AGENDA]), int(net[AGENDA_END] - net[AGENDA])
        first = int(net[AGENDA_FIRST]) - begin
        due = begin + (first + EVENT_SIZE * np.arange(net[AGENDA_COUNT])) % size
        net[due + 1] += np.where(net[due + 1] < 0, n, 0)

    def _blockage(self) -> str:
        """Name the packets that wait at the heads of queues, the longest first."""
        net, queues = self._records.net, self._records.queues
        heads = queues[net[net[queues + BITS_AT]] != 0]
        waiting = sorted(zip(net[heads + SINCE].tolist(), heads.tolist(), strict=True))
        shown = [self._packet(q, since) for since, q in waiting[:_MOST_SHOWN]]
        if len(waiting) > _MOST_SHOWN:
            shown.append(f"{len(waiting) - _MOST_SHOWN} more")
        left = int(self._tally[OPEN])
        text = f"deadlock at cycle {self.time}: {left} messages left, "
        return text + f"{len(waiting)} packets block each other: {'; '.join(shown)}"

    def _packet(self, q: int, since: int) -> str:
        net = self._records.net
        packet = int(net[q + HEAD])
        message, state = net[[packet + MESSAGE, packet + STATE]].tolist()
        source, target = self._mail.messages[message, [SOURCE, TARGET]].tolist()
        at = self._plan.name_of(int(net[net[q + VERTEX] + NUMBER]))
        since = self.time - ((self.time - since) & LOW)
        return (
            f"packet {state // 2} of message {message + self._forgotten} from {source} "
            f"to {target} at {at} since cycle {since}"
        )
