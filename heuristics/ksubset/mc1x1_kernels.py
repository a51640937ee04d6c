"""Kernels of MC1x1: shells of growing cubes round every free processor."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.kernels import kernel

Ints = npt.NDArray[np.int64]
Counts = npt.NDArray[np.int32]


@kernel
def scan_mesh(sums: Counts, k: int, centres: Ints, best: int) -> tuple[int, int]:
    """Scan cells of a mesh of two dimensions by prefix sums over rectangles.

    Of the k first processors k - N(s) lie beyond shell s, N(s) being how many lie
    in the square of shells 0 to s: the sum of these is the sum of the shell
    numbers. O(shells) a centre.

    Parameters
    ----------
    sums
        ``sums[x, y]``: free cells (a, b) with a < x and b < y.
    k
        How many cells to take.
    centres
        Shape (·, 2).
    best
        Only a sum below this is of interest.

    Returns
    -------
    tuple
        The least sum of shell numbers and where in ``centres`` it is first met,
        or ``best`` and -1.
    """
    height, width = sums.shape[0] - 1, sums.shape[1] - 1
    where = -1
    for i in range(len(centres)):
        x, y = centres[i, 0], centres[i, 1]
        total = shell = 0
        while total < best:
            top, bottom = max(0, x - shell), min(height, x + shell + 1)
            left, right = max(0, y - shell), min(width, y + shell + 1)
            inside = sums[bottom, right] + sums[top, left]
            inside -= sums[bottom, left] + sums[top, right]
            if inside >= k:
                best, where = total, i
                break
            total += k - inside
            shell += 1
    return best, where


@kernel
def scan_cloud(
    site: Ints, side: Ints, most: int, k: int, centres: Ints, best: int
) -> tuple[int, int]:
    """Scan any processors with coordinates, O(n d) a centre.

    ``side`` has the length of every ring, 0 where an axis does not wrap. No shell
    number is above ``most``; if that is small they are counted, else selected. See
    `scan_mesh` for the rest.
    """
    n, d = site.shape
    shell = np.empty(n, dtype=np.int64)
    count = np.zeros(most + 1 if most <= 4 * n else 0, dtype=np.int64)
    where = -1
    for i in range(len(centres)):
        for p in range(n):
            furthest = 0
            for a in range(d):
                step = abs(site[p, a] - centres[i, a])
                if side[a] > 0:
                    step = min(step, side[a] - step)
                furthest = max(furthest, step)
            shell[p] = furthest
            if len(count) > 0:
                count[furthest] += 1
        total = 0
        if len(count) > 0:
            missing = k
            for number in range(len(count)):
                total += number * min(count[number], missing)
                missing -= min(count[number], missing)
            count[:] = 0
        else:
            for number in np.partition(shell, k - 1)[:k]:
                total += number
        if total < best:
            best, where = total, i
    return best, where
