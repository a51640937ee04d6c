"""PLAS: the first idle processors of a scan that is balanced round the middle."""

from __future__ import annotations

import numpy as np

from ...instances import IntArray, Topology
from .allocator import Allocation, Allocator
from .shells import grid_of


def middle_out(rows: int) -> IntArray:
    """Return the rows of a column from the middle I/O link outwards, above first.

    >>> middle_out(6).tolist(), middle_out(5).tolist()
    ([2, 3, 1, 4, 0, 5], [2, 1, 3, 0, 4])
    """
    row = np.arange(rows, dtype=np.int64)
    order: IntArray = np.argsort(np.abs(2 * row - (rows - 1)), kind="stable")
    return order


class PLAS(Allocator):
    """Take the first k idle processors, column by column, each from its middle.

    The scan begins with the column next to the nodes for input and output and goes on
    to the right. Within a column it begins at the middle I/O link and goes outwards,
    alternately one above and one below; on an idle machine, consecutive jobs stay
    balanced to within one processor. Tasks are placed in that order.

    The source shows its order only in a figure. Sections 2.3 and 3 state that it is
    fixed, goes column by column from the I/O side, fills holes before columns further
    to the right, and starts in the middle of a column. Decisions that it leaves open:
    the processor above comes before the one below, and the one in the middle of an odd
    number of rows before both. A torus is scanned like a mesh.

    Guarantee: none.
    Time: O(n) for n processors.
    Ties: none, the order is total.
    Source: Mache et al. 1999, sections 2.3, 3.1, Fig. 5.
    """

    def __init__(self, topology: Topology, *, seed: int = 0) -> None:
        super().__init__(topology, seed=seed)
        rows, columns = grid_of(topology).shape
        column = np.arange(columns, dtype=np.int64)[:, None]
        self._order = (middle_out(rows) * columns + column).ravel()

    def _choose(self, k: int, shape: tuple[int, ...] | None) -> Allocation:
        return Allocation.of(self._order[self.idle[self._order]][:k])
