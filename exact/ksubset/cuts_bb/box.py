"""Subproblems of the search over cut counts: all points, or those left at one node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....instances import IntArray, KSubset, arrays
from ....instances.arrays import CutArrays
from . import layout

_MOST_POINTS = 10_000
"""Points up to which rules that examine all pairs pay off."""
_LARGEST_TABLE = 4_000_000
"""Table entries times cuts up to which exchanges pay off."""
_STACK = 32
"""Initial capacity for open nodes."""


class SearchRules(NamedTuple):
    """The rules that a search uses: all, except to measure what each is worth."""

    costs: bool = True
    """Fix points by reduced costs."""
    narrow: bool = True
    """Shrink intervals of counts by what each count would cost."""
    links: bool = True
    """Bound neighbouring counts by each other."""
    exchange: bool = True
    """Fix points by exchanges."""
    companions: bool = True
    """Fix points by the number of others that they require."""
    plunges: bool = True
    """Take the open node of least bound from time to time."""


ALL_RULES = SearchRules()


@dataclass
class CutBox:
    """Some points, the cuts between them, and the open nodes of their search.

    The kernels write a solution into ``picked``.
    """

    problem: layout.CutProblem
    stack: layout.NodeStack
    open: int
    parent: IntArray  # enclosing cut of each cut, or -1
    index: IntArray  # of each point in the instance
    picked: npt.NDArray[np.bool_]
    rules: SearchRules

    @classmethod
    def of(
        cls, instance: KSubset, bound: int, rules: SearchRules = ALL_RULES
    ) -> CutBox:
        """Return the whole problem, with one open node."""
        cuts = arrays.cuts(instance)
        m, n = len(cuts), instance.n
        twin = np.unique(arrays.points(instance), axis=0, return_inverse=True)[
            1
        ].reshape(-1)
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
        return node.cut_box()

    @property
    def bound(self) -> int:
        """The least bound of an open node, in hops; FAR if none is open."""
        if not self.open:
            return layout.FAR
        return int(self.stack.bound[: self.open].min())

    def grow(self) -> None:
        """Double the capacity for open nodes."""
        self.stack = layout.NodeStack(
            *(np.concatenate([old, np.zeros_like(old)]) for old in self.stack)
        )

    def export(self) -> Node:
        """Remove the last open node; return it with only the points that it needs."""
        self.open -= 1
        problem, status = self.problem, self.stack.status[self.open]
        position = problem.position
        possible = position[status != layout.REJECTED]
        first, last = possible.min(axis=0), possible.max(axis=0)
        kept = ((first <= position) & (position <= last)).all(axis=1)
        # clip cuts to the box; drop those that no longer split it
        start = np.clip(problem.start, first[problem.axis], last[problem.axis] + 1)
        stop = np.clip(problem.stop, first[problem.axis], last[problem.axis] + 1)
        ends = first[problem.axis], last[problem.axis] + 1
        splits = (start < stop) & ~((start == ends[0]) & (stop == ends[1]))
        low, high = self.stack.low[self.open], self.stack.high[self.open]
        cuts = CutArrays(
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
    """An open node on its own, turned into a `CutBox` when it is searched."""

    cuts: CutArrays  # of its points
    k: int
    index: IntArray  # of each point in the instance
    twin: IntArray  # equal for coinciding points
    status: npt.NDArray[np.int8]
    low: IntArray  # of each count
    high: IntArray
    bound: int  # in hops
    rules: SearchRules

    def cut_box(self) -> CutBox:
        """Return the subproblem of this node."""
        n, m = len(self.index), len(self.cuts)
        stack = layout.NodeStack(
            np.zeros((_STACK, n), dtype=np.int8),
            np.zeros((_STACK, m), dtype=np.int64),
            np.zeros((_STACK, m), dtype=np.int64),
            np.zeros(_STACK, dtype=np.int64),
        )
        stack.status[0], stack.bound[0] = self.status, self.bound
        stack.low[0], stack.high[0] = self.low, self.high
        return CutBox(
            problem=_problem(self.cuts, self.k, self.twin, self.rules),
            stack=stack,
            open=1,
            parent=self.cuts.parent,
            index=self.index,
            picked=np.zeros(n, dtype=bool),
            rules=self.rules,
        )


def _problem(
    cuts: CutArrays, k: int, twin: IntArray, rules: SearchRules
) -> layout.CutProblem:
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
    if exchange == layout.NO_EXCHANGE:
        tables[:] = 0  # of a tree of 262 144 hosts they would take 512 GiB
    return layout.CutProblem(
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
        narrow=rules.narrow,
    )


def _links(cuts: CutArrays) -> IntArray:
    """Pair cuts whose counts bound each other.

    These are a cut and its enclosing cut or, where cuts do not nest, neighbours in a
    ring.
    """
    links = [(h, int(up)) for h, up in enumerate(cuts.parent) if up >= 0]
    nested = {int(cuts.axis[h]) for h, _ in links}
    for a in np.unique(cuts.axis):
        row = np.flatnonzero(cuts.axis == a)
        if int(a) not in nested and len(row) > 1:
            links += zip(row.tolist(), np.roll(row, -1).tolist(), strict=True)
    return np.array(links, dtype=np.int64).reshape(-1, 2)


def _kept_parents(parent: IntArray, kept: npt.NDArray[np.bool_]) -> IntArray:
    """Return the nearest kept enclosing cut of each kept cut, renumbered."""
    up = parent.copy()
    while (lost := (up >= 0) & ~kept[up]).any():
        up[lost] = parent[up[lost]]
    number = np.append(np.cumsum(kept) - 1, -1)  # last entry: no parent
    return number[up[kept]]
