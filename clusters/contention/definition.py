"""What a choice costs the links of a tree, from the definitions and in plain Python.

Every one of k nodes sends to all others alike, as much as its port lets pass, and a
link above a domain with c of them carries c (k - c) / (k - 1) of a port's rate each
way. Links that the job does not use do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm

import numpy as np

from ...instances import InputError
from ..placement import measures
from ..topologies import Hierarchy
from .links import UNIT, TreeLinks

_MOST = 2**40


class LinkScale:
    """Factors that make integers of loads in parts of capacities.

    With b of `UNIT` parts of a port's rate in the background, a link with c of k nodes
    below is used to ``factor[v] * (busy[way][v] + load * c * (k - c))`` of ``whole``.
    """

    def __init__(self, links: TreeLinks, k: int, reserve: int = 0) -> None:
        busy = (k - 1) * (links.busy + reserve * links.capacity)
        common = gcd(UNIT, int(np.gcd.reduce(busy[:, 1:], axis=None)))
        kinds, of = np.unique(links.capacity[1:], return_inverse=True)
        every = lcm(*kinds.tolist())
        if every >= _MOST:
            ports = ", ".join(f"{one / UNIT:g}" for one in kinds[:4])
            problem = f"capacities of {ports} ports have no small common multiple"
            raise InputError(problem, "links")
        self.factor = np.concatenate([[0], (every // kinds)[of]]).astype(np.int64)
        self.load = UNIT // common
        self.busy = busy // common
        self.whole = Fraction((k - 1) * every, common)

    def uses(self, v: int, pairs: int) -> Iterator[tuple[int, int]]:
        """Yield how much of a link is used before and after a job came, each way."""
        for way in self.busy:
            factor, before = int(self.factor[v]), int(way[v])
            yield factor * before, factor * (before + self.load * pairs)


def link_cost(
    fabric: Hierarchy, links: TreeLinks, chosen: Sequence[int], power: int, reserve: int
) -> tuple[int, ...]:
    """Return the busiest link that is used and the hops; with a power, the contention.

    The first is in parts of `LinkScale.whole`. Contention is the sum, over links, of by
    how much the power of what is used rises, of a link and ``reserve`` capacities more.
    """
    k = len(chosen)
    below = measures.counts_below(fabric, chosen)
    scale = LinkScale(links, k, reserve)
    used = [
        pair
        for v, c in below.items()
        if v and c < k
        for pair in scale.uses(v, c * (k - c))
    ]
    if power:
        return (sum(after**power - before**power for before, after in used),)
    busiest = max((after for _, after in used), default=0)
    return busiest, measures.hops(fabric, below, k)
