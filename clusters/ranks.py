"""The order of a job's ranks on the nodes that were chosen for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from ..instances import InputError, IntArray, arrays
from ..network.mapping.instance import MOST_RANKS, RankMapping
from ..network.mapping.table import MAPPERS
from ..network.workloads.causal import sides_of
from ..solvers import DEFAULT, Result, Settings
from ..solvers.running import clock
from .topologies import Fabric, Hierarchy

_SHAPE = re.compile(r"[1-9]\d{0,3}(?:x[1-9]\d{0,3})*", re.ASCII)


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


def traffic_of(pattern: str, ranks: int) -> IntArray | None:
    """Return who sends to whom in a pattern, each pair of neighbours once.

    Parameters
    ----------
    pattern
        ``ring``, ``all-to-all``, ``halo2d`` or ``halo3d``, the last two perhaps with
        their sides: ``halo2d:4x8``. The sides are by default as equal as can be; there
        is no wrap-around.
    ranks
        Number of ranks.

    Returns
    -------
    IntArray
        Shape (ranks, ranks), or None if there is no such pattern.

    Raises
    ------
    InputError
        If the sides of a halo do not match the ranks: the field ``map``.

    Examples
    --------
    >>> traffic_of("halo2d:2x2", 4).tolist()
    [[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
    """
    name, colon, sides = pattern.partition(":")
    if name not in _PATTERNS:
        return None
    if ranks > MOST_RANKS:
        raise InputError(f"is for at most {MOST_RANKS} ranks", "map", pattern)
    axes = {"halo2d": 2, "halo3d": 3}.get(name)
    if axes is None:
        if colon:
            raise InputError(f"{name} has no sides", "map", pattern)
        return _PATTERNS[name](ranks, ())
    shape = sides_of(ranks, axes)
    if colon:
        if not _SHAPE.fullmatch(sides) or sides.count("x") != axes - 1:
            form = "x".join("ABC"[:axes])
            raise InputError(f"must be {name}:{form}", "map", pattern)
        shape = tuple(map(int, sides.split("x")))
    if prod(shape) != ranks:
        problem = f"has {prod(shape)} ranks, the job has {ranks} nodes"
        raise InputError(problem, "map", pattern)
    return _PATTERNS[name](ranks, shape)


def _ring(ranks: int, shape: tuple[int, ...]) -> IntArray:
    traffic = np.zeros((ranks, ranks), dtype=np.int64)
    if ranks > 1:
        i = np.arange(ranks if ranks > 2 else 1)
        traffic[i, (i + 1) % ranks] = 1
    return traffic


def _all_to_all(ranks: int, shape: tuple[int, ...]) -> IntArray:
    return np.triu(np.ones((ranks, ranks), dtype=np.int64), 1)


def _halo(ranks: int, shape: tuple[int, ...]) -> IntArray:
    traffic = np.zeros((ranks, ranks), dtype=np.int64)
    grid = np.arange(ranks).reshape(shape)
    for axis in range(len(shape)):
        lines = np.moveaxis(grid, axis, 0)
        traffic[lines[:-1], lines[1:]] = 1
    return traffic


_PATTERNS: dict[str, Callable[[int, tuple[int, ...]], IntArray]] = {
    "ring": _ring,
    "halo2d": _halo,
    "halo3d": _halo,
    "all-to-all": _all_to_all,
}


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
