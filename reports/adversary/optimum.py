"""Optima of instances that differ little from one another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ...formulations.ksubset.bounds.towns import town_bound_value
from ...instances import IntArray, KSubset, Mesh, Site
from .hunt import Ground, Sites
from .least_kernels import NONE, least

NODES = 200_000
"""Partial choices visited for one instance before the search stops."""


@dataclass(frozen=True, slots=True)
class Known:
    """An optimum that is proved, and a choice that attains it."""

    sites: Sites
    cost: int
    chosen: frozenset[Site]


@dataclass
class Optimum:
    """Proves optima, or that there is none below a limit.

    An instance that differs from one known by few processors inherits what it can: an
    optimum none of whose processors went is still to be had, and then only sets with
    a new processor can be cheaper; without new ones nothing can be.
    """

    ground: Ground
    nodes: int = NODES
    _inner: IntArray = field(init=False)

    def __post_init__(self) -> None:
        k = self.ground.k
        self._inner = np.zeros(k + 1, dtype=np.int64)
        topology = self.ground.topology
        if isinstance(topology, Mesh) and not self.ground.points:
            for r in range(2, k + 1):
                bound = town_bound_value(r, topology.dimension)
                self._inner[r] = bound or r * (r - 1) // 2

    def below(
        self, instance: KSubset, limit: int, known: Known | None = None
    ) -> Known | None:
        """Return the optimum if it is below a limit; None if not, or not proved.

        ``known`` is the optimum of a neighbour.
        """
        sites, k = instance.free, instance.k
        floor, must = int(self._inner[k]), NONE
        kept: Known | None = None
        if known is not None and not self.ground.points:
            new = set(sites) - set(known.sites)
            if known.chosen <= set(sites):  # still to be had
                if known.cost < limit:
                    kept = replace(known, sites=sites)
                if not new:
                    return kept
                if len(new) == 1:
                    must = sites.index(new.pop())
            elif not new:
                floor = max(floor, known.cost)
        picked = np.empty(k, dtype=np.int64)
        start = kept.cost if kept is not None else limit
        hops = instance.topology.distances(
            instance.points[:, None], instance.points[None]
        )
        cost, _, proved = least(
            hops, k, start, floor, must, self._inner, self.nodes, picked
        )
        if not proved:
            return None
        if cost >= start:
            return kept
        return Known(sites, int(cost), frozenset(sites[i] for i in picked))
