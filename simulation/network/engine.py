"""What every engine offers: messages are added, time passes, jobs end.

An engine simulates one interconnect. Jobs are sets of messages under one number; an
engine stops when the last message of a job has been delivered, so that a scheduler can
release its processors and start others at that very cycle.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from ...instances import InputError
from .messages import Ints, Messages


class Deadlock(Exception):
    """Packets block each other, or a message can never be sent.

    Parameters
    ----------
    message
        Which packets are blocked, where, and since when.
    """


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
                    field=f"{name}[{at}]",
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

    @property
    @abstractmethod
    def sent(self) -> Ints:
        """Cycle at which each message was released, in order of addition; or -1."""

    @property
    @abstractmethod
    def delivered(self) -> Ints:
        """Cycle at which each message's last flit arrived, or -1; as `sent`."""

    @property
    @abstractmethod
    def carried(self) -> Ints:
        """Number of flits that each channel has carried so far; see `channels`."""

    @abstractmethod
    def channels(self) -> list[tuple[str, npt.NDArray[np.int64]]]:
        """Return kinds of channels: their name, and the two ends of each channel."""

    def forget(self) -> None:  # noqa: B027 - not all engines do
        """Drop messages that have been delivered, where that is worth the effort.

        `sent` and `delivered` then begin with a later message; nothing else changes.
        Engines that run streams of jobs implement it, to need no more memory than the
        messages under way do.
        """

    def finish(self) -> int:
        """Run until nothing is left; return the cycle of the last arrival."""
        last = self.time
        while self.run():
            last = self.time
        return last
