"""Pseudo-Boolean formulas: rows of literals that add up to a degree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field


class Row:
    """A normalised row: the sum of ``terms`` is at least ``degree``.

    Terms are from literals to coefficients; literal v > 0 is variable v, -v its
    negation. All coefficients are positive, and no variable occurs twice.
    """

    __slots__ = ("degree", "terms")

    def __init__(self, terms: dict[int, int], degree: int) -> None:
        self.terms, self.degree = terms, degree


def normalise(terms: Iterable[tuple[int, int]], degree: int) -> Row:
    """Return the row of (coefficient, literal) pairs in normalised form.

    >>> row = normalise([(2, 1), (-3, 2), (1, -1)], 1)
    >>> row.terms, row.degree
    ({1: 1, -2: 3}, 3)
    """
    found: dict[int, int] = {}
    for coefficient, literal in terms:
        if literal < 0:  # a ~x = a - a x
            coefficient, degree, literal = -coefficient, degree - coefficient, -literal
        found[literal] = found.get(literal, 0) + coefficient
    row: dict[int, int] = {}
    for variable, coefficient in found.items():
        if coefficient > 0:
            row[variable] = coefficient
        elif coefficient < 0:
            row[-variable] = -coefficient
            degree -= coefficient
    return Row(row, degree)


def negate(row: Row) -> Row:
    """Return the row that holds exactly where another does not."""
    total = sum(row.terms.values())
    return Row({-x: a for x, a in row.terms.items()}, total - row.degree + 1)


def add(large: Row, small: Row) -> Row:
    """Add two rows."""
    return add_to(times(large, 1), small)


def times(row: Row, factor: int) -> Row:
    """Multiply a row by a positive factor, or copy it."""
    if factor == 1:
        return Row(dict(row.terms), row.degree)
    return Row({x: a * factor for x, a in row.terms.items()}, row.degree * factor)


def divide(row: Row, by: int) -> Row:
    """Divide a row and round up."""
    return Row({x: -(-a // by) for x, a in row.terms.items()}, -(-row.degree // by))


def saturate(row: Row) -> Row:
    """Lower coefficients above the degree to it."""
    most = max(row.degree, 0)
    return Row({x: min(a, most) for x, a in row.terms.items() if most}, row.degree)


def add_to(large: Row, small: Row) -> Row:
    """Add a row to another, which is changed and returned."""
    terms = large.terms
    large.degree += small.degree
    for x, a in small.terms.items():
        other = terms.pop(-x, 0)
        if not other:
            terms[x] = terms.get(x, 0) + a
        elif other > a:  # x + ~x = 1
            terms[-x] = other - a
            large.degree -= a
        else:
            large.degree -= other
            if a > other:
                terms[x] = a - other
    return large


def substitute(row: Row, witness: dict[int, int | bool]) -> Row:
    """Substitute variables in a row."""
    terms, degree = [], row.degree
    for x, a in row.terms.items():
        image = witness.get(abs(x), abs(x))
        if isinstance(image, bool):
            degree -= a if image == (x > 0) else 0
        else:
            terms.append((a, image if x > 0 else -image))
    return normalise(terms, degree)


def spend_nothing(work: int) -> None:
    """Let work cost nothing."""


@dataclass
class Formula:
    """Rows over named 0/1 variables, and an objective to minimise.

    The objective of an assignment, plus ``offset``, is its cost times ``unit``.
    """

    names: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    objective: dict[int, int] = field(default_factory=dict)
    """Coefficients by variable; any sign."""
    offset: int = 0
    unit: int = 1
    meaning: list[str] = field(default_factory=list)
    """Lines that say what the variables mean."""
    spend: Callable[[int], None] = field(
        default=spend_nothing, repr=False, compare=False
    )
    """Receives the terms of each row."""

    def variable(self, name: str) -> int:
        """Add a variable; return its number."""
        self.names.append(name)
        return len(self.names)

    def at_least(self, terms: Iterable[tuple[int, int]], degree: int) -> None:
        """Add a row of (coefficient, literal) pairs."""
        self._enter(normalise(terms, degree))

    def _enter(self, row: Row) -> None:
        self.spend(len(row.terms))
        self.rows.append(row)

    def equal(self, terms: Sequence[tuple[int, int]], value: int) -> None:
        """Add the two rows of an equation."""
        self.at_least(terms, value)
        self.at_least([(-a, x) for a, x in terms], -value)

    def clause(self, *literals: int) -> None:
        """Require one of the literals."""
        if len({abs(x) for x in literals}) == len(literals):
            self._enter(Row(dict.fromkeys(literals, 1), 1))
        else:
            self.at_least([(1, x) for x in literals], 1)

    def charge(self, coefficient: int, literal: int) -> None:
        """Add a term to the objective."""
        if literal < 0:
            self.offset += coefficient
            coefficient = -coefficient
        variable = abs(literal)
        self.objective[variable] = self.objective.get(variable, 0) + coefficient
