"""Bounds of a doubly nonnegative relaxation of choosing r of n elements.

A choice x costs x'Cx, where C is symmetric: half of each distance off the diagonal,
and on it what an element costs by itself. The relaxation of X = xx' is

    minimise <C, X>   with   trace X = r,   X 1 = r diag X,   X >= 0,   X psd.

A triangle (a, b, c) demands x_a >= x_a x_b + x_a x_c - x_b x_c too, which is x'Tx >= 0
for the matrix T with T_aa = 1, T_ab = T_ac = -1/2, T_bc = 1/2. For any number y, vector
u, matrix Z >= 0 with zero diagonal and weights t >= 0 of triangles put

    M = C - (u 1' + 1 u') / 2 + r Diag u - Z - sum of t T.

As x_i^2 = x_i and 1'x = r, the terms with u cancel, so that x'Cx, which is x'Mx + x'Zx
and what is not negative, is at least r times the least eigenvalue of M. The first-order
method of Wen, Goldfarb and Yin (Math. Prog. Comp. 2, 2010) improves u, Z and t; every
iterate gives a valid bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np
import numpy.typing as npt

from ....instances import IntArray
from . import kernels as kernels

Matrix = npt.NDArray[np.float64]
STRETCH = 1.6
"""Length of steps of the multipliers."""
LOOK = 10
"""Steps from one bound to the next."""
_CUT = 20
"""Steps from one search for violated triangles to the next."""
_VIOLATED = 1e-3
"""Least violation of a triangle, in units of the largest entry of X."""
_MOST_CUTS = 5
"""Triangles of an element that are added at a time."""
_PERIOD = 4
"""Looks over which rises of the bound are compared."""
_PARTIAL, _SHARE = 300, 12
"""Least n, and n over negative eigenvalues, from which only these are asked for."""
_FEWER = 0.75
"""Classes of twins, over n, up to which they shrink the matrix."""
_SWEEPS = 3
"""Times that each weight is set in a step."""


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
    triangles, weights
        Rows a, b, c, and the multiplier of each.
    """

    bound: float
    u: Matrix
    z: Matrix
    x: Matrix
    triangles: IntArray
    weights: Matrix

    def among(self, kept: npt.NDArray[np.int64]) -> Dual:
        """Return the start for some of the elements; no bound yet."""
        places = np.ix_(kept, kept)
        name = np.full(len(self.u), -1)
        name[kept] = np.arange(len(kept))
        triangles = name[self.triangles]
        whole = (triangles >= 0).all(axis=1)
        return Dual(
            -np.inf,
            self.u[kept],
            self.z[places],
            self.x[places],
            triangles[whole],
            self.weights[whole],
        )


def start(costs: Matrix, r: int) -> Dual:
    """Return multipliers of zero, and the choice that is drawn evenly."""
    n = len(costs)
    x = np.full((n, n), r * (r - 1) / max(1, n * (n - 1)))
    np.fill_diagonal(x, r / n)
    triangles = np.zeros((0, 3), dtype=np.int64)
    return Dual(-np.inf, np.zeros(n), np.zeros((n, n)), x, triangles, np.zeros(0))


def dual_matrix(costs: Matrix, r: int, dual: Dual) -> Matrix:
    """Return M of the multipliers."""
    matrix = costs - np.add.outer(dual.u, dual.u) / 2 - dual.z
    matrix[np.diag_indices_from(matrix)] += r * dual.u
    kernels.take_off(matrix, dual.triangles, dual.weights)
    return matrix


