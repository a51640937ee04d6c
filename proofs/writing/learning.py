"""Refuting pseudo-Boolean formulas by conflict-driven search, with proofs.

The search branches on variables, propagates, and learns a clause from every row that
cannot hold. Only those clauses on which the contradiction rests are written to a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checking.rows import Row
from . import learning_kernels as kernels
from .learning_kernels import Learned, LearnerRows, LearnerState, WideRows
from .proof_log import ProofLog

MOST_SUM = 2**61
"""Most that the coefficients of a row may add up to."""
_FIRST = 128
"""Clauses learned between restarts, times Luby's sequence."""
_AT_ONCE = 500
"""Clauses learned between two looks at the clock."""
_KEPT = 4000
"""Clauses learned after which the first half is forgotten."""
_NEAR = 2
"""Clauses that depend on so few decisions are kept."""


class Learner:
    """A search for a solution of rows, or for a proof that there is none.

    Parameters
    ----------
    variables
        Number of variables.
    rows
        The rows, numbered from 1; coefficients of each add up to `MOST_SUM` at most.
    weights
        Of some variables: branched on first, the heaviest first.
    likely
        Variables tried as true first.
    """

    def __init__(
        self,
        variables: int,
        rows: Sequence[Row],
        *,
        weights: Mapping[int, float] | None = None,
        likely: Sequence[int] = (),
    ) -> None:
        self._count = len(rows)
        self._rows, self._wide = _store(variables, rows)
        self._learned = Learned(
            np.array([len(rows)]),
            np.zeros(1025, np.int64),
            np.zeros(8 * variables + 1024, np.int32),
            np.zeros(8 * variables + 1024, np.int32),
            np.zeros(1024, np.int32),
            np.zeros(1024, np.int32),
        )
        self._state = _state(variables, len(rows), weights or {}, likely)
        self._alive = np.ones(len(rows), np.int8)
        self._wrong = -1

    @property
    def learned(self) -> int:
        """Number of clauses learned so far."""
        return int(self._state.numbers[kernels.ROWS]) - self._count

    @property
    def solution(self) -> set[int]:
        """The variables that are true, after the search has found a solution."""
        return set((np.flatnonzero(self._state.value[2::2] > 0) + 1).tolist())

    def refute(self, keep_going: Callable[[], object]) -> bool:
        """Search until a refutation, then return True; after a solution return False.

        ``keep_going`` is called now and then, and ends the search by an exception.
        """
        most, round_ = 0, 0
        while True:
            round_ += 1
            if self.learned >= most:
                most += _KEPT + 100 * round_
                if self._forget_clauses() >= 0:
                    return True
            left = _FIRST * luby(round_)
            while left > 0:
                keep_going()
                self._make_room()
                some = min(left, _AT_ONCE)
                left -= some
                end = kernels.search(
                    self._rows,
                    self._wide,
                    self._state,
                    self._learned,
                    some,
                    left <= 0,
                )
                if end != kernels.MORE:
                    return bool(end == kernels.REFUTED)

    def _forget_clauses(self) -> int:
        """Forget half of the clauses that are rarely used; watch the others."""
        learned, count = self._learned, self.learned
        alive = np.ones(self._count + count, np.int8)
        alive[: len(self._alive)] = self._alive
        mine = alive[self._count :]
        far = np.flatnonzero((learned.distance[:count] > _NEAR) & (mine > 0))
        order = np.argsort(learned.recent[far], kind="stable")
        mine[far[order[: len(far) // 2]]] = 0
        self._alive = alive
        self._wrong = kernels.link(self._rows, self._wide, self._state, alive)
        return self._wrong

    def _make_room(self) -> None:
        """Double arrays that are half full."""
        rows, learned, numbers = self._rows, self._learned, self._state.numbers
        count = int(numbers[kernels.ROWS])
        variables = len(self._state.level)
        terms = int(rows.begin[count])
        self._rows = LearnerRows(
            _longer(rows.begin, count + 2),
            _longer(rows.literal, terms + 2 * variables),
            _longer(rows.follows, 2 * count + 4),
            _longer(rows.other, 2 * count + 4),
        )
        some = len(self._rows.begin) - self._count + 2
        self._learned = Learned(
            learned.formula,
            _longer(learned.since, some),
            _longer(learned.used, int(numbers[kernels.USED]) + 4 * variables),
            _longer(learned.when, int(numbers[kernels.USED]) + 4 * variables),
            _longer(learned.distance, some),
            _longer(learned.recent, some),
        )

    def write(self, log: ProofLog) -> int:
        """Write the refutation; row i of this formula is row i of the log.

        Returns the number of the contradiction.
        """
        if self._wrong >= 0:
            return log.clause([])
        count = self.learned
        last = np.empty(count + 1, np.int64)
        kernels.trace(self._rows, self._wide, self._state, self._learned, last)
        needed = np.flatnonzero(last[:count] >= 0).tolist()
        draft = _Draft(self._rows, self._state, self._learned, self._count, len(needed))
        ends: dict[int, list[int]] = {}
        for j in needed:
            number = draft.derive(log, j)
            log.delete(ends.pop(j, ()))
            ends.setdefault(int(last[j]), []).append(number)
        return draft.derive(log, count)


class _Draft:
    """Writes clauses with the rows from which propagation derives them, in order.

    These rows are left out where the literals that are certain, each a row then, would
    be more than the clauses themselves.
    """

    def __init__(
        self,
        rows: LearnerRows,
        state: LearnerState,
        learned: Learned,
        count: int,
        needed: int,
    ) -> None:
        self._rows, self._state, self._learned = rows, state, learned
        self._count = count
        self._until = int(state.numbers[kernels.ROWS]) - count
        self._numbers: dict[int, int] = {}  # of clauses learned, in the log
        self._certain: dict[int, int] = {}  # numbers of clauses of one literal
        trail = state.trail[: state.numbers[kernels.TRAIL]] >> 1
        self._waiting = [v for v in trail.tolist() if state.seen[v]][::-1]
        self._hints = len(self._waiting) <= needed

    def derive(self, log: ProofLog, j: int) -> int:
        """Write clause j, or after the last one the contradiction."""
        hints = self._sufficient_rows(log, j) if self._hints else []
        clause = self._literals(self._count + j) if j < self._until else []
        number = log.clause(map(_literal, clause), hints)
        self._numbers[j] = number
        return number

    def _sufficient_rows(self, log: ProofLog, j: int) -> list[int]:
        """Return the rows that suffice, after writing the certain literals of them."""
        learned, position = self._learned, self._state.position
        begin = int(learned.since[j])
        end = int(self._state.numbers[kernels.USED])
        if j < self._until:
            end = int(learned.since[j + 1])
        order = np.argsort(learned.when[begin:end], kind="stable")
        used = learned.used[begin:end][order].tolist()
        last = max((position[-r] for r in used if r < 0), default=-1)
        while self._waiting and position[self._waiting[-1]] <= last:
            self._single(log, self._waiting.pop())
        return [self._certain[-r] if r < 0 else self._number(r) for r in used]

    def _single(self, log: ProofLog, v: int) -> None:
        """Write the literal of a variable that is certain."""
        row = int(self._state.reason[v])
        literals = self._literals(row)
        if len(literals) == 1 and row >= self._count:
            self._certain[v] = self._number(row)
            return
        some = [self._certain[x >> 1] for x in literals if x >> 1 in self._certain]
        mine = 2 * v if self._state.value[2 * v] > 0 else 2 * v + 1
        self._certain[v] = log.clause([_literal(mine)], [*some, self._number(row)])

    def _literals(self, row: int) -> list[int]:
        begin, end = self._rows.begin[row : row + 2]
        found: list[int] = self._rows.literal[begin:end].tolist()
        return found

    def _number(self, row: int) -> int:
        return row + 1 if row < self._count else self._numbers[row - self._count]


def _literal(x: int) -> int:
    return -(x >> 1) if x & 1 else x >> 1


def luby(i: int) -> int:
    """Return an entry of Luby's sequence, from 1.

    >>> [luby(i) for i in range(1, 16)]
    [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]
    """
    while (i + 1) & i:
        i -= (1 << i.bit_length() - 1) - 1
    return (i + 1) // 2


def _store(variables: int, rows: Sequence[Row]) -> tuple[LearnerRows, WideRows]:
    """Return the rows as arrays; their terms fall."""
    rows = [row if row.degree > 0 else Row({}, 0) for row in rows]
    sizes = np.fromiter((len(row.terms) for row in rows), np.int64, len(rows))
    degrees = np.fromiter((row.degree for row in rows), np.int64, len(rows))
    total = int(sizes.sum())
    words = np.fromiter(chain.from_iterable(row.terms for row in rows), np.int64, total)
    factors = np.fromiter(
        chain.from_iterable(row.terms.values() for row in rows), np.int64, total
    )
    of = np.repeat(np.arange(len(rows)), sizes)
    factors = np.minimum(factors, degrees[of])
    order = np.lexsort((-factors, of))
    words, factors = words[order], factors[order]
    literals = np.where(words > 0, 2 * words, 1 - 2 * words)
    room = -degrees
    np.add.at(room, of, factors)
    is_wide = degrees != 1
    uses = np.flatnonzero(is_wide[of])
    uses = uses[np.argsort(literals[uses], kind="stable")]
    begin = np.zeros(len(rows) + 1024, np.int64)
    np.cumsum(sizes, out=begin[1 : len(rows) + 1])
    literal = np.zeros(2 * total + 4 * variables + 1024, np.int32)
    literal[:total] = literals
    links = np.zeros(2 * len(begin), np.int32)
    wide = WideRows(
        is_wide.astype(np.int8),
        factors,
        room,
        room.copy(),
        np.searchsorted(literals[uses], np.arange(2 * variables + 3)),
        of[uses].astype(np.int32),
        factors[uses],
    )
    return LearnerRows(begin, literal, links, links.copy()), wide


def _state(
    variables: int, rows: int, weights: Mapping[int, float], likely: Sequence[int]
) -> LearnerState:
    size = variables + 1

    def ints(length: int = size, value: int = 0) -> npt.NDArray[np.int32]:
        return np.full(length, value, np.int32)

    state = LearnerState(
        numbers=np.array([0, 0, rows, 0, 0, 0], np.int64),
        value=np.zeros(2 * size, np.int8),
        head=ints(2 * size, -1),
        level=ints(),
        reason=ints(value=-1),
        position=ints(),
        trail=ints(),
        starts=ints(),
        phase=np.zeros(size, np.int8),
        activity=np.zeros(size),
        step=np.ones(1),
        heap=ints(),
        place=ints(value=-1),
        seen=np.zeros(size, np.int8),
        buffer=ints(),
        stack=ints(),
        clause=ints(),
        cleared=ints(2 * size),
    )
    for v, weight in weights.items():
        state.activity[v] = weight
    state.phase[list(likely)] = 1
    for v in range(1, size):
        kernels.push(state, v)
    return state


def _longer(array: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    if length <= len(array):
        return array
    longer = np.zeros(2 * length, dtype=array.dtype)
    longer[: len(array)] = array
    return longer
