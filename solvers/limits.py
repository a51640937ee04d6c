"""What ends a search early, looked at between two steps of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event

from . import clock
from .interrupt import deferred
from .result import Limit

_CHUNK_SECONDS = 0.1
"""A kernel runs about this long before limits and Ctrl-C are looked at."""
LONGEST = 2**40
"""Nodes that a kernel is asked for at most."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search; see `limits`.

    Parameters
    ----------
    pressed
        Set by Ctrl-C.
    deadline
        Value of ``clock.now()`` at which to stop.
    nodes
        How many a search may have, or None.
    """

    pressed: Event
    deadline: float
    nodes: int | None = None

    def reached(self, nodes: int = 0) -> Limit | None:
        """Return which limit is reached, by a search that has had so many nodes."""
        if self.pressed.is_set():
            return Limit.INTERRUPT
        if clock.now() >= self.deadline:
            return Limit.TIME
        if self.nodes is not None and nodes >= self.nodes:
            return Limit.NODES
        return None

    def within(self, budget: int, nodes: int) -> int:
        """Cut the nodes of a step to those left after so many."""
        return budget if self.nodes is None else min(budget, self.nodes - nodes)

    def search(
        self,
        step: Callable[[int], object],
        *,
        unfinished: Callable[[], bool],
        nodes: Callable[[], int],
        longest: int = LONGEST,
    ) -> Limit | None:
        """Search in steps of about a tenth of a second; return what ended it.

        For searches whose answer does not depend on where steps end.

        Parameters
        ----------
        step
            Searches at most so many nodes.
        unfinished
            Whether there is more to search; None is returned when there is not.
        nodes
            Nodes searched so far.
        longest
            Nodes that a step may have at most.
        """
        budget = 1  # a node may take as long as a step is meant to
        while unfinished():
            if limit := self.reached(nodes()):
                return limit
            began = clock.now()
            budget = self.within(budget, nodes())
            step(budget)
            seconds = clock.now() - began
            if seconds < _CHUNK_SECONDS / 2:
                faster = 4 if seconds < _CHUNK_SECONDS / 8 else 2
                budget = min(faster * budget, longest)
            elif seconds > _CHUNK_SECONDS:
                budget = max(1, budget // 2)
        return None


@contextmanager
def limits(deadline: float, nodes: int | None = None) -> Iterator[Limits]:
    """Look out for limits while the block runs; Ctrl-C is one of them.

    A second Ctrl-C raises KeyboardInterrupt, see ``interrupt.deferred``.

    Examples
    --------
    >>> counted = []
    >>> with limits(deadline=clock.now() + 60, nodes=100) as watch:
    ...     watch.search(
    ...         lambda budget: counted.extend(range(budget)),
    ...         unfinished=lambda: True,
    ...         nodes=lambda: len(counted),
    ...     )
    <Limit.NODES: 'nodes'>
    >>> len(counted)
    100
    """
    with deferred() as pressed:
        yield Limits(pressed, deadline, nodes)
