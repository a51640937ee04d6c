"""Unit propagation over pseudo-Boolean rows, compiled: the fast twin of the checker's.

Literal v > 0 has index 2 v, its negation 2 v + 1. The terms of a row lie together; the
terms of a literal form a list, the newest first, so that rows entered last are removed
at once. Others are marked as dead and swept out when they are many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..instances.proofs.propagation import Propagator
from ..instances.proofs.rows import Row
from .kernels import kernel

_MOST = 2**60
"""Rows whose coefficients add up to more are left out of propagation."""
_DEAD = 2**61
"""Added to the slack of a dead row, which then never propagates."""
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


class Terms(NamedTuple):
    """One entry per term."""

    literal: Ints
    coefficient: Longs
    row: Ints
    follows: Ints
    """The next term with the same literal, or -1."""


class Rows(NamedTuple):
    """One entry per row, and the row after the last begins where the terms end."""

    begin: Longs
    slack: Longs
    most: Longs
    """Largest coefficient; 0 of a dead row."""


class Literals(NamedTuple):
    """One entry per literal."""

    head: Ints
    true: Flags


@kernel
def enter(terms: Terms, rows: Rows, literals: Literals, row: int, degree: int) -> None:
    """Link the terms of the last row, and compute its slack."""
    slack, most = -degree, 0
    for t in range(rows.begin[row], rows.begin[row + 1]):
        x = terms.literal[t]
        terms.row[t] = row
        terms.follows[t] = literals.head[x]
        literals.head[x] = t
        a = terms.coefficient[t]
        most = max(most, a)
        if not literals.true[x ^ 1]:
            slack += a
    rows.slack[row] = slack
    rows.most[row] = most


@kernel
def leave(terms: Terms, rows: Rows, literals: Literals, row: int) -> None:
    """Unlink the last row."""
    for t in range(rows.begin[row + 1] - 1, rows.begin[row] - 1, -1):
        literals.head[terms.literal[t]] = terms.follows[t]


@kernel
def propagate(
    terms: Terms,
    rows: Rows,
    literals: Literals,
    start: Ints,
    trail: Ints,
    length: int,
    queued: Flags,
    queue: Ints,
) -> tuple[bool, int, int]:
    """Propagate rows, and the first literals of the trail, to a fixpoint.

    Returns whether no contradiction was found, the length of the trail, and the terms
    looked at.
    """
    waiting = 0
    work = 0
    for r in start:
        if not queued[r]:
            queued[r] = True
            queue[waiting] = r
            waiting += 1
    done = 0
    sound = True
    while sound and (waiting > 0 or done < length):
        if done < length:
            x = trail[done]
            done += 1
            t = literals.head[x ^ 1]
            while t >= 0:
                r = terms.row[t]
                rows.slack[r] -= terms.coefficient[t]
                if rows.slack[r] < rows.most[r] and not queued[r]:
                    queued[r] = True
                    queue[waiting] = r
                    waiting += 1
                t = terms.follows[t]
                work += 1
            continue
        waiting -= 1
        r = queue[waiting]
        queued[r] = False
        slack = rows.slack[r]
        if slack < 0:
            sound = False
            break
        for t in range(rows.begin[r], rows.begin[r + 1]):
            x = terms.literal[t]
            if (
                terms.coefficient[t] > slack
                and not literals.true[x]
                and not literals.true[x ^ 1]
            ):
                literals.true[x] = True
                trail[length] = x
                length += 1
        work += rows.begin[r + 1] - rows.begin[r]
    for i in range(waiting):
        queued[queue[i]] = False
    # Slacks count exactly the literals of the trail up to `done`.
    for i in range(done, length):
        literals.true[trail[i]] = False
    return sound, done, work


@kernel
def undo(
    terms: Terms, rows: Rows, literals: Literals, trail: Ints, length: int
) -> None:
    """Take back the literals of a trail."""
    for i in range(length):
        x = trail[i]
        literals.true[x] = False
        t = literals.head[x ^ 1]
        while t >= 0:
            rows.slack[terms.row[t]] += terms.coefficient[t]
            t = terms.follows[t]


@kernel
def sweep(terms: Terms, rows: Rows, literals: Literals, count: int, kept: Longs) -> int:
    """Remove dead rows; ``kept`` receives the new index of each row, or -1."""
    literals.head[:] = -1
    last = end = 0
    for r in range(count):
        begin, stop = rows.begin[r], rows.begin[r + 1]
        kept[r] = -1
        if rows.most[r] == 0:
            continue
        kept[r] = last
        rows.begin[last] = end
        rows.slack[last] = rows.slack[r]
        rows.most[last] = rows.most[r]
        for t in range(begin, stop):
            x = terms.literal[t]
            terms.literal[end] = x
            terms.coefficient[end] = terms.coefficient[t]
            terms.row[end] = last
            terms.follows[end] = literals.head[x]
            literals.head[x] = end
            end += 1
        last += 1
        rows.begin[last] = end
    return last


class FastPropagator(Propagator):
    """Propagates like `Propagator`, in compiled code.

    Rows whose numbers do not fit into 64 bits do not propagate: the checker may then
    refuse a proof that it accepts with the plain one, but never the reverse.
    """

    def __init__(self, spend: Callable[[int], None]) -> None:
        self._spend = spend
        self._terms = Terms(
            np.zeros(64, np.int32),
            np.zeros(64, np.int64),
            np.zeros(64, np.int32),
            np.zeros(64, np.int32),
        )
        self._stored = Rows(*(np.zeros(64, np.int64) for _ in range(3)))
        self._literals = Literals(np.full(64, -1, np.int32), np.zeros(64, np.bool_))
        self._trail = np.zeros(64, np.int32)
        self._queued = np.zeros(64, np.bool_)
        self._queue = np.zeros(64, np.int32)
        self._count = self._dead = 0
        self._index: dict[int, int] = {}
        self._new: list[int] = []
        self._sound = True

    def enter(self, number: int, row: Row) -> None:
        """Add a row to the store."""
        index = self._append(row)
        if index is not None:
            self._index[number] = index
            self._new.append(index)

    def _append(self, row: Row) -> int | None:
        if row.degree <= 0:
            return None
        coefficients = [min(a, row.degree) for a in row.terms.values()]
        if sum(coefficients) >= _MOST or row.degree >= _MOST:
            return None
        index, size = self._count, len(coefficients)
        begin = int(self._stored.begin[index])
        self._reserve(begin + size, index + 2, 2 * max(map(abs, row.terms), default=0))
        terms = self._terms
        terms.literal[begin : begin + size] = [
            2 * x if x > 0 else 1 - 2 * x for x in row.terms
        ]
        terms.coefficient[begin : begin + size] = coefficients
        self._stored.begin[index + 1] = begin + size
        enter(terms, self._stored, self._literals, index, row.degree)
        if not size:
            self._stored.most[index] = 1  # not dead: it cannot hold
        self._count += 1
        return index

    def _reserve(self, terms: int, rows: int, literal: int) -> None:
        """Make room: arrays double in length."""
        if terms > len(self._terms.literal):
            self._terms = Terms(*(_longer(each, terms) for each in self._terms))
        if rows > len(self._stored.begin):
            self._stored = Rows(*(_longer(each, rows) for each in self._stored))
            self._queued = _longer(self._queued, rows)
            self._queue = _longer(self._queue, rows)
        if literal + 2 > len(self._literals.head):
            size = len(self._literals.head)
            self._literals = Literals(
                *(_longer(each, literal + 2) for each in self._literals)
            )
            self._literals.head[size:] = -1
            self._trail = _longer(self._trail, literal + 2)

    def remove(self, number: int, row: Row) -> None:
        """Remove a row from the store; what follows from it stays true."""
        self._consistent()
        index = self._index.pop(number, None)
        if index is None:
            return
        self._stored.most[index] = 0
        self._stored.slack[index] += _DEAD
        begin = self._stored.begin
        self._dead += int(begin[index + 1] - begin[index])
        if 2 * self._dead > begin[self._count] + 1000:
            kept = np.zeros(self._count, np.int64)
            self._count = sweep(
                self._terms, self._stored, self._literals, self._count, kept
            )
            self._index = {n: int(kept[i]) for n, i in self._index.items()}
            self._dead = 0

    def certain(self, variable: int) -> bool:
        """Whether a variable has the same value in all solutions of the store."""
        true, x = self._literals.true, 2 * variable
        return not self._consistent() or (x < len(true) and bool(true[x] | true[x + 1]))

    def refuted(self, rows: list[Row]) -> bool:
        """Whether propagating the store and these rows ends in a contradiction."""
        if not self._consistent():
            return True
        entered = [i for i in map(self._append, rows) if i is not None]
        sound, length = self._run(entered)
        undo(self._terms, self._stored, self._literals, self._trail, length)
        for index in reversed(entered):
            leave(self._terms, self._stored, self._literals, index)
            self._count -= 1
        return not sound

    def closure(self, literals: set[int]) -> set[int] | None:
        """Return what propagates from literals; None if they cannot all be true."""
        if not self._consistent() or any(-x in literals for x in literals):
            return None
        self._reserve(0, 0, 2 * max(map(abs, literals), default=0))
        true = self._literals.true
        given = [2 * x if x > 0 else 1 - 2 * x for x in literals]
        if any(true[x ^ 1] for x in given):
            return None
        given = [x for x in given if not true[x]]
        self._trail[: len(given)] = given
        true[given] = True
        _, length = self._run([], len(given))
        found = {int(x) // 2 * (-1 if x % 2 else 1) for x in np.flatnonzero(true)}
        undo(self._terms, self._stored, self._literals, self._trail, length)
        return found

    def _run(self, start: list[int], length: int = 0) -> tuple[bool, int]:
        sound, length, work = propagate(
            self._terms,
            self._stored,
            self._literals,
            np.array(start, dtype=np.int32),
            self._trail,
            length,
            self._queued,
            self._queue,
        )
        self._spend(work)
        return sound, length

    def _consistent(self) -> bool:
        """Propagate new rows for good; return False if the store is contradictory."""
        if self._new:
            new, self._new = self._new, []
            self._sound = self._run(new)[0] and self._sound
        return self._sound


def _longer(array: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    longer = np.zeros(max(length, 2 * len(array)), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
