"""Bounds of a doubly nonnegative relaxation of choosing r of n elements.

A choice x costs x'Cx, where C is symmetric: half of each distance off the diagonal,
and on it what an element costs by itself. The relaxation of X = xx' is

    minimise <C, X>   with   trace X = r,   X 1 = r diag X,   X >= 0,   X psd.

For any number y, vector u and matrix Z >= 0 with zero diagonal put

    M = C - (u 1' + 1 u') / 2 + r Diag u - Z.

As x_i^2 = x_i and 1'x = r, the terms with u cancel, so that x'Cx = x'Mx + x'Zx is at
least r times the least eigenvalue of M. The first-order method of Wen, Goldfarb and Yin
(Math. Prog. Comp. 2, 2010) improves u and Z; every iterate gives a valid bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
STRETCH = 1.6
"""Length of steps of the multipliers."""
LOOK = 10
"""Steps from one bound to the next."""


@dataclass(slots=True)
class Dual:
    """Multipliers, the bound that they give, and what the next steps start from.

    Parameters
    ----------
    bound
        A lower bound on the cost.
    u, z
        The multipliers.
    x
        The primal iterate.
    """

    bound: float
    u: Matrix
    z: Matrix
    x: Matrix

    def among(self, kept: npt.NDArray[np.int64]) -> Dual:
        """Return the start for some of the elements; no bound yet."""
        places = np.ix_(kept, kept)
        return Dual(-np.inf, self.u[kept], self.z[places], self.x[places])


def start(costs: Matrix, r: int) -> Dual:
    """Return multipliers of zero, and the choice that is drawn evenly."""
    n = len(costs)
    x = np.full((n, n), r * (r - 1) / max(1, n * (n - 1)))
    np.fill_diagonal(x, r / n)
    return Dual(-np.inf, np.zeros(n), np.zeros((n, n)), x)


def dual_matrix(costs: Matrix, r: int, dual: Dual) -> Matrix:
    """Return M of the multipliers."""
    matrix = costs - np.add.outer(dual.u, dual.u) / 2 - dual.z
    matrix[np.diag_indices_from(matrix)] += r * dual.u
    return matrix


class Ascent:
    """The method, a few steps at a time.

    Parameters
    ----------
    costs
        C, n x n, of which r are chosen; 1 <= r < n.
    dual
        Where to start.

    Attributes
    ----------
    best
        The multipliers of the best bound so far.
    """

    def __init__(self, costs: Matrix, r: int, dual: Dual) -> None:
        n = len(costs)
        self.costs, self.r = costs, r
        self._scale = max(1.0, float(np.abs(costs).max()))
        self._c = costs / self._scale
        self._penalty = max(1.0, n / (15 * r))
        self._z, self._x = dual.z / self._scale, dual.x
        if dual.u.any():
            scaled = Dual(0.0, dual.u / self._scale, self._z, self._x)
            matrix = dual_matrix(self._c, r, scaled)
            least = np.linalg.eigvalsh(matrix)[0]
            self._slack = matrix - least * np.eye(n)
        else:
            self._slack = np.zeros_like(costs)
        self.best = Dual(-np.inf, dual.u, dual.z, dual.x)
        self.history: list[float] = []

    def advance(self, steps: int = LOOK) -> float:
        """Take some steps, of O(n^3) each; return the best bound so far."""
        c, r, n, penalty = self._c, self.r, len(self._c), self._penalty
        diagonal = np.diag_indices(n)
        alpha = n / 2 - 2 * r + r * r
        slack, z, x = self._slack, self._z, self._x
        for _ in range(steps):
            rest = slack + z - c + penalty * x
            on = rest[diagonal]
            sums = -(rest.sum(axis=1) - r * on)
            trace = -(on.sum() - penalty * r)
            # the normal equations of the constraints have a closed form
            whole = (sums.sum() - (1 - r) * trace) / (n - 1)
            y = (trace - (1 - r) * whole) / n
            u = (sums - (1 - r) * y - whole / 2) / alpha
            m = c - np.add.outer(u, u) / 2
            m[diagonal] += r * u - y
            z = np.maximum(m - slack - penalty * x, 0)
            z[diagonal] = 0
            v = m - z - penalty * x
            values, vectors = np.linalg.eigh((v + v.T) / 2)
            below = int(np.searchsorted(values, 0.0))
            if 2 * below <= n:
                part = vectors[:, :below]
                negative = (part * -values[:below]) @ part.T
                slack = v + negative
            else:
                part = vectors[:, below:]
                slack = (part * values[below:]) @ part.T
                negative = slack - v
            x = (1 - STRETCH) * x + STRETCH / penalty * negative
        self._slack, self._z, self._x = slack, z, x
        value = r * (y + float(np.linalg.eigvalsh(m - z)[0])) * self._scale
        if value > self.best.bound:
            self.best = Dual(value, u * self._scale, z * self._scale, x)
        self.best.x = x
        self.history.append(self.best.bound)
        return self.best.bound

    def in_vain(self, goal: float) -> bool:
        """Whether the last rises, if they shrink as before, do not reach the goal."""
        if len(self.history) < 5:
            return False
        late = self.history[-1] - self.history[-3]
        early = self.history[-3] - self.history[-5]
        ratio = min(0.95, late / early) if early > 0 else 0.0
        return self.history[-1] + 2 * late / (1 - ratio) < goal


def integral(bound: float) -> int:
    """Return the whole cost that a bound implies, against errors of rounding."""
    return ceil(bound - 1e-6 * max(1.0, abs(bound)))
