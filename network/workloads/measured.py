"""Measured communication: who sent how many bytes to whom, read from files.

Three forms are read, by their first line:

- ``src,dst,bytes,messages``: one row per ordered pair of ranks (mpiP).
- ``u,v,weight``: one row per unordered pair, the bytes of both directions together;
  each direction gets half, rounded up. Decimals must be whole numbers (``216.0``).
- rows of integers: a square matrix from the last rank's row to the first's (EagerMap).

Files may be compressed by xz. In the first two the number of ranks is one more than the
highest, unless it is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...instances import InputError
from ...instances.errors import in_file
from ...instances.reading.files import decode_text, read_bytes, stem
from ...instances.reading.numbers import at_least, between, positive
from ...instances.reading.packed import unpack
from ..messages import Ints
from .format import MOST_BYTES, MOST_TASKS, Builder, Workload

_WHOLE = re.compile(r"(-?\d{1,18})(?:\.0*)?", re.ASCII)
_INTEGER = re.compile(r"-?\d{1,18}", re.ASCII)
_MOST_MESSAGES = 2**22


@dataclass(frozen=True, eq=False)
class Traffic:
    """Bytes and messages from ranks to others.

    Parameters
    ----------
    name
        Short name.
    tasks
        Number of ranks.
    source, target
        Ordered pairs of different ranks, each once, shape (m,).
    size, count
        Bytes and messages of each pair, shape (m,).
    """

    name: str
    tasks: int
    source: Ints
    target: Ints
    size: Ints
    count: Ints

    def at_least(self, size: int) -> Traffic:
        """Return the pairs with that many bytes, without set-up and bookkeeping."""
        return self._only(self.size >= size, self.tasks)

    def first(self, tasks: int) -> Traffic:
        """Return what the first so many ranks send to each other."""
        return self._only((self.source < tasks) & (self.target < tasks), tasks)

    def _only(self, kept: npt.NDArray[np.bool_], tasks: int) -> Traffic:
        return Traffic(
            self.name,
            tasks,
            self.source[kept],
            self.target[kept],
            self.size[kept],
            self.count[kept],
        )

    def matrix(self) -> Ints:
        """Return the bytes from every rank to every other, shape (tasks, tasks)."""
        if self.tasks > 2**12:
            raise InputError(f"a matrix needs at most {2**12}", "tasks", self.tasks)
        found = np.zeros((self.tasks, self.tasks), np.int64)
        found[self.source, self.target] = self.size
        return found

    def workload(self, rounds: int = 1, per: int = 1) -> Workload:
        """Return a workload in which every pair sends its bytes in some rounds.

        In a round every rank sends to all its partners at once, once it has received
        all of the round before.

        Parameters
        ----------
        rounds
            Number of rounds, at least 1.
        per
            Only one byte of so many is sent, rounded up, so that a run takes less time.

        Raises
        ------
        InputError
            If a number is below 1, or there would be more than 2^22 messages.
        """
        positive(rounds=rounds, per=per)
        if rounds * len(self.source) > _MOST_MESSAGES:
            raise InputError(
                f"would make more than {_MOST_MESSAGES} messages", "rounds", rounds
            )
        build = Builder(self.tasks)
        sizes = -(-self.size // (per * rounds))
        rows = list(
            zip(self.source.tolist(), self.target.tolist(), sizes.tolist(), strict=True)
        )
        for _ in range(rounds):
            build.step(rows)
        return build.workload(self.name)


def read_traffic(path: str | Path, tasks: int | None = None) -> Traffic:
    """Read measured communication.

    Parameters
    ----------
    path
        File in one of the three forms above, up to 32 MiB unpacked.
    tasks
        Number of ranks; by default as many as the file names.

    Raises
    ------
    InputError
        If the file is not valid: one line with file, line, field and value.
    """
    text = decode_text(unpack(read_bytes(path), file=path), file=path)
    with in_file(path):
        return parse_traffic(text, stem(path), tasks)


def parse_traffic(text: str, name: str, tasks: int | None = None) -> Traffic:
    """Read measured communication from text; see `read_traffic`."""
    if tasks is not None:
        between(tasks, 1, MOST_TASKS, "tasks")
    lines = text.splitlines()
    if not lines:
        raise InputError("has no lines", "line 1")
    header = lines[0].strip()
    read = _FORMS.get(header, _square)
    rows = np.array(list(read(lines)), np.int64).reshape(-1, 5)
    line, source, target, size, count = rows.T
    least = len(lines) if read is _square else int(rows[:, 1:3].max(initial=-1)) + 1
    if tasks is not None and tasks < least:
        raise InputError(f"must be at least {least}", "tasks", tasks)
    pairs = source * MOST_TASKS + target
    order = np.argsort(pairs, kind="stable")
    twice = np.flatnonzero(np.diff(pairs[order]) == 0)
    if len(twice):
        again = int(order[twice + 1].min())
        raise InputError(
            "is listed twice",
            f"line {line[again]}: pair",
            [int(source[again]), int(target[again])],
        )
    kept = order[size[order] > 0]
    return Traffic(
        name,
        max(1, least) if tasks is None else tasks,
        source[kept],
        target[kept],
        size[kept],
        count[kept],
    )


_Row = tuple[int, int, int, int, int]
"""Line, sender, receiver, bytes, messages."""


def _read_directions(lines: list[str]) -> Iterator[_Row]:
    names = ("src", "dst", "bytes", "messages")
    for number, text in enumerate(lines[1:], 2):
        u, v, size, count = _numbers(text, names, number, _INTEGER)
        _different(u, v, number)
        yield number, u, v, size, count


def _read_pairs(lines: list[str]) -> Iterator[_Row]:
    for number, text in enumerate(lines[1:], 2):
        u, v, size = _numbers(text, ("u", "v", "weight"), number, _WHOLE)
        _different(u, v, number)
        for one, other in ((u, v), (v, u)):
            yield number, one, other, -(-size // 2), 1


def _square(lines: list[str]) -> Iterator[_Row]:
    tasks = len(lines)
    between(tasks, 1, 2**12, "lines")
    names = tuple(f"column {i + 1}" for i in range(tasks))
    for number, text in enumerate(lines, 1):
        u = tasks - number
        values = _numbers(text, names, number, _INTEGER, ranks=0)
        for v, size in enumerate(values):
            if u != v and size:
                yield number, u, v, size, 1


_FORMS: dict[str, Callable[[list[str]], Iterator[_Row]]] = {
    "src,dst,bytes,messages": _read_directions,
    "u,v,weight": _read_pairs,
}


def _numbers(
    text: str,
    names: tuple[str, ...],
    number: int,
    form: re.Pattern[str],
    ranks: int = 2,
) -> list[int]:
    """Return the numbers of a line, the first ``ranks`` of which are ranks."""
    parts = text.split(",")
    if len(parts) != len(names):
        raise InputError(f"must have {len(names)} fields", f"line {number}", len(parts))
    found = []
    for i, (name, part) in enumerate(zip(names, parts, strict=True)):
        field = f"line {number}: {name}"
        match = form.fullmatch(part.strip())
        if not match:
            raise InputError("must be a whole number", field, part)
        value = int(match.group(form.groups))
        at_least(value, 0, field)
        between(value, 0, MOST_TASKS - 1 if i < ranks else MOST_BYTES, field)
        found.append(value)
    return found


def _different(u: int, v: int, number: int) -> None:
    if u == v:
        raise InputError("sends to itself", f"line {number}: rank", u)
