"""Workloads: messages between tasks in bytes, and which wait for which; as files, too.

    {"format": "closeknit/workload", "version": 1, "name": "question and answer",
     "tasks": 2, "messages": [[0, 1, 64], [1, 0, 65536]], "waits": [[0, 1]]}

A message is its sender, its receiver and its bytes; a pair of waits names a message and
one that is sent after it has arrived. ``io`` (by default 0) is how many of the last
tasks are I/O nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...instances import InputError
from ...instances.errors import in_file
from ...instances.reading.fields import instance, integer, integers, lists
from ...instances.reading.files import read_text, stem
from ...instances.reading.numbers import at_least, between
from ...instances.reading.parsing import parse_json
from ..messages import Ints, Messages

FORMAT = "closeknit/workload"
PHIT_BYTES = 4
"""Bytes of a phit (Navaridas 2009, section III C)."""
MOST_TASKS = 2**20
MOST_BYTES = 2**50


@dataclass(frozen=True, eq=False)
class Workload:
    """Messages between tasks, and which of them wait for which.

    Parameters
    ----------
    name
        Short name.
    tasks
        Number of tasks, I/O nodes included.
    messages
        Sender, receiver and bytes, shape (m, 3). A message of a task to itself uses no
        link; it joins those that it waits for.
    waits
        Pairs of messages, shape (e, 2): the second waits for the first.
    io
        The last so many tasks are I/O nodes.
    source, seed
        Where it comes from.

    Raises
    ------
    InputError
        If a task or message does not exist, bytes are negative or too many, or messages
        wait in a circle.
    """

    name: str
    tasks: int
    messages: Ints
    waits: Ints
    io: int = 0
    source: str = ""
    seed: int | None = None

    def __post_init__(self) -> None:
        between(self.tasks, 1, MOST_TASKS, "tasks")
        between(self.io, 0, self.tasks, "io")
        for name, width in (("messages", 3), ("waits", 2)):
            values = np.ascontiguousarray(getattr(self, name), dtype=np.int64)
            if values.size == 0:
                values = values.reshape(0, width)
            if values.ndim != 2 or values.shape[1] != width:
                raise InputError(f"must be rows of {width} integers", name)
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        limits = (
            ("messages", 0, self.tasks - 1),
            ("messages", 1, self.tasks - 1),
            ("messages", 2, MOST_BYTES),
            ("waits", 0, len(self.messages) - 1),
            ("waits", 1, len(self.messages) - 1),
        )
        for name, column, most in limits:
            values = getattr(self, name)[:, column]
            bad = np.flatnonzero((values < 0) | (values > most))
            if len(bad):
                i = int(bad[0])
                between(int(values[i]), 0, most, f"{name}[{i}][{column}]")
        self.to_messages()  # refuses circles

    def __len__(self) -> int:
        return len(self.messages)

    @property
    def bytes(self) -> int:
        """Bytes of all messages together."""
        return int(self.messages[:, 2].sum())

    def to_messages(self, unit: int = PHIT_BYTES) -> Messages:
        """Return the messages between tasks in phits or flits of so many bytes.

        Parameters
        ----------
        unit
            Bytes of a phit or flit, at least 1; every message has at least one.
        """
        at_least(unit, 1, "unit")
        source, target, size = self.messages.T
        length = np.maximum(1, -(-size // unit))
        return Messages(
            source, target, length, 0 * size, self.waits[:, 0], self.waits[:, 1]
        )

    def on(self, processors: Sequence[int], unit: int = PHIT_BYTES) -> Messages:
        """Return the messages between processors: task i runs on processors[i].

        Raises
        ------
        InputError
            Unless there is one processor per task, and none negative.
        """
        if len(processors) != self.tasks:
            raise InputError(
                f"must be {self.tasks} processors, one per task of {self.name}",
                "placement",
                len(processors),
            )
        return self.to_messages(unit).on(processors)

    def matrix(self) -> Ints:
        """Return the bytes from every task to every other, shape (tasks, tasks)."""
        found = np.zeros((self.tasks, self.tasks), np.int64)
        source, target, size = self.messages.T
        np.add.at(found, (source, target), size)
        return found


class Builder:
    """Collects messages in steps; a task begins one when it has got all before it."""

    def __init__(self, tasks: int) -> None:
        self.tasks = tasks
        self.rows: list[tuple[int, int, int]] = []
        self.waits: list[tuple[int, int]] = []
        self._inbox: list[list[int]] = [[] for _ in range(tasks)]

    def send(self, source: int, target: int, size: int, after: Iterable[int]) -> int:
        """Add one message that waits for some; return its number."""
        number = len(self.rows)
        self.rows.append((source, target, size))
        self.waits += [(other, number) for other in after]
        return number

    def step(self, messages: Iterable[tuple[int, int, int]]) -> None:
        """Add messages (sender, receiver, bytes) that are sent at the same step.

        Each waits for all that its sender has been sent in the steps before, as in a
        program that receives what belongs to a step before it goes on.
        """
        given = list(messages)
        for u in sorted({u for u, _, _ in given}):
            self._join(u)
        received: list[list[int]] = [[] for _ in range(self.tasks)]
        for u, v, size in given:
            received[v].append(self.send(u, v, size, self._inbox[u]))
        for v, some in enumerate(received):
            self._inbox[v] += some

    def pass_on(self, source: int, targets: Sequence[int], size: int) -> None:
        """Send from a task to others, when it has got all that it was sent so far."""
        if targets:
            self._join(source)
        for target in targets:
            number = self.send(source, target, size, self._inbox[source])
            self._inbox[target].append(number)

    def _join(self, task: int) -> None:
        """Let one message, of no bytes and to itself, wait for all that a task got."""
        if len(self._inbox[task]) > 1:
            self._inbox[task] = [self.send(task, task, 0, self._inbox[task])]

    def workload(self, name: str, io: int = 0) -> Workload:
        """Return what was collected."""
        return Workload(
            name,
            self.tasks,
            np.array(self.rows, np.int64).reshape(-1, 3),
            np.array(self.waits, np.int64).reshape(-1, 2),
            io,
        )


def workload_of(value: Any, *, default_name: str = "workload") -> Workload:
    """Return the workload in a parsed JSON document.

    Raises
    ------
    InputError
        If it is not valid: one line with the field and the value.
    """
    return Workload(**{"waits": (), **_read(value, default_name)})


def read_workload(path: str | Path) -> Workload:
    """Read a workload from a file.

    Raises
    ------
    InputError
        If it cannot be read or is not valid: one line with file, field and value.
    """
    with in_file(path):
        return workload_of(parse_json(read_text(path)), default_name=stem(path))


def _rows(value: Any, field: str, width: int) -> Ints:
    """Return rows of integers below 2^62."""
    rows = []
    for i, one in enumerate(lists(value, field)):
        row = integers(one, f"{field}[{i}]")
        if len(row) != width:
            raise InputError(f"must be {width} integers", f"{field}[{i}]", list(row))
        for j, number in enumerate(row):
            between(number, 0, 2**62, f"{field}[{i}][{j}]")
        rows.append(row)
    return np.array(rows, np.int64).reshape(-1, width)


_read = instance(
    FORMAT,
    {"tasks": integer, "messages": partial(_rows, width=3)},
    {"waits": partial(_rows, width=2), "io": integer},
)
