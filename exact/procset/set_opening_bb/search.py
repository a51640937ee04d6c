"""A search over which sets are open, in steps; see ``set_opening_bb``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from ....formulations.procset.set_classes import Cost, SetClasses
from ....instances import IntArray
from ....solvers import Limit
from ....solvers.running.limits import Limits
from ....solvers.running.progress import report
from ...search import SteppableSearch
from . import kernels, kernels_rules, layout
from .layout import OpeningRules
from .system import SystemLayout

ALL_RULES = OpeningRules()
_MOST_SHAPES = 20_000
_MOST_FAMILIES_SHAPED = 5
_FADES = (0.5, 0.125, 0.03)
_STARTS = 64

Shape = tuple[int, ...] | None
"""Number of sets opened in each family; None for any number."""


class SetOpeningSearch(SteppableSearch):
    """Branch and bound over which shared sets are open.

    The request is at most the number of processors; the optimum does not depend on the
    rules. ``shapes`` are those to search, in order, with a lower bound on the cost of
    each; known once there is a first solution.
    """

    def __init__(self, classes: SetClasses, rules: OpeningRules = ALL_RULES) -> None:
        self.layout = SystemLayout(classes, rules)
        self.state = self.layout.state()
        self.shapes: list[tuple[int, Shape]] | None = None
        self._classes = classes
        self._rules = rules
        self._at = 0
        self._begun = False

    @property
    def nodes(self) -> int:  # type: ignore[override]
        """Nodes searched so far."""
        return int(self.state.tally[layout.NODES])

    @property
    def best(self) -> int:  # type: ignore[override]
        """Cost of the best solution so far, folded; initially above all costs."""
        return int(self.state.money[layout.BEST])

    @property
    def chosen(self) -> tuple[int, ...]:
        """The best solution so far, by indices of processors."""
        _, classes = self._cheapest(self.state.best)
        return self._classes.pick(classes)

    @property
    def bound(self) -> Cost:
        """The best proved lower bound so far."""
        return self.layout.radix.unfold(min(self.best, self._floor()))

    def _floor(self) -> int:
        if self.shapes is None:
            return 0
        if self._at >= len(self.shapes):
            return self.best
        least = self.shapes[self._at][0]
        after = [least for least, _ in self.shapes[self._at + 1 : self._at + 2]]
        if self._begun:
            here = int(self.layout.run(kernels.floor, self.state))
            least = max(least, min([here, *after]))
        return least

    def _search(self, watch: Limits) -> Limit | None:
        """Find a first solution, then search shape after shape."""
        if self.shapes is None:
            if stopped := self._grow(watch):
                return stopped
            self.shapes = self._shapes()
        return super()._search(watch)

    def _unfinished(self) -> bool:
        shapes = self.shapes or ()
        if self._at < len(shapes) and shapes[self._at][0] >= self.best:
            self._at = len(shapes)  # all that follow cost at least as much
        return self._at < len(shapes)

    def _step(self, budget: int) -> None:
        assert self.shapes is not None
        if not self._begun:
            self._begin(self.shapes[self._at][1])
        if self.layout.run(kernels.search, self.layout.system, self.state, budget):
            self._at += 1
            self._begun = False

    def _report(self) -> None:
        report(self.layout.radix.unfold(self.best), self.bound)

    def _begin(self, shape: Shape) -> None:
        """Start a shape: families in which it opens few sets come first."""
        state, families = self.state, self.layout.system.families
        self.layout.run(kernels_rules.reset, self.layout.system, state)
        if shape is not None:
            state.exact[:families] = shape
            state.limit[:families] = shape
            ranks = sorted(range(families), key=lambda g: (shape[g], g))
            state.rank[:] = [*ranks, 1]
        self._begun = True

    # --- a first solution ---

    def _grow(self, watch: Limits) -> Limit | None:
        """Open sets greedily, from classes spread over the instance."""
        system = self.layout.system
        price = system.cost.astype(np.float64)
        opened = np.zeros(len(price), np.int64)
        n = len(system.size)
        for first in range(0, n, -(-n // _STARTS)):
            for fade in _FADES:
                if self.layout.run(kernels.grow, system, price, first, fade, opened):
                    self._offer(opened)
            if stopped := watch.reached():
                return stopped
        return None

    def _offer(self, opened: IntArray) -> None:
        cost = int(self.layout.system.cost[opened == 1].sum())
        if cost < self.best:
            cost += self._cheapest(opened)[0]
        if cost < self.best:
            self.state.money[layout.BEST] = cost
            self.state.best[:] = opened

    def _cheapest(self, opened: IntArray) -> tuple[int, Sequence[int]]:
        """Choose among the classes whose sets are all open.

        Returns the private costs and the classes, by a knapsack: O(classes r).
        """
        system, request = self.layout.system, self._classes.request
        sets, at = system.class_set, system.class_at
        ready = [
            k for k in range(len(system.size)) if opened[sets[at[k] : at[k + 1]]].all()
        ]
        if not system.has_private:
            return 0, ready
        least = np.full(request + 1, system.far, self.layout.number)
        least[0] = 0
        numbers = np.arange(request + 1)
        took = np.zeros((len(ready), request + 1), np.bool_)
        for i, k in enumerate(ready):
            without = np.maximum(numbers - int(system.size[k]), 0)
            other = least[without] + system.private[k]
            took[i] = other < least
            took[i, 0] = False
            least = np.where(took[i], other, least)
        t, chosen = request, []
        for i in range(len(ready) - 1, -1, -1):
            if took[i, t]:
                chosen.append(ready[i])
                t = max(t - int(system.size[ready[i]]), 0)
        return int(least[request]), chosen

    # --- shapes ---

    def _shapes(self) -> list[tuple[int, Shape]]:
        """List how many sets of each family may be opened, cheapest first.

        Each shape costs less than the best solution, and opens in no family more sets
        than the request would need without the others. The list is one entry, None, if
        there are too many shapes, or too many families for this to pay off.
        """
        system, families = self.layout.system, self.layout.system.families
        anything: list[tuple[int, Shape]] = [(0, None)]
        if not self._rules.shapes or not 2 <= families <= _MOST_FAMILIES_SHAPED:
            return anything
        prices: list[list[int]] = []
        least: list[int] = []
        for g in range(families):
            own = np.flatnonzero(system.family == g)
            prices.append(list(accumulate(map(int, system.cost[own]), initial=0)))
            holds = [
                int(system.size[system.set_class[system.set_at[j] : end]].sum())
                for j, end in zip(own, system.set_at[own + 1], strict=True)
            ]
            holds.sort(reverse=True)
            free = int(system.size.sum()) - sum(holds)
            sums = accumulate(holds, initial=free)
            least.append(next(i for i, s in enumerate(sums) if s >= system.request))
        found: list[tuple[int, tuple[int, ...]]] = []
        later = [prices[g][least[g]] for g in range(families)]

        def extend(shape: tuple[int, ...], spent: int) -> bool:
            g = len(shape)
            if g == families:
                found.append((spent, shape))
                return len(found) <= _MOST_SHAPES
            for count in range(least[g], len(prices[g])):
                price = spent + prices[g][count]
                if price + sum(later[g + 1 :]) >= self.best:
                    return True
                if not extend((*shape, count), price):
                    return False
            return True

        return [*sorted(found)] if extend((), 0) else anything
