"""Unit propagation over the rows of a checker, in plain Python."""

from __future__ import annotations

from collections.abc import Callable

from .rows import Row, added


class Propagator:
    """Counts how far each row is from forcing a literal.

    Literals that follow from rows of the store stay true when these are deleted.
    """

    def __init__(self, spend: Callable[[int], None]) -> None:
        self._spend = spend
        self._true: set[int] = set()
        self._rows: dict[int, Row] = {}
        self._slack: dict[int, int] = {}
        self._most: dict[int, int] = {}  # largest coefficients
        self._uses: dict[int, set[int]] = {}  # rows by literal
        self._new: list[int] = []  # rows not yet propagated
        self._sound = True  # False once the store contradicts itself

    def enter(self, number: int, row: Row) -> None:
        """Add a row to the store."""
        self._enter(number, row)
        self._new.append(number)

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
        """Remove a row from the store; what follows from it stays true."""
        self._consistent()
        self._remove(number, row)

    def _remove(self, number: int, row: Row) -> None:
        for literal in row.terms:
            self._uses[literal].discard(number)
        del self._rows[number], self._slack[number], self._most[number]

    def certain(self, variable: int) -> bool:
        """Whether a variable has the same value in all solutions of the store."""
        return not self._consistent() or bool({variable, -variable} & self._true)

    def refuted(self, rows: list[Row]) -> bool:
        """Whether propagating the store and these rows ends in a contradiction."""
        if not self._consistent():
            return True
        numbers = list(range(0, -len(rows), -1))  # taken by no row of the store
        for number, row in zip(numbers, rows, strict=True):
            self._enter(number, row)
        trail: list[int] = []
        refuted = not self._propagate(numbers.copy(), trail)
        self._undo(trail)
        for number, row in zip(numbers, rows, strict=True):
            self._remove(number, row)
        return refuted

    def closure(self, literals: set[int]) -> set[int] | None:
        """Return what propagates from literals; None if they cannot all be true."""
        if not self._consistent() or any(-x in literals | self._true for x in literals):
            return None
        trail: list[int] = []
        queue: list[int] = []
        for x in literals - self._true:
            self._assign(x, trail, queue)
        sound = self._propagate(queue, trail)
        true = set(self._true)
        self._undo(trail)
        return true if sound else None

    def _assign(self, literal: int, trail: list[int], queue: list[int]) -> None:
        """Make a literal true; queue the rows that may now propagate."""
        self._true.add(literal)
        trail.append(literal)
        rows = self._uses.get(-literal, ())
        self._spend(len(rows))
        slack, most = self._slack, self._most
        for number in rows:
            left = slack[number] = slack[number] - self._rows[number].terms[-literal]
            if left < most[number]:
                queue.append(number)

    def _undo(self, trail: list[int]) -> None:
        for literal in trail:
            self._true.remove(literal)
            for number in self._uses.get(-literal, ()):
                self._slack[number] += self._rows[number].terms[-literal]

    def _propagate(self, queue: list[int], trail: list[int]) -> bool:
        """Propagate rows to a fixpoint; return False on a contradiction."""
        true = self._true
        while queue:
            number = queue.pop()
            slack = self._slack[number]
            if slack < 0:
                return False
            row = self._rows[number].terms
            self._spend(len(row))
            for literal, a in row.items():
                if a > slack and literal not in true and -literal not in true:
                    self._assign(literal, trail, queue)
        return True

    def _consistent(self) -> bool:
        """Propagate new rows for good; return False if the store is contradictory."""
        if self._new:
            new, self._new = self._new, []
            self._sound = self._propagate(new, []) and self._sound
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
    sums = (added(rows[0], row) for row in rows[1:])
    return any(sum(row.terms.values()) < row.degree for row in sums)
