"""Progress on standard error: a bar on a terminal, else a line every 30 seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shutil import get_terminal_size
from threading import Event, Thread
from time import monotonic

EVERY = 30.0
"""Seconds between two lines where there is no terminal."""

_REFRESH = 0.25
"""Seconds between two pictures of a line on a terminal."""

Show = Callable[[int, "int | None", str], None]
"""Takes how much is done, of how much if that is known, and what is done now."""


@contextmanager
def progress_bar() -> Iterator[Show]:
    """Show on standard error how far a long command has come, and the time left.

    What is left is assumed to take as long as what was done.
    """
    clock = Clock()
    if not sys.stderr.isatty():
        last = monotonic()

        def show_line(done: int, total: int | None, what: str) -> None:
            nonlocal last
            clock.begin(done)
            if monotonic() - last < EVERY:
                return
            last = monotonic()
            line = clock.line(done, total, what)
            print(f"closeknit: {line}\n", end="", file=sys.stderr, flush=True)

        yield show_line
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.text import Text

    class Count(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(format_progress(int(task.completed), task.total))

    class Left(ProgressColumn):
        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            return Text(clock.left(int(task.completed), task.total))

    what_now = TextColumn("{task.description}", markup=False)
    columns = (what_now, BarColumn(), Count(), Left())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(done: int, total: int | None, what: str) -> None:
            clock.begin(done)
            bar.update(task, completed=done, total=total, description=what)

        yield show


@contextmanager
def status_line(standing: Callable[[], str]) -> Iterator[None]:
    """Show how a search stands: on a terminal, a line that is rewritten.

    Elsewhere a line is printed every 30 seconds. ``standing`` describes how the search
    stands now; "" while there is nothing to show. A thread prints, so that lines come
    also from methods that report nothing while they run.
    """
    terminal = sys.stderr.isatty()
    ended = Event()
    written = False

    def write() -> None:
        nonlocal written
        while not ended.wait(_REFRESH if terminal else EVERY):
            text = standing()
            if terminal:
                room = get_terminal_size().columns - 1
                print(f"\r\x1b[2K{text[:room]}", end="", file=sys.stderr, flush=True)
                written = True
            elif text:
                print(f"closeknit: {text}\n", end="", file=sys.stderr, flush=True)

    thread = Thread(target=write, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        if written:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)


class Clock:
    """Knows when the work began, and estimates when it will end."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._first: int | None = None

    def begin(self, done: int) -> None:
        """Count what is done at the first call as done before."""
        if self._first is None:
            self._first = done

    def line(self, done: int, total: float | None, what: str) -> str:
        """Write how much is done, what is done now, and the time left."""
        parts = (format_progress(done, total), what, self.left(done, total))
        return ", ".join(filter(None, parts))

    def left(self, done: int, total: float | None) -> str:
        """Return the time left, as text; "" if nothing is known."""
        ours = done - (self._first or 0)
        if total is None or ours <= 0:
            return ""
        return time_left((monotonic() - self._began) * (total - done) / ours)


def format_progress(done: int, total: float | None) -> str:
    """Write how much is done.

    >>> format_progress(414, 2663), format_progress(414, None)
    ('414 of 2663', '414')
    """
    return f"{done}" if total is None else f"{done} of {int(total)}"


def time_left(seconds: float) -> str:
    """Write how long something will still take.

    >>> time_left(3725.2), time_left(9e9)
    ('1:02:06 left', '104166 days left')
    """
    whole = int(seconds) + 1
    if whole >= 48 * 3600:
        return f"{whole // 86400} days left"
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02} left"
