"""The arrays on which the kernels of the search for level sets work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
DONE, BUDGET = 0, 1
"""Why a search stopped: nothing open, node budget used."""
FAR = 2**62
MARGIN = 4
"""Columns on both sides of the median row's interval that are looked at."""
# Fields of a frame of the stack.
LO, HI, LEFT, RIGHT, BELOW, ABOVE, MORE, LC, RC, COST, BOT, TOP = range(12)
SIDE, CELLS, CAP, NEED, SLACK, I_NOW, J_NOW = range(12, 19)
FIELDS = 19


class Grid(NamedTuple):
    """The free cells."""

    k: int
    y: Ints  # (rows,) coordinates
    x: Ints  # (columns,)
    free: Flags  # (rows, columns)
    ahead: Ints  # (rows, columns + 1) free cells of the row in columns before
    area: Ints  # (rows + 1, columns + 1) free cells in rows and columns before


class State(NamedTuple):
    """What a search leaves from one call to the next."""

    frame: Ints  # (depth, FIELDS)
    cell: Ints  # (depth, columns) free columns of the row to be added
    fine: Flags  # (depth, 2, columns + 1) numbers rejected on the left, the right
    lost: Ints  # (depth, 3, columns + 1) what rejecting on a side costs, and choosing
    low: Ints  # (depth, columns) least number of chosen points up to a column
    high: Ints  # (depth, columns) most
    level: Ints  # (rows,) level values of the rows added and the two next
    before: Ints  # (rows,) last free column before the interval of a row
    after: Ints  # (rows,) first free column after
    first: Ints  # (rows,) first column chosen
    last: Ints  # (rows,) last column chosen
    picked: Ints  # (2, rows) first and last of the best solution
    at: Ints  # depth, root, least and last number below the median row, number of more


class Scratch(NamedTuple):
    """Room to work in."""

    up: Ints  # (columns,) F1 with the highest slopes, tilted
    down: Ints  # (columns,) F1 with the lowest slopes, tilted
    inside: Ints  # (2, columns) highest chosen cell of a column, tilted both ways
    outside: Ints  # (2, columns) lowest rejected cell
    ceiling: Ints  # (2, columns) what a chosen cell must not exceed
    floor: Ints  # (2, columns) below which a cell must be chosen
    room: Ints  # (2, columns) cells to come that may be chosen, summed up
    need: Ints  # (2, columns) cells to come that must be
    span: Ints  # (rows, 6) of the rows to come: allowed and forced ends, counts beyond
    weight: Ints  # (columns,) what a chosen cell adds by the secants
    price: Ints  # (rows,)
    margin: Ints  # (3,) last weight taken below and above, and the bound by secants
    limit: Ints  # (2, 2) what a chosen cell must not exceed, and not fall below
    values: Ints  # (cells,)
    ends: Ints  # (2, 6) what is known of the next row below and above


def room_for(rows: int, columns: int) -> Scratch:
    """Make room to work in."""
    arrays = (
        *np.empty((2, columns), dtype=np.int64),
        *np.empty((6, 2, columns), dtype=np.int64),
        np.empty((rows, 6), dtype=np.int64),
        np.empty(columns, dtype=np.int64),
        np.zeros(rows, dtype=np.int64),
        np.empty(3, dtype=np.int64),
        np.empty((2, 2), dtype=np.int64),
        np.empty(rows * columns, dtype=np.int64),
        np.empty((2, 6), dtype=np.int64),
    )
    return Scratch._make(arrays)
