"""The arrays of the kernels that solve level by level."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
FAR = 2**62
"""Larger than every value."""


class Goods(NamedTuple):
    """Items of the groups: classes whose sets of several classes are the same.

    Parameters
    ----------
    begin
        Items of group k are ``begin[k]`` to ``begin[k + 1]``.
    size
        Available processors of each item, in units.
    digit
        Private cost of each level and item.
    out
        Whether each item is closed.
    """

    begin: Ints
    size: Ints
    digit: Ints
    out: Flags


class Nodes(NamedTuple):
    """Nodes of the decision diagram over groups, in their order; the end comes last.

    Parameters
    ----------
    group, origin
        Group of each node, and the table entry that it stands for.
    skip, open
        The node after skipping the group, after opening it; -1 if closed.
    digit
        Cost of opening the group, for each level and node.
    """

    group: Ints
    origin: Ints
    skip: Ints
    open: Ints
    digit: Ints
