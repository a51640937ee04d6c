"""Combinations of rows in reverse Polish notation: the rule ``pol``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat

from .rows import Row, add_to, divide, saturate, times
from .statements import Refused, TooLong, number, pace, refuse_large, room

Operand = str | tuple[Row, int] | Row
"""A number or label as written; a stored row or a literal, with a factor; or a row that
was computed, and may be changed."""
_WEIGHT = 3
"""What a computed row weighs next to its terms."""


class Combination:
    """A stack machine that adds, multiplies, divides, saturates and weakens rows.

    Every operation keeps all 0/1 solutions of its operands:

    - ``+`` and ``c *`` with c >= 1 by arithmetic;
    - ``c d`` divides by c >= 1 and rounds all coefficients and the degree up, which the
      left-hand side, a whole number, allows;
    - ``s`` lowers coefficients to the degree: one literal of these suffices;
    - ``x w`` leaves out variable x, and lowers the degree by its coefficient;
    - a literal stands for the row that it is at least 0.

    Parameters
    ----------
    row
        Returns the stored row of a number or label.
    literal
        Returns the literal of a word.
    spend
        Receives the terms looked at.
    most
        Most terms of all rows on the stack.
    """

    def __init__(
        self,
        row: Callable[[str], Row],
        literal: Callable[[str], int],
        spend: Callable[[int], None],
        most: int,
    ) -> None:
        self._row, self._literal, self._spend, self._most = row, literal, spend, most
        self._stack: list[Operand] = []
        self._held = 0  # weight of the computed rows on the stack
        self._bits = 0  # of the largest number that any of them had
        self._axioms: dict[str, tuple[Row, int]] = {}

    def evaluate(self, words: list[str]) -> Row:
        """Return the row that is left at the end."""
        stack = self._stack
        for word in pace(words, self._spend):
            if word == "+":
                self._add()
            elif word[0] in "+-@0123456789":
                stack.append(word)
            elif word == "*":
                self._multiply()
            elif word == "d":
                by, row = self._factor("d"), self._pop_row()
                self._push(divide(row, by))
            elif word == "s":
                self._push(saturate(self._pop_row()))
            elif word == "w":
                self._weaken()
            else:
                if word not in self._axioms:
                    self._axioms[word] = Row({self._literal(word): 1}, 0), 1
                stack.append(self._axioms[word])
        row = self._pop_row()
        if stack:
            raise Refused("leaves more than one row")
        return row

    def _pop(self) -> tuple[Row, int, bool]:
        """Return an operand: a row, its factor, and whether it may be changed."""
        top = self._stack.pop()
        if isinstance(top, Row):
            self._held -= len(top.terms) + _WEIGHT
            return top, 1, True
        if isinstance(top, tuple):
            return *top, False
        return self._row(top), 1, False

    def _pop_row(self) -> Row:
        row, factor, _ = self._pop()
        self._spend(len(row.terms))
        return row if factor == 1 else times(row, factor)

    def _push(self, row: Row, grown: Iterable[int] | None = None) -> None:
        """Push a computed row; only ``grown`` may be larger than what was popped."""
        refuse_large(row.degree)
        numbers = row.terms.values() if grown is None else grown
        bits = max(numbers, default=0).bit_length()
        if bits > self._bits:
            self._bits = bits
        self._held += len(row.terms) + _WEIGHT
        if room(self._held, self._bits) > self._most:
            raise TooLong(f"has a step that holds more than {self._most} terms")
        self._stack.append(row)

    def _add(self) -> None:
        small, factor, changed = self._pop()
        large, by, owned = self._pop()
        if len(small.terms) > len(large.terms):
            small, factor, large, by, owned = large, by, small, factor, changed
        if not owned:
            self._spend(len(large.terms))
            large = times(large, by)
        self._spend(len(small.terms))
        terms = add_to(large, small, factor).terms
        self._push(large, map(terms.get, small.terms, repeat(0)) if owned else None)

    def _factor(self, word: str) -> int:
        top = self._stack.pop()
        by = number(top) if isinstance(top, str) and top[0] != "@" else 0
        if by < 1:
            raise Refused(f"{word} needs a factor of at least 1")
        return by

    def _multiply(self) -> None:
        """Leave the factor next to a stored row, of which a sum needs no copy then."""
        by = self._factor("*")
        top = self._stack[-1]
        if isinstance(top, str):
            self._stack[-1] = (self._row(top), by)
            return
        row, factor, changed = self._pop()
        if not changed:
            refuse_large(by * factor)
            self._stack.append((row, by * factor))
            return
        self._spend(len(row.terms))
        # Stored rows are known to be small enough, and so are sums of their multiples.
        refuse_large(max(row.terms.values(), default=0) * by)
        self._push(times(row, by))

    def _weaken(self) -> None:
        (variable,) = self._pop()[0].terms
        row, factor, changed = self._pop()
        self._spend(len(row.terms))
        if not changed:
            row = times(row, factor)
        for literal in (variable, -variable):
            row.degree -= row.terms.pop(literal, 0)
        self._push(row, () if changed else None)
