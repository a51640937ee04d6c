"""Choices with given numbers in every row and every column of a plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from ...instances import IntArray


def with_margins(
    row: IntArray, column: IntArray, rows: Sequence[int], columns: Sequence[int]
) -> tuple[int, ...]:
    """Choose given numbers of processors in every row and every column.

    A maximum flow from rows to columns through cells of free processors, whose rows and
    columns are counted from 0. Of several on one cell the first are taken. Returns
    fewer than required if the numbers are inconsistent. Deterministic; O(rows * columns
    * n) at worst.

    >>> with_margins(np.array([0, 0, 1]), np.array([0, 1, 1]), [1, 1], [1, 1])
    (0, 2)
    """
    source, sink = 0, 1 + len(rows) + len(columns)
    first_row, first_column = 1, 1 + len(rows)
    capacity = np.zeros((sink + 1, sink + 1), dtype=np.int32)
    capacity[source, first_row:first_column] = rows
    capacity[first_column:sink, sink] = columns
    np.add.at(capacity, (first_row + row, first_column + column), 1)
    flow = maximum_flow(csr_array(capacity), source, sink).flow.toarray()
    chosen = []
    for i, (r, c) in enumerate(zip(row.tolist(), column.tolist(), strict=True)):
        if flow[first_row + r, first_column + c] > 0:
            flow[first_row + r, first_column + c] -= 1
            chosen.append(i)
    return tuple(chosen)
