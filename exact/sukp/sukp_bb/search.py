"""Branch and bound for the set-union knapsack, over the excluded elements.

A feasible choice of items leaves a set R of elements unused, whose weight is at least
the total weight less the capacity, and it costs the profit of all items with an
element in R. So: find a heavy enough R that hits the least profit.

- Bound: share every item's profit out among its elements, p_j = Σ q_je. Then R
  costs at least Σ over R of b_e, b_e = Σ_j q_je, whatever the shares; with a
  multiplier λ on the weight D that R must have, at least
  λ D + min over k of the sum of the k least b_e - λ w_e,
  where k runs over the numbers of elements that R can have. Shares and λ are
  improved by ascent and passed on from node to node.
- Number: at least so many of the heaviest elements reach D; and R may be taken
  to be irreducible, so that all but one of its elements stay below D.
- Fixing: an element whose exchange lifts the bound to the best known cost is decided;
  so is one that cannot be in R, as its items would be lost as a whole (probing).
- Weight: an element heavier than the slack of the others is in R; an item heavier
  than that is lost in any case, and its profit counts at once.
- Closure: of an optimum take all elements none of whose items survive, heaviest
  first, until D is reached. So a kept element with no item left must come after all
  of R, and if e in R would leave f without items, f before e, then f is in R.

Derived for closeknit; docs/sukp-bb.md has the short proofs.
"""

from __future__ import annotations

from dataclasses import replace
from heapq import heappop, heappush
from math import inf

import numpy as np

from ....heuristics.sukp.sukp_greedy import greedy
from ....heuristics.sukp.tabu import tabu
from ....instances import InputError, Sukp
from ....solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer, clock
from ....solvers.interrupt import OutOfTimeError
from ....solvers.limits import Limits, limits
from ....solvers.progress import report
from ...search import SteppableSearch
from . import kernels
from .layout import Nodes, blank, packed, root
from .root import ByNumber
from .semidefinite import Products

PROOF = Proof(Grade.ENUMERATED, "sukp-bb")
ROOT_PROOF = Proof(Grade.ENUMERATED, "sukp-bb root bound")
"""Proof where the bound by number is better than what the search proved."""
PRODUCT_PROOF = Proof(Grade.ENUMERATED, "sukp-bb semidefinite bound")
"""Proof where the bound by products is better than all others."""
_ROOT_STEPS = 1500
"""Limit on ascent steps at the root; they are few compared with the search."""
_ROOT_TIME, _RATE = 0.1, 2**26
"""Fraction of the time limit for these steps, and memberships processed per second."""
_STEPS = 2
"""Ascent steps at other nodes; three to four take equally long, one is worse."""
_WORK = 2**23
"""Memberships processed in one plunge, about 0.1 s."""
_MOST_LEVELS = 2**22
"""Limit on the shares kept along one path of the search."""
_MOST_SHARES = 2**24
"""Limit on the shares kept with waiting nodes; further ones start from the root's."""
MOVES = 200
"""Moves of tabu per item and element: a fraction of a second."""
_TABU_PART, _SEARCH_PART, _PRODUCT_PART, _ROOT_PART = 0.2, 0.4, 0.8, 0.85
"""Fractions of the time limit at which tabu, a first search, and the bounds end."""
_PRODUCT_SECONDS = 4e-6
"""Least seconds for the bound by products, by the square of the matrix's rows."""
_AFFORDABLE = 2**27
"""Values of k processed for the bound by number after a node limit, about 1 s."""
_MOST_WAITING = 20_000
"""Waiting nodes beyond which a plunge continues for longer, to save memory."""


