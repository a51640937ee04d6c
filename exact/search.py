"""Searches that can be stopped, told of a solution, and resumed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from ..heuristics.ksubset.mm_inc import first_solution
from ..instances import KSubset
from ..solvers import Limit, Proof, Result, Settings, answer, clock
from ..solvers.interrupt import OutOfTimeError
from ..solvers.limits import LONGEST, limits
from ..solvers.progress import report


class SteppableSearch(ABC):
    """An exact search in steps of so many nodes.

    Attributes
    ----------
    best
        Cost of the best solution so far, in hops.
    nodes
        Nodes searched so far.
    longest_step
        Nodes that a step may have at most.
    turn
        Nodes of its first turn, where searches take turns: some ten seconds.
    """

    best: int
    nodes: int
    longest_step: int = LONGEST
    turn: int = 10_000

    @property
    @abstractmethod
    def chosen(self) -> tuple[int, ...]:
        """The best solution so far, by indices."""

    @property
    @abstractmethod
    def bound(self) -> int:
        """The best proved lower bound so far, in hops."""

    @abstractmethod
    def offer(self, chosen: tuple[int, ...], cost: int) -> None:
        """Take over a solution found elsewhere, of this cost in hops, if better."""

    @abstractmethod
    def _step(self, budget: int) -> None:
        """Search some nodes, at most so many."""

    def run(self, deadline: float, node_limit: int | None = None) -> Limit | None:
        """Search on; return what stopped it, None when all is proved.

        Parameters
        ----------
        deadline
            Value of ``clock.now()`` at which to stop.
        node_limit
            Nodes in all, earlier calls included.
        """

        def step(budget: int) -> None:
            self._step(budget)
            report(self.best, self.bound)

        with limits(deadline, node_limit) as watch:
            return watch.search(
                step,
                unfinished=lambda: self.bound < self.best,
                nodes=lambda: self.nodes,
                longest=self.longest_step,
            )


def search_alone(
    make: Callable[[KSubset, tuple[int, ...]], SteppableSearch],
    proof: Proof,
    instance: KSubset,
    settings: Settings,
) -> Result:
    """Start a search from mm-inc's choice, and say what came of it."""
    start = clock.now()
    first = first_solution(instance, settings)
    if first.limit is Limit.INTERRUPT:
        return first
    assert first.chosen is not None
    try:
        search = make(instance, first.chosen)
        limit = search.run(start + settings.time_limit, settings.node_limit)
    except OutOfTimeError:  # while it was laid out, or half way through a step
        return answer(instance, first.chosen, start=start, limit=Limit.TIME)
    return answer(
        instance,
        search.chosen,
        start=start,
        bound=search.bound,
        proof=proof,
        limit=limit,
        nodes=search.nodes,
    )