class Ascent:
    """The method, a few steps at a time.

    Parameters
    ----------
    costs
        C, n x n, of which r are chosen; 1 <= r < n.
    dual
        Where to start.
    twins
        Equal for elements that are alike, if given.

    Attributes
    ----------
    best
        The multipliers of the best bound so far.
    """

    def __init__(
        self, costs: Matrix, r: int, dual: Dual, twins: IntArray | None = None
    ) -> None:
        self.costs, self.r = costs, r
        self._scale = max(1.0, float(np.abs(costs).max()))
        self._c = costs / self._scale
        self._penalty = max(1.0, len(costs) / (15 * r))
        self._x, self._z, self._u, self._y = dual.x, dual.z, dual.u, 0.0
        self._triangles, self._weights = dual.triangles, dual.weights / self._scale
        self._others = dual.z / self._scale  # Z and all triangles
        kernels.take_off(self._others, self._triangles, -self._weights)
        if dual.u.any():
            self._slack = dual_matrix(costs, r, dual) / self._scale
            least = np.linalg.eigvalsh(self._slack)[0]
            self._slack[np.diag_indices_from(costs)] -= least
        else:
            self._slack = np.zeros_like(costs)
        self._sums = None
        if twins is not None:
            _, self._twin = np.unique(twins, return_inverse=True)
            sizes = np.bincount(self._twin)
            if len(sizes) <= _FEWER * len(costs):
                self._sums = np.zeros((len(costs), len(sizes)))
                each = np.arange(len(costs)), self._twin
                self._sums[each] = 1 / np.sqrt(sizes[self._twin])
        self.best = replace(dual, bound=-np.inf)
        self.history: list[float] = []
        self.steps = 0
        self._below = len(costs)  # negative eigenvalues of the last step

    def advance(self, steps: int = LOOK) -> float:
        """Take some steps, of O(n^3) each; return the best bound so far."""
        for _ in range(steps):
            self.step()
        return self.look()

    def look(self) -> float:
        """Evaluate the bound; return the best one so far."""
        matrix = self._matrix - self._others
        least = float(np.linalg.eigvalsh(matrix)[0])
        value = self.r * (self._y + least) * self._scale
        if value > self.best.bound:
            self.best = Dual(
                value,
                self._u * self._scale,
                self._z * self._scale,
                self._x,
                self._triangles,
                self._weights * self._scale,
            )
        self.best.x = self._x
        self.history.append(self.best.bound)
        return self.best.bound

    def step(self) -> None:
        """Take a step: u and y, then Z and the weights, then the slack and X."""
        c, r, n, penalty = self._c, self.r, len(self._c), self._penalty
        diagonal = np.diag_indices(n)
        if self.steps % _CUT == _CUT - 1:
            self._cut()
        self.steps += 1
        pulled = self._slack + penalty * self._x
        rest = pulled + self._others - c
        on = rest[diagonal]
        sums = -(rest.sum(axis=1) - r * on)
        trace = -(on.sum() - penalty * r)
        # the normal equations of the constraints have a closed form
        alpha = n / 2 - 2 * r + r * r
        whole = (sums.sum() - (1 - r) * trace) / (n - 1)
        y = (trace - (1 - r) * whole) / n
        u = (sums - (1 - r) * y - whole / 2) / alpha
        m = c - np.add.outer(u, u) / 2
        m[diagonal] += r * u - y
        rest = m - pulled
        others = rest.copy()
        kernels.take_off(rest, self._triangles, self._weights)
        kernels.weigh(rest, self._triangles, self._weights, _SWEEPS)
        others -= rest
        rest[diagonal] = 0
        self._z = np.maximum(rest, 0)
        others += self._z
        v = m - others - penalty * self._x
        self._slack, negative = self._split((v + v.T) / 2)
        self._x = (1 - STRETCH) * self._x + STRETCH / penalty * negative
        self._matrix, self._others, self._u, self._y = m, others, u, y

    def _split(self, v: Matrix) -> tuple[Matrix, Matrix]:
        """Return the positive part of v, and its negative part, both semidefinite.

        Twins shrink the matrix: v is averaged over them first. It then acts on sums
        over twins as a smaller matrix, and on differences of twins as a number.
        """
        if self._sums is None:
            negative = self._negative_part(v)
            return v + negative, negative
        sums, twin = self._sums, self._twin
        small = sums.T @ v @ sums
        apart = np.bincount(twin, v.diagonal()) - small.diagonal()
        apart /= np.maximum(np.bincount(twin) - 1, 1)
        negative = self._negative_part((small + small.T) / 2)
        parts = (
            (small + negative, np.maximum(apart, 0)),
            (negative, -np.minimum(apart, 0)),
        )
        both = []
        for part, own in parts:
            whole = sums @ (part - np.diag(own)) @ sums.T
            whole[np.diag_indices_from(whole)] += own[twin]
            both.append(whole)
        return both[0], both[1]

    def _negative_part(self, v: Matrix) -> Matrix:
        """Return what is to be added to v to make it positive semidefinite."""
        n = len(v)
        if n >= _PARTIAL and _SHARE * self._below <= n:
            from scipy.linalg import eigh  # see solvers/blas.py

            values, vectors = eigh(
                v, driver="evr", subset_by_value=(-np.inf, 0.0), check_finite=False
            )
        else:
            values, vectors = np.linalg.eigh(v)
        self._below = below = int(np.searchsorted(values, 0.0))
        if 2 * below <= n:
            part = vectors[:, :below]
            return (part * -values[:below]) @ part.T
        part = vectors[:, below:]
        return (part * values[below:]) @ part.T - v

    def _cut(self) -> None:
        """Add the triangles that X violates most; forget those without a weight."""
        n = len(self._x)
        violation, third = np.zeros((n, n)), np.zeros((n, n), dtype=np.int64)
        least = _VIOLATED * max(float(self._x.diagonal().max()), 0.0)
        kernels.worst_triangles(self._x, least, violation, third)
        a, b = np.nonzero(violation)
        c = third[a, b]
        keys = (a * n + np.minimum(b, c)) * n + np.maximum(b, c)
        active = self._weights > 0
        self._triangles, self._weights = self._triangles[active], self._weights[active]
        have = (self._triangles[:, 0] * n + self._triangles[:, 1]) * n
        keys, at = np.unique(keys, return_index=True)
        new = ~np.isin(keys, have + self._triangles[:, 2])
        keys, at = keys[new], at[new]
        order = np.argsort(-violation[a[at], b[at]], kind="stable")[: _MOST_CUTS * n]
        keys = keys[order]
        found = np.stack((keys // n // n, keys // n % n, keys % n), axis=1)
        self._triangles = np.concatenate((self._triangles, found))
        self._weights = np.concatenate((self._weights, np.zeros(len(found))))

    def in_vain(self, goal: float) -> bool:
        """Whether the last rises, if they shrink as before, do not reach the goal."""
        history = self.history
        if len(history) < 2 * _PERIOD + 1:
            return False
        late = history[-1] - history[-1 - _PERIOD]
        early = history[-1 - _PERIOD] - history[-1 - 2 * _PERIOD]
        ratio = min(0.95, late / early) if early > 0 else 0.0
        return history[-1] + 2 * late / (1 - ratio) < goal


def integral(bound: float) -> int:
    """Return the whole cost that a bound implies, against errors of rounding."""
    return ceil(bound - 1e-6 * max(1.0, abs(bound)))
