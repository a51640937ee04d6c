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

from ...instances.numbers import at_least, between
from .cut_through_kernels import advance
from .cut_through_kernels_routes import BITS, PER_MESSAGE
from .cut_through_layout import (
    AGENDA_COUNT,
    AGENDA_FIRST,
    BACKWARDS,
    BEGIN,
    BUBBLE,
    CARRIED,
    CONSUMED,
    FEEDS,
    INJECTED,
    MESSAGE,
    OPEN,
    PHITS,
    SEED,
    SINCE,
    SLOTS,
    SOON,
    SOURCE,
    STATE,
    TARGET,
    VERTEX,
    Ints,
)
from .posted import PACKET, QUEUE, Network, Posted

_MOST_SHOWN = 3
_MOST_SEED = 2**31 - 1


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
    >>> from closeknit.simulation.network.messages import messages
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
        numbers = self._net.numbers
        numbers[PHITS], numbers[SLOTS], numbers[BUBBLE] = packet, queue, bubble
        numbers[SEED], numbers[BACKWARDS] = seed, backwards

    def _advance(self, until: int) -> int:
        return int(advance(self._net, self._routes, self._mail, until))

    @property
    def carried(self) -> Ints:
        """Number of phits that each link has carried, or begun to; see `channels`."""
        found: Ints = self._net.links[:, CARRIED] * self._net.numbers[PHITS]
        return found

    @property
    def injected(self) -> int:
        """Number of packets of all messages released so far."""
        return int(self._net.tally[INJECTED])

    @property
    def consumed(self) -> int:
        """Number of packets that have reached their processor."""
        return int(self._net.tally[CONSUMED])

    def _drop(self, n: int) -> None:
        super()._drop(n)
        net, tally = self._net, self._tally
        net.numbers[SEED] = (net.numbers[SEED] + n * PER_MESSAGE) & BITS
        net.packets[:, 0] -= n  # also of free slots, where it means nothing
        queues = net.queues
        queues[:, MESSAGE] -= n
        injection = queues[:, FEEDS] < 0
        queues[injection, BEGIN] -= n
        queues[injection, FEEDS] = np.minimum(queues[injection, FEEDS] + n, -1)
        size = len(net.agenda)
        due = (tally[AGENDA_FIRST] + np.arange(tally[AGENDA_COUNT])) % size
        net.agenda[due, 1] += np.where(net.agenda[due, 1] < 0, n, 0)
        soon = net.soon[: tally[SOON]]
        soon += np.where(soon < 0, n, 0)

    def _blocked(self) -> str:
        """Name the packets that wait at the heads of queues, the longest first."""
        net = self._net
        queues = np.flatnonzero(net.masks)
        waiting = sorted((int(net.queues[q, SINCE]), q) for q in queues.tolist())
        shown = [self._packet(q, since) for since, q in waiting[:_MOST_SHOWN]]
        if len(waiting) > _MOST_SHOWN:
            shown.append(f"{len(waiting) - _MOST_SHOWN} more")
        text = f"deadlock at cycle {self.time}: {int(net.tally[OPEN])} messages left, "
        return text + f"{len(waiting)} packets block each other: {'; '.join(shown)}"

    def _packet(self, q: int, since: int) -> str:
        net = self._net
        message, state = net.queues[q, [MESSAGE, STATE]].tolist()
        source, target = self._mail.messages[message, [SOURCE, TARGET]].tolist()
        at = self._plan.name_of(int(net.queues[q, VERTEX]))
        return (
            f"packet {state // 2} of message {message + self._forgotten} from {source} "
            f"to {target} at {at} since cycle {since}"
        )
