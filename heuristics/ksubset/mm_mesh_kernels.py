"""Kernel of the Manhattan median on meshes of two dimensions.

Counts of a diamond come from prefix sums along its rows and columns; its radius
follows from a neighbouring centre, as it cannot change by more than the distance.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...instances import IntArray as Ints
from ...solvers.running.kernels import kernel

Counts = npt.NDArray[np.int32]


@kernel
def _count(rows: Counts, x: int, y: int, radius: int) -> int:
    """Count the free cells of a diamond, row by row."""
    height, width = rows.shape[0], rows.shape[1] - 1
    total = 0
    for a in range(max(0, x - radius), min(height, x + radius + 1)):
        half = radius - abs(a - x)
        total += rows[a, min(width, y + half + 1)] - rows[a, max(0, y - half)]
    return total


@kernel
def _lines(lines: Counts, x: int, y: int, reach: int, counts: Ints) -> int:
    """Count the free cells of a diamond on each of its lines; return their sum."""
    height, width = lines.shape[0], lines.shape[1] - 1
    total = 0
    for a in range(max(0, x - reach), min(height, x + reach + 1)):
        half = reach - abs(a - x)
        count = lines[a, min(width, y + half + 1)] - lines[a, max(0, y - half)]
        counts[a] = count
        total += count
    return total


@kernel
def _on_a_line(counts: Ints, first: int, last: int, k: int) -> int:
    """Pair sum along an axis, by the counts at consecutive coordinates."""
    total = 0
    left = 0
    for a in range(first, last):
        left += counts[a]
        total += left * (k - left)
    return total


@kernel
def scan_mesh(
    rows: Counts, columns: Counts, k: int, centres: Ints, best: int
) -> tuple[int, int]:
    """Scan a mesh of two dimensions by prefix sums of its rows and columns.

    ``rows[x, y]`` counts the free cells (x, 0), …, (x, y - 1), ``columns[y, x]`` the
    free cells (0, y), …, (x - 1, y). Centres are in lexicographic order. Returns the
    least pair sum below ``best`` and where in ``centres`` it is first met, or ``best``
    and -1. O(height + width of the diamond) a centre.
    """
    height, width = len(rows), len(columns)
    in_row = np.zeros(height, dtype=np.int64)
    in_column = np.zeros(width, dtype=np.int64)
    where = -1
    radius = head = 0
    head_radius = 0
    for i in range(len(centres)):
        x, y = centres[i, 0], centres[i, 1]
        # between which radii: from the neighbour in the row or the row before
        low, high = 0, height + width
        if i > 0:
            if centres[i - 1, 0] == x:
                gap = abs(y - centres[i - 1, 1])
            else:
                gap = abs(x - centres[head, 0]) + abs(y - centres[head, 1])
                radius = head_radius
            low, high = max(0, radius - gap), min(high, radius + gap)
        while low < high:
            middle = (low + high) // 2
            if _count(rows, x, y, middle) >= k:
                high = middle
            else:
                low = middle + 1
        radius = low
        if i == 0 or centres[i - 1, 0] != x:
            head, head_radius = i, radius

        first, last = max(0, x - radius), min(height - 1, x + radius)
        left, right = max(0, y - radius), min(width - 1, y + radius)
        in_row[first], in_row[last] = 0, 0
        in_column[left], in_column[right] = 0, 0
        missing = k - _lines(rows, x, y, radius - 1, in_row)
        _lines(columns, y, x, radius - 1, in_column)
        for a in range(first, last + 1):  # the shell, in lexicographic order
            half = radius - abs(a - x)
            b = y - half
            if b >= 0 and rows[a, b + 1] > rows[a, b]:
                in_row[a] += 1
                in_column[b] += 1
                missing -= 1
                if missing == 0:
                    break
            b = y + half
            if half > 0 and b < width and rows[a, b + 1] > rows[a, b]:
                in_row[a] += 1
                in_column[b] += 1
                missing -= 1
                if missing == 0:
                    break
        total = _on_a_line(in_row, first, last, k)
        if total < best:
            total += _on_a_line(in_column, left, right, k)
            if total < best:
                best, where = total, i
    return best, where
