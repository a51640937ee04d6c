"""A machine whose processors are taken and given back by jobs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import compress

from ..heuristics import KSUBSET, AnyMethod
from ..instances import InputError, KSubset, Site, Topology
from ..solvers import DEFAULT


class Machine:
    """A network, which of its processors are busy, and who hands them out.

    Parameters
    ----------
    network
        The network; all of it is free at first.
    allocator
        Name of a method in the registry, which chooses the processors of a job.

    Raises
    ------
    InputError
        When there is no such method.
    """

    def __init__(self, network: Topology, allocator: str) -> None:
        self.network = network
        self.allocator = _method(allocator)
        self.places = tuple(network.locations())
        self._index = {site: i for i, site in enumerate(self.places)}
        self._idle = [True] * len(self.places)
        self.free = len(self.places)
        """Number of free processors."""
        self._placed = 0

    def offer(self, size: int, name: str = "job", source: str = "") -> KSubset:
        """Return the problem that a job of this size poses now."""
        free = tuple(compress(self.places, self._idle))
        return KSubset(name, self.network, free, size, source=source)

    def place(self, instance: KSubset) -> tuple[Site, ...]:
        """Let the allocator choose, and take what it chose."""
        self._placed += 1  # another seed for every job: some methods draw
        result = self.allocator(instance, replace(DEFAULT, seed=self._placed))
        if result.chosen is None:
            raise InputError(
                "finds nothing within its limits", field=self.allocator.name
            )
        chosen = tuple(instance.free[i] for i in result.chosen)
        for site in chosen:
            self._idle[self._index[site]] = False
        self.free -= len(chosen)
        return chosen

    def release(self, sites: Iterable[Site]) -> None:
        """Give processors back."""
        for site in sites:
            self._idle[self._index[site]] = True
            self.free += 1


def _method(name: str) -> AnyMethod:
    if name not in KSUBSET:
        raise InputError(
            f"no such method (known: {', '.join(KSUBSET)})", field="allocator"
        )
    return KSUBSET[name]
