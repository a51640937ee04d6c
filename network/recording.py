"""What links carry through time: counts of an engine at equal intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .engine import Engine
from .messages import Ints
from .worm.engine import RigidWorms

MOST_FRAMES = 96
"""Intervals of a film, unless there are many links."""
_FEWEST_FRAMES = 8
_MOST_COUNTS = 2**20


@dataclass(frozen=True, eq=False)
class LinkFilm:
    """Flits over every link in each of some intervals of equal length.

    Parameters
    ----------
    step
        Cycles of an interval; the last one may end with the run before they are over.
    end
        Cycle at which the run ended.
    counts
        Flits that were begun to be sent in each interval, shape (intervals, links).
    lanes
        Flits that a link carries per cycle.
    """

    step: int
    end: int
    counts: Ints
    lanes: int = 1

    def shares(self) -> npt.NDArray[np.float64]:
        """Return in which share of each interval a link was sending.

        Engines count the flits of a packet when it takes a link. Those that the
        interval has no time for are sent in the next ones, one per cycle and lane.
        """
        found = np.zeros(self.counts.shape)
        rest = np.zeros(self.counts.shape[1])
        for i, counts in enumerate(self.counts):
            cycles = min(self.step, self.end - i * self.step)
            rest += counts
            sent = np.minimum(rest, self.lanes * cycles)
            rest -= sent
            found[i] = sent / (self.lanes * cycles)
        return found


class LinkRecorder:
    """Notes what the links of an engine have carried, at equal intervals.

    Intervals are of one cycle at first; whenever there are twice as many as wanted,
    two become one.

    Parameters
    ----------
    engine
        At cycle 0.
    most
        Largest number of intervals; None for `MOST_FRAMES`, or fewer for a network of
        many links.

    Attributes
    ----------
    due
        Cycle up to which the engine is to run next.
    """

    def __init__(self, engine: Engine, most: int | None = None) -> None:
        self.engine = engine
        self.due = self._step = 1
        ends = np.concatenate([ends for _, ends in engine.channels()])
        self._links = ends[:, 0] != ends[:, 1]  # no injection, no ejection
        room = _MOST_COUNTS // max(1, int(self._links.sum()))
        self._most = most or max(_FEWEST_FRAMES, min(MOST_FRAMES, room))
        self._seen: list[Ints] = []

    def look(self) -> None:
        """Note what has been carried, if the engine has come to the cycle `due`."""
        if self.engine.time < self.due:
            return
        self._seen.append(self.engine.carried[self._links])
        if len(self._seen) == 2 * self._most:
            self._seen = self._seen[1::2]
            self._step *= 2
        self.due = (len(self._seen) + 1) * self._step

    def film(self) -> LinkFilm:
        """Return what was noted, until now."""
        seen = list(self._seen)
        if self.engine.time > len(seen) * self._step:
            seen.append(self.engine.carried[self._links])
        total = np.array(seen, np.int64).reshape(len(seen), int(self._links.sum()))
        return LinkFilm(
            self._step,
            self.engine.time,
            np.diff(total, axis=0, prepend=0),
            self.engine.map.lanes if isinstance(self.engine, RigidWorms) else 1,
        )
