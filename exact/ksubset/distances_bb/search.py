"""Branch and bound on distances: exact on any metric, without cuts or coordinates.

A node of the search has chosen processors P, and candidates C from which r more must
be taken. For a candidate v and any choice U of r - 1 others,

    w(P, v, U) = w(P) + D(v) + Σ_{u in U} (D(u) + d(u, v)) + w(U),

where D are sums of distances to P. Half of Σ D(u) is distributed over the pairs of U:

    w(U) + ½ Σ D(u) = ½ Σ_u Σ_{x in U - u} (d(u, x) + D(x) / (r - 2)),

so that u contributes at least the r - 2 smallest of these terms over all candidates,
and U at least the r - 1 smallest sums of D(u) / 2 + d(u, v) and that.

- Candidates: v is dropped if this bound is not below the incumbent. As any choice has
  r candidates, the r-th smallest bound is valid for the node.
- Branching: the candidate of least bound is first chosen, then excluded.
- Twins: processors with equal distances to all others, such as those of one switch,
  are interchangeable; excluding one excludes the rest.

Derived for this project; docs/science/graphs.md has the short proofs.
"""

from __future__ import annotations

import numpy as np

from ....instances import IntArray, KSubset, arrays
from ....solvers import DEFAULT, Grade, Proof, Result, Settings
from ..search import KSubsetSearch, search_alone
from . import kernels as kernels

PROOF = Proof(Grade.ENUMERATED, "distances-bb")
MOST_FREE = 4096
"""Number of free processors up to which the search runs."""
_LARGEST = 2**62


def refusal(instance: KSubset) -> str | None:
    """Return why the search does not support an instance; None if it does."""
    if instance.n > MOST_FREE:
        return f"{instance.n} free processors; at most {MOST_FREE} are searched"
    spread = instance.topology.spread(instance.free)
    if 8 * spread * instance.k**3 >= _LARGEST:
        return (
            f"bounds could overflow 64 bits (k = {instance.k}, "
            f"largest distance up to {spread})"
        )
    return None


def distances_bb(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by branch and bound on the table of distances.

    Guarantee: exact.
    Time: exponential at worst; O(m²) for a node with m candidates. Space O(n² + n k).
    Source: derived for closeknit, see docs/science/graphs.md.
    """
    return search_alone(DistancesSearch, PROOF, instance, settings)


class DistancesSearch(KSubsetSearch):
    """A search that can be stopped and resumed; see `refusal` for what it solves."""

    def __init__(
        self, instance: KSubset, chosen: tuple[int, ...], bound: int = 0
    ) -> None:
        super().__init__(instance, chosen, bound)
        hops = arrays.hops(instance).copy()
        n, k = instance.n, instance.k
        nearest = np.partition(hops, range(k), axis=1)[:, :k].cumsum(axis=1)
        self._space = kernels.PairDistances(hops, nearest, twins(hops), k)
        lines = np.zeros((5, k), dtype=np.int64)
        rows = np.zeros((2, k, n), dtype=np.int64)
        self._frames = kernels.Frames(
            chosen=lines[0],
            some=rows[0],
            many=lines[1],
            reach=rows[1],
            paid=lines[2],
            least=lines[3],
            at=np.array([1 if k > 1 else 0]),
            best=lines[4],
        )
        self._frames.some[0] = np.arange(n)
        self._frames.many[0] = n

    def _least_open(self) -> int:
        rows = int(self._frames.at[0])
        return int(self._frames.least[:rows].min()) if rows else self.best

    def _step(self, budget: int) -> None:
        best, nodes = kernels.search(self._space, self._frames, self.best, budget)
        self.nodes += int(nodes)
        self.offer(self._frames.best, int(best))


def twins(hops: IntArray) -> IntArray:
    """Assign one number to processors with equal distances to all others.

    Sums of random multiples of the distances find candidates, as twins have equal sums
    except for the distance between them; candidates are verified. O(n) per class.

    >>> twins(np.array([[0, 1, 4], [1, 0, 4], [4, 4, 0]])).tolist()
    [0, 0, 2]
    """
    n = len(hops)
    mark = np.random.default_rng(0).integers(1, 2**31, n)
    total = (hops * mark).sum(axis=1)
    twin = np.full(n, -1, dtype=np.int64)
    for i in range(n):
        if twin[i] >= 0:
            continue
        twin[i] = i
        # subtract the mutual distance, which enters each sum with the other's weight
        same = total[i] + hops[i] * mark[i] == total + hops[i] * mark
        for j in np.flatnonzero(same & (twin < 0)):
            differ = hops[i] != hops[j]
            differ[[i, j]] = False
            if not differ.any():
                twin[j] = i
    return twin
