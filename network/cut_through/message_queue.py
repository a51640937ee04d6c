"""Engines that route packets or flows: their networks, messages and jobs."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
import numpy.typing as npt

from ...instances import InputError, Topology
from ..engine import Deadlock, Engine, JobNumbers
from ..grow_array import grow
from ..kary_tree import KaryTree
from ..messages import Messages
from .graphs import graph_plan
from .kernels_mail import enlist
from .layout import (
    DELIVERED,
    ENDED,
    FOLLOWING,
    HEAP,
    IDLE,
    JOB,
    JOB_ENDED,
    LEFT,
    MAIL_WIDTH,
    NOW,
    OPEN,
    PACKETS,
    READY,
    SENT,
    SOURCE,
    SUCCESSORS,
    SUCCESSORS_END,
    TALLY,
    TARGET,
    WAITS,
    Ints,
    Mail,
)
from .nets import NetworkPlan, check_room, grid_plan, tree_plan

PACKET = 16
"""Phits of a packet."""
QUEUE = 4
"""Packets that a queue holds."""
GRID_ROUTINGS = ("adaptive", "dimension-order")

Network = Topology


class Posted(Engine):
    """An engine for any network, whose kernel works on `Mail`.

    Parameters
    ----------
    network, routing, table
        As of `CutThrough`.
    packet
        Phits of a packet; messages are padded to whole packets.
    queue
        Packets that a queue holds.

    Raises
    ------
    InputError
        If the network cannot be simulated, the routing is not known, or a pair has no
        route.
    """

    def __init__(
        self,
        network: Network,
        routing: str,
        table: npt.ArrayLike | None,
        packet: int,
        queue: int = QUEUE,
    ) -> None:
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

    @abstractmethod
    def _advance(self, until: int) -> int:
        """Run the kernel until a cycle (if at least 0); return why it came back."""

    @abstractmethod
    def _blockage(self) -> str:
        """Name what is blocked."""

    def _add(self, messages: Messages, job: int) -> None:
        begin, end = self._count, self._count + len(messages)
        if not len(messages):
            if job not in self._jobs:
                self._empty.append(job)
            return
        number = self._jobs.number(job)
        first, following = messages.successors
        self._grow(end, self._last + len(following))
        mail = self._mail
        rows = mail.messages[begin:end]
        rows[:, SOURCE], rows[:, TARGET] = messages.source, messages.target
        rows[:, PACKETS] = -(-messages.length // self._packet_phits)
        rows[:, LEFT] = rows[:, PACKETS]
        rows[:, READY] = messages.release + self.time
        rows[:, WAITS] = messages.waits
        rows[:, SUCCESSORS] = first[:-1] + self._last
        rows[:, SUCCESSORS_END] = first[1:] + self._last
        rows[:, JOB] = number
        rows[:, SENT] = rows[:, DELIVERED] = rows[:, FOLLOWING] = -1
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
        why = int(self._advance(limit))
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


def lay_out(
    network: Network, routing: str, table: npt.ArrayLike | None, slots: int
) -> NetworkPlan:
    """Lay out any network."""
    if links := network.graph or network.tree:
        given = None if table is None else np.asarray(table)
        return graph_plan(links, routing or "minimal", given)
    if table is not None:
        raise InputError("only graphs and trees take one", field="table")
    kary = network if isinstance(network, KaryTree) else None
    known = GRID_ROUTINGS[:1] if kary else GRID_ROUTINGS
    if routing and routing not in known:
        raise InputError(
            f"must be one of {', '.join(known)}", field="routing", value=routing
        )
    if kary:
        check_room(2 * kary.n * kary.processors, slots)
        return tree_plan(kary)
    if network.grid is None:
        raise InputError(
            "must be a mesh, torus, grid, tree, k-ary tree or graph",
            field="topology",
            value=network.kind,
        )
    check_room(4 * network.dimension * network.processors_in_all, slots)
    return grid_plan(network.grid, routing != "dimension-order")
