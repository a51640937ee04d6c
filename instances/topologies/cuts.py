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

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

Row = tuple[int, int, int, int, int]
"""Weight, axis, start, stop and parent of a cut."""


@dataclass(frozen=True)
class Cuts:
    """The cuts of a set of n sites, without those that separate none of them.

    `arrays.cuts` has the same as arrays.
    """

    weights: tuple[int, ...]
    """Positive integers, one for each cut: hops times ``denominator``."""
    axis: tuple[int, ...]
    start: tuple[int, ...]
    stop: tuple[int, ...]
    """The sites inside cut h have positions on ``axis[h]`` from ``start[h]`` to
    ``stop[h] - 1``."""
    position: tuple[tuple[int, ...], ...]
    """The positions of every site, one for each axis, counted from 0."""
    parent: tuple[int, ...]
    """The smallest listed cut known to enclose this one, or -1. Gaps of one axis form
    a chain, edges of a tree a forest; half rings do not nest and have none."""
    denominator: int
    """2 when there is a ring of odd length (its cuts weigh 1/2 hop), else 1."""

    def __len__(self) -> int:
        return len(self.weights)

    def insides(self) -> list[tuple[list[int], int, int]]:
        """Return, for each cut, all sites along its axis, and which part is inside.

        The sites are in the order of their positions, the part is from where to where.
        """
        along = []
        for at in zip(*self.position, strict=True):
            sites = sorted(range(len(at)), key=at.__getitem__)
            along.append((sites, [at[i] for i in sites]))
        found = []
        for axis, start, stop in zip(self.axis, self.start, self.stop, strict=True):
            sites, places = along[axis]
            ends = bisect_left(places, start), bisect_left(places, stop)
            found.append((sites, *ends))
        return found


def axis_cuts(points: Sequence[Sequence[int]], ring_lengths: Sequence[int]) -> Cuts:
    """Return the cuts of L1 distances on axes that are lines or rings.

    On a line one per gap between coordinates, the lower side inside; on a ring of
    length C, C/2 half rings, or for odd C, C of weight 1/2.

    Parameters
    ----------
    points
        The sites, with one coordinate for each axis.
    ring_lengths
        The length of the ring on each axis, 0 for a line.
    """
    denominator = 2 if any(length % 2 for length in ring_lengths) else 1
    rows: list[Row] = []
    columns: list[list[int]] = []
    for axis, length in enumerate(ring_lengths):
        along = [point[axis] for point in points]
        values = sorted(set(along))
        rank = {x: i for i, x in enumerate(values)}
        columns.append([rank[x] for x in along])
        if length:
            rows += _half_rings(axis, values, length, denominator)
            continue
        gaps = len(values) - 1
        for i, (x, y) in enumerate(pairwise(values)):
            parent = len(rows) + 1 if i + 1 < gaps else -1
            rows.append(((y - x) * denominator, axis, 0, i + 1, parent))
    return cuts_of(rows, list(zip(*columns, strict=True)), denominator)


def _half_rings(
    axis: int, values: Sequence[int], length: int, denominator: int
) -> Iterator[Row]:
    """Yield the cuts of a ring that separate some of its occupied coordinates."""
    found: dict[tuple[int, int], int] = {}
    half = length // 2
    weight = denominator if length % 2 == 0 else 1
    for first in range(half if length % 2 == 0 else length):
        last = first + half  # an arc round the origin: its complement instead
        ends = (first, last) if last <= length else (last - length, first)
        start, stop = (bisect_left(values, end) for end in ends)
        if start == 0:  # its complement, so that no cut is listed twice
            start, stop = stop, len(values)
        if start < stop and (start, stop) != (0, len(values)):
            found[start, stop] = found.get((start, stop), 0) + weight
    return ((total, axis, *ends, -1) for ends, total in found.items())


def subtree_cuts(
    nodes: Sequence[int],
    parent: Sequence[int],
    weight: Sequence[int],
    order: Sequence[int],
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
    rows: list[Row] = []
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
    return cuts_of(rows, [(first[v],) for v in nodes], 1)


def cuts_of(
    rows: Sequence[Row], position: Sequence[tuple[int, ...]], denominator: int
) -> Cuts:
    """Return cuts from rows of weight, axis, start, stop and parent."""
    columns = list(zip(*rows, strict=True)) or [()] * 5
    weights, axis, start, stop, parent = columns
    return Cuts(weights, axis, start, stop, tuple(position), parent, denominator)


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
