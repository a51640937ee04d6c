"""What a choice costs, from the definitions and in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isqrt

import numpy as np

from ...instances import IntArray
from ..topologies import Hierarchy
from .request import Objective

UNIT = 2**10
"""What a hop of the job counts in `thrift`."""


def block_level(fabric: Hierarchy) -> int:
    """Return the level that is called block, or the lowest."""
    return fabric.levels.index("block") if "block" in fabric.levels else 0


def counts_below(fabric: Hierarchy, nodes: Sequence[int]) -> Counter[int]:
    """Return how many of some nodes are below each domain, where there are any."""
    homes = fabric.home[np.asarray(nodes, dtype=np.int64)].tolist()
    found: Counter[int] = Counter()
    for home, count in Counter(homes).items():
        v = home
        while v >= 0:
            found[v] += count
            v = int(fabric.parent[v])
    return found


def hops(fabric: Hierarchy, below: Counter[int], k: int) -> int:
    """Return the sum of the hops of all pairs, from the counts below domains.

    Every pair has two hops to its switches, and those of the edges between it.
    """
    half = sum(int(fabric.weight[v]) * c * (k - c) for v, c in below.items())
    return k * (k - 1) + half // 2


def scattering(
    fabric: Hierarchy, below: Counter[int], free: IntArray, level: int | None = None
) -> int:
    """Return by how much the sum of the squares of free nodes below domains drops.

    Over all domains but the root, or those of one level. It is least where a job takes
    what is left of switches and racks that are in use, so that the others stay whole.
    """
    return sum(
        c * (2 * int(free[v]) - c)
        for v, c in below.items()
        if v and level in (None, int(fabric.level[v]))
    )


def regard(k: int, free: int) -> int:
    """Return the weight of nodes that stay free, 3/10 (k / free)^(3/4), times `UNIT`.

    As of the allocator ``thrifty``, see docs/papers/online-rule.md.
    """
    return isqrt(isqrt((3 * UNIT) ** 4 * k**3 // (10**4 * free**3)))


def thrift(
    fabric: Hierarchy, below: Counter[int], free: IntArray, pairs: int, k: int
) -> int:
    """Return the hops of a job, times `UNIT`, and those of what stays, by `regard`."""
    rest = free.copy()
    for v, c in below.items():
        rest[v] -= c
    left = int(rest[0])
    half = int((fabric.weight * rest * (left - rest)).sum())
    stay = left * (left - 1) + half // 2
    return UNIT * pairs + regard(k, int(free[0])) * stay


def cost(
    fabric: Hierarchy, objective: Objective, chosen: Sequence[int], free: IntArray
) -> tuple[int, ...]:
    """Return the numbers of an objective; ``free`` counts free nodes below domains."""
    below = counts_below(fabric, chosen)
    k = len(chosen)
    switches = len(set(fabric.home[np.asarray(chosen, dtype=np.int64)].tolist()))
    pairs = hops(fabric, below, k)
    match objective:
        case Objective.HOPS:
            return (pairs,)
        case Objective.SWITCHES:
            return switches, pairs
        case Objective.SPREAD:
            lowest = min(int(fabric.level[v]) for v, c in below.items() if c == k)
            return lowest, switches, pairs
        case Objective.BLOCKS:
            level = block_level(fabric)
            used = sum(int(fabric.level[v]) == level for v in below)
            return used, scattering(fabric, below, free, level), pairs
        case Objective.FRAGMENTATION:
            return scattering(fabric, below, free), pairs
        case _:
            return (thrift(fabric, below, free, pairs, k),)


def largest_jobs(fabric: Hierarchy, free: IntArray) -> dict[str, int]:
    """Return how many nodes are free in the best domain of every level."""
    found = dict.fromkeys(fabric.levels, 0)
    for v, level in enumerate(fabric.level.tolist()):
        name = fabric.levels[level]
        found[name] = max(found[name], int(free[v]))
    return found
