"""Refuting rows by a tree over which sets are open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from ....proofs.checking.rows import Row
from ....proofs.writing.propagation_kernels import Flags
from ....solvers import SolverError
from .kernels import Floats, Ints
from .relaxation import Box, Logged, Relaxation
from .store import Clause, LoggedRows

_ROOT = 1000
"""What the multipliers of the root are scaled by."""
_LEAST = 1e-3
"""Counts for a set that is open or closed in the relaxation."""


class RefutationTree:
    """A tree whose leaves are combinations of rows that no choice obeys.

    Parameters
    ----------
    store
        Where it is logged.
    sets
        Variables on which it branches.
    groups
        Processors that differ in no row.
    rows
        The rows; the last one is the goal, see `Relaxation`.
    instead
        Logs a clause at the root instead of branching, if the root is not refuted;
        it may answer None.
    """

    def __init__(
        self,
        store: LoggedRows,
        sets: Sequence[int],
        groups: Sequence[Sequence[int]],
        rows: Sequence[Logged],
        instead: Callable[[list[int]], Clause | None] | None = None,
    ) -> None:
        self._store, self._count, self._instead = store, len(sets), instead
        known = set(sets)
        others = {x for row in rows for x in row.terms if x > 0 and x not in known}
        single = [*sets, *sorted(others)]
        column = {x: i for i, x in enumerate(single)}
        column |= {-1 - g: len(single) + g for g in range(len(groups))}
        self._groups = [*([x] for x in single), *groups]
        self._sizes = np.array([len(group) for group in self._groups], dtype=np.int64)
        self._relaxation = Relaxation(column, self._sizes, rows)
        self._root: list[int] | None = None
        self._owner = np.repeat(np.arange(len(self._groups)), self._sizes)
        every = chain.from_iterable(self._groups)
        self._member = np.fromiter(every, np.int64, len(self._owner))
        # Variables without a column are counted behind the last one.
        self._column = np.full(1 + self._member.max(), len(self._groups))
        self._column[self._member] = self._owner

    def refute(self, assumed: list[int]) -> Clause:
        """Log a clause over the negations of literals, which refutes them.

        The multipliers of the root are a row of their own: sets whose price exceeds
        what its bound leaves are decided by propagation.

        Raises
        ------
        SolverError
            If there is a solution.
        """
        clause = self._node(assumed)
        self._store.forget(self._root or [])
        return clause

    def refuted_by(self, assumed: list[int], multipliers: Sequence[int]) -> Clause:
        """Log the clause by multipliers that are known to refute the literals."""
        true = self._store.after(assumed)
        if true is None:
            return self._store.learn(assumed)
        exact = np.array(multipliers, dtype=np.int64)
        if self._relaxation.refuting(self._box(true), exact.astype(float)) is None:
            return self.refute(assumed)
        return self._leaf(assumed, exact)

    def _leaf(self, decided: list[int], multipliers: Ints) -> Clause:
        number = self._combine(multipliers)
        clause = self._store.learn(decided)
        self._store.forget([number])
        return clause

    def _node(self, decided: list[int]) -> Clause:
        store = self._store
        true = store.after(decided)
        if true is None:
            return store.learn(decided)
        box = self._box(true)
        values, multipliers = self._relaxation.solve(box)
        exact = self._relaxation.refuting(box, multipliers)
        if exact is not None:
            return self._leaf(decided, exact)
        if self._root is None:
            near = self._relaxation.near(multipliers, _ROOT)
            self._root = [self._combine(near)] if near.any() else []
            if self._instead and (clause := self._instead(decided)):
                return clause
        branch = self._branch(values, box)
        first = self._node([*decided, -branch])
        if branch not in first.literals:
            return first
        return store.resolve(branch, first, self._node([*decided, branch]))

    def _combine(self, multipliers: Ints) -> int:
        """Log a combination of rows, and let it propagate; return its number."""
        number, terms, degree = self._relaxation.log(multipliers, self._store.log)
        factors = terms[self._owner]
        used = np.flatnonzero(factors)
        factors = factors[used]
        literals = (np.sign(factors) * self._member[used]).tolist()
        degree -= int(np.minimum(factors, 0).sum())
        pairs = dict(zip(literals, np.abs(factors).tolist(), strict=True))
        self._store.enter(number, Row(pairs, degree))
        return number

    def _box(self, true: Flags) -> Box:
        """Return the values that columns can take where literals hold."""
        count, size = len(self._sizes), 2 * len(self._column)
        low, gone = (
            np.bincount(self._column[true[i:size:2]], minlength=count + 1)
            for i in range(2)
        )
        return Box(low[:count], self._sizes - gone[:count])

    def _branch(self, values: Floats, box: Box) -> int:
        """Return the set to branch on: half open, and of many processors."""
        undecided = (box.low < box.high)[: self._count]
        if not undecided.any():
            raise SolverError("what was to be refuted has a solution")
        s = values[: self._count]
        alive = self._relaxation.inside(box.high, self._count)
        score = (np.minimum(s, 1 - s) + _LEAST) * np.sqrt(alive + _LEAST)
        return self._groups[int(np.argmax(np.where(undecided, score, -1.0)))][0]
