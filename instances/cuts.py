"""Distances as weighted sums of cuts.

For every topology here, d(p, q) = Σ_h w_h [p and q on different sides of h], so
a set S of k processors with c_h of them on one side of cut h costs
w(S) = Σ_h w_h c_h (k - c_h). On a line the cuts are the gaps between
coordinates, on a ring half rings, on a tree its edges; products add.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Cuts:
    """The cuts of a set of n sites; those with all sites on one side are left out.

    Parameters
    ----------
    weights
        Positive integers, shape (m,): hops times ``denominator``.
    sides
        Shape (m, n): whether a site lies on the inner side of a cut.
    parent
        Shape (m,): the smallest listed cut known to enclose this one, or -1.
        Gaps of one axis form a chain, edges of a tree a forest; half rings do
        not nest and have none.
    denominator
        2 when there is a ring of odd length (its cuts weigh 1/2 hop), else 1.
    """

    weights: IntArray
    sides: BoolArray
    parent: IntArray
    denominator: int = 1

    def __post_init__(self) -> None:
        for array in (self.weights, self.sides, self.parent):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.weights)


def interval_cuts(points: IntArray) -> Cuts:
    """Cuts of sites under L1: one a gap of every axis, the lower side inside."""
    weights: list[int] = []
    sides: list[BoolArray] = []
    parent: list[int] = []
    for axis in points.T:
        values = np.unique(axis)
        for low, high in pairwise(values):
            weights.append(int(high) - int(low))
            sides.append(axis <= low)
            parent.append(len(parent) + 1)
        if len(values) > 1:
            parent[-1] = -1
    return _cuts(weights, sides, parent, 1, len(points))


def ring_cuts(points: IntArray, shape: Sequence[int]) -> Cuts:
    """Cuts of sites on a torus: C/2 half rings, or for odd C, C of weight 1/2."""
    denominator = 2 if any(side % 2 for side in shape) else 1
    found: dict[bytes, int] = {}
    sides: list[BoolArray] = []
    weights: list[int] = []
    for axis, length in zip(points.T, shape, strict=True):
        arcs = length // 2 if length % 2 == 0 else length
        weight = denominator if length % 2 == 0 else 1
        for start in range(arcs):
            side = (axis - start) % length < length // 2
            if side[0]:  # a cut and its complement are one
                side = ~side
            if not side.any():
                continue
            key = side.tobytes()
            if key in found:
                weights[found[key]] += weight
            else:
                found[key] = len(sides)
                sides.append(side)
                weights.append(weight)
    return _cuts(weights, sides, [-1] * len(sides), denominator, len(points))


def subtree_cuts(
    nodes: IntArray, parent: Sequence[int], weight: Sequence[int], order: Sequence[int]
) -> Cuts:
    """Cuts of sites on a tree: one an edge of positive weight, below it inside."""
    inside = np.zeros((len(parent), len(nodes)), dtype=bool)
    inside[nodes, np.arange(len(nodes))] = True
    for v in reversed(order):
        if parent[v] >= 0:
            inside[parent[v]] |= inside[v]
    index: dict[int, int] = {}
    weights: list[int] = []
    above: list[int] = []
    kept: list[int] = []
    for v in order:
        up = index.get(parent[v], -1)
        index[v] = up
        size = int(inside[v].sum())
        if parent[v] < 0 or not weight[v] or size in (0, len(nodes)):
            continue
        if up >= 0 and size == int(inside[kept[up]].sum()):
            weights[up] += weight[v]  # same sites below both edges
            continue
        index[v] = len(kept)
        kept.append(v)
        weights.append(weight[v])
        above.append(up)
    return _cuts(weights, [inside[v] for v in kept], above, 1, len(nodes))


def _cuts(
    weights: list[int],
    sides: list[BoolArray],
    parent: list[int],
    denominator: int,
    n: int,
) -> Cuts:
    matrix = np.array(sides, dtype=bool) if sides else np.zeros((0, n), dtype=bool)
    return Cuts(
        np.array(weights, dtype=np.int64),
        matrix,
        np.array(parent, dtype=np.int64),
        denominator,
    )
