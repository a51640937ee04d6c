"""Searches that run in steps, and can be stopped and resumed between two of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..solvers import Limit
from ..solvers.running.limits import LONGEST, Limits, limits
from ..solvers.running.progress import report


class SteppableSearch(ABC):
    """An exact search in steps of a bounded number of nodes.

    Attributes
    ----------
    best
        Cost of the best solution so far.
    nodes
        Nodes searched so far.
    longest_step
        Limit on the nodes of a step.
    """

    best: int
    nodes: int
    longest_step: int = LONGEST

    @property
    @abstractmethod
    def chosen(self) -> tuple[int, ...]:
        """The best solution so far, by indices."""

    @property
    @abstractmethod
    def bound(self) -> Any:
        """The best proved lower bound so far."""

    def _unfinished(self) -> bool:
        """Return whether there is more to search."""
        unfinished: bool = self.bound < self.best
        return unfinished

    @abstractmethod
    def _step(self, budget: int) -> None:
        """Search at most this many nodes."""

    def _report(self) -> None:
        """Report incumbent and bound to whatever observes the search."""
        report(self.best, self.bound)

    def run(self, deadline: float, node_limit: int | None = None) -> Limit | None:
        """Continue the search; return the limit that stopped it, None if finished.

        Parameters
        ----------
        deadline
            Value of ``clock.now()`` at which to stop.
        node_limit
            Limit on all nodes, including those of earlier calls.
        """
        with limits(deadline, node_limit) as watch:
            return self._search(watch)

    def _search(self, watch: Limits) -> Limit | None:
        """Search within limits, in steps of about a tenth of a second."""

        def step(budget: int) -> None:
            self._step(budget)
            self._report()

        return watch.search(
            step,
            unfinished=self._unfinished,
            nodes=lambda: self.nodes,
            longest=self.longest_step,
        )
