"""The choice by links on a tree of switches, exactly.

*The busiest link, then hops.* For a threshold t, a link lets c of k nodes be below if
c (k - c) is at most a number that t leaves, thus if c is at most a, or at least k - a.
How many nodes fit with that is counted from the lowest domains up, in time linear in
their number, since only domains on one path can have nearly all nodes; the least
threshold is found by bisection. A dynamic program then minimises hops, where numbers
of nodes that the threshold forbids cost too much.

*Contention* is a sum over links of functions of the nodes below, which the same program
minimises.
"""

from __future__ import annotations

import numpy as np

from ...instances import InputError, IntArray
from ...instances.value import Value
from ...solvers import Limit, Settings
from ...solvers.running.limits import limits
from . import tree_kernels as kernels

BY = "link-dp"
_WORK = 2**24
"""Steps between two checks of the limits."""
_MOST_KEPT = 2**26
"""Entries of tables, 1.25 GiB."""
_MOST_POWER, _MOST_NUMBER = 2**30, 2**60
_MOST_SUM = 2.0**119


class TreeProgram:
    """One choice on a tree.

    Parameters
    ----------
    parent, weight
        Of every domain, parents first: its parent, and half the hops of the link to it.
    own, below
        Free nodes at a domain, and in all below it.
    rates
        What links cost; the threshold counts for nothing.

    Raises
    ------
    InputError
        If costs might need more than 120 bits.
    """

    def __init__(
        self, parent: IntArray, own: IntArray, below: IntArray, rates: kernels.Rates
    ) -> None:
        self.parent, self.own, self.below, self.rates = parent, own, below, rates
        k, power = rates.k, rates.power
        half = np.minimum(below, k // 2)
        loads = rates.busy.max(axis=0) + rates.load * half * (k - half)
        most = rates.scale * loads.astype(float)
        if float(most.max()) >= (_MOST_POWER if power else _MOST_NUMBER) or (
            power and 2 * (most**power).sum() >= _MOST_SUM
        ):
            raise InputError("numbers are too large: take hops", "objective")
        self._largest = int((rates.scale * loads).max())

    def threshold(self) -> int:
        """Return the least number that the busiest link of some choice is used to."""
        low, high = 0, self._largest
        few, light, gain = np.empty((3, len(self.own)), dtype=np.int64)
        while low < high:
            middle = (low + high) // 2
            rates = self.rates._replace(most=middle)
            fit = int(kernels.fill_up(self.parent, self.own, rates, few, light, gain))
            low, high = (low, middle) if fit >= rates.k else (middle + 1, high)
        return low

    def solve(
        self, start: float, settings: Settings
    ) -> tuple[Value, IntArray | None, Limit | None]:
        """Return the least cost, or a bound, and how many nodes to take at each domain.

        Returns
        -------
        tuple
            The contention; or the threshold and twice the hops between domains. None in
            the place of the nodes if a limit, the third entry, was reached.
        """
        k, power = self.rates.k, self.rates.power
        least = 0 if power else self.threshold()
        tables = self._fill(least, start, settings)
        if isinstance(tables, Limit):
            return (0 if power else (least, 0)), None, tables
        value = int(tables.high[k]) * 2**kernels.WORD + int(tables.low[k])
        taken = np.zeros_like(self.own)
        kernels.trace(self.parent, tables, k, taken)
        assert tables.high[k] < kernels.FAR
        return (value if power else (least, value)), taken, None

    def _fill(
        self, most: int, start: float, settings: Settings
    ) -> kernels.LinkTables | Limit:
        """Return the tables of all domains, or the limit that was reached."""
        k, parent, domains = self.rates.k, self.parent, len(self.own)
        length = np.minimum(self.below, k) + 1
        begin = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
        chosen_at, choices = np.zeros(domains, dtype=np.int64), 0
        have = np.minimum(self.own, k) + 1
        grown = have.tolist()
        for v in range(domains - 1, 0, -1):
            p = int(parent[v])
            grown[p] = min(grown[p] + int(length[v]) - 1, k + 1)
            chosen_at[v] = choices
            choices += grown[p]
        if int(begin[-1]) + choices > _MOST_KEPT:
            return Limit.MEMORY
        tables = kernels.LinkTables(
            begin,
            have,
            np.zeros(int(begin[-1]), dtype=np.int64),
            np.zeros(int(begin[-1]), dtype=np.int64),
            chosen_at,
            np.zeros(choices, dtype=np.int64),
        )
        rates = self.rates._replace(most=most)
        spare = np.zeros((2, k + 1), dtype=np.int64)
        state = np.array([domains - 1, -1])
        with limits(start + settings.time_limit) as watch:
            while not kernels.fill(parent, rates, tables, spare, state, _WORK):
                if stopped := watch.reached():
                    return stopped
        return tables


def fullest(own: IntArray, k: int) -> IntArray:
    """Return how many of k nodes to take at each domain, the fullest first."""
    taken = np.zeros_like(own)
    left = k
    for v in np.argsort(-own, kind="stable").tolist():
        taken[v] = min(left, int(own[v]))
        left -= int(taken[v])
    return taken
