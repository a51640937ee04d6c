"""Tabu search for the set-union knapsack, on both sides of Theorem 1.

Choosing items that fit is the same as removing elements that weigh enough: the chosen
items are those that need no removed element. The two search spaces differ. Swapping an
item changes the profit by little and the weight of the union by much; swapping an
element changes the weight by little and removes or restores several items at once.
Instances on which one of the searches makes no progress for minutes are solved by the
other within a second (docs/science/sukp.md), so the two take turns.

Both move to the best neighbour not visited before: add, drop or swap, always feasible.
Visited sets are remembered by a hash of the whole set, not by the moves (solution-based
tabu search, Wei and Hao 2021), so there is no tenure to choose. A turn ends when it has
found nothing new for a while; then more than half of its choice is removed at random
and filled up again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...instances import InputError, IntArray, Sukp
from ...solvers import DEFAULT, Limit, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.answer import solve_prepaid
from ...solvers.running.limits import limits
from . import tabu_kernels as kernels

MOST_CELLS = 2**27
"""Limit on items squared plus elements squared: a gigabyte of marginal weights."""
_FIRST = 16
"""Moves made regardless of limits, so that there is a solution."""
_REMEMBERED = 2**20
"""Sets that each side remembers."""


@dataclass(frozen=True, slots=True)
class Turns:
    """How long a side searches without success, and how much is then removed."""

    patience: int
    percent: int


ITEMS = Turns(patience=4000, percent=60)
ELEMENTS = Turns(patience=500, percent=60)


def moves_of(instance: Sukp) -> int:
    """Return the number of moves after which a run ends by itself."""
    return 4 * (instance.n + len(instance.weights)) ** 2


def tabu(instance: Sukp, /, settings: Settings = DEFAULT) -> Result:
    """Move to the best set of items, or of elements, not visited before, in turns.

    The node limit counts moves. Without one a run ends after 4 (items + elements)²
    moves: about a second for 100 items, a minute for 500.

    Guarantee: none.
    Time: O(items² + elements²) per move at worst, and 8 (items² + elements²) bytes.
    Ties: seeded random.
    Source: Wei and Hao 2021 (solution-based tabu search); the side of the elements is
    Drakenberg 2012, Theorem 1.

    Raises
    ------
    InputError
        If there are too many items and elements.
    """
    if instance.required:
        return solve_prepaid(tabu, instance, settings)
    start = clock.now()
    m, n = instance.n, len(instance.weights)
    if m * m + n * n > MOST_CELLS:
        raise InputError(
            f"{m} items and {n} elements; squared at most {MOST_CELLS} together", "tabu"
        )
    search = TabuSearch(instance, settings.seed)
    limit = search.run(start + settings.time_limit, settings.node_limit)
    return answer(instance, search.chosen, start=start, limit=limit, seed=settings.seed)


class TabuSearch:
    """The two sides of one instance, and the best items so far.

    Things and parts of ``items`` and ``elements``, the sides, are in the orders of
    ``item`` (by decreasing profit) and ``element`` (by decreasing weight).
    """

    def __init__(self, instance: Sukp, seed: int) -> None:
        m, n = instance.n, len(instance.weights)
        self.instance = instance
        self.item = np.array(sorted(range(m), key=lambda i: -instance.profits[i]))
        by_weight = sorted(range(n), key=lambda e: -instance.weights[e])
        self.element = np.array(by_weight, dtype=np.int64)
        rank = np.empty(n, dtype=np.int64)
        rank[self.element] = np.arange(n)
        needs: list[list[int]] = []
        needed: list[list[int]] = [[] for _ in range(n)]
        for j, i in enumerate(self.item):
            needs.append([int(rank[e]) for e in instance.items[i]])
            for e in needs[-1]:
                needed[e].append(j)
        profits = np.array(instance.profits, dtype=np.int64)[self.item]
        weights = np.array(instance.weights, dtype=np.int64)[self.element]
        random = np.random.default_rng(seed)
        self.items = _side(profits, weights, needs, needed, random)
        self.elements = _side(weights, profits, needed, needs, random)
        self.need = int(weights.sum()) - instance.capacity
        self.moves = 0
        self._at_elements = False
        self._record = np.array([sum(instance.profits)])
        self._kept = np.zeros(m, dtype=np.bool_)

    @property
    def chosen(self) -> IntArray:
        """The best items so far, by indices."""
        return self.item[self._kept]

    @property
    def left_out(self) -> int:
        """Cost of the best items: the profit left out."""
        return int(self._record[0])

    def run(self, deadline: float, node_limit: int | None = None) -> Limit | None:
        """Continue the search; return the limit that ended it, None after all moves.

        Parameters
        ----------
        deadline
            Value of ``clock.now()`` at which to stop.
        node_limit
            Total number of moves, in place of `moves_of`.
        """
        stop = moves_of(self.instance) if node_limit is None else node_limit
        with limits(deadline, stop) as watch:
            if self.moves < stop and self.left_out:
                self.step(watch.within(_FIRST, self.moves))  # regardless of the time
            limit = watch.search(
                self.step,
                unfinished=lambda: self.left_out > 0,
                nodes=lambda: self.moves,
            )
        return None if limit is Limit.NODES and node_limit is None else limit

    def step(self, budget: int) -> None:
        """Make moves on one side, at least one and at most the given number."""
        elements = self._at_elements
        turns = ELEMENTS if elements else ITEMS
        made = kernels.turn(
            self.elements if elements else self.items,
            elements,
            self.need if elements else self.instance.capacity,
            self._record,
            self._kept,
            turns.patience,
            turns.percent,
            budget,
        )
        if made < 0:
            made = kernels.ENDED - made
            # all elements fit: none need be removed
            self._at_elements = not elements and self.need > 0
        self.moves += made


def _side(
    own: IntArray,
    worth: IntArray,
    covers: Sequence[Sequence[int]],
    covered: Sequence[Sequence[int]],
    random: np.random.Generator,
) -> kernels.Side:
    """Return a side on which nothing is chosen."""
    start, parts = _rows(covers)
    back, things = _rows(covered)
    return kernels.Side(
        own=own,
        worth=worth,
        start=start,
        parts=parts,
        back=back,
        things=things,
        inside=np.zeros(len(own), dtype=np.bool_),
        covers=np.zeros(len(worth), dtype=np.int64),
        owner=np.zeros(len(worth), dtype=np.int64),
        gain=np.array([worth[list(row)].sum() for row in covers], dtype=np.int64),
        loss=np.zeros((len(own), len(own)), dtype=np.int64),
        sign=random.integers(1, 2**63, len(own), dtype=np.uint64),
        seen=np.zeros(_REMEMBERED, dtype=np.uint64),
        state=np.array([0, 0, kernels.FAR, 0, 0]),
        words=random.integers(1, 2**63, 2, dtype=np.uint64)
        * np.array([0, 1], dtype=np.uint64),
    )


def _rows(lists: Sequence[Sequence[int]]) -> tuple[IntArray, IntArray]:
    """Return the offsets of the lists, and the lists concatenated."""
    start = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return start, np.array([x for row in lists for x in row], dtype=np.int64)
