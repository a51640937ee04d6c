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

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ...instances import InputError, IntArray
from ...solvers import Limit, Settings, SolverError, Status
from ...solvers.running.limits import limits
from ..placement.kernels import pick
from ..placement.request import Placement, Request
from . import kernels
from .definition import LinkScale, link_cost
from .links import TreeLinks

if TYPE_CHECKING:
    from ..placement.program import Chooser, Flags

BY = "enumerated: link-dp"
_WORK = 2**24
"""Steps between two checks of the limits."""
_MOST_KEPT = 2**26
"""Entries of tables, 1.25 GiB."""
_MOST_POWER, _MOST_NUMBER = 2**30, 2**60
_MOST_SUM = 2.0**119
WISHES = {"job": (4, 0), "stream": (2, 1)}
"""Power, and ports of reserve, for one job now and for an allocator in a stream."""


@dataclass(frozen=True, eq=False)
class LinkWish:
    """What a request wants of links.

    Parameters
    ----------
    links
        Of the tree.
    power
        Of contention; 0 for the busiest link, then hops.
    reserve
        Ports that every link is thought to carry more.
    """

    links: TreeLinks
    power: int = 0
    reserve: int = 0

    def solve(
        self,
        chooser: Chooser,
        request: Request,
        free: Flags,
        start: float,
        settings: Settings,
    ) -> Placement:
        """Choose k of the free nodes.

        Raises
        ------
        InputError
            If the request wants more than any k free nodes, or numbers are too large.
        """
        if not request.is_plain:
            problem = "cannot be given with groups, slices or required nodes"
            raise InputError(problem, "objective", request.objective.value)
        run = LinkRun(self, chooser, request, free)
        if request.k > run.free_below[0]:
            return Placement(Status.INFEASIBLE, by="counting")
        return run.solve(start, settings)

    def part_of(self, cost: int, k: int) -> Fraction:
        """Return the first number of a cost as what it stands for."""
        whole = LinkScale(self.links, k, self.reserve).whole
        return Fraction(cost) / whole ** (self.power or 1) if whole else Fraction(0)


class LinkRun:
    """One request to one tree."""

    def __init__(
        self, wish: LinkWish, chooser: Chooser, request: Request, free: Flags
    ) -> None:
        self.wish, self.chooser, self.fabric = wish, chooser, chooser.fabric
        self.k = k = request.k
        self.objective = request.objective
        domains = len(self.fabric.parent)
        self.own = np.bincount(self.fabric.home[free], minlength=domains)
        self.free = free
        self.free_below = self.fabric.below(self.own)
        self.scale = LinkScale(wish.links, k, wish.reserve)
        half = np.minimum(self.free_below, k // 2)
        busy, load = self.scale.busy.max(axis=0), self.scale.load
        loads = busy + load * half * (k - half)
        most = self.scale.factor * loads.astype(float)
        power, largest = wish.power, float(most.max())
        if largest >= (_MOST_POWER if power else _MOST_NUMBER) or (
            power and 2 * (most**power).sum() >= _MOST_SUM
        ):
            problem = "numbers are too large for this objective: take hops"
            raise InputError(problem, "objective", self.objective.value)
        self.largest = int((self.scale.factor * loads).max())
        self.rates = kernels.Rates(
            k, power, 0, load, self.scale.factor, self.scale.busy, self.fabric.weight
        )

    def solve(self, start: float, settings: Settings) -> Placement:
        """Return the best choice; on a limit any choice, and a bound."""
        least = 0 if self.wish.power else self.threshold()
        tables = self.fill(least, start, settings)
        if isinstance(tables, Limit):
            return self._answer_anyhow(least, tables)
        taken = np.zeros_like(self.own)
        kernels.trace(self.fabric.parent, tables, self.k, taken)
        chosen = self._pick(taken)
        value = int(tables.high[self.k]) * 2**kernels.WORD + int(tables.low[self.k])
        cost = self.cost(chosen)
        pairs = self.k * (self.k - 1)
        expected = (value,) if self.wish.power else (least, pairs + value // 2)
        if tables.high[self.k] >= kernels.FAR or cost != expected:
            raise SolverError("the selection does not cost what its tables say")
        return Placement(Status.OPTIMAL, 0, chosen, cost, cost, BY)

    def cost(self, chosen: tuple[int, ...]) -> tuple[int, ...]:
        """Price a choice from the definition."""
        wish = self.wish
        return link_cost(self.fabric, wish.links, chosen, wish.power, wish.reserve)

    def threshold(self) -> int:
        """Return the least number that the busiest link of some choice is used to."""
        low, high = 0, self.largest
        few, light, gain = np.empty((3, len(self.own)), dtype=np.int64)
        while low < high:
            middle = (low + high) // 2
            parent, rates = self.fabric.parent, self.rates._replace(most=middle)
            fit = int(kernels.fill_up(parent, self.own, rates, few, light, gain))
            low, high = (low, middle) if fit >= self.k else (middle + 1, high)
        return low

    def fill(
        self, most: int, start: float, settings: Settings
    ) -> kernels.LinkTables | Limit:
        """Return the tables of all domains, or the limit that was reached."""
        k, parent, domains = self.k, self.fabric.parent, len(self.own)
        length = np.minimum(self.free_below, k) + 1
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

    def _pick(self, taken: IntArray) -> tuple[int, ...]:
        """Pick the first free nodes at every domain."""
        picked = np.zeros_like(self.free)
        home, none = self.fabric.home, np.zeros_like(self.free)
        pick(self.chooser.order, home, self.free, none, taken.copy(), picked)
        return tuple(np.flatnonzero(picked).tolist())

    def _answer_anyhow(self, least: int, limit: Limit) -> Placement:
        """Return a choice that fills the fullest domains, and a bound."""
        pairs = self.k * (self.k - 1)
        bound = (0,) if self.wish.power else (least, pairs)
        taken = np.zeros_like(self.own)
        left = self.k
        for v in np.argsort(-self.own, kind="stable").tolist():
            taken[v] = min(left, int(self.own[v]))
            left -= int(taken[v])
        chosen = self._pick(taken)
        cost = self.cost(chosen)
        status = Status.OPTIMAL if cost == bound else Status.FEASIBLE
        return Placement(status, 0, chosen, cost, bound, "counting", limit)
