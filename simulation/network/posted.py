"""Engines that keep their messages in rows: bookkeeping of jobs and deliveries."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from .cut_through_kernels_mail import enlist
from .cut_through_layout import (
    DELIVERED,
    ENDED,
    FOLLOWING,
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
from .engine import Deadlock, Engine
from .messages import Messages


class Posted(Engine):
    """An engine whose kernel works on `Mail`.

    Parameters
    ----------
    processors
        Number of processors.
    packet
        Phits of a packet; messages are padded to whole packets.
    """

    def __init__(self, processors: int, packet: int) -> None:
        super().__init__(processors)
        self._packet_phits = packet
        self._tally = np.zeros(TALLY, np.int64)
        self._count = 0
        self._last = 0
        self._mail = Mail(
            np.zeros((0, MAIL_WIDTH), np.int64), *(np.zeros(0, np.int64),) * 4
        )
        self._jobs: dict[int, int] = {}
        self._job_names: list[int] = []
        self._empty: list[int] = []

    @abstractmethod
    def _advance(self, until: int) -> int:
        """Run the kernel until a cycle (if at least 0); return why it came back."""

    @abstractmethod
    def _blocked(self) -> str:
        """Name what is blocked."""

    def _add(self, messages: Messages, job: int) -> None:
        begin, end = self._count, self._count + len(messages)
        number = self._jobs.setdefault(job, len(self._jobs))
        if number == len(self._job_names):
            self._job_names.append(job)
        first, following = messages.successors
        self._grow(end, len(following))
        mail = self._mail
        if not len(messages):
            if not mail.jobs[number]:
                self._empty.append(job)
            return
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

    def _grow(self, count: int, waits: int) -> None:
        """Make room for messages, pairs and jobs."""
        mail = self._mail
        jobs = len(self._job_names)
        self._mail = Mail(
            _longer(mail.messages, count),
            _longer(mail.successors, self._last + waits),
            _longer(mail.heap, count),
            _longer(mail.jobs, jobs),
            _longer(mail.ended, jobs),
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
        why = int(self._advance(limit))
        if why == JOB_ENDED:
            self.time = int(tally[NOW])
            numbers = self._mail.ended[: tally[ENDED]].tolist()
            return sorted(self._job_names[i] for i in numbers)
        if why == IDLE:
            if tally[OPEN]:
                self.time = int(tally[NOW])
                raise Deadlock(self._blocked())
            if until is not None:
                tally[NOW] = limit
        self.time = int(tally[NOW])
        return []

    @property
    def sent(self) -> Ints:
        """Cycle at which each message was released, or -1; see `Engine.sent`."""
        return self._mail.messages[: self._count, SENT].copy()

    @property
    def delivered(self) -> Ints:
        """Cycle at which each message's last phit arrived, or -1."""
        return self._mail.messages[: self._count, DELIVERED].copy()


def _longer(values: Ints, least: int) -> Ints:
    """Return an array with at least so many rows, half again as many as needed."""
    if len(values) >= least:
        return values
    found = np.zeros((least + least // 2, *values.shape[1:]), np.int64)
    found[: len(values)] = values
    return found
