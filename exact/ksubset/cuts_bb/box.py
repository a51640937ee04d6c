"""Problems of the search over cut counts, whole or cut down to one node's points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....instances import Cuts, IntArray, KSubset
from . import kernels_bounds, layout

_MOST_POINTS = 10_000
"""Points up to which rules that look at all pairs are worth their time."""
_LARGEST_TABLE = 4_000_000
"""Table entries times cuts up to which exchanges are worth their time."""
_STACK = 32
"""Open nodes there is room for at first."""


class Rules(NamedTuple):
    """Which rules a search uses; all but for measuring what each is worth."""

    costs: bool = True
    """Points are decided by reduced costs."""
    links: bool = True
    """Neighbouring counts bound each other."""
    exchange: bool = True
    """Points are decided by exchanges."""
    companions: bool = True
    """Points are decided by how many others they need."""
    boxes: bool = True
    """Nodes with few points left become problems of their own."""
    plunges: bool = True
    """The open node of least bound is taken from time to time."""


ALL_RULES = Rules()


@dataclass
class CutBox:
    """Some points, the cuts between them, and the open nodes of their search.

    Parameters
    ----------
    problem, stack, open
        As the kernels take them.
    parent
        Of the cuts: the one around it, or -1.
    index
        Of the points in the instance.
    picked
        Room for a solution.
    rules
        To be used.
    """

    problem: layout.Problem
    stack: layout.Stack
    open: int
    parent: IntArray
    index: IntArray
    picked: npt.NDArray[np.bool_]
    rules: Rules

    @classmethod
    def of(cls, instance: KSubset, bound: int, rules: Rules = ALL_RULES) -> CutBox:
        """Make the whole problem, with one open node."""
        cuts = instance.cuts
        m, n = len(cuts), instance.n
        twin = np.unique(instance.points, axis=0, return_inverse=True)[1].reshape(-1)
        node = Node(
            cuts=cuts,
            k=instance.k,
            index=np.arange(n),
            twin=twin,
            status=np.zeros(n, dtype=np.int8),
            low=np.zeros(m, dtype=np.int64),
            high=np.full(m, instance.k, dtype=np.int64),
            bound=bound,
            rules=rules,
        )
        return node.boxed()

    @property
    def bound(self) -> int:
        """The least bound of an open node, in hops; FAR if none is open."""
        if not self.open:
            return layout.FAR
        return int(self.stack.bound[: self.open].min())

    def price(self, picked: npt.NDArray[np.bool_]) -> int:
        """Cost of a choice in hops."""
        along = np.empty(self.problem.offset[-1], dtype=np.int64)
        total = kernels_bounds.price(self.problem, picked, along)
        return int(total) // self.problem.denominator

    def grow(self) -> None:
        """Make room for twice as many open nodes."""
        status, low, high, bound = self.stack
        self.stack = layout.Stack(
            np.concatenate([status, np.zeros_like(status)]),
            np.concatenate([low, np.zeros_like(low)]),
            np.concatenate([high, np.zeros_like(high)]),
            np.concatenate([bound, np.zeros_like(bound)]),
        )

    def export(self) -> Node:
        """Take the last open node away, with only the points around its own."""
        self.open -= 1
        problem, status = self.problem, self.stack.status[self.open]
        position = problem.position
        possible = position[status != layout.REJECTED]
        first, last = possible.min(axis=0), possible.max(axis=0)
        kept = ((first <= position) & (position <= last)).all(axis=1)
        # cuts reach no further than the box; those that split it no more are dropped
        start = np.clip(problem.start, first[problem.axis], last[problem.axis] + 1)
        stop = np.clip(problem.stop, first[problem.axis], last[problem.axis] + 1)
        ends = first[problem.axis], last[problem.axis] + 1
        splits = (start < stop) & ~((start == ends[0]) & (stop == ends[1]))
        low, high = self.stack.low[self.open], self.stack.high[self.open]
        cuts = Cuts(
            problem.weight[splits],
            problem.axis[splits],
            (start - first[problem.axis])[splits],
            (stop - first[problem.axis])[splits],
            position[kept] - first,
            _kept_parents(self.parent, splits),
            problem.denominator,
        )
        return Node(
            cuts=cuts,
            k=problem.k,
            index=self.index[kept],
            twin=problem.twin[kept],
            status=status[kept].copy(),
            low=low[splits].copy(),
            high=high[splits].copy(),
            bound=int(self.stack.bound[self.open]),
            rules=self.rules,
        )


@dataclass
class Node:
    """An open node on its own; it becomes a `CutBox` when its turn comes.

    Parameters
    ----------
    cuts
        Of its points.
    k
        Number of points to choose.
    index
        Of the points in the instance.
    twin
        Equal for coinciding points.
    status, low, high
        What is known of points and counts.
    bound
        In hops.
    rules
        To be used.
    """

    cuts: Cuts
    k: int
    index: IntArray
    twin: IntArray
    status: npt.NDArray[np.int8]
    low: IntArray
    high: IntArray
    bound: int
    rules: Rules

    def boxed(self) -> CutBox:
        """Make a problem of it."""
        n, m = len(self.index), len(self.cuts)
        stack = layout.Stack(
            np.zeros((_STACK, n), dtype=np.int8),
            np.zeros((_STACK, m), dtype=np.int64),
            np.zeros((_STACK, m), dtype=np.int64),
            np.zeros(_STACK, dtype=np.int64),
        )
        stack.status[0] = self.status
        stack.low[0] = self.low
        stack.high[0] = self.high
        stack.bound[0] = self.bound
        return CutBox(
            problem=_problem(self.cuts, self.k, self.twin, self.rules),
            stack=stack,
            open=1,
            parent=self.cuts.parent,
            index=self.index,
            picked=np.zeros(n, dtype=bool),
            rules=self.rules,
        )


def _problem(cuts: Cuts, k: int, twin: IntArray, rules: Rules) -> layout.Problem:
    n = len(twin)
    lengths = cuts.position.max(axis=0) + 1
    axes = len(lengths)
    offset = np.concatenate([[0], np.cumsum(lengths + 1)])
    chain = np.ones(axes, dtype=bool)
    chain[cuts.axis[cuts.start > 0]] = False
    tables = np.where(chain, 0, lengths**2)
    work = int((tables * np.bincount(cuts.axis, minlength=axes)).sum())
    cells = float(np.prod(lengths, dtype=float)) * 2.0 ** min(axes, 1000)
    cell = np.zeros(n, dtype=np.int64)
    if not rules.exchange:
        exchange = layout.NO_EXCHANGE
    elif chain.all() and cells < max(1000, n**2):
        exchange = layout.BY_SWEEPS
        cell = np.ravel_multi_index(tuple(cuts.position.T), tuple(lengths))
    else:
        few = work <= _LARGEST_TABLE and n <= _MOST_POINTS
        exchange = layout.PAIRWISE if few else layout.NO_EXCHANGE
    return layout.Problem(
        k=k,
        denominator=cuts.denominator,
        weight=cuts.weights.copy(),  # kernels are compiled for writable arrays
        axis=cuts.axis.copy(),
        start=offset[cuts.axis] + cuts.start,
        stop=offset[cuts.axis] + cuts.stop,
        links=_links(cuts) if rules.links else np.empty((0, 2), dtype=np.int64),
        position=cuts.position + offset[:-1],
        offset=offset,
        twin=twin,
        chain=chain,
        table_at=np.concatenate([[0], np.cumsum(tables)]),
        exchange=exchange,
        cell=cell,
        shape=lengths,
        most_companions=_MOST_POINTS if rules.companions else 0,
        costs=rules.costs,
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


def _kept_parents(parent: IntArray, kept: npt.NDArray[np.bool_]) -> IntArray:
    """Find the next kept cut around every kept one; kept ones are renumbered."""
    up = parent.copy()
    while (lost := (up >= 0) & ~kept[up]).any():
        up[lost] = parent[up[lost]]
    number = np.append(np.cumsum(kept) - 1, -1)  # the last for -1, no parent
    return number[up[kept]]
