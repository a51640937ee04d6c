"""What the jobs of a stream send: a workload each, as large as the job."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...instances import InputError, IntArray
from ...instances.reading.suggestions import entry_named
from ...simulation.stream.jobs import StreamJob, draw_integers
from ..messages import Messages
from .causal import mixed
from .format import Workload
from .io_side import IoSide
from .table import WORKLOADS, workload

RUN_TIME = "run-time"
"""Instead of a distribution: a message per second of a job's run time."""
_SHARES = {"all-to-all": 0.0, "io": 1.0, "mixed": 0.5}
"""Traffic of which a job may send any number of messages; the part that is I/O."""
_MOST_MESSAGES = 2**22


@dataclass(frozen=True, kw_only=True)
class JobTraffic:
    """The messages of a job.

    Parameters
    ----------
    name
        A workload by name, for as many tasks as the job has processors, once; or
        ``mixed``, of which every job is drawn to be all-to-all broadcast or I/O.
    size
        Bytes of the longest messages.
    messages
        Messages of a job, all tasks together: ``exponential:MEAN``,
        ``uniform:LOW:HIGH`` or `RUN_TIME`. For all-to-all, io and mixed; "" for one
        from everyone to everyone.
    io_share
        Probability that a job of ``mixed`` does I/O; None for a half.
    io
        The machine with its I/O nodes; for io and mixed.

    Raises
    ------
    InputError
        If there is no such workload, or options do not go together.

    Examples
    --------
    >>> job = StreamJob(1, 0, 3, 0, 0)
    >>> sent = JobTraffic(name="n-to-n", size=64)
    >>> len(sent(job, np.array([4, 5, 6]), np.random.default_rng(1)))
    6
    """

    name: str = "all-to-all"
    size: int = 64
    messages: str = ""
    io_share: float | None = None
    io: IoSide | None = None

    def __post_init__(self) -> None:
        known = dict.fromkeys([*WORKLOADS, "mixed"])
        entry_named(self.name, known, "traffic", "traffic")
        if self.name in ("io", "mixed") and self.io is None:
            raise InputError("needs I/O nodes", "traffic", self.name)
        if self.name not in ("io", "mixed") and self.io is not None:
            raise InputError("has no I/O nodes", "traffic", self.name)
        if self.name == "mixed" and not self.messages:
            raise InputError("must be given for mixed", "messages")
        if self.messages and self.name not in _SHARES:
            raise InputError(
                f"are for {', '.join(_SHARES)}: {self.name} is sent once", "messages"
            )
        if self.messages not in ("", RUN_TIME):
            self._count(0, np.random.default_rng(0))
        if self.io_share is not None:
            if self.name != "mixed":
                raise InputError("is for mixed", "io-share")
            if not 0 <= self.io_share <= 1:
                raise InputError("must lie between 0 and 1", "io-share", self.io_share)

    def _count(self, seconds: int, random: np.random.Generator) -> int:
        """Return how many messages a job sends."""
        if self.messages == RUN_TIME:
            return min(seconds, _MOST_MESSAGES)
        return int(
            draw_integers("messages", self.messages, 1, random, _MOST_MESSAGES)[0]
        )

    def of(self, job: StreamJob, random: np.random.Generator) -> Workload:
        """Return the messages of a job between its tasks and I/O nodes.

        Raises
        ------
        InputError
            If there is no such workload for so many tasks.
        """
        nodes = 0 if self.io is None else len(self.io.io)
        if not self.messages:
            try:
                return _once(self.name, job.processors, self.size, nodes)
            except InputError as error:
                raise InputError(
                    error.problem, f"job {job.number}: {error.field}", error.value
                ) from None
        share = _SHARES[self.name] if self.io_share is None else self.io_share
        return mixed(
            job.processors,
            self.size,
            share,
            nodes,
            self._count(job.seconds, random),
            "job",
            seed=int(random.integers(2**62)),
        )

    def __call__(
        self, job: StreamJob, processors: IntArray, random: np.random.Generator
    ) -> Messages:
        """Return the messages of a job between nodes of the network."""
        found = self.of(job, random)
        if self.io is None:
            tasks = processors.tolist()
            return found.on([*tasks, *[tasks[0]] * (found.tasks - len(tasks))])
        return found.on([*self.io.nodes(processors).tolist(), *self.io.io.tolist()])


@lru_cache(maxsize=256)
def _once(name: str, tasks: int, size: int, io: int) -> Workload:
    return workload(name, tasks, size, io if name == "io" else 0)
