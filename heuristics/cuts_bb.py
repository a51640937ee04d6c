"""Branch and bound over cut counts: exact on every topology of cuts.

w(S) = Σ_h w_h c_h (k - c_h) is concave in the counts c_h. A node of the search
keeps an interval for every count and a decision (chosen, rejected, undecided)
for every point.

- Bound: on [l, u], c (k - c) ≥ (k - l - u) c + l u. Summed, this is a constant
  plus a weight for every point: take the chosen ones and the lightest others.
- Counts: intervals shrink with the decisions, along chains of nested cuts, and
  decide points in turn.
- Reduced costs: a point whose exchange at the margin lifts the bound to the
  incumbent is decided.
- Exchange: for p in an optimal S and a free q outside, D(q) - D(p) ≥ d(p, q),
  where D(x) = Σ_{s in S} d(x, s), since exchanging them changes w by
  D(q) - d(p, q) - D(p). With D's slopes bounded by the intervals, pairs that
  cannot satisfy this bind p to q. Of coinciding points the first are taken.
- Branching splits the count whose secant is furthest below the true cost.

Derived for this project; docs/theory.md has the short proofs.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

from ..instances import Cuts, IntArray, KSubset
from ..solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer
from ..solvers.interrupt import deferred
from . import cuts_bb_kernels as kernels
from .mm_inc import mm_inc

PROOF = Proof(Grade.ENUMERATED, "cuts-bb")
_CHUNK_SECONDS = 0.1
"""A kernel runs about this long before limits and Ctrl-C are looked at."""
_MOST_POINTS = 10_000
"""Points up to which rules that look at all pairs are worth their time."""
_LARGEST_TABLE = 4_000_000
"""Table entries times cuts up to which exchanges are worth their time."""


def cuts_bb(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by branch and bound over the counts of the cuts.

    Guarantee: exact.
    Time: exponential at worst; O(m + n d) for a node's bound, O(n²) with exchanges.
    Source: derived for closeknit, see docs/theory.md.
    """
    start = perf_counter()
    try:
        chosen = first_solution(instance, settings)
    except KeyboardInterrupt:
        return answer(instance, range(instance.k), start=start, limit=Limit.INTERRUPT)
    search = Search(instance, chosen)
    limit = search.run(start + settings.time_limit, settings.node_limit)
    return answer(
        instance,
        search.chosen,
        start=start,
        bound=search.bound,
        proof=PROOF,
        limit=limit,
    )


def first_solution(instance: KSubset, settings: Settings) -> tuple[int, ...]:
    """Return what mm-inc chooses."""
    chosen: tuple[int, ...] | None = mm_inc(instance, settings).chosen
    assert chosen is not None
    return chosen


