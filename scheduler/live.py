"""A selector that follows its configuration file while it runs."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Thread
from time import monotonic

from ..instances import InputError, ProcSet
from ..solvers import Settings
from ..solvers.method import Method
from .config import Configuration, read_configuration
from .selector import Selector

PREPARING = Settings(time_limit=1.0)
"""For each queue and range of sizes of a configuration, before it is used."""
Stamp = tuple[int, int, int]
"""File, size, and time of last change in ns: another content, another stamp."""


@contextmanager
def _uncollected() -> Iterator[None]:
    """Look for no garbage meanwhile: it would stop all threads, again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _silent(error: InputError) -> None:
    """Report nothing."""


class LiveSelector:
    """Reloads a configuration when its file changes; keeps the old one if it is broken.

    The file is looked at when a request comes and the last look is long enough ago,
    as Drakenberg 2012 does every five minutes. A thread of its own looks and reads, so
    that requests never wait for a file. A new one is read whole and its machines are
    prepared, and only then it takes the place of the old one: a request is answered by
    one or the other. A file that is missing, half-written or otherwise broken leaves
    everything as it is; ``error`` says why, and it is read again when it changes.

    Several threads may ask at once.

    Parameters
    ----------
    path
        A configuration, as text or compiled.
    every
        Seconds between looks at the file.
    clock
        Tells the seconds.
    method
        See `Selector`.
    report
        Is told why a new file is not taken, once for each content of it.

    Raises
    ------
    InputError
        When the file is no good to begin with.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        every: float = 300.0,
        clock: Callable[[], float] = monotonic,
        method: Method[ProcSet] | None = None,
        report: Callable[[InputError], None] = _silent,
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
        self._busy = self._again = self._anew = False
        self._looked = clock()
        self._stamp = self._stamp_now()
        self._selector = Selector(self._read(), method)

    @property
    def configuration(self) -> Configuration:
        """The configuration that answers at present."""
        return self._selector.configuration

    def current(self) -> Selector:
        """Return the selector of the latest good configuration.

        If a look at the file is due, one begins in the background.
        """
        if self._clock() - self._looked >= self._every:
            self.begin()
        return self._selector

    def begin(self, *, anew: bool = False) -> None:
        """Look at the file in the background; after the look in progress if there is.

        Parameters
        ----------
        anew
            Whether to read the file even if it seems unchanged.
        """
        self._looked = self._clock()
        with self._state:
            self._anew = self._anew or anew
            self._again = True
            if self._busy:
                return
            self._busy = True
        try:
            Thread(target=self._follow, name="reload", daemon=True).start()
        except (RuntimeError, MemoryError):  # no thread to be had: at the next look
            self._busy = False
            self._refuse("cannot be looked at: no thread can be started")

    def _follow(self) -> None:
        while True:
            with self._state:
                if not self._again:
                    self._busy = False
                    return
                self._again = False
            self.look()

    def look(self) -> None:
        """Look at the file now, and return when it is reloaded if it has changed."""
        with self._reading:
            self._looked = self._clock()
            stamp = self._stamp_now()
            if stamp == self._stamp and not self._anew:
                return
            self._stamp, self._anew = stamp, False
            try:
                with _uncollected():
                    selector = Selector(self._read(), self._method)
                selector.prepare(PREPARING)
            except InputError as error:
                self.error = error
                self._report(error)
            except MemoryError:
                self._refuse("cannot be loaded: there is not enough memory")
            except Exception as error:  # the thread goes on, whatever it is
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
        """Return what tells this content from another; None if there is no file."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns
