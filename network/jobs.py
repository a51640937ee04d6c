"""Streams of jobs that hold their processors until their last message arrives.

Times are cycles: a stream's `submit` and `estimate`. Its run times are not used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..heuristics.allocation.allocator import Allocation
from ..instances import Grid, InputError, IntArray, Mesh
from ..instances.reading.numbers import at_least
from ..instances.reading.suggestions import entry_named
from ..simulation.stream.jobs import StreamJob
from ..simulation.stream.simulator import Ends
from .engine import Engine
from .messages import Messages
from .workloads.causal import all_to_all, bipartite_io, mixed
from .workloads.io_side import IoSide

Traffic = Callable[[StreamJob, IntArray, np.random.Generator], Messages]
"""Messages of a job: between nodes of an engine, its processors given by task."""


class Deliveries(Ends):
    """Jobs end when the last of their messages has been delivered.

    The messages of a job are drawn from a random stream of its own, by its position in
    the stream of jobs: they are the same whatever the allocator does. A job without
    messages ends when it starts.

    Parameters
    ----------
    engine
        The network, at cycle 0 and without messages.
    traffic
        What a job sends.
    seed
        Of the traffic, at least 0.

    Raises
    ------
    InputError
        If the engine has been used, or the seed is negative.

    Notes
    -----
    Memory, with `RigidWorms`: 128 bytes per message from the first under way to the
    last added, doubled twice at most, and some 100 bytes per job; all
    engines forget messages of ended jobs.

    Examples
    --------
    Two jobs that need the same processors; each sends a message around the corner:

    >>> from closeknit.methods.allocators.table import allocator
    >>> from closeknit.network.messages import messages
    >>> from closeknit.network.worm.engine import RigidWorms
    >>> from closeknit.simulation.stream.simulator import simulate
    >>> def corner(job, processors, random):
    ...     return messages([(processors[0], processors[3], 8)])
    >>> grid = Mesh(2, 2)
    >>> jobs = [StreamJob(i, 0, processors=4, seconds=0, estimate=0) for i in (1, 2)]
    >>> ends = Deliveries(RigidWorms(grid), corner)
    >>> [event.time for event in simulate(jobs, allocator("mc", grid), ends=ends)]
    [0, 11, 11, 22]
    """

    def __init__(self, engine: Engine, traffic: Traffic, seed: int = 0) -> None:
        at_least(seed, 0, "seed")
        if engine.time or len(engine.sent):
            raise InputError("must not have been used before", "engine")
        self.engine = engine
        self._traffic = traffic
        self._seed = seed

    def begin(self, place: int, job: StreamJob, grant: Allocation, now: int) -> None:
        """Send the messages of a job; see `Ends`."""
        assert now == self.engine.time
        random = np.random.default_rng((self._seed, place))
        self.engine.forget()
        self.engine.add(self._traffic(job, grant.used, random), place)

    def until(self, time: int | None) -> tuple[int, list[int]] | None:
        """Run the network up to the next end of jobs; see `Ends`."""
        ended = self.engine.run(time)
        return (self.engine.time, ended) if ended else None


@dataclass(frozen=True, kw_only=True)
class MixedTraffic:
    """All-to-all broadcast or I/O of a drawn number of messages (see `mixed`).

    The machine is a mesh of two axes, with a column of I/O nodes, one per row, on its
    west side: the engine's network has the column first.

    Parameters
    ----------
    shape
        Rows and columns of processors, without the I/O nodes.
    share
        Probability of I/O, 0 to 1.
    quota
        How many messages a job sends: of a ``job`` all tasks together a drawn number,
        of a ``task`` each of them the same drawn number, of a ``pattern`` every task
        one to each I/O node or to each other task.
    messages
        Mean of the drawn number; exponential, rounded, and at least 1.
    length
        Flits of a message.
    per
        Whether ``job`` or ``message`` is drawn to be I/O or communication; a pattern
        is drawn per job.
    first
        First I/O node of a task, the others follow in turn: ``drawn``, that of the
        task's own ``row``, that of the task's ``number``, or that of the ``top`` row.
        A pattern has drawn ones.
    outstanding
        Messages of a task that may be under way at once; 0 for all.

    Raises
    ------
    InputError
        For another quota or first I/O node, when messages are drawn for others.
    """

    shape: tuple[int, int]
    share: float
    quota: str = "job"
    messages: float = 256.0
    length: int = 4
    per: str = "job"
    first: str = "drawn"
    outstanding: int = 1

    def __post_init__(self) -> None:
        entry_named(self.quota, dict.fromkeys(_QUOTAS), "quota", "quota")
        entry_named(self.first, dict.fromkeys(_FIRST), "first", "first I/O node")

    @property
    def network(self) -> Grid:
        """The machine with its I/O nodes."""
        return self._side.network

    @property
    def _side(self) -> IoSide:
        return IoSide(Mesh(self.shape))

    def nodes(self, processors: IntArray) -> list[int]:
        """Return the nodes of processors, and then those of the I/O nodes, by rows."""
        side = self._side
        return [*side.nodes(processors).tolist(), *side.io.tolist()]

    def __call__(
        self, job: StreamJob, processors: IntArray, random: np.random.Generator
    ) -> Messages:
        """Draw the messages of a job."""
        tasks, io = job.processors, self.shape[0]
        nodes = self.nodes(processors)
        number = max(1, round(random.exponential(self.messages)))
        seed = int(random.integers(2**62))
        if self.quota == "pattern":
            if random.random() < self.share:
                whole = bipartite_io(tasks, self.length, io, self.outstanding, seed)
            else:
                whole = all_to_all(tasks, self.length, self.outstanding)
            return whole.on(nodes[: whole.tasks], unit=1)
        first = None
        if self.first == "row":
            first = tuple((processors // self.shape[1]).tolist())
        elif self.first != "drawn":
            first = tuple(i % io if self.first == "number" else 0 for i in range(tasks))
        if self.quota == "task":
            number *= tasks
        draw = _kept if number <= _FEW else mixed
        return draw(
            *(tasks, self.length, self.share, io, number, self.per),
            *(self.outstanding, seed, first),
        ).on(nodes, unit=1)


_QUOTAS = ("job", "task", "pattern")
_FIRST = ("drawn", "row", "number", "top")
_FEW = 4096
"""Messages of a job of which what was drawn is kept."""
_kept = lru_cache(maxsize=1024)(mixed)
"""Draw messages; several allocators may be given the same stream one by one."""
