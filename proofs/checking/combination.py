"""Combinations of rows in reverse Polish notation: the rule ``pol``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

from .rows import Row, add_to, divide, saturate, times
from .statements import Refused, TooLong, number, pace, refuse_large, room
from .store import Store

_WEIGHT = 3
"""What a row weighs next to its terms."""


class Combination:
    """A stack machine that adds, multiplies, divides, saturates and weakens rows.

    Every operation keeps all 0/1 solutions of its operands:

    - ``+`` and ``c *`` with c >= 1 by arithmetic;
    - ``c d`` divides by c >= 1 and rounds all coefficients and the degree up, which the
      left-hand side, a whole number, allows;
    - ``s`` lowers coefficients to the degree: one literal of these suffices;
    - ``x w`` leaves out variable x, and lowers the degree by its coefficient;
    - a literal stands for the row that it is at least 0.

    Rows and literals are those of the store, and so is the limit of the stack.
    """

    def __init__(self, store: Store) -> None:
        self._row, self._literal, self._spend = store.row, store.literal, store.spend
        self._most = store.limits.stack
        self._stack: list[str | Row] = []
        """Numbers and labels as written, and rows that may be changed."""
        self._held = 0  # weight of the rows on the stack
        self._bits = 0  # of the largest number that any of them had

    def evaluate(self, words: list[str]) -> Row:
        """Return the row that is left at the end."""
        for word in pace(words, self._spend):
            if word == "+":
                small, large = self._pop(), self._pop()
                if len(small.terms) > len(large.terms):
                    small, large = large, small
                self._spend(len(small.terms))
                terms = add_to(large, small).terms
                self._push(large, map(terms.get, small.terms, repeat(0)))
            elif word[0] in "+-@0123456789":
                self._stack.append(word)
            elif word == "*":
                self._push(self._pop(self._factor("*")))
            elif word in ("d", "s"):
                by = self._factor("d") if word == "d" else 0
                row = self._pop()
                self._spend(len(row.terms))
                self._push(divide(row, by) if by else saturate(row))
            elif word == "w":
                (variable,), row = self._pop().terms, self._pop()
                for literal in (variable, -variable):
                    row.degree -= row.terms.pop(literal, 0)
                self._push(row)
            else:
                self._push(Row({self._literal(word): 1}, 0))
        row = self._pop()
        if self._stack:
            raise Refused("leaves more than one row")
        return row

    def _pop(self, factor: int = 1) -> Row:
        """Return a multiple of an operand, which may be changed."""
        top = self._stack.pop()
        if isinstance(top, Row):
            self._held -= len(top.terms) + _WEIGHT
            if factor == 1:
                return top
        row = self._row(top) if isinstance(top, str) else top
        self._spend(len(row.terms))
        largest = max(row.terms.values(), default=0) * factor
        refuse_large(largest)
        self._bits = max(self._bits, largest.bit_length())
        return times(row, factor)

    def _push(self, row: Row, grown: Iterable[int] = ()) -> None:
        """Push a row; only ``grown`` may be larger than what was popped."""
        refuse_large(row.degree)
        self._bits = max(self._bits, max(grown, default=0).bit_length())
        self._held += len(row.terms) + _WEIGHT
        if room(self._held, self._bits) > self._most:
            raise TooLong(f"has a step that holds more than {self._most} terms")
        self._stack.append(row)

    def _factor(self, word: str) -> int:
        top = self._stack.pop()
        by = number(top) if isinstance(top, str) and top[0] != "@" else 0
        if by < 1:
            raise Refused(f"{word} needs a factor of at least 1")
        return by
