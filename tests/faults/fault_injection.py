"""Make the n-th call of named functions fail, for every n, as SQLite tests itself.

A `Point` names a function and what it raises. An `Injector` replaces all its points
for as long as it is entered, counts the calls of all together, and lets one of them
fail (or that one and all later ones). `every_fault` repeats a trial with the first,
second, third ... call failing, until a trial ends before its call comes. `in_child`
runs a trial in a forked process with streams of its own, so that exit status, output
and tracebacks are those of a command; counts are shared with the child.
"""

from __future__ import annotations

import errno
import inspect
import os
import pkgutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from multiprocessing import Value
from time import monotonic, sleep
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Point:
    """A function that can fail.

    Parameters
    ----------
    place
        ``module:name`` or ``module:Class.name``, where the caller looks it up.
    error
        Makes what it raises.
    """

    place: str
    error: Callable[[], BaseException]


def failing(number: int, *places: str) -> tuple[Point, ...]:
    """Return points that raise the OSError of this number, such as ``errno.EIO``."""

    def error() -> BaseException:
        return OSError(number, os.strerror(number))

    return tuple(Point(place, error) for place in places)


def full(*places: str) -> tuple[Point, ...]:
    """Return points at which the disk is full."""
    return failing(errno.ENOSPC, *places)


def broken(*places: str) -> tuple[Point, ...]:
    """Return points at which the device fails."""
    return failing(errno.EIO, *places)


def out_of_memory(*places: str) -> tuple[Point, ...]:
    """Return points at which no memory is left."""
    return tuple(Point(place, MemoryError) for place in places)


class Injector:
    """Lets the n-th call of the points fail while it is entered.

    Counts are kept in shared memory, so that forked children count as well. A call
    made by a spawned process does not.

    Parameters
    ----------
    points
        The functions.
    at
        Which of their calls fails, from 1 on.
    lasting
        Whether all later calls fail, too: a disk that stays full.
    """

    def __init__(
        self, points: Sequence[Point], at: int, *, lasting: bool = False
    ) -> None:
        self.points = tuple(points)
        self.at = at
        self.lasting = lasting
        self._count = Value("q", 0)
        self._met = Value("q", -1)
        self._replaced: list[tuple[Any, str, Any]] = []

    @property
    def calls(self) -> int:
        """How many calls there have been."""
        return int(self._count.value)

    @property
    def met(self) -> Point | None:
        """The point that failed first; None if none did."""
        return None if self._met.value < 0 else self.points[self._met.value]

    def __enter__(self) -> Injector:
        for number, point in enumerate(self.points):
            module, _, path = point.place.partition(":")
            *owners, name = path.split(".")
            owner = pkgutil.resolve_name(":".join((module, ".".join(owners))))
            before = inspect.getattr_static(owner, name)
            self._replaced.append((owner, name, before))
            setattr(owner, name, self._guarded(before, number))
        return self

    def __exit__(self, *_: object) -> None:
        for owner, name, before in reversed(self._replaced):
            setattr(owner, name, before)
        self._replaced.clear()

    def call(self, number: int) -> None:
        """Count a call of a point; raise if it is the one to fail."""
        with self._count.get_lock():
            self._count.value += 1
            count = self._count.value
            fails = count >= self.at if self.lasting else count == self.at
            if fails and self._met.value < 0:
                self._met.value = number
        if fails:
            raise self.points[number].error()

    def _guarded(self, before: Any, number: int) -> Any:
        if isinstance(before, staticmethod | classmethod):
            return type(before)(self._guarded(before.__func__, number))

        @wraps(before)
        def guarded(*args: Any, **keywords: Any) -> Any:
            self.call(number)
            return before(*args, **keywords)

        return guarded


def every_fault(
    points: Sequence[Point],
    trial: Callable[[Injector], T],
    *,
    lasting: bool = False,
    most: int = 10_000,
) -> Iterator[tuple[Injector, T]]:
    """Repeat a trial with its first, second, third ... call failing.

    Ends with the first trial that meets no fault, which is yielded, too.

    Parameters
    ----------
    points, lasting
        See `Injector`.
    trial
        Does the work with the injector entered, and returns what came of it.
    most
        More calls than this are an error of the test.
    """
    for at in range(1, most + 1):
        injector = Injector(points, at, lasting=lasting)
        outcome = trial(injector)
        yield injector, outcome
        if injector.met is None:
            return
    raise AssertionError(f"{most} trials, and calls are still left")


@dataclass(frozen=True)
class Outcome:
    """How a child ended.

    Parameters
    ----------
    status
        Exit status; negative: the signal that killed it.
    out, err
        What it wrote.
    """

    status: int
    out: bytes
    err: str


def in_child(
    run: Callable[[], int], *, stdin: bytes = b"", seconds: float = 120.0
) -> Outcome:
    """Run a command in a forked process, and return how it ended.

    An exception that leaves `run` is a traceback on standard error and status 1, as
    for a command. A child that takes longer than `seconds` is killed.
    """
    with (
        tempfile.TemporaryFile() as source,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        source.write(stdin)
        source.seek(0)
        child = os.fork()
        if child == 0:
            _command(run, (source.fileno(), out.fileno(), err.fileno()))
        end = monotonic() + seconds
        while True:
            done, state = os.waitpid(child, os.WNOHANG)
            if done:
                break
            if monotonic() > end:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            sleep(0.001)
        out.seek(0)
        err.seek(0)
        return Outcome(
            os.waitstatus_to_exitcode(state), out.read(), err.read().decode()
        )


def _command(run: Callable[[], int], descriptors: tuple[int, int, int]) -> None:
    """Be a command with these streams; never returns."""
    status = 1
    try:
        for place, descriptor in enumerate(descriptors):
            os.dup2(descriptor, place)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(place, mode, encoding="utf-8", closefd=False)
            for place, mode in enumerate("rww")
        )
        try:
            status = run()
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 1
        except BaseException:
            traceback.print_exc()
        sys.stderr.flush()
        try:
            sys.stdout.flush()
        except OSError as error:  # as the interpreter does when it ends
            os.write(2, f"Exception ignored in: {error}\n".encode())
            status = 120
    finally:
        os._exit(status)
