"""What a proof has derived: rows, their numbers and labels, variables, solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .propagation import Propagator, refuted_by
from .rows import Formula, Row, negate, normalise
from .statements import (
    CheckLimits,
    NoProof,
    Refused,
    TooLong,
    number,
    pace,
    refuse_large,
    room,
)

_SHORT = 10


class Store:
    """The rows of a proof; those of the formula are in it from the beginning.

    In versions 2.0 and 3.0 they have the numbers from 1 on, and may be deleted. Before,
    they have none until `give_number`, and stay when these are deleted: a row that came
    back after a step ``red`` would not have been a goal of that step.

    Parameters
    ----------
    formula
        What the proof is about.
    version
        The version of the format.
    limits
        Limits of size.
    spend
        Receives the terms looked at.
    propagator
        Class that propagates.
    """

    def __init__(
        self,
        formula: Formula,
        version: str,
        limits: CheckLimits,
        spend: Callable[[int], None],
        propagator: type[Propagator],
    ) -> None:
        self.formula, self.version, self.limits = formula, version, limits
        self.spend = spend
        self.variables = {name: i for i, name in enumerate(formula.names, 1)}
        self.objective = [(a, x) for x, a in formula.objective.items() if a]
        self.best: int | None = None  # cost of the cheapest solution logged
        self.propagator = propagator(spend)
        self.rows: dict[int, Row] = {}
        """By number; the propagator's key is more by the rows without one."""
        for key, row in enumerate(formula.rows, 1):
            spend(len(row.terms))
            self.propagator.enter(key, row)
            if version >= "2":
                self.rows[key] = row
        self.last = len(self.rows)
        self._shift = len(formula.rows) - self.last
        self._given: set[int] = set()  # numbers of rows that are never deleted
        self._most = len(self.rows) + limits.rows
        self._terms = 0
        self._names = 0
        self._labels: dict[str, int] = {}

    def add(self, row: Row) -> None:
        """Store a row under the next number."""
        refuse_large(row.degree)
        largest = max(row.terms.values(), default=0)
        refuse_large(largest)
        self.spend(len(row.terms))
        self._number(row, room(len(row.terms), largest.bit_length()))
        self.propagator.enter(self.last + self._shift, row)

    def give_number(self, index: int) -> None:
        """Give the next number to a row of the formula, counted from 1."""
        if not 1 <= index <= len(self.formula.rows):
            raise Refused(f"there is no row {index} in the formula")
        row = self.formula.rows[index - 1]
        self._number(row, _room(row))
        self._given.add(self.last)

    def _number(self, row: Row, terms: int) -> None:
        self._terms += terms
        if len(self.rows) >= self._most:
            raise TooLong(f"stores more than {self.limits.rows} rows")
        if self._terms > self.limits.terms:
            raise TooLong(f"stores more than {self.limits.terms} terms")
        self.last += 1
        self.rows[self.last] = row

    def delete(self, key: int) -> None:
        """Delete a row, or the number of one that stays."""
        row = self.rows.pop(key)
        self._terms -= _room(row)
        if key in self._given:
            self._given.remove(key)
        else:
            self.propagator.remove(key + self._shift, row)

    def all_rows(self) -> Iterator[Row]:
        """Yield every row of the store once, numbered or not."""
        if self._shift:
            yield from self.formula.rows
        for key, row in self.rows.items():
            if key not in self._given:
                yield row

    def key(self, word: str) -> int:
        """Return the number of a row, given as a number or a label; -1 is the last."""
        if word.startswith("@"):
            key = self._labels.get(word, 0)
        else:
            key = number(word)
            key += self.last + 1 if key < 0 else 0
        if key not in self.rows:
            raise Refused(f"there is no row {word[:40]}")
        return key

    def row(self, word: str) -> Row:
        """Return the row of a number or label."""
        if word.isdecimal() and len(word) < _SHORT:  # by far the most
            found = self.rows.get(int(word))
            if found is not None:
                return found
        return self.rows[self.key(word)]

    def label(self, label: str, key: int) -> None:
        """Let a label stand for a number."""
        if label not in self._labels:
            self._name(label)
        self._labels[label] = key

    def _name(self, name: str) -> None:
        if len(name) > self.limits.name:
            raise TooLong(f"has a name of more than {self.limits.name} characters")
        if (count := self._names + 1) > self.limits.names:
            raise TooLong(f"has more than {self.limits.names} names")
        self._names = count

    def literal(self, word: str, *, new: bool = False) -> int:
        """Return the literal of a word such as ``~x1``; ``new`` lets it be new."""
        name = word.removeprefix("~")
        if name not in self.variables:
            if not new:
                raise Refused(f"there is no variable {name[:40]}")
            self._name(name)
            self.variables[name] = len(self.variables) + 1
        return self.variables[name] * (-1 if word != name else 1)

    def parse_row(self, words: list[str], *, new: bool = False) -> Row:
        """Read a row: ``+2 x1 +3 ~x2 >= 3``; ``new`` lets variables be new."""
        at = len(words) - 2
        if at < 0 or at % 2 or words[at] != ">=":
            raise NoProof("a row cannot be read")
        coefficients = pace(words[:at:2], self.spend)
        pairs = zip(coefficients, words[1:at:2], strict=True)
        terms = ((number(a), self.literal(word, new=new)) for a, word in pairs)
        return normalise(terms, number(words[-1]))

    def implies(
        self, row: Row, hints: list[str] | None = None, given: Row | None = None
    ) -> bool:
        """Whether unit propagation refutes the negation of a row, given another.

        With hints, only these rows of the store take part; ``~`` is the negation.
        """
        if row.degree <= 0:
            return True
        self.spend(len(row.terms))
        rows = [negate(row), *([given] if given else [])]
        if hints is not None:
            rows += [self.row(x) for x in pace(hints, self.spend) if x != "~"]
            return refuted_by(rows, self.spend)
        return self.propagator.refuted(rows) or refuted_by(rows, self.spend)


def _room(row: Row) -> int:
    return room(len(row.terms), max(row.terms.values(), default=0).bit_length())
