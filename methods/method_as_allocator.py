"""Any method for k-subsets as an allocator."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress

import numpy as np

from ..heuristics.allocation.allocator import Allocation, Allocator
from ..instances import InputError, KSubset, Topology
from ..solvers import DEFAULT, Result, Settings
from ..solvers.method import Method


class MethodAsAllocator(Allocator):
    """Ask a method for k-subsets, which looks at nothing but what is idle.

    Parameters
    ----------
    topology
        The network; all of it is idle at first.
    method
        From the registry.
    seed
        Of the first job; every further question has the next one.
    settings
        Limits of every question.

    Attributes
    ----------
    last
        What the method said to the last question; None before the first.

    Raises
    ------
    InputError
        When asked for something the method does not take, or finds nothing for
        within its limits.
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
        self.asked = 0
        self.last: Result | None = None

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        numbers = np.flatnonzero(self.idle)
        free = tuple(compress(self.places, self.idle))
        instance = KSubset("job", self.topology, free, k)
        seed = self.seed + self.asked  # some methods draw
        self.asked += 1
        result = self.method(instance, replace(self.settings, seed=seed))
        self.last = result
        if result.chosen is None:
            raise InputError("finds nothing within its limits", field=self.method.name)
        return Allocation.of(numbers[np.array(result.chosen, dtype=np.int64)])
