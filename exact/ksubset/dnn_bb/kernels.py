"""Kernels for triangles: find those that are violated, weigh them, take them off."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....instances import IntArray as Ints
from ....solvers.running.kernels import kernel

Matrix = npt.NDArray[np.float64]


@kernel
def take_off(matrix: Matrix, triangles: Ints, weights: Matrix) -> None:
    """Subtract the matrices of some triangles (a, b, c), times their weights."""
    for e in range(len(triangles)):
        a, b, c, t = triangles[e, 0], triangles[e, 1], triangles[e, 2], weights[e]
        matrix[a, a] -= t
        matrix[a, b] += t / 2
        matrix[b, a] += t / 2
        matrix[a, c] += t / 2
        matrix[c, a] += t / 2
        matrix[b, c] -= t / 2
        matrix[c, b] -= t / 2


@kernel
def weigh(rest: Matrix, triangles: Ints, weights: Matrix, sweeps: int) -> None:
    """Change the weights, and ``rest`` with them, to what leaves least of it.

    What counts is the sum of squares of the negative entries off the diagonal, and of
    all on it. One weight after the other is set to its best value (Hildreth).
    """
    for _ in range(sweeps):
        for e in range(len(triangles)):
            a, b, c = triangles[e, 0], triangles[e, 1], triangles[e, 2]
            slope = rest[a, a] - min(rest[a, b], 0.0) - min(rest[a, c], 0.0)
            slope += min(rest[b, c], 0.0)
            t = max(slope / 2.5, -weights[e])
            if t != 0.0:
                weights[e] += t
                rest[a, a] -= t
                rest[a, b] += t / 2
                rest[b, a] += t / 2
                rest[a, c] += t / 2
                rest[c, a] += t / 2
                rest[b, c] -= t / 2
                rest[c, b] -= t / 2


@kernel
def worst_triangles(x: Matrix, least: float, violation: Matrix, third: Ints) -> None:
    """Find for each two elements a, b the triangle (a, b, c) that is violated most.

    Where x_ab is at most ``least``, or no violation exceeds it, 0 is written.
    """
    n = len(x)
    for a in range(n):
        for b in range(n):
            violation[a, b] = 0.0
            if a == b or x[a, b] <= least:
                continue
            most, at = 0.0, -1
            for c in range(n):
                value = x[a, c] - x[b, c]
                if value > most and c != a and c != b:
                    most, at = value, c
            most += x[a, b] - x[a, a]
            if at >= 0 and most > least:
                violation[a, b], third[a, b] = most, at
