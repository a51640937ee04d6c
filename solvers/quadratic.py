"""Models with concave quadratic costs, as plain data that any process can read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Term = tuple[int, int]
"""A variable, by number, and its coefficient."""

TOLERANCE = 1e-6
"""SCIP takes a constraint as satisfied up to this, relative to its size."""


@dataclass(slots=True)
class QuadraticModel:
    """Minimise Σ prices, subject to rows and to z ≥ c (total - c).

    Modelling libraries carry no quadratic terms from here to a child process, so this
    is written as JSON: an object with the fields below.

    Attributes
    ----------
    variables
        Name, bounds, start value and kind: B binary, I integer, M integer by itself
        if the others are.
    rows
        Terms and their least and greatest sum, None for none.
    squares
        z, c and total of every concave constraint.
    prices
        Terms of the objective.
    """

    variables: list[tuple[str, int, int, int, str]] = field(default_factory=list)
    rows: list[tuple[list[Term], int | None, int | None]] = field(default_factory=list)
    squares: list[tuple[int, int, int]] = field(default_factory=list)
    prices: list[Term] = field(default_factory=list)

    def variable(
        self, name: str, low: int, high: int, start: int, *, implied: bool = False
    ) -> int:
        """Add an integer variable and return its number."""
        kind = "M" if implied else "B" if (low, high) == (0, 1) else "I"
        self.variables.append((name, low, high, start, kind))
        return len(self.variables) - 1

    def row(self, terms: Sequence[Term], low: int | None, high: int | None) -> None:
        """Bound a linear sum."""
        self.rows.append(([term for term in terms if term[1]], low, high))

    def concave(self, z: int, c: int, total: int) -> None:
        """Demand that z ≥ c (total - c)."""
        self.squares.append((z, c, total))

    def price(self, variable: int, weight: int) -> None:
        """Add to the objective."""
        self.prices.append((variable, weight))

    @property
    def slack(self) -> float:
        """How far below the truth its objective may lie within the tolerance."""
        weight = dict(self.prices)
        return TOLERANCE * sum(
            weight.get(z, 0) * (total * total / 4 + total + 1)
            for z, _, total in self.squares
        )

    def write(self, file: Path) -> None:
        """Write it as JSON, see `read`."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        file.write_text(json.dumps(fields), encoding="utf-8")


def read(file: Path) -> QuadraticModel:
    """Read what `QuadraticModel.write` wrote."""
    return QuadraticModel(**json.loads(file.read_text(encoding="utf-8")))
