"""Write a proof of an optimum of the set-union knapsack, step by step.

The search runs again, simplified, with the optimum known from the start. With x_e for
"element e is in R", that is not used, the formula has z_j >= x_e for the elements of
item j, and R weighs what it must. A node is a set of elements taken into R, and of
items not hit by it; what is decided otherwise is implied by rows written before. Its
*base* is a row

    sum over living j of p_j z_j + sum over R of what e lost times x_e <= best - 1,

the row "cheaper than the best" plus p_j (z_j >= x_e) for every lost item j. Plus
shares q_je (z_j >= x_e) of the living ones, plus a multiple of the row of weights, the
z_j cancel, and a row in x is left: one step ``pol``. It is contradicted at the node, or
decides elements. Where one contradicts the node alone, that states all; otherwise
a clause, not all of these elements are in R or one of these items is hit, sums up what
is below a node, and the rows below it are deleted.

If an item is not hit, none of its elements is in R, by z_j >= x_e. When that is closed,
its clause implies z_j, so it needs no shares: p_j z_j stays in the rows, and their
limit on the sum in x is lower by p_j.

Few rows are better than quick ones here: no probing, no closure, and more accurate
shares (`kernels_rows.pour`), of which one row keeps several elements out
of R. docs/science/sukp-bb.md has the measurements.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....instances import IntArray, Sukp
from ....proofs.writing.proof_log import ProofLog
from ....proofs.writing.text_kernels import multiples
from ....solvers import SolverError
from .kernels_rows import BRANCH, CLOSED, LOST, REACHED, draft_row
from .layout import IN, OPEN, OUT, to_arrays
from .rows_layout import EDGES, LOSSES, MOST, SCALE, TIMES, UNIT, Desk, Draft, Pool

_MOST = 2**40
"""Profits, and weights, that sum to more are not served."""
_FINE = 2**14
"""Profits are shared out in units of which all together have at least so many."""


def write_proof(instance: Sukp, chosen: Sequence[int] | None, log: ProofLog) -> bool:
    """Write the proof that no choice costs less; False for huge numbers.

    Raises
    ------
    SolverError
        If the search finds a cheaper one.
    """
    if chosen is None or max(sum(instance.profits), sum(instance.weights)) >= _MOST:
        return False
    _Recorder(instance, chosen, log).prove()
    return True


def _copy(desk: Desk) -> Desk:
    return Desk(
        desk.state.copy(), desk.alive.copy(), desk.charge.copy(), desk.share.copy()
    )


class _Node:
    """A node on the way from the root to the one at hand."""

    def __init__(self, base: int, paid: int) -> None:
        self.base = base
        self.paid = paid  # profit of the items that are hit by a branch
        self.rows: list[int] = []  # in the pool
        self.others: list[int] = []  # further rows of the proof, to be deleted
        self.lost: list[int] = []  # memberships by which items were lost since
        self.branch = -1
        self.before: Desk | None = None
        self.alone = False  # whether its only row contradicts the last decision


class _Recorder:
    """Searches, and writes the steps."""

    def __init__(self, instance: Sukp, chosen: Sequence[int], log: ProofLog) -> None:
        self.log = log
        self.problem, index = to_arrays(instance)
        problem, n = self.problem, instance.n
        m, edges = len(problem.weight), len(problem.member)
        left = [j for j in range(n) if j not in set(chosen)]
        used = {e for j in chosen for e in instance.items[j]}
        self.best = sum(instance.profits[j] for j in left)
        self.base = log.solution([j + 1 for j in left] + [n + 1 + e for e in used])
        self.literal = [*(n + 1 + int(e) for e in index), *range(1, n + 1)]
        pairs = [(j, e) for j, elements in enumerate(instance.items) for e in elements]
        place = {pair: number for number, pair in enumerate(pairs, 2)}
        sizes = np.diff(problem.item.astype(np.int64)).tolist()
        owner = np.repeat(np.arange(n), sizes)
        self.number = np.array(
            [
                place[int(j), int(index[e])]
                for j, e in zip(owner, problem.member, strict=True)
            ],
            dtype=np.int64,
        )
        self.profit = problem.profit[owner]
        self.unit = 1
        while 0 < self.unit * sum(instance.profits) < _FINE:
            self.unit *= 2
        self.pool = Pool(
            coefficient=np.zeros((64, m), np.int64),
            most=np.zeros(64, np.int64),
            live=np.zeros(64, np.uint32),
            length=np.zeros(1, np.int64),
        )
        self.written: dict[int, int] = {}  # from rows of the pool to those of the proof
        self._enter(-problem.weight, -problem.need, 1)
        self.desk = Desk(
            state=np.where(problem.weight == 0, OUT, OPEN).astype(np.int8),
            alive=np.ones(n, np.bool_),
            charge=np.zeros(m, np.int64),
            share=np.zeros(edges),
        )
        self.draft = Draft(
            owner=owner.astype(np.uint32),
            order=np.arange(m, dtype=np.uint32),
            lost=np.zeros(n, np.uint32),
            edge=np.zeros(edges, np.uint32),
            amount=np.zeros(edges, np.int64),
            row=np.zeros(m, np.int64),
            tally=np.zeros(6, np.int64),
        )

    def prove(self) -> None:
        """Search depth first, the halves of a branch in the order of the search."""
        way = [_Node(self.base, 0)]
        while True:
            node = way[-1]
            if self._examine(way):
                node.before = _copy(self.desk)
                way.append(_Node(node.base, node.paid))
                self._take(node, second=False)
                continue
            clause = 0
            if not node.alone:
                clause = self.log.clause([self.literal[x.branch] for x in way[:-1]])
                self._forget(node)
            way.pop()
            if not way:
                return self.log.optimal(clause, self.best)
            parent = way[-1]
            if node.alone:
                parent.rows += node.rows
            else:
                parent.others.append(clause)
            assert parent.before is not None
            self.desk = _copy(parent.before)
            self._take(parent, second=True)

    def _take(self, node: _Node, *, second: bool) -> None:
        """Enter a half of a node's branch: into R, or item not hit; or the other."""
        problem, desk = self.problem, self.desk
        j = node.branch - len(problem.weight)
        if j < 0:
            desk.state[node.branch] = OUT if second else IN
        elif second:
            desk.alive[j] = False
            node.paid += int(problem.profit[j])
        else:
            desk.state[problem.member[problem.item[j] : problem.item[j + 1]]] = OUT

    def _examine(self, way: list[_Node]) -> bool:
        """Write rows until the node is closed; return True if it has to branch."""
        node, draft = way[-1], self.draft
        while True:
            best = self.best - node.paid
            kind, node.branch = draft_row(
                self.problem, self.desk, self.pool, draft, best, self.unit
            )
            node.lost += draft.lost[: draft.tally[LOSSES]].tolist()
            if kind == LOST:
                return False
            if kind == REACHED:
                raise SolverError(f"there is a choice that costs less than {self.best}")
            if kind != CLOSED and node.lost:
                node.base = self.log.pol(self._lost(node))
                node.others.append(node.base)
                node.lost = []
            if kind == BRANCH:
                return True
            written = self.log.pol([*self._lost(node), *self._shares()])
            most = int(draft.tally[MOST])
            node.rows.append(self._enter(draft.row, most, written))
            if kind == CLOSED:
                node.alone = not node.others and self._is_alone(way)
                return False

    def _lost(self, node: _Node) -> list[int | str]:
        """Combine the base and the items lost since."""
        lost = [edge for edge in node.lost if self.profit[edge]]  # no factor is 0
        if not lost:
            return [node.base]
        return [node.base, multiples(self.number[lost], self.profit[lost])]

    def _shares(self) -> list[int | str]:
        """Combine with shares and weights."""
        draft, tally = self.draft, self.draft.tally.tolist()
        parts: list[int | str] = []
        if tally[UNIT] > 1:
            parts += [tally[UNIT], "*"]
        if count := tally[EDGES]:
            edges = self.number[draft.edge[:count]]
            parts.append(multiples(edges, draft.amount[:count]))
        if tally[SCALE] > 1:
            parts += [tally[SCALE], "*"]
        if tally[TIMES]:
            parts += [1, tally[TIMES], "*", "+"]
        return parts

    def _is_alone(self, way: list[_Node]) -> bool:
        """Whether the only row implies at the parent that its branch is not taken.

        A row in x does not imply that an item is hit.
        """
        if len(way) < 2 or len(way[-1].rows) > 1:
            return False
        parent, row = way[-2], self.draft.row
        if parent.branch >= len(row):
            return False
        assert parent.before is not None
        state = parent.before.state.copy()
        state[parent.branch] = IN
        least = row[state == IN].sum() + np.minimum(row[state == OPEN], 0).sum()
        return bool(least > self.draft.tally[MOST])

    def _enter(self, row: IntArray, most: int, written: int) -> int:
        """Put a row into the pool; return its place."""
        pool = self.pool
        count = int(pool.length[0])
        if count == len(pool.live):
            pool = self.pool = Pool(
                coefficient=np.concatenate([pool.coefficient] * 2),
                most=np.concatenate([pool.most] * 2),
                live=np.concatenate([pool.live] * 2),
                length=pool.length,
            )
        place = next(r for r in range(count + 1) if r not in self.written)
        pool.coefficient[place] = row
        pool.most[place] = most
        self.written[place] = written
        pool.live[count] = place
        pool.length[0] += 1
        return place

    def _forget(self, node: _Node) -> None:
        """Delete the rows of a node."""
        gone = [self.written.pop(place) for place in node.rows]
        live = list(self.written)
        self.pool.live[: len(live)] = live
        self.pool.length[0] = len(live)
        self.log.delete(gone + node.others)
