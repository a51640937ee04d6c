"""Unit propagation over pseudo-Boolean rows, compiled: the fast twin of the checker's.

Literal v > 0 has index 2 v, its negation 2 v + 1. The terms of a row lie together; the
terms of a literal form a list, the newest first. Of clauses only the first two terms
are in lists, and others take their places when they are false: such rows are *watched*.
Removed rows are marked as dead and swept out when they are many. Rows whose numbers do
not fit into 64 bits are *wide*: the kernel stops, they are looked at in Python, and it
goes on with what they force.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...solvers.running.kernels import kernel
from ..checking.propagation import Propagator
from ..checking.rows import Row

_MOST = 2**60
"""Rows whose coefficients add up to more are wide."""
_DEAD = 2**61
"""Added to the slack of a dead row, which then never propagates."""
_DEAD_TERMS = 1000
"""Dead rows are swept out when they have this many terms more than the others."""
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
    """Largest coefficient; 0 of a dead row, -1 of one that is watched."""


class Literals(NamedTuple):
    """One entry per literal."""

    head: Ints
    true: Flags
    reason: Ints
    """The row that forced a literal; of a wide one -2 less its number."""


@kernel
def enter(
    terms: Terms, rows: Rows, literals: Literals, row: int, degree: int, watch: bool
) -> None:
    """Link the terms of the last row, and compute its slack.

    With ``watch`` it is a clause of two terms or more: literals that are not false come
    first, and two of them are linked.
    """
    slack, most = -degree, 0
    begin, end = rows.begin[row], rows.begin[row + 1]
    if watch:
        first = begin
        for t in range(begin, end):
            x = terms.literal[t]
            if not literals.true[x ^ 1]:
                terms.literal[t], terms.literal[first] = terms.literal[first], x
                first += 1
        end = begin + 2
    for t in range(begin, rows.begin[row + 1]):
        terms.row[t] = row
        if t >= end:
            continue
        x = terms.literal[t]
        terms.follows[t] = literals.head[x]
        literals.head[x] = t
        a = terms.coefficient[t]
        most = max(most, a)
        if not literals.true[x ^ 1]:
            slack += a
    rows.slack[row] = slack
    rows.most[row] = -1 if watch else most


@kernel
def enter_several(
    terms: Terms,
    rows: Rows,
    literals: Literals,
    row: int,
    words: Longs,
    factors: Longs,
    sizes: Longs,
    degrees: Longs,
) -> None:
    """Store rows from a number on, and link them, watching clauses.

    ``words`` are the literals of the rows one after the other, ``sizes`` how many each
    has.
    """
    t, offset = rows.begin[row], rows.begin[row]
    for i in range(len(degrees)):
        for _ in range(sizes[i]):
            x = words[t - offset]
            terms.literal[t] = 2 * x if x > 0 else 1 - 2 * x
            terms.coefficient[t] = min(factors[t - offset], degrees[i])
            t += 1
        rows.begin[row + i + 1] = t
        enter(terms, rows, literals, row + i, degrees[i], degrees[i] == 1 < sizes[i])
        if sizes[i] == 1 and literals.true[terms.literal[t - 1]]:
            literals.reason[terms.literal[t - 1]] = row + i  # it rests on nothing else


@kernel
def leave(terms: Terms, rows: Rows, literals: Literals, row: int) -> None:
    """Unlink the last row, which is not watched."""
    for t in range(rows.begin[row + 1] - 1, rows.begin[row] - 1, -1):
        x = terms.literal[t]
        s = literals.head[x]
        if s == t:
            literals.head[x] = terms.follows[t]
            continue
        while terms.follows[s] != t:
            s = terms.follows[s]
        terms.follows[s] = terms.follows[t]


@kernel
def _replace_watch(
    terms: Terms, rows: Rows, literals: Literals, t: int, before: int
) -> tuple[int, int]:
    """Watch another literal in place of a false one, if there is one.

    ``before`` precedes the term in its list, or is -1. Returns 0 if it is replaced, 1
    if there is none, 2 if the other one is true, and the number of terms looked at.
    """
    row = terms.row[t]
    begin = rows.begin[row]
    if literals.true[terms.literal[begin if t > begin else begin + 1]]:
        return 2, 1
    end = rows.begin[row + 1]
    for u in range(begin + 2, end):
        x = terms.literal[u]
        if not literals.true[x ^ 1]:
            false = terms.literal[t]
            terms.literal[t], terms.literal[u] = x, false
            if before < 0:
                literals.head[false] = terms.follows[t]
            else:
                terms.follows[before] = terms.follows[t]
            terms.follows[t] = literals.head[x]
            literals.head[x] = t
            return 0, u - begin
    return 1, end - begin


@kernel
def _unit(terms: Terms, rows: Rows, literals: Literals, row: int) -> int:
    """Return the literal that a watched row forces; -1 if none, -2 if it fails."""
    found = -2
    for t in range(rows.begin[row], rows.begin[row + 1]):
        x = terms.literal[t]
        if literals.true[x]:
            return -1
        if not literals.true[x ^ 1]:
            if found >= 0:
                return -1
            found = int(x)
    return found


@kernel
def propagate(
    terms: Terms,
    rows: Rows,
    literals: Literals,
    start: Ints,
    trail: Ints,
    done: int,
    length: int,
    queued: Flags,
    queue: Ints,
) -> tuple[bool, int, int]:
    """Propagate rows, and the literals of the trail from one on, to a fixpoint.

    Returns whether no contradiction was found, the length of the trail, and the terms
    looked at.
    """
    waiting = 0
    work = 0
    sound = True
    for r in start:
        if rows.most[r] < 0:
            work += rows.begin[r + 1] - rows.begin[r]
            x = _unit(terms, rows, literals, r)
            sound = sound and x != -2
            if x >= 0:
                literals.true[x] = True
                literals.reason[x] = r
                trail[length] = x
                length += 1
        elif rows.slack[r] < rows.most[r] and not queued[r]:
            queued[r] = True
            queue[waiting] = r
            waiting += 1
    while sound and (waiting > 0 or done < length):
        if done < length:
            false = trail[done] ^ 1
            done += 1
            before = -1
            t = literals.head[false]
            while t >= 0:
                r = terms.row[t]
                following = terms.follows[t]
                if rows.most[r] < 0:
                    # All slacks must change, so go on after a contradiction.
                    state, looked = _replace_watch(terms, rows, literals, t, before)
                    work += looked
                    if state > 0:
                        before = t
                    if state == 1:
                        b = rows.begin[r]
                        x = terms.literal[b if t > b else b + 1]
                        if literals.true[x ^ 1]:
                            sound = False
                        else:
                            literals.true[x] = True
                            literals.reason[x] = r
                            trail[length] = x
                            length += 1
                    t = following
                    continue
                before = t
                rows.slack[r] -= terms.coefficient[t]
                if rows.slack[r] < rows.most[r] and not queued[r]:
                    queued[r] = True
                    queue[waiting] = r
                    waiting += 1
                t = following
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
                literals.reason[x] = r
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
            if rows.most[terms.row[t]] >= 0:
                rows.slack[terms.row[t]] += terms.coefficient[t]
            t = terms.follows[t]


@kernel
def retract(
    terms: Terms,
    rows: Rows,
    literals: Literals,
    trail: Ints,
    length: int,
    reason: int,
    queued: Flags,
    again: Ints,
) -> tuple[int, int, int]:
    """Take back the certain literals from the first that a row forced.

    ``again`` receives the rows that may force some of them nevertheless. Returns how
    many literals are left, the number of these rows, and the terms looked at.
    """
    left = count = work = 0
    while left < length and literals.reason[trail[left]] != reason:
        left += 1
    if left == length:
        return length, 0, length
    undo(terms, rows, literals, trail[left:], length - left)
    for i in range(length):
        # Rows with a literal that was taken back; and clauses that still watch a false
        # one, which may now find a better one.
        x = trail[i] if i >= left else trail[i] ^ 1
        before = -1
        t = literals.head[x]
        while t >= 0:
            r = terms.row[t]
            following = terms.follows[t]
            state, looked = 1, 1
            if i < left:
                state = 2
                if rows.most[r] < 0:
                    state, looked = _replace_watch(terms, rows, literals, t, before)
            if state > 0:
                before = t
            if state == 1 and not queued[r]:
                queued[r] = True
                again[count] = r
                count += 1
            work += looked
            t = following
    for i in range(count):
        queued[again[i]] = False
    return left, count, work


@kernel
def are_consistent(
    terms: Terms,
    rows: Rows,
    literals: Literals,
    given: Ints,
    trail: Ints,
    queued: Flags,
    queue: Ints,
    after: Flags,
) -> tuple[bool, int]:
    """Test whether literals can all be true, as far as propagation knows; undo it.

    ``after`` receives which literals are then true, unless it is empty. Returns the
    terms looked at, too.
    """
    sound, length, work = True, 0, 0
    for x in given:
        sound = sound and not literals.true[x ^ 1]
        if sound and not literals.true[x]:
            literals.true[x] = True
            trail[length] = x
            length += 1
    if sound:
        sound, length, work = propagate(
            terms, rows, literals, trail[:0], trail, 0, length, queued, queue
        )
        after[:] = literals.true[: len(after)]
        undo(terms, rows, literals, trail, length)
    else:
        literals.true[trail[:length]] = False
    return sound, work


@kernel
def minimise(
    terms: Terms,
    rows: Rows,
    literals: Literals,
    given: Ints,
    trail: Ints,
    queued: Flags,
    queue: Ints,
) -> tuple[int, int]:
    """Leave out literals, the last first, while the others cannot all be true.

    Those that are left come first. Returns their number, and the terms looked at.
    """
    count, total = len(given), 0
    for i in range(len(given) - 1, -1, -1):
        x = given[i]
        given[i : count - 1] = given[i + 1 : count].copy()
        fewer = given[: count - 1]
        sound, work = are_consistent(
            terms, rows, literals, fewer, trail, queued, queue, queued[:0]
        )
        total += work
        if sound:
            given[i + 1 : count] = given[i : count - 1].copy()
            given[i] = x
        else:
            count -= 1
    return count, total


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
            if rows.most[r] > 0 or t < begin + 2:
                terms.follows[end] = literals.head[x]
                literals.head[x] = end
            end += 1
        last += 1
        rows.begin[last] = end
    return last


class WideRow(NamedTuple):
    """A row whose numbers do not fit into 64 bits."""

    row: Row
    literals: Ints
    scaled: Longs
    """Coefficients, divided by a power of two and rounded down."""
    enough: int
    """While those that are not false add up to this, the row forces nothing."""


def _widen(row: Row) -> WideRow:
    shift = max(0, sum(row.terms.values()).bit_length() - 60)
    most = max(row.terms.values(), default=0)
    literals = np.array([_index(x) for x in row.terms], np.int32)
    scaled = np.array([a >> shift for a in row.terms.values()], np.int64)
    return WideRow(row, literals, scaled, (row.degree + most >> shift) + 1)


def _index(literal: int) -> int:
    return 2 * literal if literal > 0 else 1 - 2 * literal


class FastPropagator(Propagator):
    """Propagates like `Propagator`, in compiled code."""

    def __init__(self, spend: Callable[[int], None]) -> None:
        self._spend = spend
        self._terms = Terms(
            np.zeros(64, np.int32),
            np.zeros(64, np.int64),
            np.zeros(64, np.int32),
            np.zeros(64, np.int32),
        )
        self._stored = Rows(*(np.zeros(64, np.int64) for _ in range(3)))
        self._literals = Literals(
            np.full(64, -1, np.int32), np.zeros(64, np.bool_), np.zeros(64, np.int32)
        )
        self._trail = np.zeros(64, np.int32)  # certain literals first
        self._known = 0  # how many are certain
        self._reasons: set[int] = set()  # rows that may have forced them
        self._queued = np.zeros(64, np.bool_)
        self._queue = np.zeros(64, np.int32)
        self._count = self._dead = 0
        self._index: dict[int, int] = {}
        self._wide: dict[int, WideRow] = {}
        self._waiting: dict[int, Row] = {}
        self._new: list[int] = []
        self._sound = self._settled = True

    def enter(self, number: int, row: Row) -> None:
        """Add a row to the store."""
        if row.degree > 0:
            self._waiting[number] = row

    def enter_all(self, rows: Mapping[int, Row]) -> None:
        """Add rows to the store, by their numbers."""
        self._waiting |= {n: row for n, row in rows.items() if row.degree > 0}

    def _enter_waiting(self) -> None:
        """Add the rows that wait, all at once."""
        waiting, self._waiting = self._waiting, {}
        self._settled = False
        rows, lengths = waiting.values(), [len(row.terms) for row in waiting.values()]
        sizes, total = np.array(lengths, np.int64), sum(lengths)
        words = np.fromiter(
            chain.from_iterable(row.terms for row in rows), np.int64, total
        )
        self._reserve(0, 0, 2 * int(abs(words).max(initial=0)))
        try:
            degrees = np.array([row.degree for row in rows], np.int64)
            values = chain.from_iterable(row.terms.values() for row in rows)
            factors = np.fromiter(values, np.int64, total)
        except OverflowError:
            small = False
        else:  # coefficients are lowered to the degree
            small = int(degrees.max()) * max(total, 1) < _MOST
        if not (small and sizes.all()):
            for number, row in waiting.items():
                index = self._append(row)
                if index is None:
                    self._wide[number] = _widen(row)
                else:
                    self._index[number] = index
                    self._new.append(index)
            return
        first = self._count
        begin, end = int(self._stored.begin[first]), first + len(rows)
        self._reserve(begin + total, end + 1, 0)
        store = self._terms, self._stored, self._literals
        enter_several(*store, first, words, factors, sizes, degrees)
        self._index.update(zip(waiting, range(first, end), strict=True))
        self._new += range(first, end)
        self._reasons.update((first + np.flatnonzero(sizes == 1)).tolist())
        self._count = end

    def _append(self, row: Row) -> int | None:
        """Store a row behind the others; return its index, or None if it is wide."""
        coefficients = [min(a, row.degree) for a in row.terms.values()]
        if sum(coefficients) >= _MOST or row.degree >= _MOST:
            return None
        index, size = self._count, len(coefficients)
        begin = int(self._stored.begin[index])
        self._reserve(begin + size, index + 2, 2 * max(map(abs, row.terms), default=0))
        terms = self._terms
        terms.literal[begin : begin + size] = [_index(x) for x in row.terms]
        terms.coefficient[begin : begin + size] = coefficients
        self._stored.begin[index + 1] = begin + size
        enter(terms, self._stored, self._literals, index, row.degree, False)
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
        """Remove a row from the store, and what is certain by it alone."""
        if self._waiting.pop(number, None):
            return
        wide, index = self._wide.pop(number, None), self._index.pop(number, None)
        reason = -2 - number if wide else index
        if reason is None:
            return
        if not self._sound:  # perhaps by this row
            self._sound, self._settled = True, False
        if reason in self._reasons:
            self._retract(reason)
        if index is None:
            return
        self._stored.most[index] = 0
        self._stored.slack[index] += _DEAD
        begin = self._stored.begin
        self._dead += int(begin[index + 1] - begin[index])
        if 2 * self._dead > begin[self._count] + _DEAD_TERMS:
            self._sweep()

    def _retract(self, reason: int) -> None:
        left, count, work = retract(
            self._terms,
            self._stored,
            self._literals,
            self._trail,
            self._known,
            reason,
            self._queued,
            self._queue,
        )
        self._spend(work)
        self._reasons.discard(reason)
        if left < self._known:
            self._known, self._settled = left, False
            self._new += self._queue[:count].tolist()

    def _sweep(self) -> None:
        """Remove dead rows; the others get new indices."""
        kept = np.zeros(self._count, np.int64)
        self._count = sweep(
            self._terms, self._stored, self._literals, self._count, kept
        )
        self._index = {n: int(kept[i]) for n, i in self._index.items()}
        self._new = [int(kept[i]) for i in self._new if kept[i] >= 0]
        certain, reason = self._trail[: self._known], self._literals.reason
        own = certain[reason[certain] >= 0]
        reason[own] = kept[reason[own]]
        self._reasons = set(reason[certain].tolist())
        self._dead = 0

    def refuted(self, rows: list[Row]) -> bool:
        """Whether propagating the store and these rows ends in a contradiction."""
        if not self._consistent():
            return True
        entered: list[int] = []
        wide: list[tuple[int, WideRow]] = []
        for row in rows:
            if row.degree > 0:
                index = self._append(row)
                if index is None:
                    self._reserve(0, 0, 2 * max(map(abs, row.terms), default=0))
                    wide.append((0, _widen(row)))
                else:
                    entered.append(index)
        sound, _ = self._run(entered, 0, wide)
        for index in reversed(entered):
            leave(self._terms, self._stored, self._literals, index)
            self._count -= 1
        return not sound

    def closure(self, literals: set[int]) -> set[int] | None:
        """Return what propagates from literals; None if they cannot all be true."""
        found = self.after(literals)
        if found is None:
            return None
        return {x // 2 * (-1 if x % 2 else 1) for x in np.flatnonzero(found).tolist()}

    def after(self, literals: Collection[int]) -> Flags | None:
        """Return which literals propagate from some, by index; None if refuted.

        Literal v > 0 has index 2 v, its negation 2 v + 1.
        """
        if not self._consistent():
            return None
        given = self._indices(literals)
        if self._wide:
            return self._after(given)
        found = np.empty_like(self._literals.true)
        sound, work = are_consistent(*self._arrays(given), found)
        self._spend(work)
        return found if sound else None

    def _after(self, given: Ints) -> Flags | None:
        """As `after`, with wide rows."""
        true, free = self._literals.true, self._trail[self._known :]
        count = 0
        for x in given.tolist():
            if true[x ^ 1]:
                true[free[:count]] = False
                return None
            if not true[x]:
                true[x] = True
                free[count] = x
                count += 1
        return self._run([], count)[1]

    def minimise(self, literals: Sequence[int]) -> list[int]:
        """Leave out literals, the last first, while the others are refuted."""
        if not self._consistent():
            return []
        if self._wide:
            kept = [*literals]
            for x in reversed(literals):
                fewer = [y for y in kept if y != x]
                if self.after(fewer) is None:
                    kept = fewer
            return kept
        given = self._indices(literals)
        count, work = minimise(*self._arrays(given))
        self._spend(work)
        return [x // 2 * (-1 if x % 2 else 1) for x in given[:count].tolist()]

    def _indices(self, literals: Collection[int]) -> Ints:
        self._reserve(0, 0, 2 * max(map(abs, literals), default=0))
        return np.array([_index(x) for x in literals], np.int32)

    def _arrays(self, given: Ints) -> tuple[Any, ...]:
        all_of_it = self._terms, self._stored, self._literals
        free = self._trail[self._known :]
        return *all_of_it, given, free, self._queued, self._queue

    def _run(
        self, start: list[int], count: int, wide: Sequence[tuple[int, WideRow]] = ()
    ) -> tuple[bool, Flags | None]:
        """Propagate rows, and some literals behind the certain ones, and undo it.

        Returns whether there was no contradiction, and what was true, if that may be
        asked for.
        """
        sound, length = self._propagate_from(start, count, wide)
        found = self._literals.true.copy() if sound and not start else None
        free = self._trail[self._known :]
        undo(self._terms, self._stored, self._literals, free, length)
        return sound, found

    def _propagate_from(
        self, start: list[int], length: int, wide: Sequence[tuple[int, WideRow]] = ()
    ) -> tuple[bool, int]:
        """Propagate rows, and some literals behind the certain ones, to a fixpoint.

        Returns whether there was no contradiction, and the number of literals.
        """
        free, done = self._trail[self._known :], 0
        rows = [*self._wide.items(), *wide]
        first = np.array(start, dtype=np.int32)
        while True:
            sound, done, work = propagate(
                self._terms,
                self._stored,
                self._literals,
                first,
                free,
                done,
                length,
                self._queued,
                self._queue,
            )
            self._spend(work)
            length = done
            for number, row in rows if sound else ():
                for x in self._forced_literals(row):
                    if x < 0:
                        sound = False
                        break
                    self._literals.true[x] = True
                    self._literals.reason[x] = -2 - number
                    free[length] = x
                    length += 1
            if not sound:
                self._literals.true[free[done:length]] = False
            if not sound or length == done:
                return sound, done
            first = first[:0]

    def _forced_literals(self, wide: WideRow) -> list[int]:
        """Return the literals that a wide row forces; -1 for a contradiction."""
        true, row = self._literals.true, wide.row
        self._spend(len(wide.literals))
        left = ~true[wide.literals ^ 1]
        if int(wide.scaled[left].sum()) >= wide.enough:
            return []
        terms = list(zip(wide.literals.tolist(), row.terms.values(), strict=True))
        slack = sum(a for x, a in terms if not true[x ^ 1]) - row.degree
        if slack < 0:
            return [-1]
        return [x for x, a in terms if a > slack and not (true[x] or true[x ^ 1])]

    def _consistent(self) -> bool:
        """Propagate new rows; return False if the store is contradictory."""
        if self._waiting:
            self._enter_waiting()
        if self._sound and not self._settled:
            sound, length = self._propagate_from(self._new, 0)
            free = self._trail[self._known :]
            if sound:
                reasons = self._literals.reason[free[:length]]
                self._reasons.update(reasons.tolist())
                self._known += length
                self._new = []
            else:
                undo(self._terms, self._stored, self._literals, free, length)
            self._sound, self._settled = sound, True
        return self._sound


def _longer(array: npt.NDArray[Any], length: int) -> npt.NDArray[Any]:
    longer = np.zeros(max(length, 2 * len(array)), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
