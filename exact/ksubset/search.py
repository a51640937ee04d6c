"""Searches for a k-subset that run in steps and exchange solutions."""

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
        Nodes of its first turn, where searches alternate: about ten seconds.
    """

    turn: int = 10_000

    @property
    @abstractmethod
    def bound(self) -> int:
        """The best proved lower bound so far."""

    @abstractmethod
    def offer(self, chosen: tuple[int, ...], cost: int) -> None:
        """Accept a solution found elsewhere, with its cost, if it is better."""

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
    """Run a search from the choice of mm-inc within the limits."""
    start = clock.now()
    first = first_solution(instance, settings)
    if first.limit is Limit.INTERRUPT:
        return first
    assert first.chosen is not None
    try:
        search = make(instance, first.chosen)
        limit = search.run(start + settings.time_limit, settings.node_limit)
    except OutOfTimeError:  # during set-up, or within a step
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
