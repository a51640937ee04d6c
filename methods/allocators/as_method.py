"""Allocators as methods for k-subsets: mark the busy processors, then allocate once."""

from __future__ import annotations

from functools import partial

import numpy as np

from ...heuristics.allocation.allocator import Allocator
from ...instances import IntArray, KSubset, arrays
from ...solvers import Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.method import Method, Variant
from .classes import STRATEGIES


def methods() -> list[Method[KSubset]]:
    """Return every allocator as a method, with the docstring of its class."""
    return [
        Method(
            name,
            Variant(run, (name,), spec.doc),
            refuses=partial(refusal, name),
            seeded=spec.seeded,
        )
        for name, spec in STRATEGIES.items()
    ]


def refusal(name: str, instance: KSubset) -> str | None:
    """Return why an allocator does not support a network; None if it does."""
    return STRATEGIES[name].refuses(instance.topology)


def run(name: str, instance: KSubset, settings: Settings) -> Result:
    """Return the processors that an allocator chooses for a request of size k."""
    start = clock.now()
    spec = STRATEGIES[name]
    allocator = spec(instance.topology, seed=settings.seed)
    free = _numbers(allocator, instance)
    busy = np.ones(len(allocator.places), dtype=np.bool_)
    busy[free] = False
    allocator.hold(np.flatnonzero(busy))
    allocation = allocator.find(instance.k)
    seed = settings.seed if spec.seeded else None
    if allocation is None:
        return answer(instance, None, start=start, seed=seed)
    chosen = np.searchsorted(free, np.sort(allocation.used))
    return answer(instance, chosen, start=start, seed=seed)


def _numbers(allocator: Allocator, instance: KSubset) -> IntArray:
    """Return the numbers of the free processors; of equal sites the first ones."""
    if grid := instance.topology.grid:
        numbers: IntArray = np.ravel_multi_index(
            tuple(arrays.points(instance).T), grid.shape
        )
        return numbers
    numbers = np.empty(instance.n, dtype=np.int64)
    places = enumerate(allocator.places)
    for i, site in enumerate(instance.free):  # both ascending
        numbers[i] = next(number for number, place in places if place == site)
    return numbers
