"""Task mapping: the order of a job's ranks on the processors that it was given.

Ranks that exchange many bytes should be few hops apart: a quadratic assignment. The
cost of an order, in byte hops, is the sum of ``traffic[i][j] * hops[p(i)][p(j)]`` over
all ordered pairs of ranks, where rank i runs on processor p(i).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...instances.arrays import IntArray
from ...instances.errors import InputError

MOST_RANKS = 2**12
_MOST = 2**61
"""Exclusive upper bound of any order's cost; sums of twice the cost are exact."""


@dataclass(frozen=True, eq=False)
class RankMapping:
    """Traffic between ranks, and hops between as many processors.

    Parameters
    ----------
    traffic
        Bytes or messages from every rank to every other, square; the diagonal is not
        used.
    hops
        Links between processors, square and symmetric.

    Raises
    ------
    InputError
        If a matrix is not square, their sizes differ, an entry is no whole number or
        negative, hops are not symmetric or not 0 on the diagonal, or costs might reach
        2^61.

    Examples
    --------
    >>> line = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    >>> mapping = RankMapping([[0, 0, 5], [0, 0, 1], [0, 0, 0]], line)
    >>> mapping.cost([0, 1, 2]), mapping.cost([0, 2, 1])
    (11, 6)
    """

    traffic: IntArray
    hops: IntArray

    def __post_init__(self) -> None:
        traffic = _matrix("traffic", self.traffic)
        hops = _matrix("hops", self.hops)
        if len(hops) != len(traffic):
            raise InputError(
                f"must have as many rows as ranks, {len(traffic)}", "hops", len(hops)
            )
        wrong = hops != hops.T
        if wrong.any():
            i, j = np.argwhere(wrong)[0].tolist()
            raise InputError("must be symmetric", f"hops[{i}][{j}]", int(hops[i, j]))
        if (own := hops.diagonal()).any():
            i = int(own.argmax())
            problem = "must be 0 from a processor to itself"
            raise InputError(problem, f"hops[{i}][{i}]", int(own[i]))
        np.fill_diagonal(traffic, 0)
        if float(traffic.sum(dtype=float)) * float(hops.max(initial=0)) >= _MOST:
            raise InputError("makes costs of 2^61 or more", "traffic")
        for name, values in (("traffic", traffic), ("hops", hops)):
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @property
    def ranks(self) -> int:
        """Number of ranks, and of processors."""
        return len(self.traffic)

    @cached_property
    def flow(self) -> IntArray:
        """What two ranks exchange, both directions together; symmetric."""
        flow: IntArray = self.traffic + self.traffic.T
        flow.setflags(write=False)
        return flow

    @cached_property
    def unit(self) -> int:
        """A number that divides the cost of every order, at least 1."""
        return max(
            1, int(np.gcd.reduce(self.flow, None) * np.gcd.reduce(self.hops, None))
        )

    @cached_property
    def _busy(self) -> tuple[IntArray, IntArray]:
        """The pairs with traffic; they are few in the patterns of large jobs."""
        sources, targets = np.nonzero(self.traffic)
        return sources, targets

    def cost(self, order: Sequence[int] | IntArray) -> int:
        """Return the cost of an order: rank i runs on processor ``order[i]``."""
        places = np.asarray(order, dtype=np.int64)  # booleans would be a mask
        sources, targets = self._busy
        hops = self.hops[places[sources], places[targets]]
        return int((self.traffic[sources, targets] * hops).sum())

    def check(self, order: Sequence[int]) -> list[str]:
        """Return what is wrong with an order, nothing if every processor is in it."""
        if sorted(order) == list(range(self.ranks)):
            return []
        return [f"must be an order of the processors 0 to {self.ranks - 1}"]


def _matrix(name: str, given: Any) -> IntArray:
    """Return a square matrix of numbers of at least 0, copied."""
    try:
        values = np.array(given)
    except ValueError:
        raise InputError("must have rows of one length", name) from None
    if values.ndim != 2 or len(values) != values.shape[1] or not len(values):
        raise InputError("must be a square matrix", name, str(values.shape))
    if len(values) > MOST_RANKS:
        raise InputError(f"must have at most {MOST_RANKS} rows", name, len(values))
    if values.dtype.kind not in "iuf":
        raise InputError("must be whole numbers", name, str(values.dtype))
    tests: dict[str, Callable[[Any], Any]] = {
        "must be a whole number": lambda each: each == np.floor(each),
        "must be at least 0": lambda each: each >= 0,
        "must be below 2^61": lambda each: each < _MOST,
    }
    if values.dtype.kind != "f":  # the matrix may take 128 MiB, and no copies of it
        del tests["must be a whole number"]
    for wanted, is_right in tests.items():
        if not (right := is_right(values)).all():
            i, j = np.argwhere(~right)[0].tolist()
            raise InputError(wanted, f"{name}[{i}][{j}]", values[i, j].item())
    return values.astype(np.int64, copy=False)
