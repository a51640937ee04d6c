"""Searches for a k-subset that run in steps."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable

import numpy as np

from ...heuristics.ksubset.mm_inc import first_solution
from ...heuristics.ksubset.stars import star_sums
from ...instances import KSubset
from ...solvers import Limit, Proof, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.interrupt import OutOfTimeError
from ..search import SteppableSearch


class KSubsetSearch(SteppableSearch):
    """An exact search for a k-subset; costs and bounds are in hops.

    Parameters
    ----------
    instance
        The instance to solve.
    chosen
        A first solution, by indices.
    bound
        A known lower bound.
    """

    def __init__(
        self, instance: KSubset, chosen: tuple[int, ...], bound: int = 0
    ) -> None:
        picked = np.array(chosen)
        self.instance = instance
        self._chosen = tuple(sorted(chosen))
        self._known = bound
        self.best = int(star_sums(instance, picked)[picked].sum()) // 2
        self.nodes = 0

    @property
    def chosen(self) -> tuple[int, ...]:
        """The best solution so far, by indices."""
        return self._chosen

    @property
    def bound(self) -> int:
        """The best proved lower bound so far."""
        return min(self.best, max(self._least_open(), self._known))

    @abstractmethod
    def _least_open(self) -> int:
        """Return the least bound of what is open; at least ``best`` if nothing is."""

    def offer(self, chosen: Iterable[int], cost: int) -> None:
        """Accept a solution with its cost, if it is better."""
        if cost < self.best:
            self.best = cost
            self._chosen = tuple(sorted(map(int, chosen)))


def search_alone(
    make: Callable[[KSubset, tuple[int, ...], int], KSubsetSearch],
    proof: Proof,
    instance: KSubset,
    settings: Settings,
    known: Callable[[KSubset], tuple[int, Proof]] | None = None,
) -> Result:
    """Run a search from the choice of mm-inc within the limits.

    ``known`` derives a bound beforehand, which costs little, with its proof.
    """
    start = clock.now()
    first = first_solution(instance, settings)
    if first.limit is Limit.INTERRUPT:
        return first
    assert first.chosen is not None
    bound, by = None, None
    try:
        if known is not None:
            bound, by = known(instance)
        search = make(instance, first.chosen, bound or 0)
        limit = search.run(start + settings.time_limit, settings.node_limit)
    except OutOfTimeError:  # during set-up, or within a step
        return answer(
            instance, first.chosen, start=start, bound=bound, proof=by, limit=Limit.TIME
        )
    return answer(
        instance,
        search.chosen,
        start=start,
        bound=search.bound,
        proof=proof if by is None or search.bound > (bound or 0) else by,
        limit=limit,
        nodes=search.nodes,
    )
