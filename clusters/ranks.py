"""The order of a job's ranks on the nodes that were chosen for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..instances import IntArray, arrays
from ..network.mapping.instance import RankMapping
from ..network.mapping.table import MAPPERS
from ..solvers import DEFAULT, Result, Settings
from ..solvers.running import clock
from .topologies import Fabric, Hierarchy


def hops_between(fabric: Fabric, nodes: Sequence[int]) -> IntArray:
    """Return the hops between all pairs of nodes of a fabric, shape (k, k)."""
    if not isinstance(fabric, Hierarchy):
        sites = np.array([fabric.sites[i] for i in nodes])
        found: IntArray = arrays.distances(fabric.topology, sites[:, None], sites[None])
        return found
    below = places_below(fabric, nodes)
    way = [0] * len(fabric.parent)
    for v in range(1, len(way)):
        way[v] = way[int(fabric.parent[v])] + int(fabric.weight[v])
    half = np.array([way[int(fabric.home[i])] for i in nodes], dtype=np.int64)
    hops = np.zeros((len(nodes), len(nodes)), dtype=np.int64)
    for v in sorted(below):  # parents come first, so that the lowest one stays
        hops[np.ix_(below[v], below[v])] = -2 * way[v]
    hops += half[:, None]  # in place: there may be 2^24 pairs
    hops += half
    hops //= 2
    hops += 2
    np.fill_diagonal(hops, 0)
    return hops


def places_below(fabric: Hierarchy, nodes: Sequence[int]) -> dict[int, list[int]]:
    """Return the places, in a list of nodes, of those below each domain with some."""
    below: dict[int, list[int]] = {}
    for place, i in enumerate(nodes):
        v = int(fabric.home[i])
        while v >= 0:
            below.setdefault(v, []).append(place)
            v = int(fabric.parent[v])
    return below


def order_on(
    fabric: Fabric,
    nodes: Sequence[int],
    traffic: IntArray,
    settings: Settings = DEFAULT,
) -> tuple[Result, int]:
    """Order ranks on nodes; also return what the order of the nodes itself costs.

    Up to 16 ranks the search is exact, beyond that annealing with the bound of Gilmore
    and Lawler. ``chosen[i]`` of the result is the place of rank i in ``nodes``.
    """
    start = clock.now()
    mapping = RankMapping(traffic, hops_between(fabric, nodes))
    left = max(0.0, settings.time_limit - (clock.now() - start))
    found = MAPPERS["auto"](mapping, replace(settings, time_limit=left))
    if isinstance(fabric, Hierarchy) and found.chosen is not None:
        found = replace(found, chosen=_ascending(fabric, nodes, found.chosen))
    return found, mapping.cost(range(len(nodes)))


def _ascending(
    fabric: Hierarchy, nodes: Sequence[int], order: Sequence[int]
) -> tuple[int, ...]:
    """Give the ranks within a domain its nodes in ascending order; hops stay."""
    homes = [int(fabric.home[nodes[place]]) for place in order]
    places: dict[int, list[int]] = {}
    for place in sorted(order, reverse=True):
        places.setdefault(int(fabric.home[nodes[place]]), []).append(place)
    return tuple(places[home].pop() for home in homes)
