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

from math import comb, inf

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
        # Copies can be written to: else machine code is compiled once more for others.
        self.parent, self.own, self.below = parent.copy(), own, below
        self.rates = rates = rates._replace(weight=rates.weight.copy())
        k, power = rates.k, rates.power
        half = np.minimum(below, k // 2)
        loads = rates.busy.max(axis=0) + rates.load * half * (k - half)
        most = rates.scale * loads.astype(float)
        if float(most.max()) >= (_MOST_POWER if power else _MOST_NUMBER) or (
            power and 2 * (most**power).sum() >= _MOST_SUM
        ):
            raise InputError("numbers are too large", "objective")
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
        assert tables.have[0] > k
        value = int(tables.high[k]) * 2**kernels.WORD + int(tables.low[k])
        taken = np.zeros_like(self.own)
        kernels.trace(self.parent, tables, k, taken)
        return (value if power else (least, value)), taken, None

    def _limits(self) -> IntArray:
        """Return what each number of nodes may cost as a part of the best choice.

        That is what a choice costs, few domains or some nodes of each, less what the
        other nodes cost at least: a link's cost, a node below, is least at an end of
        the range in each term of the power. In floats, and then a little more.
        """
        k, power = self.rates.k, self.rates.power
        if not power:
            return np.full((2, k + 1), kernels.FAR)
        scale = self.rates.scale.astype(float)
        before, load = scale * self.rates.busy, scale * self.rates.load
        room = np.minimum(self.below, k).astype(float)
        each = sum(
            comb(power, i)
            * (before ** (power - i) * load**i).sum(axis=0)
            * np.minimum((k - 1.0) ** i, room ** (i - 1) * (k - room) ** i)
            for i in range(1, power + 1)
        )
        each[0] = 0.0
        kernels.add_down(self.parent, each)
        order = np.argsort(each, kind="stable")
        least = np.repeat(each[order], self.own[order])[:k]
        choices = [fullest(self.own, k)]
        for some in 2 ** np.arange(k.bit_length()):
            taken = np.zeros_like(self.own)
            ends = np.minimum(np.minimum(self.own[order], some).cumsum(), k)
            taken[order] = np.diff(ends, prepend=0)
            if ends[-1] == k:
                choices.append(taken)
        enough = inf
        for below in choices:
            kernels.add_up(self.parent, below)
            rise = (before + load * below * (k - below)) ** power - before**power
            enough = min(enough, float(rise[:, 1:].sum()))
        rest = np.concatenate([[0], np.cumsum(least)])[::-1]
        most = np.maximum(enough - rest, 0) + 2.0**-20 * enough + 1
        high = np.floor(most / 2.0**kernels.WORD)
        return np.array([high, most - high * 2.0**kernels.WORD]).astype(np.int64)

    def _fill(
        self, most: int, start: float, settings: Settings
    ) -> kernels.LinkTables | Limit:
        """Return the tables of all domains, or the limit that was reached."""
        k, parent, domains = self.rates.k, self.parent, len(self.own)
        length = np.minimum(self.below, k) + 1
        begin = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
        chosen_at = np.zeros(domains, dtype=np.int64)
        have = np.minimum(self.own, k) + 1
        choices = int(kernels.places(parent, length, have, k, chosen_at))
        if int(begin[-1]) + choices > _MOST_KEPT:
            return Limit.MEMORY
        tables = kernels.LinkTables(
            begin,
            have,
            np.zeros(int(begin[-1]), dtype=np.int64),
            np.zeros(int(begin[-1]), dtype=np.int64),
            chosen_at,
            np.zeros(choices, dtype=np.int64),
            self._limits(),
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
        if not left:
            break
        taken[v] = min(left, int(own[v]))
        left -= int(taken[v])
    return taken
