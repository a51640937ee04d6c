"""The arrays on which the kernels that solve level by level work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
FAR = 2**62
"""Above every value."""


class Goods(NamedTuple):
    """Items of the groups: classes whose sets of several classes are the same.

    Parameters
    ----------
    begin
        Items of group k: ``begin[k]`` to ``begin[k + 1]``.
    size
        Of each: available processors, in units.
    digit
        Of each level and item: its own cost.
    out
        Of each: whether it is closed.
    """

    begin: Ints
    size: Ints
    digit: Ints
    out: Flags


class Nodes(NamedTuple):
    """Where a group may be opened, in the order of groups; the end comes last.

    Parameters
    ----------
    group, origin
        Of each node: its group, and the entry that it was.
    skip, open
        The node after skipping the group, after opening it; -1 if closed.
    digit
        Of each level and node: what opening costs.
    """

    group: Ints
    origin: Ints
    skip: Ints
    open: Ints
    digit: Ints