class Search:
    """A search that can be stopped and resumed.

    Parameters
    ----------
    instance
        What to solve.
    chosen
        A first solution, by indices.
    bound
        A lower bound known beforehand, in hops.
    """

    def __init__(
        self, instance: KSubset, chosen: tuple[int, ...], bound: int = 0
    ) -> None:
        self.problem = _problem(instance)
        self.picked = np.zeros(instance.n, dtype=bool)
        self.picked[list(chosen)] = True
        along = np.empty(self.problem.offset[-1], dtype=np.int64)
        priced = kernels.price(self.problem, self.picked, along)
        self.best = int(priced) // self.problem.denominator
        self.nodes = 0
        self._known = bound
        m = len(self.problem.weight)
        self._stack = kernels.Stack(
            np.zeros((64, instance.n), dtype=np.int8),
            np.zeros((64, m), dtype=np.int64),
            np.full((64, m), instance.k, dtype=np.int64),
            np.full(64, bound, dtype=np.int64),
        )
        self._open = 1

    @property
    def chosen(self) -> tuple[int, ...]:
        """The best solution so far, by indices."""
        return tuple(int(i) for i in np.flatnonzero(self.picked))

    @property
    def bound(self) -> int:
        """The best proved lower bound so far, in hops."""
        if not self._open:
            return self.best
        least = int(self._stack.bound[: self._open].min())
        return min(self.best, max(least, self._known))

    def run(self, deadline: float, node_limit: int | None = None) -> Limit | None:
        """Search on; return what stopped it, None when all is proved.

        Parameters
        ----------
        deadline
            Value of ``time.perf_counter()`` at which to stop.
        node_limit
            Nodes in all, earlier calls included.
        """
        budget = 16
        with deferred() as pressed:
            while self._open and self._known < self.best:
                now = perf_counter()
                if pressed.is_set():
                    return Limit.INTERRUPT
                if now >= deadline:
                    return Limit.TIME
                if node_limit is not None:
                    if self.nodes >= node_limit:
                        return Limit.NODES
                    budget = min(budget, node_limit - self.nodes)
                self._step(budget)
                seconds = perf_counter() - now
                if seconds < _CHUNK_SECONDS / 2:
                    budget *= 2
                elif seconds > _CHUNK_SECONDS:
                    budget = max(1, budget // 2)
        self._open = 0
        return None

    def _step(self, budget: int) -> None:
        state, self._open, self.best, nodes = kernels.search(
            self.problem, self._stack, self._open, self.best, self.picked, budget
        )
        self.nodes += nodes
        if state == kernels.FULL:
            self._grow()

    def _grow(self) -> None:
        status, low, high, bound = self._stack
        self._stack = kernels.Stack(
            np.concatenate([status, np.zeros_like(status)]),
            np.concatenate([low, np.zeros_like(low)]),
            np.concatenate([high, np.zeros_like(high)]),
            np.concatenate([bound, np.zeros_like(bound)]),
        )


def _problem(instance: KSubset) -> kernels.Problem:
    cuts = instance.cuts
    lengths = cuts.position.max(axis=0) + 1
    axes = len(lengths)
    offset = np.concatenate([[0], np.cumsum(lengths + 1)])
    chain = np.ones(axes, dtype=bool)
    chain[cuts.axis[cuts.start > 0]] = False
    tables = np.where(chain, 0, lengths**2)
    work = int((tables * np.bincount(cuts.axis, minlength=axes)).sum())
    cells = float(np.prod(lengths, dtype=float)) * 2**axes
    cell = np.zeros(instance.n, dtype=np.int64)
    if chain.all() and cells < max(1000, instance.n**2):
        exchange = kernels.BY_SWEEPS
        cell = np.ravel_multi_index(tuple(cuts.position.T), tuple(lengths))
    else:
        few = work <= _LARGEST_TABLE and instance.n <= _MOST_POINTS
        exchange = kernels.PAIRWISE if few else kernels.NO_EXCHANGE
    twin = np.unique(instance.points, axis=0, return_inverse=True)[1]
    return kernels.Problem(
        k=instance.k,
        denominator=cuts.denominator,
        weight=cuts.weights.copy(),  # kernels are compiled for writable arrays
        axis=cuts.axis.copy(),
        start=offset[cuts.axis] + cuts.start,
        stop=offset[cuts.axis] + cuts.stop,
        links=_links(cuts),
        position=cuts.position + offset[:-1],
        offset=offset,
        twin=twin.reshape(-1),
        chain=chain,
        table_at=np.concatenate([[0], np.cumsum(tables)]),
        exchange=exchange,
        cell=cell,
        shape=lengths,
        most_companions=_MOST_POINTS,
    )


def _links(cuts: Cuts) -> IntArray:
    """Pair cuts whose counts bound each other.

    A cut and the one around it; where cuts do not nest, neighbours in a ring.
    """
    links = [(h, int(up)) for h, up in enumerate(cuts.parent) if up >= 0]
    nested = {int(cuts.axis[h]) for h, _ in links}
    for a in np.unique(cuts.axis):
        row = np.flatnonzero(cuts.axis == a)
        if int(a) not in nested and len(row) > 1:
            links += zip(row.tolist(), np.roll(row, -1).tolist(), strict=True)
    return np.array(links, dtype=np.int64).reshape(-1, 2)
