"""Time, node and interrupt limits of a search, checked between its steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event

from ...instances.result import Limit
from . import clock
from .interrupt import deferred

_CHUNK_SECONDS = 0.1
"""Target duration of a kernel call, after which limits and Ctrl-C are checked."""
LONGEST = 2**40
"""Maximal number of nodes per kernel call."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a search; see `limits`."""

    pressed: Event
    """Event set by Ctrl-C."""
    deadline: float
    """Value of ``clock.now()`` at which to stop."""
    nodes: int | None = None
    """Maximal number of search nodes, or None."""

    def reached(self, nodes: int = 0) -> Limit | None:
        """Return the limit reached by a search with this number of nodes, if any."""
        if self.pressed.is_set():
            return Limit.INTERRUPT
        if clock.now() >= self.deadline:
            return Limit.TIME
        if self.nodes is not None and nodes >= self.nodes:
            return Limit.NODES
        return None

    def within(self, budget: int, nodes: int) -> int:
        """Reduce the budget of a step to the nodes that remain."""
        return budget if self.nodes is None else min(budget, self.nodes - nodes)

    def search(
        self,
        step: Callable[[int], object],
        *,
        unfinished: Callable[[], bool],
        nodes: Callable[[], int],
        longest: int = LONGEST,
    ) -> Limit | None:
        """Run a search in steps of about 0.1 s; return the limit that ended it, if any.

        The result of the search must not depend on where its steps end. ``step``
        searches at most the given number of nodes, never more than ``longest``.
        """
        budget = 1  # a single node may take as long as a whole step should
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
    """Provide the limits of a search, with Ctrl-C as one of them, within the block.

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
