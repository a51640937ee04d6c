"""What both wormhole engines do with messages: room for them, jobs, stops."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from ...instances import InputError, Topology
from ..engine import Deadlock, Engine, JobNumbers
from ..grow_array import grow
from ..messages import Messages
from .layout import (
    BLOCKED,
    ENDED,
    FOREVER,
    IDLE,
    INBOX,
    LEFT,
    LOCAL,
    PACKET,
    READY,
    TALLIES,
    TIME,
    TIMED,
    TIMES,
    Ints,
    Mail,
)
from .routes import Channels

WATCH = 2**20
"""Cycles between two searches for packets that wait for each other."""
_SHOWN = 8
"""Blocked packets that an error names."""
_OF_MESSAGES = (
    *("source", "target", "rank", "rest", "missing", "sent", "delivered"),
    *("waits", "later", "job"),
)
_PER_MESSAGE = (*_OF_MESSAGES, "timed", "times", "ready")


def _none() -> Ints:
    return np.empty(0, np.int64)


class Wormhole(Engine):
    """Messages on a mesh or torus with wormhole switching; see `RigidWorms`.

    Parameters
    ----------
    topology, axes, datelines
        As for `Channels`.
    packet
        Longest packet in flits: longer messages are split into packets of this length
        and a shorter last one. None for no limit.
    local
        Whether a message to its own processor takes the injection and the ejection
        channel; otherwise it is delivered when it is released.
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
        self.map = Channels(topology, axes, datelines)
        super().__init__(self.map.nodes)
        if packet is not None and packet < 1:
            raise InputError("must be at least 1", "packet", packet)
        self._jobs = JobNumbers()
        self._due: list[int] = []
        tally = np.zeros(TALLIES, np.int64)
        tally[LOCAL] = local
        tally[PACKET] = packet or FOREVER
        empty = {name: _none() for name in Mail._fields}
        empty |= {"first": np.zeros(1, np.int64), "tally": tally}
        self._mail = Mail(**empty)

    def _add(self, messages: Messages, job: int) -> None:
        self.add_ranked(messages, job, None)

    def add_ranked(self, messages: Messages, job: int, rank: Ints | None) -> None:
        """Add messages, and decide who goes first among those of one cycle.

        Parameters
        ----------
        messages, job
            As for `add`.
        rank
            Number of each message, shape (m,), all different, also from those of other
            messages: where two ask for a channel in the same cycle the lower goes
            first. None for the order of addition.
        """
        if job < 0:
            raise InputError("must be at least 0", "job", job)
        tally, count, m = self._mail.tally, self._count, len(messages)
        if not m:
            if job not in self._jobs:
                self._due.append(job)
            return
        at = self._jobs.number(job)
        first, following = messages.successors
        used = int(self._mail.first[count])
        self._make_room(count + m, used + len(following))
        mail = self._mail
        new = slice(count, count + m)
        mail.source[new], mail.target[new] = messages.source, messages.target
        mail.rest[new] = mail.missing[new] = messages.length
        numbers = self._forgotten + np.arange(count, count + m)
        mail.rank[new] = numbers if rank is None else rank
        mail.sent[new] = mail.delivered[new] = -1
        mail.waits[new] = messages.waits + (messages.release > 0)
        mail.job[new] = at
        mail.undelivered[at] += m
        mail.first[count : count + m + 1] = first + used
        mail.following[used : used + len(following)] = following + count
        self._note_releases(messages, count)
        free = count + np.flatnonzero(mail.waits[new] == 0)
        mail.inbox[tally[INBOX] : tally[INBOX] + len(free)] = free
        tally[INBOX] += len(free)
        tally[LEFT] += m
        self._count += m

    def _note_releases(self, messages: Messages, count: int) -> None:
        mail, tally = self._mail, self._mail.tally
        later = np.flatnonzero(messages.release)
        if not len(later):
            return
        old = slice(int(tally[TIMED]), int(tally[TIMES]))
        who = np.concatenate([mail.timed[old], later + count])
        when = np.concatenate([mail.times[old], messages.release[later] + self.time])
        order = np.lexsort((mail.rank[who], when))
        tally[TIMED], tally[TIMES] = 0, len(who)
        mail.timed[: len(who)], mail.times[: len(who)] = who[order], when[order]

    def _drop(self, n: int) -> None:
        mail, tally, stay = self._mail, self._mail.tally, self._count - n
        for name in _OF_MESSAGES:
            values = getattr(mail, name)
            values[:stay] = values[n : self._count]
        mail.later[:stay] -= np.where(mail.later[:stay] >= 0, n, 0)
        gone, used = int(mail.first[n]), int(mail.first[self._count])
        mail.first[: stay + 1] = mail.first[n : self._count + 1] - gone
        mail.following[: used - gone] = mail.following[gone:used] - n
        mail.timed[tally[TIMED] : tally[TIMES]] -= n
        mail.ready[: tally[READY]] -= n
        inbox = mail.inbox[: tally[INBOX]]
        inbox[:] = np.where(inbox >= 0, inbox - n, inbox + n)

    def _make_room(self, m: int, pairs: int) -> None:
        """Make room for messages, pairs of which one waits, and all jobs."""
        mail = self._mail
        room = dict.fromkeys(_PER_MESSAGE, m) | {"first": m + 1, "inbox": 2 * m}
        room |= {"following": pairs}
        room |= dict.fromkeys(("undelivered", "ended"), self._jobs.most)
        self._mail = mail._replace(
            **{name: grow(getattr(mail, name), least) for name, least in room.items()}
        )

    def run(self, until: int | None = None) -> list[int]:
        """Go on until a job ends, a cycle is reached, or nothing is left to do.

        Parameters
        ----------
        until
            Cycle to stop at; its arrivals are noted, and messages that are added then
            take part in it, as after the end of a job. None for no limit.

        Returns
        -------
        list of int
            The jobs whose last message was delivered at the cycle `time`, increasing;
            a job to which no message was added ends at once.

        Raises
        ------
        Deadlock
            If packets wait for each other; this is searched for every 2^20 cycles, and
            when nothing moves any more.
        """
        tally = self._mail.tally
        end = FOREVER if until is None else max(until, self.time)
        while True:
            stop = self.time if self._due else min(end, self.time + WATCH)
            answer = self._go_on(stop)
            self.time = int(tally[TIME])
            numbers = self._mail.ended[: tally[ENDED]].tolist()
            tally[ENDED] = 0
            ended = sorted({*map(self._jobs.release, numbers), *self._due})
            self._due = []
            if ended:
                return ended
            if answer == IDLE and until is not None:
                self.time = tally[TIME] = end
            if answer == IDLE or self.time == end:
                return []
            circle = self._circle()
            if answer == BLOCKED or circle:
                raise Deadlock(self._blockage(circle))

    @abstractmethod
    def _go_on(self, until: int) -> int:
        """Run the kernel up to a cycle."""

    @abstractmethod
    def _waiting(self) -> dict[int, tuple[int, int, int, int]]:
        """Return the packets that wait for a channel which another holds.

        Returns
        -------
        dict
            By slot: message, channel that it wants, cycle in which it asked, and the
            slot of the packet that holds the channel.
        """

    def _circle(self) -> list[int]:
        """Find packets that wait for each other in a circle, by slots; or none."""
        waiting = self._waiting()
        seen: dict[int, int] = {}
        for begin in waiting:
            slot = begin
            while slot in waiting and slot not in seen:
                seen[slot] = begin
                slot = waiting[slot][3]
            if slot in waiting and seen[slot] == begin:
                circle = [slot]
                while waiting[circle[-1]][3] != slot:
                    circle.append(waiting[circle[-1]][3])
                return circle
        return []

    def _blockage(self, circle: list[int]) -> str:
        waiting = self._waiting()
        mail = self._mail
        parts = [
            f"message {i + self._forgotten} ({mail.source[i]} to {mail.target[i]}) "
            f"waits since cycle {since} for channel {self.map.name(channel)}"
            for i, channel, since, _ in (
                waiting[slot] for slot in (circle or sorted(waiting))[:_SHOWN]
            )
        ]
        more = len(circle or waiting) - len(parts)
        what = "packets wait for each other" if circle else "nothing can move"
        return (
            f"cycle {self.time}: {what}, {mail.tally[LEFT]} messages are left: "
            + "; ".join(parts)
            + (f"; and {more} more" if more else "")
        )

    def _cycles(self) -> tuple[Ints, Ints]:
        return self._mail.sent[: self._count], self._mail.delivered[: self._count]

    def channels(self) -> list[tuple[str, Ints]]:
        """Return links, injection and ejection channels; lanes count as one link."""
        return self.map.kinds()
