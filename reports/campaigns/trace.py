"""Incumbent and bound of a run over time, as a short list that a row can hold."""

from __future__ import annotations

from itertools import pairwise

from ...instances import Value
from ...instances.value import as_tuple
from ...solvers.running import clock

Point = tuple[float, Value, Value | None]
"""Seconds since the run began, cost of the incumbent, proved bound if there is one."""
Trace = tuple[Point, ...]

MOST = 64
"""Greatest number of points of a run."""
_LEAST = 1e-3
"""Seconds below which two points are not told apart."""


class Recorder:
    """Records the improvements that a search reports; see `solvers.running.progress`.

    Beyond `MOST` points, the one whose successor follows soonest, as a quotient of
    times, is dropped. So what a trace shows at a time was known by then, though perhaps
    not for the first time.
    """

    def __init__(self) -> None:
        self._began = clock.now()
        self._points: list[Point] = []

    def __call__(self, incumbent: Value, bound: Value | None) -> None:
        """Take a report."""
        points = self._points
        if points:
            _, cost, proved = points[-1]
            incumbent = min(cost, incumbent, key=as_tuple)
            known = [one for one in (proved, bound) if one is not None]
            bound = max(known, key=as_tuple, default=None)
            if (incumbent, bound) == (cost, proved):
                return
        points.append((round(clock.now() - self._began, 4), incumbent, bound))
        if len(points) > MOST:
            quotients = [
                max(after[0], _LEAST) / max(before[0], _LEAST)
                for before, after in pairwise(points)
            ]
            del points[quotients.index(min(quotients))]

    @property
    def trace(self) -> Trace:
        """The recorded improvements, in order of time."""
        return tuple(self._points)
