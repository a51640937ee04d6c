"""A bar on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..reports.campaigns.forecast import Forecast


@contextmanager
def progress_bar(
    forecast: Forecast | None = None,
) -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar on standard error if that is a terminal.

    Parameters
    ----------
    forecast
        Tells the time left; without one, all that is left is taken to be as long as
        what was done.
    """
    if not sys.stderr.isatty():
        yield lambda done, total, what: None
        return
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, Task
    from rich.text import Text

    began = monotonic()
    first: int | None = None

    class Left(ProgressColumn):
        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            if forecast is not None:
                return Text(time_left(forecast.left(), bound=forecast.bound))
            done = task.completed - (first or 0)
            if task.total is None or not done:
                return Text("")
            rest = (task.total - task.completed) / done
            return Text(time_left((monotonic() - began) * rest))

    columns = (*Progress.get_default_columns()[:-1], Left())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(done: int, total: int, what: str) -> None:
            nonlocal first
            first = done if first is None else first
            bar.update(task, completed=done, total=total, description=what)

        yield show


def time_left(seconds: float, *, bound: bool = False) -> str:
    """Write how long something will still take.

    >>> time_left(3725.2), time_left(9e9, bound=True)
    ('1:02:06 left', 'at most 104166 days')
    """
    whole = int(seconds) + 1
    if whole >= 48 * 3600:
        shown = f"{whole // 86400} days"
    else:
        shown = f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
    return f"at most {shown}" if bound else f"{shown} left"
