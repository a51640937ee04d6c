"""The dual simplex method on a full tableau, for programmes of some hundred rows.

Columns lie between bounds, rows are at least 0 after their degrees are taken off. As
all costs of unbounded columns are at least 0, a basis is optimal but for infeasible
rows whatever the bounds are; so that of one solution is where the next one starts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....solvers.running.kernels import kernel
from .kernels import Floats, Ints

OPTIMAL, INFEASIBLE, FAILED = range(3)
_STEPS = 20
"""Most steps, for each row and column."""
_EXACT = 1e-6
"""By how much rows and prices may be off."""
_FEASIBLE = 1e-9
"""By how much a bound may be missed."""
_ZERO = 1e-9
"""Entries of a tableau up to which nothing is divided by them."""
_NOTHING = 1e-12
"""Entries of a tableau up to which rows do not change."""
_TIE = 1e-9
"""Ratios that differ by less are equal; the largest entry then decides."""


class Matrix(NamedTuple):
    """Rows of a sparse matrix, one after the other."""

    start: Ints
    column: Ints
    value: Floats


class Tableau(NamedTuple):
    """Basic columns as sums over the others: basic + entry * other = right.

    Columns behind those of the programme are its rows.
    """

    entry: Floats
    right: Floats
    price: Floats
    """Reduced costs of columns that are not basic."""
    basic: Ints
    other: Ints
    value: Floats
    """Of every column."""
    weight: Floats
    """Of every row, by which its infeasibility is measured (Devex)."""


def made(rows: int, columns: int) -> Tableau:
    """Return room for a tableau."""
    return Tableau(
        np.empty((rows, columns)),
        np.empty(rows),
        np.empty(columns),
        np.empty(rows, np.int64),
        np.empty(columns, np.int64),
        np.empty(columns + rows),
        np.empty(rows),
    )


@kernel
def _begin(tableau: Tableau, matrix: Matrix, costs: Floats, degrees: Floats) -> None:
    """Make the rows basic."""
    entry, right, price, basic, other, value, weight = tableau
    count = len(costs)
    entry[:] = 0.0
    for r in range(len(degrees)):
        for e in range(matrix.start[r], matrix.start[r + 1]):
            entry[r, matrix.column[e]] = -matrix.value[e]
        right[r] = -degrees[r]
        basic[r] = count + r
    price[:] = costs
    other[:] = np.arange(count)
    value[:] = 0.0
    weight[:] = 1.0


@kernel
def _start(tableau: Tableau, low: Floats, high: Floats) -> None:
    """Put columns that are not basic at the bound that suits their prices."""
    entry, right, price, basic, other, value, _ = tableau
    for j in range(len(price)):
        v = other[j]
        if low[v] == high[v] or price[j] > 0 or high[v] == np.inf:
            value[v] = low[v]
        elif price[j] < 0 or value[v] >= high[v]:
            value[v] = high[v]
        else:
            value[v] = low[v]
    for i in range(len(right)):
        total = right[i]
        for j in range(len(price)):
            total -= entry[i, j] * value[other[j]]
        value[basic[i]] = total


@kernel
def _leaving(tableau: Tableau, low: Floats, high: Floats) -> int:
    """Return the row that misses its bounds most, or -1."""
    found, most = -1, 0.0
    for i in range(len(tableau.right)):
        v = tableau.basic[i]
        x = tableau.value[v]
        far = max(low[v] - x, x - high[v])
        if far > _FEASIBLE:
            score = far * far / tableau.weight[i]
            if score > most:
                found, most = i, score
    return found


@kernel
def _pivot(tableau: Tableau, r: int, q: int, column: Floats, move: float) -> None:
    """Exchange a basic column for another one, whose value moves.

    ``column`` holds its entries.
    """
    entry, right, price, basic, other, value, weight = tableau
    own = entry[r]
    pivot = own[q]
    value[other[q]] += move
    heavy = weight[r]
    own /= pivot
    own[q] = 1.0 / pivot
    right[r] /= pivot
    for i in range(len(right)):
        by = column[i]
        if i == r or abs(by) <= _NOTHING:
            continue
        line = entry[i]
        line[q] = 0.0
        for j in range(len(own)):
            line[j] -= by * own[j]
        right[i] -= by * right[r]
        value[basic[i]] -= by * move
        weight[i] = max(weight[i], (by / pivot) ** 2 * heavy)
    by = price[q]
    price[q] = 0.0
    for j in range(len(own)):
        price[j] -= by * own[j]
    weight[r] = max(heavy / (pivot * pivot), 1.0)
    basic[r], other[q] = other[q], basic[r]


@kernel
def _entering(tableau: Tableau, low: Floats, high: Floats, r: int, sign: float) -> int:
    """Return the column that can enter for a row, or -1.

    Columns whose bounds are too close together to make up for the row change to
    the opposite one.
    """
    entry, _, price, basic, other, value, _ = tableau
    v = basic[r]
    lacking = (low[v] - value[v]) if sign > 0 else (value[v] - high[v])
    while True:
        found, least, largest = -1, np.inf, 0.0
        for j in range(len(price)):
            a = -sign * entry[r, j]
            u = other[j]
            if low[u] == high[u] or abs(a) <= _ZERO or (a > 0) != (value[u] == low[u]):
                continue
            ratio = abs(price[j] / a)
            size = abs(a)
            if ratio < least - _TIE or (ratio < least + _TIE and size > largest):
                found, least, largest = j, min(ratio, least), size
        if found < 0:
            return -1
        u = other[found]
        room = high[u] - low[u]
        if largest * room >= lacking - _FEASIBLE:
            return found
        lacking -= largest * room
        move = room if value[u] == low[u] else -room
        value[u] = high[u] if move > 0 else low[u]
        for i in range(len(basic)):
            value[basic[i]] -= entry[i, found] * move


@kernel
def _drift(tableau: Tableau, matrix: Matrix, costs: Floats, degrees: Floats) -> float:
    """Return by how much values of rows and prices are off, after many steps."""
    count, most = len(costs), 0.0
    price = np.zeros(count + len(degrees))
    price[tableau.other] = tableau.price
    gained = np.zeros(count)
    for r in range(len(degrees)):
        total = -degrees[r]
        for e in range(matrix.start[r], matrix.start[r + 1]):
            total += matrix.value[e] * tableau.value[matrix.column[e]]
            gained[matrix.column[e]] += matrix.value[e] * price[count + r]
        most = max(most, abs(total - tableau.value[count + r]))
    for j in range(count):
        most = max(most, abs(costs[j] - gained[j] - price[j]))
    return most


@kernel
def _optimised(tableau: Tableau, low: Floats, high: Floats, most: int) -> int:
    """Step to an optimum between bounds of all columns; see `solve`."""
    _start(tableau, low, high)
    entry, _, _, basic, _, value, _ = tableau
    for _ in range(most):
        r = _leaving(tableau, low, high)
        if r < 0:
            return OPTIMAL
        v = basic[r]
        sign = 1.0 if value[v] < low[v] else -1.0
        q = _entering(tableau, low, high, r, sign)
        if q < 0:
            return INFEASIBLE
        bound = low[v] if sign > 0 else high[v]
        move = (value[v] - bound) / entry[r, q]
        value[v] = bound
        _pivot(tableau, r, q, entry[:, q].copy(), move)
    return FAILED


@kernel
def solve(
    tableau: Tableau,
    matrix: Matrix,
    costs: Floats,
    degrees: Floats,
    low: Floats,
    high: Floats,
    fresh: bool,
) -> int:
    """Find an optimum, between bounds of all columns, from that of the last time.

    The rows become basic if it is ``fresh``, or what is found is not exact enough.
    Returns OPTIMAL, INFEASIBLE, or FAILED after too many steps.
    """
    most = _STEPS * (len(costs) + len(degrees))
    for _ in range(2):
        if fresh:
            _begin(tableau, matrix, costs, degrees)
        found: int = _optimised(tableau, low, high, most)
        if fresh and found != OPTIMAL:
            return found
        if found == OPTIMAL and _drift(tableau, matrix, costs, degrees) < _EXACT:
            return OPTIMAL
        fresh = True
    return FAILED
