"""Task mapping: all methods, and the one function that users call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from types import MappingProxyType
from typing import Any

from ...instances.reading.suggestions import entry_named
from ...solvers import DEFAULT, Limit, Result, Settings
from ...solvers.running import clock
from ...solvers.running.interrupt import run_alarmed
from ...solvers.running.method import by_alarm
from .exact.search import exact
from .heuristics.annealing import annealing
from .heuristics.baselines import greedy, identity, random
from .instance import RankMapping
from .models.answer import mapping_result

MOST_PROVED = 16
"""Ranks up to which ``auto`` searches for a proof."""


def auto(mapping: RankMapping, /, settings: Settings = DEFAULT) -> Result:
    """Search up to 16 ranks exactly; anneal more.

    Guarantee: optimal up to 16 ranks, if it ends.
    Time: see `exact` and `annealing`.
    Ties: see there.
    Source: docs/science/task-mapping.md.
    """
    chosen = exact if mapping.ranks <= MOST_PROVED else annealing
    return chosen(mapping, settings)


Mapper = Callable[[RankMapping, Settings], Result]


def in_time(method: Callable[..., Result]) -> Mapper:
    """Return the method with an alarm: it ends as all methods do, see `Method`."""

    @wraps(method)
    def run(mapping: RankMapping, settings: Settings = DEFAULT) -> Result:
        start = clock.now()
        result, alarm = run_alarmed(
            settings.time_limit, lambda: method(mapping, settings)
        )
        if result is not None:
            return by_alarm(result, alarm)
        return mapping_result(
            mapping, range(mapping.ranks), start=start, until=start, limit=Limit.TIME
        )

    return run


MAPPERS: Mapping[str, Mapper] = MappingProxyType(
    {
        method.__name__: in_time(method)
        for method in (auto, identity, random, greedy, annealing, exact)
    }
)
"""Methods by name."""


def order_ranks(
    traffic: Any,
    hops: Any,
    method: str = "auto",
    *,
    time_limit: float = 60.0,
    seed: int = 0,
) -> Result:
    """Order the ranks of a job on the processors that it was given.

    Parameters
    ----------
    traffic
        Bytes or messages from every rank to every other: a square matrix of integers.
    hops
        Links between the processors, in the same number: a symmetric matrix.
    method
        ``identity``, ``random``, ``greedy``, ``annealing``, ``exact`` (up to 64 ranks),
        or ``auto``: exact up to 16 ranks, annealing beyond.
    time_limit
        Wall-clock seconds; then the best order and bound so far are returned.
    seed
        Random seed of annealing and of random orders.

    Returns
    -------
    Result
        ``chosen[i]`` is the processor of rank i, by its row in ``hops``; ``objective``
        the sum of traffic times hops; ``bound`` at most the least such sum; ``proof``
        names what proves it. The status is optimal where the two are equal.

    Raises
    ------
    InputError
        If a matrix is not square, of another size, or has entries that are negative or
        no whole numbers; or there is no such method.

    Examples
    --------
    >>> ring = [[0, 9, 0, 9], [9, 0, 9, 0], [0, 9, 0, 9], [9, 0, 9, 0]]
    >>> mesh = [[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]]
    >>> order_ranks(ring, mesh, "identity").objective
    108
    >>> found = order_ranks(ring, mesh)
    >>> found.objective, found.status.value
    (72, 'optimal')
    """
    run = entry_named(method, MAPPERS, "method", "method of mapping")
    settings = Settings(time_limit=time_limit, seed=seed)
    start, mapping = clock.now(), RankMapping(traffic, hops)
    left = max(0.0, time_limit - (clock.now() - start))
    return run(mapping, replace(settings, time_limit=left))
