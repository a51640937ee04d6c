"""The arrays on which the kernels of the branch and bound over cut counts work."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]
UNDECIDED, CHOSEN, REJECTED = 0, 1, 2
"""What is known of a point."""
NO_EXCHANGE, PAIRWISE, BY_SWEEPS = 0, 1, 2
"""How exchanges with decided points are found."""
DONE, BUDGET, FULL = 0, 1, 2
"""Why a search stopped: nothing open, node budget used, or stack full."""
CONTRADICTION = -1
"""Returned by a rule that found the node empty; else it counts its decisions."""
FAR = 2**62


class CutProblem(NamedTuple):
    """The constants of a search. Positions of all axes are numbered through.

    Axis a owns the positions ``offset[a]`` to ``offset[a + 1] - 1``, the last of
    which is no position but the end of the prefix sums.
    """

    k: int
    denominator: int
    weight: Ints  # (m,) of the cuts
    axis: Ints  # (m,)
    start: Ints  # (m,) first position inside
    stop: Ints  # (m,) first position beyond
    links: Ints  # (·, 2) cuts whose counts bound each other
    position: Ints  # (n, axes)
    offset: Ints  # (axes + 1,)
    twin: Ints  # (n,) equal for coinciding points, which are neighbours
    chain: Flags  # (axes,) whether all cuts of an axis start at its first position
    table_at: Ints  # (axes + 1,) where the gains of an axis without chain begin
    exchange: int
    cell: Ints  # (n,) of the grid of all positions, for sweeps
    shape: Ints  # (axes,) of that grid
    most_companions: int  # number of points up to which companions are counted
    costs: bool  # whether reduced costs decide points
    narrow: bool  # whether they shrink intervals of counts


class Scratch(NamedTuple):
    """Working memory, refilled at every node."""

    chosen: Ints  # (positions,) chosen points below a position of its axis
    possible: Ints  # (positions,) points below that are not rejected
    along: Ints  # (positions,)
    full: Ints  # (positions,)
    empty: Ints  # (positions,)
    up: Ints  # (positions,) prefix sums of the gains on a chain
    down: Ints  # (positions,)
    tables: Ints  # gains between positions of axes without chain
    weight: Ints  # (n,) of the points
    values: Ints  # (n,)
    undecided: Ints  # (n,)
    companions: Ints  # (n,)
    picked: Flags  # (n,) the points of the bound
    outside: Ints  # (cells,)
    inside: Ints  # (cells,)


class NodeStack(NamedTuple):
    """Open nodes, the next one last."""

    status: Bytes  # (capacity, n)
    low: Ints  # (capacity, m)
    high: Ints  # (capacity, m)
    bound: Ints  # (capacity,) in hops


def room_for(problem: CutProblem) -> Scratch:
    """Allocate working memory."""
    n = len(problem.position)
    cells = prod(problem.shape) if problem.exchange == BY_SWEEPS else 1
    arrays = (
        *np.empty((7, problem.offset[-1]), dtype=np.int64),
        np.empty(problem.table_at[-1], dtype=np.int64),
        *np.empty((4, n), dtype=np.int64),
        np.empty(n, dtype=np.bool_),
        *np.empty((2, cells), dtype=np.int64),
    )
    return Scratch._make(arrays)
