"""Unit propagation over the rows of a checker, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .rows import Row, add


class Propagator:
    """Counts how far each row is from forcing a literal.

    The *slack* of a row is the sum of its coefficients whose literals are not false,
    less the degree. Below 0 no assignment obeys the row; a literal whose coefficient
    is larger must be true, since without it the rest is too little.

    A literal is *certain* while rows of the store force it. Its reason is the row that
    did; all else that it rests on became certain earlier. So when a row is deleted,
    what it forced is taken back with all that came later, and looked for once more.
    """

    def __init__(self, spend: Callable[[int], None]) -> None:
        self._spend = spend
        self._true: set[int] = set()
        self._certain: dict[int, int] = {}  # literals and their reasons, in order
        self._rows: dict[int, Row] = {}
        self._slack: dict[int, int] = {}
        self._most: dict[int, int] = {}  # largest coefficients
        self._uses: dict[int, set[int]] = {}  # rows by literal
        self._new: list[int] = []  # rows not yet propagated
        self._sound = True  # False if propagating them ended in a contradiction

    def enter(self, number: int, row: Row) -> None:
        """Add a row to the store."""
        self._enter(number, row)
        self._new.append(number)
        if len(row.terms) == 1 and row.degree > 0:
            (literal,) = row.terms
            if literal in self._certain:
                self._certain[literal] = number  # it rests on nothing else

    def _enter(self, number: int, row: Row) -> None:
        self._rows[number] = row
        slack = -row.degree
        for literal, a in row.terms.items():
            self._uses.setdefault(literal, set()).add(number)
            if -literal not in self._true:
                slack += a
        self._slack[number] = slack
        self._most[number] = max(row.terms.values(), default=0)

    def remove(self, number: int, row: Row) -> None:
        """Remove a row from the store, and what is certain by it alone."""
        self._spend(len(row.terms))
        forced = sum(self._certain.get(x) == number for x in row.terms)
        while forced:
            literal, reason = self._certain.popitem()
            forced -= reason == number
            self._undo([literal])
            self._new += self._uses[literal]
        self._remove(number, row)
        self._sound = True  # as far as is known

    def _remove(self, number: int, row: Row) -> None:
        for literal in row.terms:
            self._uses[literal].discard(number)
        del self._rows[number], self._slack[number], self._most[number]

    def refuted(self, rows: list[Row]) -> bool:
        """Whether propagating the store and these rows ends in a contradiction."""
        if not self._consistent():
            return True
        numbers = list(range(0, -len(rows), -1))  # taken by no row of the store
        for number, row in zip(numbers, rows, strict=True):
            self._enter(number, row)
        trail: dict[int, int] = {}
        refuted = not self._propagate(numbers.copy(), trail)
        self._undo(trail)
        for number, row in zip(numbers, rows, strict=True):
            self._remove(number, row)
        return refuted

    def closure(self, literals: set[int]) -> set[int] | None:
        """Return what propagates from literals; None if they cannot all be true."""
        if not self._consistent():
            return None
        if any(-x in literals or -x in self._true for x in literals):
            return None
        trail: dict[int, int] = {}
        queue: list[int] = []
        for x in literals - self._true:
            self._assign(x, 0, trail, queue)
        sound = self._propagate(queue, trail)
        true = set(self._true)
        self._undo(trail)
        return true if sound else None

    def _assign(
        self, literal: int, reason: int, trail: dict[int, int], queue: list[int]
    ) -> None:
        """Make a literal true; queue the rows that may now propagate."""
        self._true.add(literal)
        trail[literal] = reason
        rows = self._uses.get(-literal, ())
        self._spend(len(rows))
        slack, most = self._slack, self._most
        for number in rows:
            left = slack[number] = slack[number] - self._rows[number].terms[-literal]
            if left < most[number]:
                queue.append(number)

    def _undo(self, literals: Iterable[int]) -> None:
        for literal in literals:
            self._true.remove(literal)
            rows = self._uses.get(-literal, ())
            self._spend(len(rows))
            for number in rows:
                self._slack[number] += self._rows[number].terms[-literal]

    def _propagate(self, queue: list[int], trail: dict[int, int]) -> bool:
        """Propagate rows to a fixpoint.

        On a contradiction, return False and leave the rows that are still to be
        propagated in the queue.
        """
        true = self._true
        while queue:
            number = queue[-1]
            slack = self._slack.get(number)
            if slack is not None and slack < 0:
                return False
            queue.pop()
            if slack is None:  # the row was deleted
                continue
            row = self._rows[number].terms
            self._spend(len(row))
            for literal, a in row.items():
                if a > slack and literal not in true and -literal not in true:
                    self._assign(literal, number, trail, queue)
        return True

    def _consistent(self) -> bool:
        """Propagate new rows; return False if the store is contradictory."""
        if self._sound and self._new:
            self._sound = self._propagate(self._new, self._certain)
        return self._sound


def refuted_by(rows: list[Row], spend: Callable[[int], None]) -> bool:
    """Whether these rows alone contradict each other.

    They do if propagation ends in a contradiction, or the first and another one add up
    to one.
    """
    true: set[int] = set()
    changed = True
    while changed:
        changed = False
        for row in rows:
            spend(len(row.terms))
            slack = sum(a for x, a in row.terms.items() if -x not in true) - row.degree
            if slack < 0:
                return True
            for x, a in row.terms.items():
                if a > slack and x not in true and -x not in true:
                    true.add(x)
                    changed = True
    for row in rows[1:]:
        spend(len(rows[0].terms) + len(row.terms))
        both = add(rows[0], row)
        if sum(both.terms.values()) < both.degree:
            return True
    return False
