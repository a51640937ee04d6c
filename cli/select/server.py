"""``select --serve``: reads one request per line, writes one answer per line.

Each line is answered by exactly one object, also if it is invalid; docs/use/select.md
lists the limits. Signals are written to a pipe, so that none is lost while a search
turns Ctrl-C into a limit of its own.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from ...instances.errors import InputError
from ...instances.reading.json_text import dumps
from ...scheduler.live import LiveSelector
from ..frame.outputs import start_object

FORMAT = "closeknit/select-processors"
"""Format of an answer."""
LONGEST_LINE = 2**20
"""Bytes of a request."""
_CHUNK = 2**16
_INTERRUPTED = 130
_AGAIN = 0.1
"""Seconds between checks of a late request while kernels are being compiled."""


Answer = Callable[[bytes], dict[str, Any]]


def _line(content: dict[str, Any]) -> bytes:
    return dumps(start_object(FORMAT, **content), indented=False).encode() + b"\n"


_STARVED = _line({"error": "there is not enough memory for this request"})


class _Late(BaseException):
    """A request ran out of time; a BaseException, so that no library handles it."""


class LineSplitter:
    r"""Splits input into lines, none longer than `LONGEST_LINE`.

    >>> lines = LineSplitter()
    >>> lines.add(b"one\ntw"), lines.add(b"o\n" + LONGEST_LINE * b"x")
    ([b'one'], [b'two'])
    >>> lines.add(b"x"), lines.add(b"y\nthree"), lines.end()
    ([], [None], [b'three'])
    """

    def __init__(self) -> None:
        self._begun = bytearray()
        self._skipping = False

    def add(self, content: bytes) -> list[bytes | None]:
        """Return the lines completed by this input; None for each that is too long."""
        found: list[bytes | None] = []
        *ends, rest = content.split(b"\n")
        for part in ends:
            self._extend(part)
            found += self.end(whole=True)
        self._extend(rest)
        return found

    def end(self, *, whole: bool = False) -> list[bytes | None]:
        """Return the unfinished line at the end of the input, if there is one."""
        line = None if self._skipping else bytes(self._begun)
        self._begun.clear()
        self._skipping = False
        return [line] if whole or line != b"" else []

    def _extend(self, part: bytes) -> None:
        if len(self._begun) + len(part) > LONGEST_LINE:
            self._skipping = True
            self._begun.clear()
        if not self._skipping:
            self._begun += part


class Server:
    """Answers the requests on a pipe until the input ends.

    ``live`` provides the selector, and is reloaded on SIGHUP. ``answer`` answers one
    line, or raises InputError. A request is abandoned after ``seconds``. ``source`` and
    ``sink`` are file descriptors.
    """

    def __init__(
        self,
        live: LiveSelector,
        answer: Answer,
        *,
        seconds: float,
        source: int,
        sink: int,
    ) -> None:
        self._live = live
        self._answer = answer
        self._seconds = seconds
        self._source = source
        self._sink = sink
        self._armed = False
        self._ending: int | None = None

    def run(self) -> int:
        """Serve; return the exit status. InputError when a stream or memory fails."""
        try:
            return self._run()
        except MemoryError:
            raise InputError("there is not enough memory", "--serve") from None
        except OSError as error:
            raise InputError(f"cannot go on: {error.strerror}", "--serve") from None

    def _run(self) -> int:
        lines = LineSplitter()
        with self._signals() as woken:
            while not self._ended(woken):
                ready, _, _ = select.select([self._source, woken], [], [])
                if self._source not in ready or self._ended(woken):
                    continue
                content = self._read()
                waiting = lines.add(content) if content else lines.end()
                if self._served(waiting, woken) and not content:
                    return 0
            if self._ending == signal.SIGTERM:  # answer what has arrived
                while select.select([self._source], [], [], 0)[0]:
                    content = self._read()
                    self._served(lines.add(content), woken)
                    if len(content) < _CHUNK:
                        break
                return 0
            return _INTERRUPTED

    def _served(self, waiting: list[bytes | None], woken: int) -> bool:
        """Answer lines; return False if SIGINT ends the server at once."""
        for line in waiting:
            self._note(woken)
            if self._ending == signal.SIGINT:
                return False
            if line is None or line.strip():
                self._write(self._answer_line(line))
        return True

    def _answer_line(self, line: bytes | None) -> bytes:
        try:
            return self._try_to_answer(line)
        except MemoryError:
            return _STARVED

    def _try_to_answer(self, line: bytes | None) -> bytes:
        try:
            try:
                if line is None:
                    raise InputError(
                        f"must have at most {LONGEST_LINE} bytes", "request"
                    )
                self._arm(self._seconds)
                content = _line(self._answer(line))
            finally:
                self._armed = False
                signal.setitimer(signal.ITIMER_REAL, 0)
            return content
        except InputError as error:
            problem = " ".join(str(error.of_json()).split())
        except _Late:
            problem = f"given up after {self._seconds:g} s"
        except MemoryError:
            raise
        except Exception as error:  # the next request is served in any case
            problem = f"internal error: {type(error).__name__}: {error}"
            if isinstance(error.__cause__ or error.__context__, _Late):  # in a kernel
                problem = f"given up after {self._seconds:g} s"
        return _line({"error": problem})

    def _read(self) -> bytes:
        try:
            return os.read(self._source, _CHUNK)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise InputError(
                f"cannot be read: {error.strerror}", "standard input"
            ) from None

    def _write(self, content: bytes) -> None:
        try:
            while content:
                try:
                    content = content[os.write(self._sink, content) :]
                except BlockingIOError:
                    select.select([], [self._sink], [])
        except OSError as error:
            raise InputError(
                f"cannot be written: {error.strerror}", "standard output"
            ) from None

    def _ended(self, woken: int) -> bool:
        """Handle the pending signals; return whether one ends the server."""
        self._note(woken)
        return self._ending is not None

    def _note(self, woken: int) -> None:
        try:
            numbers = os.read(woken, _CHUNK)
        except BlockingIOError:
            return
        if signal.SIGHUP in numbers:
            self._live.begin(force=True)
        for number in (signal.SIGTERM, signal.SIGINT):
            if number in numbers:
                self._ending = number

    def _arm(self, seconds: float) -> None:
        self._armed = True
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def _late(self, number: int, frame: FrameType | None) -> None:
        if not self._armed:
            return
        if _compiling():
            self._arm(_AGAIN)
            return
        self._armed = False
        raise _Late

    @contextmanager
    def _signals(self) -> Iterator[int]:
        """Write signals to a pipe; yield the end to read from."""

        def ignore_signal(number: int, frame: FrameType | None) -> None:
            """Do nothing: the number of the signal is in the pipe already."""

        handlers = {number: ignore_signal for number in (signal.SIGTERM, signal.SIGHUP)}
        handlers |= {signal.SIGINT: ignore_signal, signal.SIGALRM: self._late}
        woken, wake = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wake, False)
        before = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        kept = {number: signal.signal(number, handlers[number]) for number in handlers}
        try:
            yield woken
        finally:
            signal.set_wakeup_fd(before)
            for number, handler in kept.items():
                signal.signal(number, handler)
            os.close(woken)
            os.close(wake)


@contextmanager
def memory(mib: int) -> Iterator[None]:
    """Limit the memory that this process may allocate from now on, where possible.

    An allocation beyond the limit raises MemoryError, which fails one request. If a
    library ends the process instead, the scheduler sees the pipe closed.
    """
    before = _limit_memory(mib)
    try:
        yield
    finally:
        if before is not None:
            import resource

            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_DATA, before)


def _limit_memory(mib: int) -> tuple[int, int] | None:
    """Set the memory limit; return the former one, None if it cannot be set."""
    try:
        import resource

        before = resource.getrlimit(resource.RLIMIT_DATA)
        # pages of data and stack, as the limit counts them
        pages = int(Path("/proc/self/statm").read_text().split()[5])
        held = pages * os.sysconf("SC_PAGE_SIZE")
        bounds = [bound for bound in before if bound != resource.RLIM_INFINITY]
        most = min([held + mib * 2**20, *bounds])
        resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    except (ImportError, OSError, ValueError):  # not on Linux, or not permitted
        return None
    return before


def _compiling() -> bool:
    """Whether numba is compiling now, which counts against no limit."""
    module = sys.modules.get("numba.core.compiler_lock")
    return module is not None and bool(module.global_compiler_lock.is_locked())


def complain(error: InputError) -> None:
    """Report on standard error why a new configuration is rejected."""
    problem = " ".join(str(error).split())
    with suppress(OSError, MemoryError):
        os.write(2, f"closeknit: not reloaded: {problem}\n".encode(errors="replace"))
