"""A selector that follows its configuration file while it runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from time import monotonic

from ...instances import InputError, ProcSet
from ...instances.config import Configuration, read_configuration
from ..registry import Method
from .selector import Selector

Stamp = tuple[int, int, int]
"""Device and file, size, and time of last change in ns: another file, another stamp."""


class LiveSelector:
    """Reloads a configuration when its file changes; keeps the old one if it is broken.

    The file is looked at when a request comes and the last look is long enough ago,
    as Drakenberg 2012 does every five minutes. A new one is read whole, and only then
    put in place of the old: a request is answered by one or the other. A file that is
    missing, half-written or otherwise broken leaves everything as it is; ``error``
    says why, and the file is read again when it changes.

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
    ) -> None:
        self.path = Path(path)
        self.error: InputError | None = None
        self.reloads = 0
        self._every = every
        self._clock = clock
        self._method = method
        self._lock = Lock()
        self._looked = clock()
        self._stamp = self._stamp_now()
        self._selector = Selector(self._read(), method)

    @property
    def configuration(self) -> Configuration:
        """The configuration that answers at present."""
        return self._selector.configuration

    def current(self) -> Selector:
        """Return the selector of the latest good configuration."""
        if self._clock() - self._looked >= self._every:
            self.look()
        return self._selector

    def look(self) -> None:
        """Look at the file now, and reload it if it has changed."""
        with self._lock:
            self._looked = self._clock()
            stamp = self._stamp_now()
            if stamp == self._stamp:
                return
            self._stamp = stamp
            try:
                configuration = self._read()
            except InputError as error:
                self.error = error
                return
            self.error = None
            self.reloads += 1
            self._selector = Selector(configuration, self._method)

    def _read(self) -> Configuration:
        return read_configuration(self.path)

    def _stamp_now(self) -> Stamp | None:
        """Return what tells this content from another; None if there is no file."""
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns
