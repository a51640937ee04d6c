"""The choice by links on a tree of switches, blocks or racks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ...instances import InputError, IntArray
from ...instances.value import as_tuple
from ...network.contention.tree import BY as LINK_DP
from ...network.contention.tree import TreeProgram, fullest
from ...network.contention.tree_kernels import Rates
from ...solvers import Settings, SolverError, Status
from ..placement import measures
from ..placement.kernels import pick
from ..placement.request import Placement, Request
from ..topologies import Hierarchy
from .definition import LinkScale, link_cost
from .links import TreeLinks, names_of

if TYPE_CHECKING:
    from ..placement.program import Chooser, Flags

BY = f"enumerated: {LINK_DP}"


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
        Ports that a link is thought to carry more, for each port of its capacity.
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
        run = LinkRun(self, chooser, request, free)
        if request.k > run.free_below[0]:
            return Placement(Status.INFEASIBLE, by="counting")
        return run.solve(start, settings)

    def cost(self, fabric: Hierarchy, chosen: Sequence[int]) -> tuple[int, ...]:
        """Price a choice from the definition."""
        return link_cost(fabric, self.links, chosen, self.power, self.reserve)

    def busiest(
        self, fabric: Hierarchy, chosen: Sequence[int]
    ) -> tuple[str, Fraction, Fraction]:
        """Return the busiest used link, how far it is used, and by others."""
        k = len(chosen)
        scale = LinkScale(self.links, k)
        found = max(
            (
                (after, before, v, way)
                for v, c in measures.counts_below(fabric, chosen).items()
                if v and c < k
                for way, (before, after) in enumerate(scale.uses(v, c * (k - c)))
            ),
            default=None,
        )
        if found is None:
            return "", Fraction(0), Fraction(0)
        after, before, v, way = found
        link = (int(fabric.parent[v]), v) if way else (v, int(fabric.parent[v]))
        text = names_of(fabric).text(link)
        return text, after / scale.whole, before / scale.whole

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
        parent = self.fabric.parent
        self.own = np.bincount(self.fabric.home[free], minlength=len(parent))
        self.free = free
        self.free_below = self.fabric.below(self.own)
        scale = LinkScale(wish.links, k, wish.reserve)
        rates = Rates(
            *(k, wish.power, 0, scale.load),
            *(scale.factor, scale.busy, self.fabric.weight),
        )
        try:
            self.program = TreeProgram(parent, self.own, self.free_below, rates)
        except InputError as error:
            value = request.objective.value
            raise InputError(
                f"{error.problem}: take hops", "objective", value
            ) from None

    def solve(self, start: float, settings: Settings) -> Placement:
        """Return the best choice; on a limit any choice, and a bound."""
        value, taken, limit = self.program.solve(start, settings)
        bound = as_tuple(value)
        if not self.wish.power:
            bound = bound[0], self.k * (self.k - 1) + bound[1] // 2
        chosen = self._pick(fullest(self.own, self.k) if taken is None else taken)
        cost = self.wish.cost(self.fabric, chosen)
        if limit:
            status = Status.OPTIMAL if cost == bound else Status.FEASIBLE
            return Placement(status, 0, chosen, cost, bound, "counting", limit)
        if cost != bound:
            raise SolverError("the selection does not cost what its tables say")
        return Placement(Status.OPTIMAL, 0, chosen, cost, cost, BY)

    def _pick(self, taken: IntArray) -> tuple[int, ...]:
        """Pick the first free nodes at every domain."""
        picked = np.zeros_like(self.free)
        home, none = self.fabric.home, np.zeros_like(self.free)
        pick(self.chooser.order, home, self.free, none, taken.copy(), picked)
        return tuple(np.flatnonzero(picked).tolist())
