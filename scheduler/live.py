"""A selector that reloads its configuration when the file changes."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Thread
from time import monotonic

from ..instances import InputError, ProcSet
from ..solvers import Settings
from ..solvers.running.method import Method
from .config import Configuration, read_configuration
from .selector import Selector

PREPARING = Settings(time_limit=1.0)
"""Limits for preparing each queue and range of sizes of a new configuration."""
Stamp = tuple[int, int, int]
"""Inode, size and modification time in ns, compared to detect changes of a file."""


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Disable garbage collection, which would stop all threads repeatedly."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class LiveSelector:
    """Reloads a configuration when its file changes, unless the new file is invalid.

    A request checks the file if the last check was ``every`` seconds ago (Drakenberg
    2012 does so every five minutes). A background thread checks and reads it, so that
    requests never wait for a file. A new configuration replaces the old one once it has
    been read and prepared completely. If the file is missing or invalid, the old
    configuration stays, ``error`` holds the reason, and the file is read again when it
    changes. The class is thread-safe.

    Parameters
    ----------
    path
        A configuration.
    every
        Seconds between checks of the file.
    clock
        Returns the time in seconds.
    method
        See `Selector`.
    report
        Called with the error when a new file is rejected, once per version of the file.

    Raises
    ------
    InputError
        If the file is invalid when the selector is created.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        every: float = 300.0,
        clock: Callable[[], float] = monotonic,
        method: Method[ProcSet] | None = None,
        report: Callable[[InputError], None] = lambda error: None,
    ) -> None:
        self.path = Path(path)
        self.error: InputError | None = None
        self.reloads = 0
        self._every = every
        self._clock = clock
        self._method = method
        self._report = report
        self._reading = Lock()
        self._state = Lock()
        self._busy = self._again = self._force = False
        self._checked = clock()
        self._stamp = self._stamp_now()
        self._selector = Selector(self._read(), method)

    @property
    def configuration(self) -> Configuration:
        """The configuration in use."""
        return self._selector.configuration

    def current(self) -> Selector:
        """Return the selector of the latest valid configuration.

        If a check of the file is due, it is started in the background.
        """
        if self._clock() - self._checked >= self._every:
            self.begin()
        return self._selector

    def begin(self, *, force: bool = False) -> None:
        """Check the file in the background, after any check in progress.

        Parameters
        ----------
        force
            Whether to read the file even if it seems unchanged.
        """
        self._checked = self._clock()
        with self._state:
            self._force = self._force or force
            self._again = True
            if self._busy:
                return
            self._busy = True
        try:
            Thread(target=self._follow, name="reload", daemon=True).start()
        except (RuntimeError, MemoryError):  # retried at the next check
            self._busy = False
            self._refuse("cannot be checked: no thread can be started")

    def _follow(self) -> None:
        while True:
            with self._state:
                if not self._again:
                    self._busy = False
                    return
                self._again = False
            self.look()

    def look(self) -> None:
        """Check the file now and reload it if it has changed."""
        with self._reading:
            self._checked = self._clock()
            stamp = self._stamp_now()
            if stamp == self._stamp and not self._force:
                return
            self._stamp, self._force = stamp, False
            try:
                with _without_garbage_collection():
                    selector = Selector(self._read(), self._method)
                selector.prepare(PREPARING)
            except InputError as error:
                self.error = error
                self._report(error)
            except MemoryError:
                self._refuse("cannot be loaded: there is not enough memory")
            except Exception as error:  # the thread must survive any error
                self._refuse(f"cannot be loaded: {type(error).__name__}: {error}")
            else:
                self.error = None
                self.reloads += 1
                self._selector = selector

    def _refuse(self, problem: str) -> None:
        self.error = InputError(problem, file=self.path)
        self._report(self.error)

    def _read(self) -> Configuration:
        return read_configuration(self.path)

    def _stamp_now(self) -> Stamp | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns
