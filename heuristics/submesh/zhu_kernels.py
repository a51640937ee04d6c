"""Kernels over an array of 0 (free) and 1 (held), a processor each; see ``zhu``."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.kernels import kernel

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


@kernel
def mark(held: Bytes, a: int, b: int, c: int, d: int, value: int) -> None:
    """Write a value into a box."""
    for y in range(b, d + 1):
        for x in range(a, c + 1):
            held[y, x] = value


@kernel
def cover(held: Bytes, covered: Bytes, x: int, y: int) -> int:
    """Copy the array and mark where no frame can begin; returns the elements read.

    A first walk, from right to left, marks what has a held processor among the x from
    there on; a second, from the bottom up, what has a mark among the y from there on.
    """
    depth, width = int(held.shape[0]), int(held.shape[1])
    for j in range(depth):
        gap = 0  # free processors from here to the right
        for i in range(width - 1, -1, -1):
            gap = 0 if held[j, i] else gap + 1
            covered[j, i] = gap < x
    for i in range(width):
        gap = 0
        for j in range(depth - 1, -1, -1):
            gap = 0 if covered[j, i] else gap + 1
            covered[j, i] = gap < y
    return 2 * width * depth


@kernel
def first_base(covered: Bytes) -> tuple[int, int, int]:
    """Return the first element that is not marked, by rows, and the elements read."""
    depth, width = covered.shape
    for j in range(depth):
        for i in range(width):
            if not covered[j, i]:
                return i, j, j * width + i + 1
    return -1, -1, width * depth


@kernel
def regions(held: Bytes, region: Ints, extent: Ints) -> int:
    """Tell the connected regions of free processors apart, and count what is in each.

    Two walks with a forest of numbers (union-find); ``extent`` has room for as many
    numbers as there are processors. Returns the elements read.
    """
    depth, width = int(held.shape[0]), int(held.shape[1])
    parent = np.arange(width * depth)
    for j in range(depth):
        for i in range(width):
            if held[j, i]:
                continue
            mine = j * width + i
            for back in (0, 1):
                if (i == 0) if back == 0 else (j == 0):
                    continue
                other = mine - 1 if back == 0 else mine - width
                if held[other // width, other % width]:
                    continue
                root = mine
                while parent[root] != root:
                    parent[root] = parent[parent[root]]
                    root = parent[root]
                while parent[other] != other:
                    parent[other] = parent[parent[other]]
                    other = parent[other]
                parent[max(root, other)] = min(root, other)
    extent[:] = 0
    for j in range(depth):
        for i in range(width):
            if not held[j, i]:
                root = j * width + i
                while parent[root] != root:
                    root = parent[root]
                region[j, i] = root
                extent[root] += 1
    return 2 * width * depth


@kernel
def base_in_smallest(
    covered: Bytes, region: Ints, extent: Ints
) -> tuple[int, int, int]:
    """Return the first unmarked element of the smallest region that has any."""
    depth, width = covered.shape
    best, best_i, best_j = width * depth + 1, -1, -1
    for j in range(depth):
        for i in range(width):
            if not covered[j, i] and extent[region[j, i]] < best:
                best, best_i, best_j = extent[region[j, i]], i, j
    return best_i, best_j, width * depth