def sukp_bb(instance: Sukp, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by branch and bound over the unused elements.

    Starts from a short run of tabu. Stopped early it returns the least bound of the
    open nodes, or the bound by the number of excluded elements (``ByNumber``) or by
    products of constraints (``Products``) if that is better, which the proof then
    names. The cheap part of the former precedes the search, regardless of limits; both
    are improved after a fraction of the time, and the former when a node limit is
    reached (then by fixed work, not by time).

    Guarantee: exact.
    Time: exponential at worst; O(memberships) for a step of a node's bound.
    Source: derived for closeknit, see docs/sukp-bb.md.
    """
    start = clock.now()
    first, limit = first_choice(instance, settings, MOVES)
    return prove(instance, first, limit, settings=settings, start=start)


def prove(
    instance: Sukp,
    first: tuple[int, ...],
    limit: Limit | None,
    *,
    settings: Settings,
    start: float,
) -> Result:
    """Search from a choice; ``limit`` is what stopped the search for that one."""
    try:
        search = ExclusionSearch(instance, first, seconds=settings.time_limit)
        limit = pursue(search, limit, settings=settings, start=start)
    except OutOfTimeError:  # during set-up, or within a step
        return answer(
            instance, first, start=start, limit=Limit.TIME, seed=settings.seed
        )
    return answer(
        instance,
        search.chosen,
        start=start,
        bound=search.bound,
        proof=search.proof,
        limit=limit,
        seed=settings.seed,
        nodes=search.nodes,
    )


def pursue(
    search: ExclusionSearch, limit: Limit | None, *, settings: Settings, start: float
) -> Limit | None:
    """Alternate search and bound within the limits; return the limit that ended it.

    The search is still at its root, and was perhaps stopped already by ``limit`` when a
    first solution was sought; limits count from ``start``, a value of ``clock.now()``.
    """
    search.bound_by_number(start, rounds=0)
    if limit is Limit.INTERRUPT:
        return limit
    for part in (_SEARCH_PART, _ROOT_PART, 1.0):
        until = start + part * settings.time_limit
        if part == _ROOT_PART:
            products = start + _PRODUCT_PART * settings.time_limit
            limit = search.bound_by_products(products)
            limit = limit or search.bound_by_number(until)
        else:
            limit = search.run(until, settings.node_limit)
        if limit in (Limit.INTERRUPT, Limit.NODES) or search.bound == search.best:
            break
    if limit is Limit.NODES:
        until = start + settings.time_limit
        limit = search.bound_by_number(until, rounds=search.affordable) or limit
    return limit


def first_choice(
    instance: Sukp, settings: Settings, moves: int
) -> tuple[tuple[int, ...], Limit | None]:
    """Choose items by tabu, or greedily if it refuses; also return the limit reached.

    At most a fifth of the time limit is used, and so many moves per item and element.
    """
    brief = replace(
        settings,
        node_limit=moves * (instance.n + len(instance.weights)),
        time_limit=_TABU_PART * settings.time_limit,
    )
    try:
        result = tabu(instance, brief)
    except InputError:  # too large for its tables
        return greedy(instance), None
    assert result.chosen is not None
    return result.chosen, result.limit


class ExclusionSearch(SteppableSearch):
    """A search that can be stopped and resumed.

    It alternates depth-first search with the open node of least bound.

    Parameters
    ----------
    instance
        The instance to solve.
    chosen
        A first solution, as items.
    seconds
        Time limit of the whole run, which determines the work at the root.

    Attributes
    ----------
    best
        Cost of the best solution so far.
    nodes
        Nodes searched so far.
    """

    def __init__(
        self, instance: Sukp, chosen: tuple[int, ...], *, seconds: float = inf
    ) -> None:
        self.instance = instance
        self._problem, self._index = packed(instance)
        self._chosen = chosen
        self.best = self._cost(chosen)
        self.nodes = 0
        self._known = self._products = 0
        self._by_number: ByNumber | None = None
        size = max(1, len(self._problem.member))
        allowed = min(seconds * _ROOT_TIME * _RATE / size, float(_ROOT_STEPS))
        self._root_steps = max(_STEPS, int(allowed))
        levels = max(16, min(len(instance.weights), _MOST_LEVELS // size)) + 3
        self._out = blank(self._problem, levels)
        self._start = root(self._problem)
        self._root = self._start.shares[0].copy()
        self._plunge = max(16, _WORK // (size * _STEPS))
        self._picked = np.zeros(len(instance.weights), dtype=np.int8)
        self._waiting: list[tuple[int, int, bytes, int, bytes]] = []
        self._pushed = 0
        self._kept = 0
        self._push(0, self._start, 0)

    @property
    def chosen(self) -> tuple[int, ...]:
        """The best solution so far, as items."""
        return self._chosen

    @property
    def bound(self) -> int:
        """The best proved lower bound so far."""
        if not self._waiting:
            return self.best
        return min(self.best, max(self._known, self._waiting[0][0]))

    def _search(self, watch: Limits) -> Limit | None:
        """Search in plunges of a fixed size, on which the answer depends."""
        while self._unfinished():
            if limit := watch.reached(self.nodes):
                return limit
            budget = self._plunge
            if len(self._waiting) > _MOST_WAITING:
                budget *= 8
            self._step(watch.within(budget, self.nodes))
            self._report()
        return None

    def _unfinished(self) -> bool:
        return self.bound < self.best

    def _report(self) -> None:
        report(self.best, self.bound)

    @property
    def proof(self) -> Proof:
        """Proof of the bound."""
        if self._waiting and self._waiting[0][0] < min(self.best, self._known):
            return PRODUCT_PROOF if self._known == self._products else ROOT_PROOF
        return PROOF

    @property
    def affordable(self) -> int:
        """Rounds of the bound by number that take about a second."""
        assert self._by_number is not None
        return _AFFORDABLE // max(1, self._by_number.work)

    def bound_by_number(
        self, deadline: float, rounds: int | None = None
    ) -> Limit | None:
        """Bound the problem by the number of excluded elements; see ``root``.

        With no rounds only the cheap part runs, regardless of limits.
        """
        if self._by_number is None:
            self._by_number = ByNumber(self._problem)
        with limits(deadline) as watch:
            self._by_number.improve(
                self.best, lambda: watch.reached() is not None, rounds
            )
            self._known = max(self._known, self._by_number.least)
            return Limit.INTERRUPT if watch.pressed.is_set() else None

    def bound_by_products(self, deadline: float) -> Limit | None:
        """Bound the problem by products of its constraints; see ``semidefinite``.

        Where there is time for a few steps at least.
        """
        size = len(self._problem.profit) + len(self._problem.weight)
        if deadline - clock.now() < _PRODUCT_SECONDS * size**2:
            return None
        bound = Products(self._problem)
        with limits(deadline) as watch:
            bound.improve(lambda: watch.reached() is not None)
            self._products = bound.least
            self._known = max(self._known, bound.least)
            return Limit.INTERRUPT if watch.pressed.is_set() else None

    def _step(self, budget: int) -> None:
        """Search below the open node of least bound; return what stays open."""
        least, _, state, multiplier, shares = heappop(self._waiting)
        self._kept -= len(shares) // 8
        first = self._start
        first.state[0] = np.frombuffer(state, dtype=np.int8)
        first.least[0] = least
        first.multiplier[0] = multiplier
        first.shares[0] = (
            np.frombuffer(shares, dtype=np.int64) if shares else self._root
        )
        at_root = self.nodes == 0
        best, nodes, count = kernels.search(
            self._problem,
            first,
            self.best,
            self._picked,
            budget,
            _STEPS,
            self._root_steps if at_root else _STEPS,
            self._out,
            0,
            len(self._picked),
        )
        self.nodes += nodes
        if best < self.best:
            self._take()
        for row in range(count):
            self._push(int(self._out.least[row]), self._out, row)

    def _take(self) -> None:
        gone = {int(e) for e in self._index[np.flatnonzero(self._picked)]}
        self._chosen = tuple(
            i for i, e in enumerate(self.instance.items) if gone.isdisjoint(e)
        )
        self.best = self._cost(self._chosen)

    def _cost(self, chosen: tuple[int, ...]) -> int:
        profits = self.instance.profits
        return sum(profits) - sum(profits[i] for i in chosen)

    def _push(self, least: int, nodes: Nodes, row: int) -> None:
        if least >= self.best:
            return
        shares = b""
        if self._kept < _MOST_SHARES:
            shares = nodes.shares[row].tobytes()
            self._kept += nodes.shares.shape[1]
        self._pushed += 1  # ties on the bound: first in, first out
        heappush(
            self._waiting,
            (
                least,
                self._pushed,
                nodes.state[row].tobytes(),
                int(nodes.multiplier[row]),
                shares,
            ),
        )
