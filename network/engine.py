"""What every engine offers: messages are added, time passes, jobs end.

An engine simulates one interconnect. Jobs are sets of messages under one number; an
engine stops when the last message of a job has been delivered, so that a scheduler can
release its processors and start others at that very cycle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from ..instances import InputError, Topology
from .messages import Ints, Messages

Network = Topology


class Deadlock(Exception):
    """Packets block each other, or a message can never be sent.

    Parameters
    ----------
    message
        Which packets are blocked, where, and since when.
    """


FEWEST = 4096
"""Messages that are forgotten at once, at least."""


class JobNumbers:
    """Small numbers for jobs under way; those of ended jobs are given again.

    Attributes
    ----------
    most
        Numbers in use or to be given again: 0 to ``most - 1``.
    """

    def __init__(self) -> None:
        self.most = 0
        self._numbers: dict[int, int] = {}
        self._names: dict[int, int] = {}
        self._spare: list[int] = []

    def __contains__(self, job: int) -> bool:
        return job in self._numbers

    def number(self, job: int) -> int:
        """Return the number of a job, a new one if it has none."""
        if job not in self._numbers:
            if not self._spare:
                self._spare.append(self.most)
                self.most += 1
            number = self._spare.pop()
            self._numbers[job] = number
            self._names[number] = job
        return self._numbers[job]

    def release(self, number: int) -> int:
        """Take a number back; return the job that had it."""
        job = self._names.pop(number)
        del self._numbers[job]
        self._spare.append(number)
        return job


class Engine(ABC):
    """An interconnect in operation.

    Parameters
    ----------
    processors
        Number of processors.

    Attributes
    ----------
    time
        Current cycle.
    """

    time: int

    def __init__(self, processors: int) -> None:
        self.processors = processors
        self.time = 0
        self._count = 0
        self._forgotten = 0
        self._open = 0
        """No message before this one is under way."""

    def add(self, messages: Messages, job: int = 0) -> None:
        """Add the messages of a job at the current cycle.

        Parameters
        ----------
        messages
            Between processors of this network; their release times count from now.
        job
            Number of the job, at least 0; messages may be added to a job again.

        Raises
        ------
        InputError
            If a processor does not exist, or two have no route.
        """
        for name, nodes in (("source", messages.source), ("target", messages.target)):
            if len(nodes) and nodes.max() >= self.processors:
                at = int(nodes.argmax())
                raise InputError(
                    f"there are only {self.processors} processors, not {nodes[at]}",
                    f"{name}[{at}]",
                )
        self._add(messages, job)

    @abstractmethod
    def _add(self, messages: Messages, job: int) -> None: ...

    @abstractmethod
    def run(self, until: int | None = None) -> list[int]:
        """Go on until a job ends, a cycle is reached, or nothing is left to do.

        Parameters
        ----------
        until
            Last cycle to simulate; None for no limit.

        Returns
        -------
        list of int
            The jobs whose last message was delivered at the cycle `time`, in increasing
            order; empty if `until` was reached, or no message is left.

        Raises
        ------
        Deadlock
            If messages are left, but nothing can move; the blocked packets are named.
        """

    @abstractmethod
    def _cycles(self) -> tuple[Ints, Ints]:
        """Return when messages were released, and when they arrived, or -1."""

    @property
    def sent(self) -> Ints:
        """Cycle at which each message was released, in order of addition; or -1."""
        return self._cycles()[0].copy()

    @property
    def delivered(self) -> Ints:
        """Cycle at which each message's last flit arrived, or -1; as `sent`."""
        return self._cycles()[1].copy()

    @property
    @abstractmethod
    def carried(self) -> Ints:
        """Number of flits that each channel has carried so far; see `channels`."""

    @abstractmethod
    def channels(self) -> list[tuple[str, npt.NDArray[np.int64]]]:
        """Return kinds of channels: their name, and the two ends of each channel."""

    def forget(self) -> None:
        """Drop the messages before the first that is under way, if they are many.

        At least half of all messages, and `FEWEST`: so a message is moved less than
        once, and there is room for no more than about three times those from the first
        under way to the last added, or for `FEWEST`, and for those of one more job.
        `sent` and `delivered` then begin with a later message; nothing else changes.
        """
        arrived = self._cycles()[1]
        while self._open < self._count:
            under_way = arrived[self._open : self._open + FEWEST] < 0
            if under_way.any():
                self._open += int(under_way.argmax())
                break
            self._open += len(under_way)
        n = self._open
        if n < max(FEWEST, self._count - n):
            return
        self._drop(n)
        self._count -= n
        self._forgotten += n
        self._open = 0

    @abstractmethod
    def _drop(self, n: int) -> None:
        """Forget the first n messages, all delivered, and number the others again.

        Messages that wait for others have not been delivered, so that none of the first
        n is named by one that stays and will be looked at again.
        """

    def finish(self) -> int:
        """Run until nothing is left; return the cycle of the last arrival."""
        last = self.time
        while self.run():
            last = self.time
        return last
