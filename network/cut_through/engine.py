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
from ..engine import Deadlock, Engine, JobNumbers, Network
from ..grow_array import grow
from ..kary_tree import KaryTree
from ..messages import Messages
from .graphs import graph_plan
from .kernels import advance
from .kernels_mail import enlist
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
    DELIVERED,
    ENDED,
    ENTRY,
    EVENT_SIZE,
    FOLLOWING,
    FULL,
    GOAL_OF,
    HEAD,
    HEAP,
    IDLE,
    INJECTED,
    JOB,
    JOB_ENDED,
    LAST,
    LEFT,
    LOW,
    MAIL_WIDTH,
    MESSAGE,
    NOW,
    NUMBER,
    OPEN,
    OVERFLOW,
    PACKETS,
    PHITS,
    READY,
    SEED,
    SENT,
    SINCE,
    SOURCE,
    STATE,
    SUCCESSORS,
    SUCCESSORS_END,
    TALLY,
    TARGET,
    VERTEX,
    WAITS,
    Ints,
    Mail,
)
from .nets import NetworkPlan, check_room, grid_plan, tree_plan
from .records import lay_out_records

PACKET = 16
"""Phits of a packet."""
QUEUE = 4
"""Packets that a queue holds."""
GRID_ROUTINGS = ("adaptive", "dimension-order")
_MOST_SHOWN = 3
_MOST_SEED = 2**31 - 1
_MOST_PACKETS = 2**30


class CutThrough(Engine):
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
        self._plan = lay_out(network, routing, table, queue)
        super().__init__(len(self._plan.routes.home))
        self.network = network
        self._packet_phits = packet
        self._tally = np.zeros(TALLY, np.int64)
        self._last = 0
        self._mail = Mail(
            np.zeros((0, MAIL_WIDTH), np.int64), *(np.zeros(0, np.int64),) * 4
        )
        self._jobs = JobNumbers()
        self._empty: list[int] = []
        self._records = lay_out_records(self._plan, queue)
        net = self._records.net
        net[PHITS], net[BUBBLE] = packet, bubble
        net[SEED], net[BACKWARDS] = seed, backwards

    def _add(self, messages: Messages, job: int) -> None:
        """Add messages; those that are too long to count their packets are refused."""
        packets = -(-messages.length // self._packet_phits)
        if len(messages) and packets.max() > _MOST_PACKETS:
            at = int(packets.argmax())
            raise InputError(
                f"must be at most {_MOST_PACKETS} packets of {self._packet_phits} "
                f"phits, not {messages.length[at]} phits",
                f"length[{at}]",
            )
        if not len(messages):
            if job not in self._jobs:
                self._empty.append(job)
            return
        begin, end = self._count, self._count + len(messages)
        goal = messages.target
        if not isinstance(self.network, KaryTree):
            goal = self._plan.routes.home[goal]
        odd = 0
        if self.network.grid:
            odd = self._plan.routes.at[messages.source].sum(axis=1) % 2
        number = self._jobs.number(job)
        first, following = messages.successors
        self._grow(end, self._last + len(following))
        mail = self._mail
        rows = mail.messages[begin:end]
        rows[:, SOURCE], rows[:, TARGET] = messages.source, messages.target
        rows[:, PACKETS] = rows[:, LEFT] = packets
        rows[:, READY] = messages.release + self.time
        rows[:, WAITS] = messages.waits
        rows[:, SUCCESSORS] = first[:-1] + self._last
        rows[:, SUCCESSORS_END] = first[1:] + self._last
        rows[:, JOB] = number
        rows[:, SENT] = rows[:, DELIVERED] = rows[:, FOLLOWING] = -1
        rows[:, ENTRY] = self._records.entry[messages.source]
        rows[:, GOAL_OF] = 2 * goal + odd
        mail.successors[self._last : self._last + len(following)] = following + begin
        mail.jobs[number] += len(messages)
        self._tally[OPEN] += len(messages)
        self._count, self._last = end, self._last + len(following)
        enlist(begin, end, self._tally, mail)

    def _grow(self, count: int, pairs: int) -> None:
        """Make room for messages, pairs of which one waits, and all jobs."""
        mail = self._mail
        self._mail = Mail(
            grow(mail.messages, count),
            grow(mail.successors, pairs),
            grow(mail.heap, count),
            grow(mail.jobs, self._jobs.most),
            grow(mail.ended, self._jobs.most),
        )

    def run(self, until: int | None = None) -> list[int]:
        """Go on until a job ends, a cycle is reached, or nothing is left to do.

        See `Engine.run`. A job without messages ends when it is added. Messages that
        are added when this returns are treated like those of the same cycle.
        """
        ended, self._empty = self._empty, []
        if ended:
            return sorted(ended)
        tally = self._tally
        limit = -1 if until is None else max(until, self.time)
        net, routes = self._records.net, self._plan.routes
        why = int(advance(net, routes, tally, self._mail, limit))
        if why == JOB_ENDED:
            self.time = int(tally[NOW])
            numbers = self._mail.ended[: tally[ENDED]].tolist()
            return sorted(map(self._jobs.release, numbers))
        if why == IDLE:
            if tally[OPEN]:
                self.time = int(tally[NOW])
                raise Deadlock(self._blockage())
            if until is not None:
                tally[NOW] = limit
        self.time = int(tally[NOW])
        return []

    def _cycles(self) -> tuple[Ints, Ints]:
        rows = self._mail.messages[: self._count]
        return rows[:, SENT], rows[:, DELIVERED]

    def channels(self) -> list[tuple[str, npt.NDArray[np.int64]]]:
        """Return kinds of links and their two ends.

        On meshes and tori ends are processors, on graphs and trees nodes; on k-ary
        n-trees processors, then switches level by level.
        """
        return [(name, ends.copy()) for name, ends in self._plan.channels]

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
        """Forget the first n messages; see `Engine`.

        Entries that mean nothing any more are changed, too, and may become negative.
        """
        stay, tally, mail = self._count - n, self._tally, self._mail
        rows = mail.messages
        gone = int(rows[n, SUCCESSORS]) if stay else self._last
        rows[:stay] = rows[n : self._count]
        rows[:stay, [SUCCESSORS, SUCCESSORS_END]] -= gone
        rows[:stay, FOLLOWING] -= n
        self._last -= gone
        mail.successors[: self._last] = mail.successors[gone : gone + self._last] - n
        mail.heap[: tally[HEAP]] -= n
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


def lay_out(
    network: Network, routing: str, table: npt.ArrayLike | None, slots: int
) -> NetworkPlan:
    """Lay out any network."""
    if links := network.graph or network.tree:
        given = None if table is None else np.asarray(table)
        return graph_plan(links, routing or "minimal", given)
    if table is not None:
        raise InputError("only graphs and trees take one", "table")
    kary = network if isinstance(network, KaryTree) else None
    known = GRID_ROUTINGS[:1] if kary else GRID_ROUTINGS
    if routing and routing not in known:
        raise InputError(f"must be one of {', '.join(known)}", "routing", routing)
    if kary:
        check_room(2 * kary.n * kary.processors, slots)
        return tree_plan(kary)
    if network.grid is None:
        raise InputError(
            "must be a mesh, torus, grid, tree, k-ary tree or graph",
            "topology",
            network.kind,
        )
    check_room(4 * network.dimension * network.processors_in_all, slots)
    return grid_plan(network.grid, routing != "dimension-order")
