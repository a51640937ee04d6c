"""Searches for a k-subset that run in steps and share solutions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from ...heuristics.ksubset.mm_inc import first_solution
from ...instances import KSubset
from ...solvers import Limit, Proof, Result, Settings, answer, clock
from ...solvers.interrupt import OutOfTimeError
from ...solvers.progress import report
from ..search import SteppableSearch


class KSubsetSearch(SteppableSearch):
    """An exact search for a k-subset; costs and bounds are in hops.

    Attributes
    ----------
    turn
        Nodes of its first turn, where searches take turns: some ten seconds.
    """

    turn: int = 10_000

    @property
    @abstractmethod
    def bound(self) -> int:
        """The best proved lower bound so far."""

    @abstractmethod
    def offer(self, chosen: tuple[int, ...], cost: int) -> None:
        """Take over a solution found elsewhere, of this cost, if it is better."""

    def _unfinished(self) -> bool:
        return self.bound < self.best

    def _report(self) -> None:
        report(self.best, self.bound)


def search_alone(
    make: Callable[[KSubset, tuple[int, ...]], KSubsetSearch],
    proof: Proof,
    instance: KSubset,
    settings: Settings,
) -> Result:
    """Run a search from mm-inc's choice within the limits; return the result."""
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
