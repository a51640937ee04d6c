"""Run calls in parallel processes, one at a time in each; a dead one is replaced.

Written out because ``concurrent.futures`` gives up on all that is pending when
one worker is killed, and cannot stop a call that hangs.
"""

from __future__ import annotations

import gc
import itertools
import os
import signal
import sys
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import current_process, get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.resource_tracker import ensure_running
from multiprocessing.util import Finalize
from pathlib import Path
from time import monotonic
from types import ModuleType
from typing import Any

from ...solvers.running.kernels import Kernel, quiet
from . import memory
from .interrupts import undisturbed

DEATHS = 3
"""Number of times the process of a call may be killed before the call has failed."""
_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM)
"""Signals that a call does not bring on itself by a crash: the kernel's, when memory
runs out, an operator's."""
_BEGUN = "begun"
_GARBAGE = (100_000, 50, 1000)
"""When a worker looks for garbage: numba's objects stay, and looking through them at
the usual times takes 7 % of compiling; it has 13 % more memory instead."""
_STOPPED_IN = 5.0
"""Seconds that a worker has for terminating before it is killed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call returned nothing."""

    why: str


@dataclass(frozen=True, slots=True)
class Killed(Failure):
    """The process of a call was killed from outside; the call may be made again."""


@dataclass(frozen=True, slots=True)
class OutOfMemory(Failure):
    """A call was ended for its memory: ``mib`` after ``seconds`` of wall clock."""

    seconds: float
    mib: int


@dataclass(frozen=True, slots=True)
class Call:
    """One piece of work: a function without arguments, pickled like its value.

    It may take ``allowed`` wall-clock seconds, None for ever, from when it calls
    `mark_started`; and ``preparing`` seconds before, for instance to compile.
    ``memory`` is in MiB, beyond which the process, with all that it has started, is
    killed. What is in memory is looked at ten times a second; a limit on the address
    space (RLIMIT_AS) would count each process by itself, and what numba and solvers
    reserve: three times as much as they touch. Calls of one ``kind`` need the same
    machine code; a process is given those of its kinds as long as there are some.
    """

    function: Callable[[], Any]
    allowed: float | None = None
    memory: int | None = None
    preparing: float = 0.0
    kind: str = ""


def run(
    calls: Sequence[Call], *, jobs: int, scratch: Path | None = None
) -> Generator[tuple[int, Any], None, None]:
    """Yield (position, value or `Failure`) of every call, as they end.

    Calls of one kind are begun in the order given. ``jobs`` processes make them, whose
    temporary files lie in the folder ``scratch``, or in one that is removed afterwards.
    A call that raises, crashes, or takes longer than it may is a `Failure`, and so
    never a hang. One whose process is killed from outside, for instance because memory
    ran out, is made again in the end, while no other is running; after `DEATHS` deaths
    it is a `Failure`.
    Leaving the iterator early stops all that is running, children of the calls
    included; so does the end of this process, however it comes.
    """
    if scratch is None:
        with tempfile.TemporaryDirectory(prefix="closeknit-") as name:
            yield from run(calls, jobs=jobs, scratch=Path(name))
        return
    workers: list[_Worker] = []
    waiting = deque(enumerate(calls))
    suspects: deque[tuple[int, Call]] = deque()
    deaths: Counter[int] = Counter()
    try:
        while True:
            busy = [worker for worker in workers if worker.call is not None]
            while waiting and len(busy) < jobs:
                busy.append(_begun(waiting, workers, scratch))
            if suspects and not busy:
                busy = [_begun(suspects, workers, scratch)]
            if not busy:
                return
            _until_something_happens(busy)
            for worker in busy:
                ended = worker.outcome()
                if ended is None or worker.call is None:
                    continue
                position, outcome = ended
                again = worker.call
                worker.begin(None)
                if not worker.alive:
                    worker.stop()
                    workers.remove(worker)
                if isinstance(outcome, Killed):
                    deaths[position] += 1
                    if deaths[position] < DEATHS:
                        suspects.append(again)
                        continue
                    outcome = failure_after_retries(outcome)
                yield position, outcome
    finally:
        with undisturbed():
            for worker in workers:
                worker.stop()


def failure_after_retries(killed: Killed) -> Failure:
    """Return the failure of a call that was killed too often."""
    return Failure(f"{killed.why}, {DEATHS} times out of {DEATHS}")


def _begun(
    waiting: deque[tuple[int, Call]], workers: list[_Worker], scratch: Path | None
) -> _Worker:
    """Start one of the calls in an idle process, or in a new one.

    That is the first of no kind or of one that the process has had, else of one that
    none has had, else the last of all, which others reach last.
    """
    idle = next((worker for worker in workers if worker.call is None), None)
    if idle is None:
        idle = _Worker(scratch)
        workers.append(idle)
    own = {"", *idle.kinds}
    taken = {kind for worker in workers for kind in worker.kinds}
    call = next(
        itertools.chain(
            (each for each in waiting if each[1].kind in own),
            (each for each in waiting if each[1].kind not in taken),
            reversed(waiting),
        )
    )
    waiting.remove(call)
    idle.kinds.add(call[1].kind)
    idle.begin(call)
    return idle


_IDLE: list[_Worker] = []
_IDLE_HELD = threading.Lock()


