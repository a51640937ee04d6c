"""Stars: sums of the distances from every free processor to some chosen ones."""

from __future__ import annotations

import numpy as np

from ...instances import IntArray, KSubset, Tree, arrays


def star_sums(instance: KSubset, chosen: IntArray) -> IntArray:
    """Sum, for every free processor, the distances to the chosen ones.

    Distances are summed per axis by sorting and prefix sums, in O(n log k) per axis;
    on a tree O(nodes), on a graph O(n k).

    >>> from closeknit.instances import mesh
    >>> star_sums(mesh(1, 4, k=2), np.array([0, 1])).tolist()
    [1, 1, 3, 5]
    """
    topology = instance.topology
    if topology.tree:
        return _on_tree(topology.tree, chosen, arrays.points(instance)[:, 0])
    if topology.ring_lengths is None:
        sums: IntArray = arrays.hops(instance)[chosen].sum(axis=0)
        return sums
    total = np.zeros(instance.n, dtype=np.int64)
    for side, axis in zip(
        topology.ring_lengths, arrays.points(instance).T, strict=True
    ):
        ends = np.sort(axis[chosen])
        if not side:
            here = axis - axis.min()
            total += _on_line(ends - axis.min(), here, 0, len(ends))
            continue
        # unrolled, every chosen one lies once within half a ring of any place
        ends = np.concatenate([ends - side, ends, ends + side])
        first = np.searchsorted(ends, axis - side // 2)
        total += _on_line(ends, axis, first, first + len(chosen))
    return total


def _on_line(
    ends: IntArray, here: IntArray, first: IntArray | int, last: IntArray | int
) -> IntArray:
    """Sum the distances from places on a line to ends[first:last], ascending."""
    below = np.concatenate([[0], np.cumsum(ends)])
    middle = np.searchsorted(ends, here)
    sums: IntArray = here * (2 * middle - first - last) + (
        below[last] + below[first] - 2 * below[middle]
    )
    return sums


def _on_tree(tree: Tree, chosen: IntArray, nodes: IntArray) -> IntArray:
    """Sum from the root downwards; crossing an edge changes the nodes on each side."""
    below = [0] * len(tree.parent)
    for v in nodes[chosen]:
        below[v] += 1
    total = sum(tree.depth[v] for v in nodes[chosen])
    for v in reversed(tree.order[1:]):
        below[tree.parent[v]] += below[v]
    sums = [total] * len(tree.parent)
    for v in tree.order[1:]:
        across = len(chosen) - 2 * below[v]
        sums[v] = sums[tree.parent[v]] + tree.weight[v] * across
    return np.array([sums[v] for v in nodes], dtype=np.int64)
