"""Runs of an engine in steps, between which it can be shown how far they are."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from .engine import Engine

Show = Callable[[int, int, str], None]
"""Takes how much is done, of how much, and what is counted."""

_FIRST, _MOST = 256, 2**40
"""Cycles of the first step, and of the longest."""
_SHORT, _LONG = 0.1, 0.4
"""Seconds of a step below which the next is twice, above which it is half as long."""


class Pace:
    """Runs an engine as its own `run` does, and shows progress a few times a second.

    Parameters
    ----------
    engine
        With all its messages, one of them at least.
    show
        Called between steps.
    """

    def __init__(self, engine: Engine, show: Show) -> None:
        self._engine, self._show = engine, show
        self._step = _FIRST

    def run(self, until: int | None = None) -> list[int]:
        """Go on until a job ends, or a cycle is reached; see `Engine.run`."""
        engine = self._engine
        while True:
            stop = engine.time + self._step
            last = until is not None and until <= stop
            begin = monotonic()
            ended = engine.run(until if last else stop)
            took = monotonic() - begin
            if took < _SHORT and not (ended or last):  # the whole step was as short
                self._step = min(2 * self._step, _MOST)
            elif took > _LONG and self._step > 1:
                self._step //= 2
            arrived = engine.delivered >= 0
            self._show(int(arrived.sum()), len(arrived), "messages")
            if ended or last:
                return ended
