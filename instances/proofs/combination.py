"""Combinations of rows in reverse Polish notation: the rule ``pol``."""

from __future__ import annotations

from collections.abc import Callable

from .rows import Row, add_to, divided, saturated, times
from .statements import Refused, TooLong, bounded, number, paced

Operand = Row | str | tuple[Row, int]
"""A row that may be changed; a number or label as written; or a row with a factor."""
_WEIGHT = 3
"""What a row weighs beside its terms."""


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
        self._held = 0

    def evaluate(self, words: list[str]) -> Row:
        """Return the row that is left at the end."""
        for word in paced(words, self._spend):
            if word == "+":
                self._add()
            elif word[0] in "+-@0123456789":
                self._stack.append(word)
            elif word == "*":
                self._multiply()
            elif word == "d":
                by, row = self._factor("d"), self._pop_row()
                self._push(divided(row, by))
            elif word == "s":
                self._push(saturated(self._pop_row()))
            elif word == "w":
                self._weaken()
            else:
                self._push((Row({self._literal(word): 1}, 0), 1))
        row = self._pop_row()
        if self._stack:
            raise Refused("leaves more than one row")
        return row

    def _pop(self) -> tuple[Row, int, bool]:
        """Return an operand: a row, its factor, and whether it may be changed."""
        top = self._stack.pop()
        if isinstance(top, str):
            return self._row(top), 1, False
        row, factor = top if isinstance(top, tuple) else (top, 1)
        self._held -= len(row.terms) + _WEIGHT
        return row, factor, row is top

    def _pop_row(self) -> Row:
        row, factor, _ = self._pop()
        self._spend(len(row.terms))
        return row if factor == 1 else times(row, factor)

    def _push(self, operand: Row | tuple[Row, int]) -> None:
        row = operand[0] if isinstance(operand, tuple) else operand
        bounded(row.degree)
        self._held += len(row.terms) + _WEIGHT
        if self._held > self._most:
            raise TooLong(f"has a step that holds more than {self._most} terms")
        self._stack.append(operand)

    def _add(self) -> None:
        small, factor, own = self._pop()
        large, by, owned = self._pop()
        if len(small.terms) > len(large.terms):
            small, factor, own, large, by, owned = large, by, owned, small, factor, own
        self._spend(len(small.terms))
        if by != 1 or not owned:
            self._spend(len(large.terms))
            large = times(large, by)
        self._push(add_to(large, small, factor))

    def _factor(self, word: str) -> int:
        top = self._stack.pop()
        by = number(top) if isinstance(top, str) else 0
        if by < 1:
            raise Refused(f"{word} needs a factor of at least 1")
        bounded(by)
        return by

    def _multiply(self) -> None:
        """Leave the factor beside the row: a sum needs no copy then."""
        by = self._factor("*")
        row, factor, changed = self._pop()
        if changed:  # coefficients of stored rows are known to be small enough
            self._spend(len(row.terms))
            bounded(max(row.terms.values(), default=0) * by)
        bounded(by * factor)
        bounded(row.degree * by * factor)
        self._push((row, by * factor))

    def _weaken(self) -> None:
        (variable,) = self._pop()[0].terms
        row, factor, changed = self._pop()
        self._spend(len(row.terms))
        if factor != 1 or not changed:
            row = times(row, factor)
        for literal in (variable, -variable):
            row.degree -= row.terms.pop(literal, 0)
        self._push(row)
