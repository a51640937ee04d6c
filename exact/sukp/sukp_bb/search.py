"""Branch and bound for the set-union knapsack, over the excluded elements.

A feasible choice of items leaves a set R of elements unused, whose weight is at least
the total weight less the capacity, and it costs the profit of all items with an
element in R. So: find a heavy enough R that hits the least profit.

- Bound: share every item's profit out among its elements, p_j = Σ q_je. Then R
  costs at least Σ over R of b_e, b_e = Σ_j q_je, whatever the shares; with a
  multiplier λ on the weight D that R must have, at least
  λ D + Σ over e of min(0, b_e - λ w_e).
  Shares are best, for every λ at once, if the levels b_e / w_e are as even as they
  can be. They are passed on from node to node, and evened out there by one sweep.
- Fixing: an element whose exchange lifts the bound to the best known cost is decided.
- Branching: on an element, in R or not, or on an item, hit by R or not.
- Weight: an element heavier than the slack of the others is in R; an item heavier
  than that is lost in any case, and its profit counts at once.
- Closure: of an optimum take all elements none of whose items survive, heaviest
  first, until D is reached. So a kept element with no item left must come after all
  of R, and if e in R would leave f without items, f before e, then f is in R.

Derived for closeknit; docs/science/sukp-bb.md has the short proofs.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from heapq import heappop, heappush
from math import gcd

import numpy as np

from ....heuristics.sukp.sukp_greedy import greedy
from ....heuristics.sukp.tabu import tabu
from ....instances import InputError, Sukp
from ....solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer
from ....solvers.blas import blas_threads
from ....solvers.running import clock
from ....solvers.running.interrupt import OutOfTimeError
from ....solvers.running.limits import Limits, limits
from ...search import SteppableSearch
from . import kernels
from .layout import Bytes, FlatInstance, Nodes, blank, to_arrays
from .semidefinite import Products

PROOF = Proof(Grade.ENUMERATED, "sukp-bb")
PRODUCT_PROOF = Proof(Grade.ENUMERATED, "sukp-bb semidefinite bound")
"""Proof where the bound by products is better than what the search proved."""
_FIRST_SWEEPS = 20
"""Sweeps over the shares at the first node of a plunge, until they hardly change."""
_WORK = 2**24
"""Memberships processed in one plunge: some hundredths of a second."""
_MOST_LEVELS = 2**22
"""Limit on the shares kept along one path of the search."""
MOVES = 200
"""Moves of tabu per item and element: a fraction of a second."""
_TABU_PART, _SEARCH_PART, _PRODUCT_PART = 0.2, 0.4, 0.8
"""Fractions of the time limit at which tabu, a first search, and the bound end."""
_PRODUCT_SECONDS, _ALL_PRODUCT_SECONDS = 4e-6, 2e-4
"""Seconds for a few steps of the bound by products, and for nearly all, by the square
of the matrix's rows."""
_MOST_AT_ONCE = 16
"""Nodes that are searched at once, at most: each needs room for a path."""
_MOST_WAITING = 20_000
"""Waiting nodes beyond which a plunge continues for longer, to save memory."""


