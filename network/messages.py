"""Messages that wait for each other: what every engine delivers.

A workload is a directed acyclic graph of messages. A message may be sent once its
release time has come and all messages that it waits for have been delivered. So a
broadcast is a set of messages without predecessors, a task with one outstanding
message a chain, and a kernel in which a receive releases sends a graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..instances import InputError

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Messages:
    """Messages between processors, and which of them wait for which.

    Parameters
    ----------
    source, target
        Processor that sends, and that receives, each message, shape (m,). They may
        be equal: such a message is delivered when it is released, and uses no link.
    length
        Length of each message in flits (wormhole) or phits (virtual cut-through),
        header included, at least 1.
    release
        Cycles after the addition to an engine before which a message is not sent.
    before, after
        Pairs of messages, shape (e,): ``after[i]`` waits for ``before[i]``.

    Raises
    ------
    InputError
        If shapes differ, a number is out of range, or messages wait in a circle.
    """

    source: Ints
    target: Ints
    length: Ints
    release: Ints
    before: Ints
    after: Ints

    def __post_init__(self) -> None:
        m = len(self.source)
        for name in ("source", "target", "length", "release", "before", "after"):
            values = np.ascontiguousarray(getattr(self, name), dtype=np.int64)
            if values.ndim != 1:
                raise InputError("must be a list of integers", name)
            object.__setattr__(self, name, values)
        for name in ("target", "length", "release"):
            if len(getattr(self, name)) != m:
                raise InputError(f"must have {m} entries, as source has", name)
        if len(self.before) != len(self.after):
            raise InputError("must be as long as before", "after")
        for name, least in (("source", 0), ("target", 0), ("length", 1)):
            _at_least(getattr(self, name), least, name)
        _at_least(self.release, 0, "release")
        for name in ("before", "after"):
            values = getattr(self, name)
            _at_least(values, 0, name)
            if len(values) and values.max() >= m:
                at = int(values.argmax())
                raise InputError(
                    f"there are only {m} messages, not {values[at]}", f"{name}[{at}]"
                )
        self._refuse_circles()

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def waits(self) -> Ints:
        """Number of messages that each waits for."""
        return np.bincount(self.after, minlength=len(self)).astype(np.int64)

    @cached_property
    def successors(self) -> tuple[Ints, Ints]:
        """Messages that wait for each: of message i ``next[first[i]:first[i + 1]]``."""
        order = np.argsort(self.before, kind="stable")
        counts = np.bincount(self.before, minlength=len(self))
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return first, self.after[order]

    def on(self, processors: Sequence[int]) -> Messages:
        """Return the same messages between processors: task i runs on processors[i]."""
        place = np.asarray(processors, dtype=np.int64)
        tasks = max(
            (int(a.max()) for a in (self.source, self.target) if len(a)), default=-1
        )
        if tasks >= len(place):
            raise InputError(f"task {tasks} has no processor: only {len(place)} given")
        placed = copy(self)  # the same wait for each other: in no circle
        for name in ("source", "target"):
            nodes = place[getattr(self, name)]
            _at_least(nodes, 0, name)
            object.__setattr__(placed, name, nodes)
        return placed

    def _refuse_circles(self) -> None:
        if (self.before < self.after).all():
            return
        waits = self.waits.copy()
        first, following = self.successors
        ready = np.flatnonzero(waits == 0).tolist()
        seen = 0
        while ready:
            message = ready.pop()
            seen += 1
            for other in following[first[message] : first[message + 1]].tolist():
                waits[other] -= 1
                if not waits[other]:
                    ready.append(other)
        if seen < len(self):
            stuck = int(np.flatnonzero(waits)[0])
            raise InputError(f"message {stuck} waits for itself, by way of others")


def messages(
    rows: Iterable[tuple[int, int, int]],
    waits: Iterable[tuple[int, int]] = (),
    release: Sequence[int] | None = None,
) -> Messages:
    """Make messages of rows (source, target, length) and pairs (before, after).

    Examples
    --------
    >>> len(messages([(0, 1, 4), (1, 0, 4)], [(0, 1)]))  # a question and its answer
    2
    """
    table = np.array(list(rows), dtype=np.int64).reshape(-1, 3)
    pairs = np.array(list(waits), dtype=np.int64).reshape(-1, 2)
    times = np.zeros(len(table), np.int64) if release is None else np.asarray(release)
    return Messages(
        table[:, 0], table[:, 1], table[:, 2], times, pairs[:, 0], pairs[:, 1]
    )


def _at_least(values: Ints, least: int, field: str) -> None:
    if len(values) and values.min() < least:
        at = int(values.argmin())
        raise InputError(
            f"must be at least {least}, not {values[at]}", f"{field}[{at}]"
        )
