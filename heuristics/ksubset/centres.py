"""Centres round which candidates are sought, listed piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from ...instances import IntArray, KSubset, arrays
from ...instances.arrays import rank
from ...solvers import Limit, Settings
from ...solvers.running import clock

Scan = Callable[[IntArray, int], tuple[int, int]]
"""The least price below a given one, and the row of the first centre that has it, or
-1."""

FAR = 2**62
_FIRST = 1
_SECONDS = 0.1
"""Target time per piece in seconds, so that limits are kept."""


@dataclass(frozen=True)
class Centres:
    """The product of ascending lists of coordinates, or the centres, one per row."""

    axes: tuple[IntArray, ...] = ()
    sites: IntArray | None = None

    @property
    def count(self) -> int:
        """Number of centres; may exceed 64 bits."""
        if self.sites is not None:
            return len(self.sites)
        return prod(len(axis) for axis in self.axes)

    @property
    def extent(self) -> tuple[IntArray, IntArray]:
        """Least and greatest coordinate on every axis."""
        if self.sites is not None:
            return self.sites.min(axis=0), self.sites.max(axis=0)
        low, high = zip(*((axis[0], axis[-1]) for axis in self.axes), strict=True)
        return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64)

    def part(self, first: int, number: int) -> IntArray:
        """Return up to ``number`` centres from the given one on, one per row."""
        if self.sites is not None:
            return self.sites[first : first + number]
        number = min(number, self.count - first)
        columns = []
        carry = np.arange(number, dtype=np.int64)
        for axis in reversed(self.axes):
            first, digit = divmod(first, len(axis))
            carry, digits = np.divmod(carry + digit, len(axis))
            columns.append(axis[digits])
        return np.stack(columns[::-1], axis=1)

    def parts(self) -> Iterator[IntArray]:
        """Yield all centres, in pieces that grow while they are processed quickly."""
        first, number = 0, _FIRST
        while first < self.count:
            began = clock.now()
            part = self.part(first, number)
            yield part
            first += len(part)
            seconds = clock.now() - began
            if seconds < _SECONDS:
                number *= 8 if seconds < _SECONDS / 16 else 2
            elif seconds > 3 * _SECONDS:
                number = max(1, number // 2)


def cheapest_centre(
    centres: Centres, scan: Scan, settings: Settings, start: float
) -> tuple[IntArray, Limit | None]:
    """Return the first centre of least price, and the limit that was reached, if any.

    The first piece is scanned regardless of limits; on Ctrl-C before that,
    KeyboardInterrupt is raised. ``start`` is ``clock.now()`` when the run began.
    """
    best, winner = FAR, None
    try:
        for part in centres.parts():
            if winner is not None and clock.now() - start > settings.time_limit:
                return winner, Limit.TIME
            best, where = scan(part, best)
            if where >= 0:
                winner = part[where].copy()
    except KeyboardInterrupt:
        if winner is None:
            raise
        return winner, Limit.INTERRUPT
    assert winner is not None
    return winner, None


def intersections(instance: KSubset) -> Centres:
    """Return all crossings of free coordinates; on trees and graphs all nodes.

    These are the medians that sets of free processors can have: a tree, like a
    grid, is a median graph.
    """
    if instance.topology.ring_lengths is None:
        return everywhere(instance)
    return Centres(tuple(rank(axis)[0] for axis in arrays.points(instance).T))


def free_sites(instance: KSubset) -> Centres:
    """Return the sites of free processors, each once."""
    points = arrays.points(instance)  # sorted
    new = np.ones(len(points), dtype=np.bool_)
    new[1:] = (points[1:] != points[:-1]).any(axis=1)
    return Centres(sites=points[new])


def everywhere(instance: KSubset) -> Centres:
    """Return all locations of a mesh or torus, or all nodes of a tree or graph.

    For points in space, which have no locations, these are their intersections.
    """
    topology = instance.topology
    if topology.grid or topology.on_nodes:
        return Centres(tuple(np.arange(side) for side in topology.size))
    if topology.ring_lengths is None:
        return Centres(sites=np.array(list(topology.locations()), dtype=np.int64))
    return intersections(instance)
