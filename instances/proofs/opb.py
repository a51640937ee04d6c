"""Pseudo-Boolean formulas: rows over literals, and their OPB text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Terms = Mapping[int, int]
"""From literals to coefficients. Literal v > 0 is variable v, -v its negation."""


class Row:
    """A normalised row: the sum of ``terms`` is at least ``degree``.

    All coefficients are positive, and no variable occurs twice.
    """

    __slots__ = ("degree", "terms")

    def __init__(self, terms: dict[int, int], degree: int) -> None:
        self.terms, self.degree = terms, degree


def normalised(terms: Iterable[tuple[int, int]], degree: int) -> Row:
    """Return the row of (coefficient, literal) pairs in normalised form.

    >>> row = normalised([(2, 1), (-3, 2), (1, -1)], 1)
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

    def variable(self, name: str) -> int:
        """Add a variable; return its number."""
        self.names.append(name)
        return len(self.names)

    def at_least(self, terms: Iterable[tuple[int, int]], degree: int) -> None:
        """Add a row of (coefficient, literal) pairs."""
        self.rows.append(normalised(terms, degree))

    def equal(self, terms: Sequence[tuple[int, int]], value: int) -> None:
        """Add the two rows of an equation."""
        self.at_least(terms, value)
        self.at_least([(-a, x) for a, x in terms], -value)

    def clause(self, *literals: int) -> None:
        """Require one of the literals."""
        self.at_least([(1, x) for x in literals], 1)

    def charge(self, coefficient: int, literal: int) -> None:
        """Add a term to the objective."""
        if literal < 0:
            self.offset += coefficient
            coefficient = -coefficient
        variable = abs(literal)
        self.objective[variable] = self.objective.get(variable, 0) + coefficient

    def text(self) -> Iterator[str]:
        """Yield the lines of the formula in the OPB format."""
        yield f"* #variable= {len(self.names)} #constraint= {len(self.rows)}\n"
        for line in self.meaning:
            yield f"* {line}\n"
        if self.objective:
            named = {x: a for x, a in self.objective.items() if a}
            yield f"min: {linear(named, self.names)} ;\n"
        for row in self.rows:
            yield f"{row_text(row, self.names)} ;\n"


def linear(terms: Terms, names: Sequence[str]) -> str:
    """Write a sum: ``+2 x1 +3 ~x2``."""
    return " ".join(
        f"{a:+d} {'~' if x < 0 else ''}{names[abs(x) - 1]}" for x, a in terms.items()
    )


def row_text(row: Row, names: Sequence[str]) -> str:
    """Write a row: ``+2 x1 +3 ~x2 >= 3``."""
    return f"{linear(row.terms, names)} >= {row.degree}".lstrip()
