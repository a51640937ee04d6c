"""Run calls in parallel processes, one at a time in each; a dead one is replaced.

Written out because ``concurrent.futures`` gives up on all that is pending when
one worker is killed, and cannot stop a call that hangs.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import current_process, get_context, parent_process
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any

from . import memory
from .interrupts import undisturbed

_STOPPED_IN = 5.0
"""Seconds that a worker is given to go before it is killed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call returned nothing."""

    why: str


@dataclass(frozen=True, slots=True)
class OutOfMemory(Failure):
    """A call that was ended because it took too much memory.

    Parameters
    ----------
    why
        In words.
    seconds
        Wall-clock seconds that it ran.
    mib
        What it had taken when it was looked at.
    """

    seconds: float
    mib: int


@dataclass(frozen=True, slots=True)
class Call:
    """One piece of work.

    Parameters
    ----------
    function
        Without arguments (`functools.partial`); it and its value are pickled.
    allowed
        Wall-clock seconds after which the process is killed; None for ever.
    memory
        MiB beyond which the process, with all that it has started, is killed. What
        is in memory is looked at ten times a second; a limit on the address space
        (RLIMIT_AS) would count each process by itself, and what numba and solvers
        reserve: three times as much as they touch.
    """

    function: Callable[[], Any]
    allowed: float | None = None
    memory: int | None = None


def run(calls: Sequence[Call], *, jobs: int) -> Generator[tuple[int, Any], None, None]:
    """Yield (position, value or `Failure`) of every call, as they end.

    Calls are begun in the order given. A call that raises, is killed, or
    takes longer than it may is a `Failure`, and so never a hang. Leaving the
    iterator early stops all that is running, children of the calls included;
    so does the end of this process, however it comes.

    Parameters
    ----------
    calls
        What to run.
    jobs
        Number of processes, at least 1.
    """
    workers: list[_Worker] = []
    waiting = iter(enumerate(calls))
    try:
        for _ in range(min(jobs, len(calls))):
            workers.append(_Worker())
        for worker in workers:
            worker.begin(next(waiting, None))
        while busy := [worker for worker in workers if worker.call is not None]:
            _until_something_happens(busy)
            for worker in busy:
                ended = worker.ended()
                if ended is None:
                    continue
                upcoming = next(waiting, None)
                if not worker.alive:
                    worker.stop()
                    workers.remove(worker)
                    if upcoming is not None:
                        workers.append(_Worker())
                        workers[-1].begin(upcoming)
                else:
                    worker.begin(upcoming)
                yield ended
    finally:
        with undisturbed():
            for worker in workers:
                worker.stop()


_IDLE: list[_Worker] = []
_IDLE_HELD = threading.Lock()


def run_here(call: Call, *, wanted: Callable[[], bool]) -> Any:
    """Return the value or `Failure` of one call; may be called from any thread.

    The process is kept for the next call. It is ended, and the call with it, when it
    is no longer wanted: that is asked twice a second.
    """
    with _IDLE_HELD:
        worker = _IDLE.pop() if _IDLE else None
    worker = worker or _Worker()
    kept = False
    try:
        worker.begin((0, call))
        while (ended := worker.ended()) is None:
            if not wanted():
                return Failure("no longer wanted")
            _until_something_happens([worker], at_most=0.5)
        kept = worker.alive
        return ended[1]
    finally:
        if kept:
            worker.begin(None)
            with _IDLE_HELD:
                _IDLE.append(worker)
        else:
            worker.alive = False
            worker.stop()


def _until_something_happens(
    busy: Sequence[_Worker], *, at_most: float | None = None
) -> None:
    """Wait for an answer, a death or a deadline."""
    deadlines = [worker.deadline for worker in busy if worker.deadline is not None]
    ends = [max(0.0, deadline - monotonic()) for deadline in deadlines]
    timeout = min([*ends, *([] if at_most is None else [at_most])], default=None)
    if any(worker.call[1].memory for worker in busy if worker.call):
        timeout = memory.EVERY if timeout is None else min(timeout, memory.EVERY)
    things: list[Any] = [worker.connection for worker in busy]
    things += [worker.process.sentinel for worker in busy]
    wait(things, timeout)


class _Worker:
    """A process, and the call it is busy with."""

    def __init__(self) -> None:
        spawn = get_context("spawn")
        self.connection, far_end = spawn.Pipe()
        self.process = spawn.Process(target=_serve, args=(far_end,))
        with undisturbed(), _may_have_children():
            self.process.start()  # Ctrl-C meanwhile would end it with a traceback
        far_end.close()
        self.call: tuple[int, Call] | None = None
        self.began = 0.0
        self.deadline: float | None = None
        self.alive = True

    def begin(self, call: tuple[int, Call] | None) -> None:
        self.call = call
        self.deadline = None
        if call is None:
            return
        self.began = monotonic()
        if call[1].allowed is not None:
            self.deadline = self.began + call[1].allowed
        with suppress(OSError):  # it died idle: `ended` will see that
            self.connection.send(call[1].function)

    def ended(self) -> tuple[int, Any] | None:
        """Return the outcome of the call, or None while there is none."""
        if self.call is None:
            return None
        position, call = self.call
        try:
            if self.connection.poll():
                return position, self.connection.recv()
        except (EOFError, OSError):
            self.process.join(_STOPPED_IN)
        if not self.process.is_alive():
            self.alive = False
            return position, Failure(_death(self.process.exitcode))
        if self.deadline is not None and monotonic() >= self.deadline:
            self.alive = False
            return position, Failure(f"still running after {call.allowed:g} s; killed")
        if call.memory is not None:
            mib = memory.in_use(self.process.pid or 0) >> 20
            if mib > call.memory:
                self.alive = False
                why = f"took {mib} MiB of memory, more than {call.memory}; killed"
                return position, OutOfMemory(why, monotonic() - self.began, mib)
        return None

    def stop(self) -> None:
        """End the process and whatever it has started."""
        self.connection.close()  # an idle one leaves by itself
        if self.call is not None or not self.alive:
            with suppress(OSError):
                os.killpg(self.process.pid or 0, signal.SIGKILL)
            self.process.kill()
        self.process.join(_STOPPED_IN)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.process.close()


@contextmanager
def _may_have_children() -> Iterator[None]:
    """Lift what multiprocessing forbids to daemons, such as the workers of Dask.

    It does so because nobody would end their children; ours end by themselves.
    """
    settings = vars(current_process())["_config"]
    daemon = settings.get("daemon")
    settings["daemon"] = False
    try:
        yield
    finally:
        settings["daemon"] = daemon


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        hint = "; out of memory?" if name == "SIGKILL" else ""
        return f"its process was killed ({name}{hint})"
    return f"its process ended unasked (exit status {code})"


def _serve(connection: Connection) -> None:
    """Answer calls until there is nobody left to ask; runs in the worker."""
    # Ctrl-C is for the parent, which then ends the group of each worker.
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # solvers that chat
    threading.Thread(target=_die_with_parent, daemon=True).start()
    while True:
        try:
            call = connection.recv()
        except (EOFError, OSError):
            return
        try:
            connection.send(_value(call))
        except OSError:
            return
        except Exception as error:  # what cannot be pickled
            connection.send(Failure(_told(error)))


def _value(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return Failure(_told(error))


def _die_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.killpg(0, signal.SIGKILL)


def _told(error: Exception) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