def sukp_bb(instance: Sukp, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by branch and bound over the unused elements.

    Starts from a short run of tabu. Stopped early it returns the least bound of the
    open nodes, or the bound by products of constraints (``Products``), computed after
    a fraction of the time, if that is better; the proof then names it. As many nodes as
    there are threads are searched at a time, one at least.

    Guarantee: exact.
    Time: exponential at worst; O(memberships) for a step of a node's bound.
    Source: derived for closeknit, see docs/science/sukp-bb.md.
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
    """Search from a choice; ``limit`` stopped the search for that choice."""
    try:
        search = ExclusionSearch(instance, first, threads=settings.threads)
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
    if limit is Limit.INTERRUPT:
        return limit
    whole = settings.time_limit
    products = _PRODUCT_PART * whole
    first = max(_SEARCH_PART * whole, products - _ALL_PRODUCT_SECONDS * search.rows**2)
    limit = search.run(start + first, settings.node_limit)
    if limit is Limit.TIME and search.nodes == 0:
        one = search.run(math.inf, 1)
        limit = limit if one is Limit.NODES else one
    if limit is Limit.TIME and search.bound < search.best:
        limit = search.bound_by_products(start + products) or search.run(
            start + whole, settings.node_limit
        )
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


class _Lane:
    """Room for one plunge of the search."""

    def __init__(self, problem: FlatInstance, levels: int) -> None:
        self.start = blank(problem, 1)
        self.out = blank(problem, levels)
        self.picked = np.zeros(len(problem.weight), dtype=np.int8)

    def enter(self, least: int, state: bytes) -> None:
        """Start from a waiting node."""
        self.start.state[0] = np.frombuffer(state, dtype=np.int8)
        self.start.least[0] = least


def _plunge(
    problem: FlatInstance, best: int, budget: int, lane: _Lane
) -> tuple[int, int, int]:
    found: tuple[int, int, int] = kernels.search(
        problem, lane.start, best, lane.picked, budget, _FIRST_SWEEPS, lane.out
    )
    return found


class ExclusionSearch(SteppableSearch):
    """A search that can be stopped and resumed.

    It alternates depth-first search with the open node of least bound.

    Parameters
    ----------
    instance
        The instance to solve.
    chosen
        A first solution, as items.
    threads
        Nodes to search at a time. What is found depends on it, not on how they run.

    Attributes
    ----------
    best
        Cost of the best solution so far.
    nodes
        Nodes searched so far.
    rows
        Of the matrix of the bound by products.
    """

    def __init__(
        self, instance: Sukp, chosen: tuple[int, ...], *, threads: int = 1
    ) -> None:
        self.instance = instance
        problem, self._index = to_arrays(instance)
        unit = max(1, gcd(*instance.weights))  # R weighs a multiple of it
        self._problem = problem._replace(need=-(-problem.need // unit) * unit)
        self._chosen = chosen
        self.best = self._cost(chosen)
        self.nodes = 0
        self.rows = instance.n + len(instance.weights)
        self._known = 0
        size = max(1, len(self._problem.member))
        deepest = min(len(instance.weights) + instance.n, _MOST_LEVELS // size)
        levels = max(16, deepest) + 3
        self._at_once = min(threads, _MOST_AT_ONCE)
        self._lanes = [_Lane(self._problem, levels)]
        self._plunge = max(16, _WORK // (2 * size))
        self._waiting: list[tuple[int, int, bytes]] = []
        self._pushed = 0
        self._push(0, blank(self._problem, 1), 0)

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
        with ThreadPoolExecutor(self._at_once) as self._pool:
            while self._unfinished():
                if limit := watch.reached(self.nodes):
                    return limit
                budget = self._plunge * self._at_once
                if len(self._waiting) > _MOST_WAITING:
                    budget *= 8
                self._step(watch.within(budget, self.nodes))
                self._report()
        return None

    @property
    def proof(self) -> Proof:
        """Proof of the bound."""
        if self._waiting and self._waiting[0][0] < min(self.best, self._known):
            return PRODUCT_PROOF
        return PROOF

    def bound_by_products(self, deadline: float) -> Limit | None:
        """Bound the problem by products of its constraints; see ``semidefinite``.

        Where there is time for a few steps at least.
        """
        if deadline - clock.now() < _PRODUCT_SECONDS * self.rows**2:
            return None
        with limits(deadline) as watch, blas_threads(self._at_once):
            bound = Products(self._problem)
            bound.improve(lambda: watch.reached() is not None)
            self._known = max(self._known, bound.least)
            return Limit.INTERRUPT if watch.pressed.is_set() else None

    def _step(self, budget: int) -> None:
        """Search below the open nodes of least bound; keep what stays open."""
        count = min(self._at_once, len(self._waiting), budget)
        while len(self._lanes) < count:
            self._lanes.append(_Lane(self._problem, len(self._lanes[0].out.least)))
        lanes = self._lanes[:count]
        for lane in lanes:
            least, _, state = heappop(self._waiting)
            lane.enter(least, state)
        each = budget // count
        plunge = partial(_plunge, self._problem, self.best, each)
        found = map(plunge, lanes) if count == 1 else self._pool.map(plunge, lanes)
        for lane, (best, nodes, opens) in zip(lanes, list(found), strict=True):
            self.nodes += nodes
            if best < self.best:
                self._take(lane.picked)
            for row in range(opens):
                self._push(int(lane.out.least[row]), lane.out, row)

    def _take(self, picked: Bytes) -> None:
        gone = {int(e) for e in self._index[np.flatnonzero(picked)]}
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
        self._pushed += 1  # ties on the bound: first in, first out
        state = nodes.state[row].tobytes()
        heappush(self._waiting, (least, self._pushed, state))
