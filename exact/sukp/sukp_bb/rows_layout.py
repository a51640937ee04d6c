"""The flat arrays of the kernels that find the rows of a proof; see ``record``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .layout import Bools, Bytes, Indices, Ints

Floats = npt.NDArray[np.float64]


class Pool(NamedTuple):
    """Rows at hand, of which ``live`` numbers the first ``length``."""

    coefficient: Ints
    most: Ints
    live: Indices
    length: Ints


class Desk(NamedTuple):
    """The node at hand."""

    state: Bytes  # of the elements
    alive: Bools  # of the items
    charge: Ints  # profit of the lost items that an element of R answers for
    share: Floats  # of each item's profit, parallel to ``member``


class Living(NamedTuple):
    """Memberships of living items in open elements, item by item."""

    begin: Indices  # of the memberships of each item
    owner: Indices  # the items
    profit: Floats
    edge: Indices  # their places in ``member`` of the problem
    member: Indices
    heft: Floats  # what that element weighs
    share: Floats


class Draft(NamedTuple):
    """The new row, and how it is combined."""

    owner: Indices  # item of each membership
    order: Indices  # elements by load per weight, more or less
    lost: Indices  # memberships by which items were lost
    edge: Indices  # memberships with a part in the row
    amount: Ints  # their parts
    row: Ints
    tally: Ints  # see `LOSSES` and the like


LOSSES, EDGES, UNIT, SCALE, TIMES, MOST = range(6)
"""Entries of `Draft.tally`: lengths of its lists; the row is UNIT times that of the
profits, with the edges added, times SCALE, plus TIMES that of the capacity."""
