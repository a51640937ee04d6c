"""The strategies as methods for k-subsets: hold what is busy, and ask once."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..heuristics.allocation.allocator import Allocator
from ..instances import IntArray, KSubset, Mesh, Torus
from ..solvers import DEFAULT, Result, Settings, answer, clock
from .allocators import STRATEGIES

if TYPE_CHECKING:
    from ..solvers.method import RunOn


def refusal(name: str, instance: KSubset) -> str | None:
    """Say why a strategy is not for the network of an instance; None if it is."""
    return STRATEGIES[name].refuses(instance.topology)


@cache
def method(name: str) -> RunOn[KSubset]:
    """Return a strategy as a function; its promises are those of its class.

    Raises
    ------
    KeyError
        When there is no such strategy.
    """
    maker = STRATEGIES[name]

    def run(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
        start = clock.now()
        allocator = maker(instance.topology, seed=settings.seed)
        free = _numbers(allocator, instance)
        busy = np.ones(len(allocator.places), dtype=np.bool_)
        busy[free] = False
        allocator.hold(np.flatnonzero(busy))
        grant = allocator.find(instance.k)
        seed = settings.seed if maker.seeded else None
        if grant is None:
            return answer(instance, None, start=start, seed=seed)
        chosen = np.searchsorted(free, np.sort(grant.used))
        return answer(instance, chosen, start=start, seed=seed)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = maker.doc
    return run


def _numbers(allocator: Allocator, instance: KSubset) -> IntArray:
    """Return the numbers of the free processors; of equal sites the first ones."""
    if isinstance(grid := instance.topology, Mesh | Torus):
        numbers: IntArray = np.ravel_multi_index(tuple(instance.points.T), grid.shape)
        return numbers
    numbers = np.empty(instance.n, dtype=np.int64)
    places = enumerate(allocator.places)
    for i, site in enumerate(instance.free):  # both ascending
        numbers[i] = next(number for number, place in places if place == site)
    return numbers


def __getattr__(name: str) -> RunOn[KSubset]:
    if name in STRATEGIES:
        return method(name)
    raise AttributeError(name)
