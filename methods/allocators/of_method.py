"""Any method for k-subsets as an allocator of processors."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress

import numpy as np

from ...heuristics.allocation.allocator import Allocation, Allocator
from ...instances import InputError, KSubset, Topology
from ...solvers import DEFAULT, Result, Settings
from ...solvers.running.interrupt import ending_callers
from ...solvers.running.method import Method


class MethodAsAllocator(Allocator):
    """Choose processors by a method for k-subsets, given only the idle ones.

    The network is idle at first. The first request has the seed, each further request
    the next number. Raises InputError if the method does not accept a request, or finds
    no solution for it within its limits.

    Attributes
    ----------
    last
        Result of the last run; None before the first.
    """

    def __init__(
        self,
        topology: Topology,
        method: Method[KSubset],
        *,
        seed: int = 0,
        settings: Settings = DEFAULT,
    ) -> None:
        super().__init__(topology, seed=seed)
        self.method = method
        self.settings = settings
        self.requests = 0
        self.last: Result | None = None

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        numbers = np.flatnonzero(self.idle)
        free = tuple(compress(self.places, self.idle))
        instance = KSubset("job", self.topology, free, k)
        seed = self.seed + self.requests  # some methods are randomized
        self.requests += 1
        with ending_callers():
            result = self.method(instance, replace(self.settings, seed=seed))
        self.last = result
        if result.chosen is None:
            raise InputError("finds nothing within its limits", self.method.name)
        return Allocation.of(numbers[np.array(result.chosen, dtype=np.int64)])