def _end_idle() -> None:
    while _IDLE:
        _IDLE.pop().stop()


Finalize(None, _end_idle, exitpriority=0)
"""Ends them before Python waits for its children."""


def run_here(
    call: Call, *, wanted: Callable[[], bool], scratch: Path | None = None
) -> Any:
    """Return the value or `Failure` of one call; may be called from any thread.

    The process is kept for the next call. It is ended, and the call with it, when it
    is no longer wanted: that is asked twice a second.
    """
    with _IDLE_HELD:
        worker = _IDLE.pop() if _IDLE else None
    worker = worker or _Worker(scratch)
    kept = False
    try:
        worker.begin((0, call))
        while (ended := worker.outcome()) is None:
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
    """A process, and the call that it runs."""

    def __init__(self, scratch: Path | None = None) -> None:
        self.connection, far_end = get_context("spawn").Pipe()
        # To find its folder a process writes a file; killed there, it would leave it.
        places = (scratch, tempfile.gettempdir())
        self.process = _start(_serve, far_end, *places)
        far_end.close()
        self.call: tuple[int, Call] | None = None
        self.kinds: set[str] = set()
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
            self.deadline = self.began + call[1].allowed + call[1].preparing
        with suppress(OSError):  # it died idle: `outcome` will see that
            self.connection.send(call[1].function)

    def outcome(self) -> tuple[int, Any] | None:
        """Return the outcome of the call, or None while there is none."""
        if self.call is None:
            return None
        position, call = self.call
        try:
            if self.connection.poll():
                outcome = self.connection.recv()
                if outcome != _BEGUN:
                    return position, outcome
                self.began = monotonic()
                if call.allowed is not None:
                    self.deadline = self.began + call.allowed
        except (EOFError, OSError):
            self.process.join(_STOPPED_IN)
        if not self.process.is_alive():
            self.alive = False
            return position, _death(self.process.exitcode)
        if self.deadline is not None and monotonic() >= self.deadline:
            self.alive = False
            return position, Failure(f"still running after {call.allowed:g} s; killed")
        if call.memory is not None:
            mib = memory.resident_bytes(self.process.pid or 0) >> 20
            if mib > call.memory:
                self.alive = False
                why = f"took {mib} MiB of memory, more than {call.memory}; killed"
                return position, OutOfMemory(why, monotonic() - self.began, mib)
        return None

    def stop(self) -> None:
        """End the process and its descendants."""
        self.connection.close()  # an idle one leaves by itself
        if self.call is not None or not self.alive:
            first = self.process.pid or 0
            with suppress(OSError):
                os.killpg(first, signal.SIGSTOP)  # it starts nothing more meanwhile
            for each in reversed(memory.family(first)):
                with suppress(OSError):
                    os.kill(each, signal.SIGKILL)
            with suppress(OSError):
                os.killpg(first, signal.SIGKILL)
            self.process.kill()
        self.process.join(_STOPPED_IN)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.process.close()


_STARTING = threading.Lock()


def _start(function: Callable[..., object], *arguments: Any) -> Any:
    """Start a process that does not run the script of this one again.

    Python would, under another name; a script that runs a campaign without asking for
    its name would begin another one. Nothing that is sent is defined there. What
    multiprocessing forbids to daemons, such as the workers of Dask, is lifted: their
    children would be orphaned; ours end by themselves. Threads start one at a time, or
    one would take over what another has changed.
    """
    with undisturbed(), _STARTING:  # Ctrl-C would end it with a traceback
        ensure_running()  # which lets signals through again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        process = get_context("spawn").Process(target=function, args=arguments)
        settings = vars(current_process())["_config"]
        daemon, main = settings.get("daemon"), sys.modules["__main__"]
        settings["daemon"] = False
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            process.start()
        finally:
            sys.modules["__main__"] = main
            settings["daemon"] = bool(daemon)
    return process


def _death(code: int | None) -> Failure:
    if code is None or code >= 0:
        return Failure(f"its process ended unasked (exit status {code})")
    name = signal.Signals(-code).name
    hint = "; out of memory?" if name == "SIGKILL" else ""
    kind = Killed if -code in _FROM_OUTSIDE else Failure
    return kind(f"its process was killed ({name}{hint})")


_parent: Connection | None = None


def mark_started() -> None:
    """Start the time limit of a call now, after compiling.

    Outside a process of the pool this does nothing.
    """
    if _parent is not None:
        _parent.send(_BEGUN)


def _serve(connection: Connection, scratch: Path | None, temporary: str) -> None:
    """Answer calls until the caller is gone; runs in the worker."""
    global _parent
    _parent = connection
    quiet()
    gc.set_threshold(*_GARBAGE)
    Kernel.temporary = temporary
    # also for what the calls start
    os.environ["TMPDIR"] = tempfile.tempdir = str(scratch or temporary)
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
            connection.send(value_of(call))
        except OSError:
            return
        except Exception as error:  # what cannot be pickled
            connection.send(Failure(_describe_error(error)))


def value_of(call: Callable[[], Any]) -> Any:
    """Make a call in this process; return its value, or a `Failure` if it raises."""
    try:
        return call()
    except Exception as error:
        return Failure(_describe_error(error))


def _die_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.killpg(0, signal.SIGKILL)


def _describe_error(error: Exception) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
