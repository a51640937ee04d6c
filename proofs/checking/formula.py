"""Pseudo-Boolean formulas, and their OPB text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .rows import Row, linear, normalise, row_text


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
        self.rows.append(normalise(terms, degree))

    def equal(self, terms: Sequence[tuple[int, int]], value: int) -> None:
        """Add the two rows of an equation."""
        self.at_least(terms, value)
        self.at_least([(-a, x) for a, x in terms], -value)

    def clause(self, *literals: int) -> None:
        """Require one of the literals."""
        if len({abs(x) for x in literals}) == len(literals):
            self.rows.append(Row(dict.fromkeys(literals, 1), 1))
        else:
            self.at_least([(1, x) for x in literals], 1)

    def charge(self, coefficient: int, literal: int) -> None:
        """Add a term to the objective."""
        if literal < 0:
            self.offset += coefficient
            coefficient = -coefficient
        variable = abs(literal)
        self.objective[variable] = self.objective.get(variable, 0) + coefficient

    def _cost(self) -> Iterator[str]:
        if self.offset or self.unit != 1:
            sign, offset = "-" if self.offset < 0 else "+", abs(self.offset)
            yield f"cost = (objective {sign} {offset}) / {self.unit}"

    def text(self, about: str = "") -> Iterator[str]:
        """Yield the lines of the formula in the OPB format, with a comment.

        There is an objective in any case, since a priced solution in a proof needs
        one; it has a term where there is a variable.
        """
        yield f"* #variable= {len(self.names)} #constraint= {len(self.rows)}\n"
        for line in [about, *self.meaning, *self._cost()]:
            yield f"* {' '.join(line.split())}\n"
        priced = {x: a for x, a in self.objective.items() if a}
        if self.names and not priced:
            priced[1] = 0
        yield f"min: {linear(priced, self.names)} ;\n"
        for row in self.rows:
            yield f"{row_text(row, self.names)} ;\n"
