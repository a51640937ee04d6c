"""Integer matrices of certificates by semidefinite matrices, from those of floats.

`fast_squares` is `squares_of` of `proofs.checking.dnn.matrices` in arrays: the same
columns, by the same arithmetic, where all of it fits 64 bits.
"""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checking.dnn.matrices import Look, Rows, Squares, squares_of, weighs

Matrix = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
COARSE = (0, 2, 4, 6, 7)
_SCALES = (*COARSE, 8, 10, 12, 16, 24)
_FINEST_OUT = 12
"""Scale beyond which no more elements are looked for that can be left out."""
_LARGEST = 2**40
_LONGEST = 2**30
"""Root of 2^60, which no entry of a matrix reaches that is taken apart in 64 bits."""


def fast_squares(rows: Rows, look: Look = lambda: None) -> Squares | None:
    """Return what `squares_of` returns, by numpy where 64 bits suffice."""
    n = len(rows)
    if min(row[-1] for row in rows) < 0:
        return None
    most = max(max(map(abs, row)) for row in rows) + max(row[-1] for row in rows)
    p = max(12, (60 - most.bit_length()) // 2)
    if most.bit_length() + 2 * p + 2 > 62:
        return squares_of(rows, look)
    left = np.zeros((n, n), dtype=np.int64)
    for i, row in enumerate(rows):
        left[i, : i + 1] = row
    left <<= 2 * p
    found = square_columns(left, look)
    if found is None:
        return None
    return [found[i:, i][::-1].tolist() for i in range(n)], p


def square_columns(left: Ints, look: Look) -> Ints | None:
    """Take columns off the lower triangle, which is changed; return them as rows."""
    n = len(left)  # the diagonal is not negative
    owed = np.zeros(n, dtype=np.int64)
    columns = np.zeros((n, n), dtype=np.int64)
    for i in range(n - 1, -1, -1):
        look()
        spare = int(left[i, i]) - int(owed[i])
        root = (isqrt(16 * spare + i * i) - i) // 4
        entries, column = left[i, :i], columns[i, : i + 1]
        if root:
            column[:i] = (2 * entries + root) // (2 * root)
            column[i] = root
        elif (np.abs(entries) > spare).any():
            return None  # more than the diagonal entry; nor may the sum overflow
        if (np.abs(column) > _LONGEST).any():
            return None  # its square exceeds any diagonal entry, and might overflow
        errors = np.abs(entries - root * column[:i])
        owed[:i] += errors
        if root:
            for low in range(0, i, 64):  # in blocks, whose upper parts are not needed
                high = min(i, low + 64)
                part = np.multiply.outer(column[low:high], column[:high])
                left[low:high, :high] -= part
        if (left.diagonal()[:i] < owed[:i]).any():
            return None
        if spare < root * root + int(errors.sum()):
            return None
    return columns


class NodeArrays:
    """The integer matrices of one node, at the least scale that shows a bound.

    Parameters
    ----------
    doubled
        2 C, integers: distances off the diagonal, twice the own costs on it.
    r
        Number of elements to choose.
    names
        The elements by place.
    u, z, triangles, weights
        Multipliers of `exact.ksubset.dnn_bb.relaxation`.
    """

    def __init__(
        self,
        doubled: Ints,
        r: int,
        names: Ints,
        u: Matrix,
        z: Matrix,
        triangles: Ints,
        weights: Matrix,
    ) -> None:
        self.doubled, self.r, self.names, self.u, self.z = doubled, r, names, u, z
        self.triangles, self.weights = triangles, weights

    def at_scale(self, q: int) -> tuple[Ints, list[Any]]:
        """Return N without w, and its lines: those before its step, and behind it."""
        u = np.rint(self.u * 2.0**q).astype(np.int64)
        z = np.floor(self.z * 2.0**q).astype(np.int64)
        z = np.minimum(z, z.T)
        np.fill_diagonal(z, 0)
        matrix = (self.doubled << q) - np.add.outer(u, u) - 2 * z
        matrix[np.diag_indices_from(matrix)] += 2 * self.r * u
        t = np.rint(self.weights * 2.0**q).astype(np.int64)
        a, b, c = self.triangles.T
        for i, j, sign in ((a, a, -2), (a, b, 1), (a, c, 1), (b, c, -1)):
            np.add.at(matrix, (i, j), sign * t)
            if sign > -2:
                np.add.at(matrix, (j, i), sign * t)
        rows = np.column_stack((self.names[self.triangles], t))[t > 0]
        stated = [["triangles", *rows.ravel().tolist()]] if len(rows) else []
        return matrix, [stated, _lines(u, z)]

    def bound_lines(self, gap: int, coarse: bool = False) -> list[Any] | None:
        """Return the lines of a ``bound`` step: the rest costs more than ``gap``.

        None if no scale shows it, or no ``coarse`` one, whose numbers are short.
        """
        for q in COARSE if coarse else _SCALES:
            matrix, (before, after) = self.at_scale(q)
            w = (gap << (q + 1)) // self.r + 1
            if abs(w) > _LARGEST or np.abs(matrix).max() > _LARGEST:
                return None
            np.fill_diagonal(matrix, matrix.diagonal() - w)
            if np.linalg.eigvalsh(matrix.astype(float))[0] > 0 and _is_psd(matrix):
                return [*before, ["bound", q], *after]
        return None

    def out_lines(
        self, gap: int, shift: float, out: list[int]
    ) -> tuple[list[Any], list[int]]:
        """Return the lines of an ``out`` step, and which of ``out`` it leaves out.

        ``shift`` is the eigenvalue up to which w may go, in units of C.
        """
        for q in _SCALES[2:]:
            matrix, (before, after) = self.at_scale(q)
            w = int(np.floor(shift * 2.0 ** (q + 1)))
            if abs(w) > _LARGEST or np.abs(matrix).max() > _LARGEST:
                break
            np.fill_diagonal(matrix, matrix.diagonal() - w)
            if np.linalg.eigvalsh(matrix.astype(float))[0] <= 0:
                continue
            found = fast_squares(_rows(matrix))
            if found is None:
                continue
            lacking = (gap << (q + 1)) - w * self.r
            shown = [i for i in out if weighs(found, i, self.r, lacking, _at_no_clock)]
            if 100 * len(shown) >= 99 * len(out) or q >= _FINEST_OUT:
                step = ["out", q, w, self.names[shown].tolist()]
                return [*before, step, *after], shown
        return [], []


def _at_no_clock() -> None:
    """Let weighing last: the search looks at its limits between nodes."""


def _rows(matrix: npt.NDArray[np.int64]) -> Rows:
    return [matrix[i, : i + 1].tolist() for i in range(len(matrix))]


def _is_psd(matrix: npt.NDArray[np.int64]) -> bool:
    return fast_squares(_rows(matrix)) is not None


def _lines(u: npt.NDArray[np.int64], z: npt.NDArray[np.int64]) -> list[Any]:
    return [u.tolist(), *(z[i, :i].tolist() for i in range(1, len(u)))]
