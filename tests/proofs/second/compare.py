"""Formulas in canonical form: the first difference of two, and the least objective."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from closeknit.proofs.checking import Formula
from closeknit.proofs.writing.opb_text import opb_text

Row = tuple[tuple[tuple[int, int], ...], str, int]
"""Numbers of variables, ascending, with coefficients; the relation; the right side."""


class Canonical(NamedTuple):
    """A formula, in which variables are numbers from 1 on and no literal is negated."""

    variables: tuple[str, ...]
    rows: tuple[Row, ...]
    objective: tuple[tuple[int, int], ...]
    offset: int
    unit: int
    weights: tuple[int, ...]
    comments: tuple[str, ...]


def canonical(formula: Mapping[str, Any]) -> Canonical:
    """Return the canonical form of a formula as the docstring of the folder has it."""
    variables = tuple(formula["variables"])
    assert len(set(variables)) == len(variables), "a name is given twice"
    number = {name: v for v, name in enumerate(variables, 1)}
    rows: list[Row] = []
    for terms, right in formula["rows"]:
        found: dict[int, int] = {}
        for a, literal in terms:
            variable = number[literal.removeprefix("~")]
            if literal.startswith("~"):  # a ~x = a - a x
                a, right = -a, right - a
            found[variable] = found.get(variable, 0) + a
        rows.append((_sorted(found), ">=", right))
    return Canonical(
        variables,
        tuple(rows),
        _sorted({number[x]: a for x, a in formula["objective"].items()}),
        formula["offset"],
        formula["unit"],
        tuple(formula["weights"]),
        tuple(formula["comments"]),
    )


def _sorted(terms: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted((x, a) for x, a in terms.items() if a))


def plain(formula: Formula, weights: tuple[int, ...]) -> dict[str, Any]:
    """Return a formula of the first program as the second returns its own."""

    def name(x: int) -> str:
        return "~" * (x < 0) + formula.names[abs(x) - 1]

    lines = [line for line in opb_text(formula) if line.startswith("*")]
    return {
        "variables": formula.names,
        "rows": [
            ([(a, name(x)) for x, a in row.terms.items()], row.degree)
            for row in formula.rows
        ],
        "objective": {name(x): a for x, a in formula.objective.items()},
        "offset": formula.offset,
        "unit": formula.unit,
        "weights": weights,
        "comments": [line.removeprefix("* ").rstrip("\n") for line in lines[2:]],
    }


def first_difference(one: Canonical, other: Canonical) -> str:
    """Describe where two formulas differ first; "" if they are the same.

    Rows are compared before variables are counted and before all else: the index of
    the first that differs, from 1 on, and both rows.
    """
    for index, names in enumerate(zip_longest(one.variables, other.variables), 1):
        if names[0] != names[1] and None not in names:
            return f"variable {index}: {names[0]} / {names[1]}"
    for index, rows in enumerate(zip_longest(one.rows, other.rows), 1):
        if rows[0] != rows[1]:
            texts = map(text_of, (one, other), rows)
            return f"row {index}: {' / '.join(texts)}"
    for field, first, second in zip(Canonical._fields, one, other, strict=True):
        if first != second:
            return f"{field}: {first} / {second}"
    return ""


def text_of(formula: Canonical, row: Row | None) -> str:
    """Write a row with the names of its variables."""
    if row is None:
        return "no row"
    terms, relation, right = row
    names = formula.variables
    return " ".join(
        [*(f"{a:+d} {names[x - 1]}" for x, a in terms), relation, f"{right}"]
    )


# Enumeration


class _Search:
    """Assigns one variable after the other, and what a row then leaves no choice about.

    ``slack`` has for each row by how much the greatest sum that is still possible
    exceeds the right side. The last row states that the objective is below the best.
    """

    def __init__(self, formula: Canonical) -> None:
        n = len(formula.variables)
        self.prices = dict(formula.objective)
        self.rows = [dict(terms) for terms, _, _ in formula.rows]
        self.rows.append({x: -a for x, a in self.prices.items()})
        rights = [right for _, _, right in formula.rows]
        highest = sum(a for a in self.prices.values() if a > 0)
        rights.append(-highest)
        self.slack = [
            sum(a for a in row.values() if a > 0) - right
            for row, right in zip(self.rows, rights, strict=True)
        ]
        self.within: list[list[int]] = [[] for _ in range(n + 1)]
        for r, row in enumerate(self.rows):
            for x in row:
                self.within[x].append(r)
        self.value: list[int | None] = [None] * (n + 1)
        self.trail: list[int] = []
        self.best: int | None = None

    def set_value(self, x: int, value: int) -> bool:
        """Assign a variable and all that follows; whether no row is violated."""
        waiting = [(x, value)]
        while waiting:
            x, value = waiting.pop()
            if self.value[x] is not None:
                if self.value[x] != value:
                    return False
                continue
            self.value[x] = value
            self.trail.append(x)
            for r in self.within[x]:
                a = self.rows[r][x]
                self.slack[r] -= abs(a) if (a > 0) != bool(value) else 0
            for r in self.within[x]:
                if self.slack[r] < 0:
                    return False
                waiting += [
                    (y, int(a > 0))
                    for y, a in self.rows[r].items()
                    if abs(a) > self.slack[r] and self.value[y] is None
                ]
        return True

    def undo(self, length: int) -> None:
        """Take back all assignments but the first ones."""
        while len(self.trail) > length:
            x = self.trail.pop()
            for r in self.within[x]:
                a = self.rows[r][x]
                self.slack[r] += abs(a) if (a > 0) != bool(self.value[x]) else 0
            self.value[x] = None

    def go_on(self, x: int) -> None:
        """Try both values of every variable from a number on."""
        while x < len(self.value) and self.value[x] is not None:
            x += 1
        if x == len(self.value):
            found = sum(a for y, a in self.prices.items() if self.value[y])
            highest = sum(a for a in self.prices.values() if a > 0)
            before = highest + 1 if self.best is None else self.best
            self.slack[-1] -= before - found  # from now on it has to be less
            self.best = found
            return
        cheaper = int(self.prices.get(x, 0) < 0)
        for value in (cheaper, 1 - cheaper):
            length = len(self.trail)
            if self.slack[-1] >= 0 and self.set_value(x, value):
                self.go_on(x + 1)
            self.undo(length)


def least(formula: Canonical) -> int | None:
    """Return the least objective of all assignments; None if no one obeys all rows."""
    search = _Search(formula)
    if min(search.slack) >= 0:
        search.go_on(1)
    return search.best
