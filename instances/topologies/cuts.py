"""Distances as weighted sums of cuts.

On meshes, tori, points and trees, d(p, q) = Σ_h w_h [p and q on different sides of cut
h], so a set S of k processors with c_h of them on one side of cut h costs
w(S) = Σ_h w_h c_h (k - c_h). On a line the cuts are the gaps between coordinates, on a
ring half rings, on a tree its edges; the cuts of a product are those of its factors.

All of these cuts are *intervals*: the sites have a position on every axis (the rank of
a coordinate; on a tree the index in a depth-first order), and the inner side of a cut
is a range of positions on one axis. Counts are therefore differences of prefix sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Cuts:
    """The cuts of a set of n sites, without those that separate none of them."""

    weights: IntArray
    """Positive integers, shape (m,): hops times ``denominator``."""
    axis: IntArray
    start: IntArray
    stop: IntArray
    """Shape (m,): the sites inside cut h have positions on ``axis[h]`` from
    ``start[h]`` to ``stop[h] - 1``."""
    position: IntArray
    """Shape (n, axes): positions of the sites, counted from 0 on every axis."""
    parent: IntArray
    """Shape (m,): the smallest listed cut known to enclose this one, or -1. Gaps of one
    axis form a chain, edges of a tree a forest; half rings do not nest and have
    none."""
    denominator: int
    """2 when there is a ring of odd length (its cuts weigh 1/2 hop), else 1."""

    def __post_init__(self) -> None:
        for array in (
            self.weights,
            self.axis,
            self.start,
            self.stop,
            self.position,
            self.parent,
        ):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def sides(self) -> BoolArray:
        """Whether a site lies inside a cut, read-only, shape (m, n)."""
        along = self.position.T[self.axis]
        sides: BoolArray = (self.start[:, None] <= along) & (along < self.stop[:, None])
        sides.setflags(write=False)
        return sides


def ranked(coordinates: IntArray) -> tuple[IntArray, IntArray]:
    """Return the distinct coordinates, ascending, and the rank of each coordinate.

    Like ``numpy.unique``, but without sorting if the coordinates span a short range.

    >>> values, ranks = ranked(np.array([7, 5, 5, 9]))
    >>> values.tolist(), ranks.tolist()
    ([5, 7, 9], [1, 0, 0, 2])
    """
    low = int(coordinates.min())
    span = int(coordinates.max()) - low + 1
    if span > len(coordinates):
        values, ranks = np.unique(coordinates, return_inverse=True)
        return values, ranks
    shifted = coordinates - low
    there = np.bincount(shifted, minlength=span) > 0
    return np.flatnonzero(there) + low, (np.cumsum(there) - 1)[shifted]


def axis_cuts(points: IntArray, ring_lengths: Sequence[int]) -> Cuts:
    """Return the cuts of L1 distances on axes that are lines or rings.

    On a line one per gap between coordinates, the lower side inside; on a ring of
    length C, C/2 half rings, or for odd C, C of weight 1/2.

    Parameters
    ----------
    points
        Shape (n, axes).
    ring_lengths
        The length of the ring on each axis, 0 for a line.
    """
    denominator = 2 if any(length % 2 for length in ring_lengths) else 1
    rows: list[tuple[int, int, int, int, int]] = []
    position = np.empty(points.shape, dtype=np.int64)
    for axis, length in enumerate(ring_lengths):
        values, position[:, axis] = ranked(points[:, axis])
        if length:
            rows += _half_rings(axis, values, length, denominator)
            continue
        gaps = len(values) - 1
        for i, width in enumerate(np.diff(values)):
            parent = len(rows) + 1 if i + 1 < gaps else -1
            rows.append((int(width) * denominator, axis, 0, i + 1, parent))
    return cuts_of(rows, position, denominator)


def _half_rings(
    axis: int, values: IntArray, length: int, denominator: int
) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield the cuts of a ring that separate some of its occupied coordinates."""
    found: dict[tuple[int, int], int] = {}
    half = length // 2
    weight = denominator if length % 2 == 0 else 1
    for first in range(half if length % 2 == 0 else length):
        last = first + half  # an arc round the origin: its complement instead
        ends = (first, last) if last <= length else (last - length, first)
        start, stop = (int(i) for i in np.searchsorted(values, ends))
        if start == 0:  # its complement, so that no cut is listed twice
            start, stop = stop, len(values)
        if start < stop and (start, stop) != (0, len(values)):
            found[start, stop] = found.get((start, stop), 0) + weight
    return ((total, axis, *ends, -1) for ends, total in found.items())


def subtree_cuts(
    nodes: IntArray, parent: Sequence[int], weight: Sequence[int], order: Sequence[int]
) -> Cuts:
    """Return the cuts of nodes of a tree, one per edge of positive weight."""
    size = [0] * len(parent)
    for v in nodes:
        size[v] = 1
    filled = size.copy()  # positions of the sites at v, and below it as they are met
    for v in reversed(order):
        if parent[v] >= 0:
            size[parent[v]] += size[v]
    first = [0] * len(parent)  # positions of the sites below v: first[v], …
    rows: list[tuple[int, int, int, int, int]] = []
    innermost: dict[int, int] = {-1: -1}
    for v in order:
        up = innermost[v] = innermost[parent[v]]
        if parent[v] >= 0:
            first[v] = first[parent[v]] + filled[parent[v]]
            filled[parent[v]] += size[v]
        if parent[v] < 0 or not weight[v] or size[v] in (0, len(nodes)):
            continue
        ends = (first[v], first[v] + size[v])
        if up >= 0 and rows[up][2:4] == ends:  # the same sites below both edges
            rows[up] = (rows[up][0] + weight[v], *rows[up][1:])
            continue
        innermost[v] = len(rows)
        rows.append((weight[v], 0, *ends, up))
    position = np.array([[first[v]] for v in nodes], dtype=np.int64)
    return cuts_of(rows, position, 1)


def cuts_of(
    rows: list[tuple[int, int, int, int, int]], position: IntArray, denominator: int
) -> Cuts:
    """Return cuts from rows of weight, axis, start, stop and parent."""
    table = np.array(rows, dtype=np.int64).reshape(-1, 5)
    weights, axis, start, stop, parent = (column.copy() for column in table.T)
    return Cuts(weights, axis, start, stop, position, parent, denominator)


def downwards(parent: Sequence[int]) -> tuple[int, ...]:
    """List the nodes of a tree that the root reaches, parents before their children."""
    children: list[list[int]] = [[] for _ in parent]
    for v, up in enumerate(parent):
        if up >= 0:
            children[up].append(v)
    order = [v for v, up in enumerate(parent) if up < 0]
    for v in order:
        order.extend(children[v])
    return tuple(order)
