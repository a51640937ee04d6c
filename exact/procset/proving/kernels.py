"""Integer combinations of rows, compiled: their sums, and what they refute.

Rows are those of a `RowTable`; the sums stay below 2^63 since its callers limit the
multipliers, see `relaxation`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....solvers.running.kernels import kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class RowTable(NamedTuple):
    """Rows one after the other: sums over columns that are at least a degree."""

    start: Ints
    """Where each row begins, and where the last one ends."""
    column: npt.NDArray[np.int32]
    value: Ints
    degrees: Ints


@kernel
def total(table: RowTable, multipliers: Ints, terms: Ints) -> int:
    """Add up rows; ``terms`` receives the coefficients. Returns the degree."""
    terms[:] = 0
    degree = 0
    for r in range(len(multipliers)):
        if multipliers[r] != 0:
            degree += multipliers[r] * table.degrees[r]
            for e in range(table.start[r], table.start[r + 1]):
                terms[table.column[e]] += multipliers[r] * table.value[e]
    return degree


@kernel
def refutes(
    table: RowTable,
    multipliers: Floats,
    low: Ints,
    high: Ints,
    scales: Ints,
    most: float,
    found: Ints,
    terms: Ints,
) -> bool:
    """Round scaled multipliers until they refute a box; ``found`` receives them.

    Scales are tried in their order, up to ``most``.
    """
    for scale in scales:
        if scale > most:
            break
        for r in range(len(multipliers)):
            found[r] = np.int64(np.rint(max(multipliers[r], 0.0) * scale))
        rest = total(table, found, terms)
        for c in range(len(terms)):
            rest -= terms[c] * (high[c] if terms[c] > 0 else low[c])
        if rest > 0:
            return True
    return False


@kernel
def inside(table: RowTable, high: Ints, found: Ints) -> None:
    """Add up how much of other columns the rows of each of the first columns limit.

    The first row, which limits nothing, is left out.
    """
    found[:] = 0
    for r in range(1, len(table.degrees)):
        limited = 0
        for e in range(table.start[r], table.start[r + 1]):
            if table.value[e] < 0:
                limited += high[table.column[e]]
        for e in range(table.start[r], table.start[r + 1]):
            if table.value[e] > 0 and table.column[e] < len(found):
                found[table.column[e]] += limited
