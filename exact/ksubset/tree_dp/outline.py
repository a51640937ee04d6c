"""Kernels for what a tree tells before any table: counts, a choice, a bound.

Nodes are numbered breadth first, so that parents come before children.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....solvers.kernels import kernel

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@kernel
def gather(
    up: Ints, weight: Ints, node: Ints, size: Ints, home: Ints, away: Ints
) -> None:
    """Count the free processors below every node; find the bunch of each of them."""
    for u in node:
        size[u] += 1
    for v in range(len(up) - 1, 0, -1):
        size[up[v]] += size[v]
    for p in range(len(node)):
        u = node[p]
        while size[u] == 1:
            away[p] += weight[u]
            u = up[u]
        home[p] = u


@kernel
def packed(up: Ints, size: Ints, node: Ints, k: int, picked: Flags) -> None:
    """Choose the first k, depth first, below a deepest node that has k."""
    first = np.zeros(len(up), dtype=np.int64)
    taken = np.zeros(len(up), dtype=np.int64)
    for u in node:
        taken[u] += 1
    filled = taken.copy()
    taken[:] = 0
    begin = 0
    for v in range(len(up)):
        if v:
            first[v] = first[up[v]] + filled[up[v]]
            filled[up[v]] += size[v]
        if size[v] >= k:
            begin = first[v]  # breadth first: the last such node is a deepest one
    for p in range(len(node)):
        u = node[p]
        place = first[u] + taken[u]
        taken[u] += 1
        picked[p] = begin <= place < begin + k


@kernel
def secant(n: int, k: int, up: Ints, weight: Ints, size: Ints, node: Ints) -> int:
    """Bound the cost from below: every c (k - c) by its secant on [least, most].

    Of the processors below an edge at least k - (n - size) and at most k are chosen.
    """
    constant = 0
    slope = np.zeros(len(up), dtype=np.int64)
    for v in range(1, len(up)):
        least, most = max(0, k - (n - size[v])), min(size[v], k)
        constant += weight[v] * least * most
        slope[v] = slope[up[v]] + weight[v] * (k - least - most)
    each = slope[node]
    each.sort()
    return max(0, constant + int(each[:k].sum()))
