"""Root bound for large set-union knapsacks: products of the constraints.

Let s_j = 1 if item j is kept, r_e = 1 if element e is in R, and R irreducible: its
weight is at least D, and at most D - 1 + w_e for each of its elements. For an optimum
all of these are at least 0, or equal to it:

    s_j (w r - D),   s_j (U - w r) with U = D - 1 + the largest w,
    r_e (D - 1 + w_e - w r),   w r - D,   s_j r_e where item j needs e,
    s_j - s_j^2,   r_e - r_e^2.

Multiples of them (of any sign where equal to 0), added to the profit kept, give a
quadratic function that is nowhere less than it. If the function is concave its greatest
value is a bound. Without the products with w r it is no better than shares of profits:
without a knapsack this is a question about stable sets of a bipartite graph, which is
perfect. With them it is: few elements leave more items alone than chance allows.

The multipliers are improved in floats, by a quasi-Newton method with a barrier that
keeps the function concave. Then they are rounded to integers, and the bound is computed
from these, exactly but for one step: that an integer matrix is positive semidefinite is
shown by its Cholesky factorisation in floats, less a multiple of the identity that
covers all rounding errors (Rump 2006). A tangent at any point bounds a concave
function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .layout import FlatInstance

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

MOST = 2000
"""Items and elements together beyond which the matrix is too large."""
_MEMORY = 20
"""Steps that the quasi-Newton method remembers."""
_BARRIER = 0.3
"""Weight of the barrier, against a profit of 1 in all, in the first turn; then half."""
_LOW = 0.005
"""Weight above which it does not end, however little a turn has brought."""
_STEPS = 60
"""Steps with one weight."""
_LITTLE = 1e-4
"""The rise of the bound, by all profit, in a turn after which it ends."""
_SHORTEST = 1e-5
"""Length of a step, against the one proposed, below which the direction is bad."""
_BITS = 2**48
"""Entries of the integer matrix are about this at most."""
_POINTS = 2**20
"""A tangent touches at a point whose coordinates are multiples of 1 / this."""
_FARTHEST = 2.0**20
"""Greatest coordinate of such a point, which may be outside the unit cube."""


class _Terms(NamedTuple):
    """Multipliers, or derivatives by them."""

    pair: Floats  # of s_j r_e, one for each membership
    above: Floats  # of s_j (w r - D)
    below: Floats  # of s_j (U - w r)
    least: Floats  # of r_e (D - 1 + w_e - w r)
    item: Floats  # of s_j - s_j^2
    element: Floats  # of r_e - r_e^2
    weight: Floats  # of w r - D: a single one


class Products:
    """The bound by products; ``least`` is the cost that it proves so far.

    Time: O((items + elements)^3) for a step.
    """

    def __init__(self, problem: FlatInstance) -> None:
        self.least = 0
        self.total = int(problem.profit.sum())
        owner = np.repeat(
            np.arange(len(problem.profit)),
            np.diff(problem.item.astype(np.int64)).tolist(),
        )
        items = np.flatnonzero(problem.profit > 0)
        elements = np.flatnonzero(problem.weight > 0)
        self.need = problem.need
        self.possible = (
            problem.need > 0
            and len(items) > 0
            and len(items) + len(elements) <= MOST
            and max(self.total, int(problem.weight.sum())) < 2**36
        )
        member = problem.member.astype(np.int64)
        real = (problem.profit[owner] > 0) & (problem.weight[member] > 0)
        self.j = np.searchsorted(items, owner[real])
        self.e = np.searchsorted(elements, member[real])
        self.profit, self.weight = problem.profit[items], problem.weight[elements]
        if not self.possible:
            return
        self.n, self.m = len(items), len(elements)
        self._p = self.profit / self.total
        self._w = self.weight / self.need
        self._most = (self.need - 1 + self.weight) / self.need
        self._cuts = np.cumsum([len(self.j), self.n, self.n, self.m, self.n, self.m])
        self._point, self._scale = self._start()

    def _start(self) -> tuple[Floats, Floats]:
        """Return a first point, and the units of its coordinates.

        Memberships are priced so that they balance on average with all pairs.
        """
        p, w = self._p, self._w
        density = max(len(self.j), 1) / (self.n * self.m)
        deviation = np.full((self.n, self.m), -density)
        deviation[self.j, self.e] += 1.0
        deviation *= np.sqrt(np.outer(p, w))
        t = 0.9 * np.sqrt(0.3) / max(float(np.linalg.norm(deviation, 2)), 0.01)
        pair = t * p[self.j] * w[self.e]
        rest = [2 * t * density * p, 1e-3 * p, 1e-3 * w, p, 0.3 * w, np.ones(1)]
        point = np.concatenate([np.ones(len(pair)), *map(np.log, rest)])
        scale = np.concatenate([pair, np.ones(len(point) - len(pair))])
        return point, scale

    def _terms(self, point: Floats) -> _Terms:
        values = point * self._scale
        pairs = len(self.j)
        values[pairs:] = np.exp(np.clip(values[pairs:], -80.0, 80.0))
        return _Terms(*np.split(values, self._cuts))

    def _model(self, t: _Terms) -> tuple[Floats, Floats]:
        """Return the function's quadratic part, negative, and its linear one."""
        n, w = self.n, self._w
        matrix = np.empty((n + self.m, n + self.m))
        block = np.outer(t.below - t.above, w) / 2
        block[self.j, self.e] += t.pair
        half = np.outer(t.least, w) / 2
        matrix[:n, :n] = np.diag(t.item)
        matrix[:n, n:], matrix[n:, :n] = block, block.T
        matrix[n:, n:] = half + half.T + np.diag(t.element)
        slope = np.concatenate(
            [
                self._p + t.item - t.above + t.below * self._most[0],
                t.weight * w + t.element + t.least * self._most,
            ]
        )
        return matrix, slope

    def _value(self, point: Floats, barrier: float) -> tuple[float, Floats] | None:
        """Return the bound with the barrier, and its gradient; None if not concave."""
        t, n, w = self._terms(point), self.n, self._w
        matrix, slope = self._model(t)
        from scipy.linalg.lapack import dpotrf, dpotri  # see solvers/blas.py

        factor, failed = dpotrf(matrix, lower=1)
        if failed:
            return None
        inverse, _ = dpotri(factor, lower=1)
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        x = inverse @ slope / 2
        value = float(slope @ x / 2 - t.weight[0])
        value -= barrier * 2 * float(np.log(np.diag(factor)).sum())
        by = -np.outer(x, x) - barrier * inverse
        rows = by[:n, n:] @ w
        gradient = _Terms(
            pair=2 * by[self.j, n + self.e],
            above=(-rows - x[:n]) * t.above,
            below=(rows + self._most[0] * x[:n]) * t.below,
            least=(by[n:, n:] @ w + self._most * x[n:]) * t.least,
            item=(np.diag(by)[:n] + x[:n]) * t.item,
            element=(np.diag(by)[n:] + x[n:]) * t.element,
            weight=(w @ x[n:] - 1) * t.weight,
        )
        return value, np.concatenate(gradient) * self._scale

    def improve(self, stop: Callable[[], bool], steps: int | None = None) -> None:
        """Improve the multipliers until told to stop; then compute the bound."""
        if not self.possible:
            return
        done, weight, before = 0, _BARRIER, 0
        while weight > _LOW or self.least - before > _LITTLE * self.total:
            before = self.least
            done = self._descend(weight / (self.n + self.m), stop, done, steps)
            self.least = max(before, self._proven_cost())
            if done == steps or stop():
                return
            weight /= 2

    def _descend(
        self, barrier: float, stop: Callable[[], bool], done: int, steps: int | None
    ) -> int:
        """Take steps with one barrier (limited-memory BFGS); return all steps done."""
        here = self._value(self._point, barrier)
        history: list[tuple[Floats, Floats]] = []
        for _ in range(_STEPS):
            if here is None or stop() or done == steps:
                break
            value, gradient = here
            way = _direction(gradient, history)
            fall = float(way @ gradient)
            length = 1.0
            ahead = self._value(self._point + way, barrier)
            while length > _SHORTEST and (
                ahead is None or ahead[0] > value + 1e-4 * length * fall
            ):
                length *= 0.4
                ahead = self._value(self._point + length * way, barrier)
            done += 1
            if length > _SHORTEST and ahead is not None:
                self._point = self._point + length * way
                change = ahead[1] - gradient
                if way @ change > 0:
                    history = [*history, (length * way, change)][-_MEMORY:]
                here = ahead
            elif history:
                history = []
            else:
                break
        return done

    def _proven_cost(self) -> int:
        """Round the multipliers; return the cost that they prove, or 0."""
        t, n, need = self._terms(self._point), self.n, self.need
        heaviest = max(1.0, float(self._w.max()))
        largest = heaviest * max(float(np.abs(each).max(initial=0.0)) for each in t)
        if not 0 < largest * self.total < _BITS:
            return 0
        unit = int(_BITS / (largest * self.total))
        fine, coarse = float(unit * self.total), unit * self.total / need
        pair, item, element = (_whole(x, fine) for x in (t.pair, t.item, t.element))
        above, below, least, (lever,) = (
            _whole(x, coarse) for x in (t.above, t.below, t.least, t.weight)
        )
        w = self.weight
        matrix = np.zeros((n + self.m, n + self.m), dtype=np.int64)
        matrix[:n, n:] = np.outer(below - above, w)
        matrix[self.j, n + self.e] += 2 * pair
        matrix[n:, :n] = matrix[:n, n:].T
        half = np.outer(least, w)
        matrix[n:, n:] = half + half.T
        more = _missing(matrix, np.concatenate([item, element]))
        try:
            peak = np.linalg.solve(*self._model(t)) / 2
        except np.linalg.LinAlgError:
            return 0
        if more is None or not np.isfinite(peak).all():
            return 0
        item, element = item + more, element + more
        matrix[np.diag_indices(len(matrix))] += 2 * np.concatenate([item, element])
        # from here in integers of any size
        most = [need - 1 + int(x) for x in w]
        slope = [
            2 * (unit * int(p) + int(i) - int(a) * need + int(b) * most[0])
            for p, i, a, b in zip(self.profit, item, above, below, strict=True)
        ]
        slope += [
            2 * (int(lever) * int(x) + int(i) + int(a) * u)
            for x, i, a, u in zip(w, element, least, most, strict=True)
        ]
        # not moved into the unit cube: a tangent there may rise far above the function
        peak = np.clip(peak, -_FARTHEST, _FARTHEST)
        touch = (peak * _POINTS).astype(np.int64).astype(object)
        image = matrix.astype(object) @ touch
        total = -2 * int(lever) * need * _POINTS**2 + int(touch @ image)
        for c, y in zip(slope, image, strict=True):
            total += _POINTS * max(0, _POINTS * c - 2 * int(y))
        return max(0, self.total - total // (2 * unit * _POINTS**2))


def _direction(gradient: Floats, history: list[tuple[Floats, Floats]]) -> Floats:
    """Return the direction of limited-memory BFGS."""
    if not history:
        return -0.1 * gradient / max(float(np.linalg.norm(gradient)), 1e-300)
    way = -gradient
    parts = []
    for step, change in reversed(history):
        part = (step @ way) / (step @ change)
        parts.append(part)
        way = way - part * change
    step, change = history[-1]
    way = way * ((step @ change) / (change @ change))
    for (step, change), part in zip(history, reversed(parts), strict=True):
        way = way + step * (part - (change @ way) / (step @ change))
    return way


def _whole(values: Floats, unit: float) -> Longs:
    return np.rint(values * unit).astype(np.int64)


def _missing(matrix: Longs, half: Longs) -> int | None:
    """Return what to add to half a diagonal until a matrix is positive semidefinite.

    A symmetric matrix less c on its diagonal has a Cholesky factorisation in floats of
    unit roundoff u only if the matrix is positive semidefinite, where c is at least
    (k + 1) u / (1 - 2 (k + 1) u) times the trace, k rows; twice that and more is taken.
    None if numbers are too large, or nothing helps.
    """
    size = len(matrix)
    more = 0
    for _ in range(60):
        diagonal = [
            int(x) + 2 * (int(h) + more)
            for x, h in zip(np.diag(matrix), half, strict=True)
        ]
        margin = (sum(diagonal) * (size + 2) >> 50) + 1
        shifted = matrix.astype(float)
        lower = np.array([x - margin for x in diagonal], dtype=np.int64)
        shifted[np.diag_indices(size)] = lower
        if max(int(np.abs(matrix).max()), int(np.abs(lower).max())) >= 2**53:
            return None
        try:
            factor = np.linalg.cholesky(shifted)
        except np.linalg.LinAlgError:
            more = max(2 * more, margin)
            continue
        return more if np.isfinite(factor).all() else None
    return None
