"""Logging of solver output, line by line, to ``closeknit.solvers`` at level DEBUG.

Solvers write output only if that level is enabled:

>>> import logging
>>> logging.getLogger("closeknit.solvers").setLevel(logging.DEBUG)  # doctest: +SKIP
"""

from __future__ import annotations

import logging
from pathlib import Path

LOG = logging.getLogger("closeknit.solvers")


def enabled() -> bool:
    """Return whether solver output is logged."""
    return LOG.isEnabledFor(logging.DEBUG)


def note(source: str, text: str) -> None:
    """Log a solver's output, one record per line that is not blank."""
    for line in text.splitlines():
        if line.strip():
            LOG.debug("%s: %s", source, line.rstrip())


class LogFollower:
    """Logs the lines that a solver appends to files in its folder."""

    def __init__(self, source: str, folder: Path) -> None:
        self._source = source
        self._folder = folder
        self._read: dict[Path, int] = {}

    def follow(self, *, to_the_end: bool = False) -> None:
        """Log complete new lines; at the end also an incomplete last line."""
        for file in (self._folder / "stdout", *sorted(self._folder.glob("cbc*.log"))):
            with file.open("rb") as stream:
                stream.seek(self._read.get(file, 0))
                text = stream.read()
            if not to_the_end:
                text = text[: text.rfind(b"\n") + 1]
            self._read[file] = self._read.get(file, 0) + len(text)
            note(self._source, text.decode(errors="replace"))
