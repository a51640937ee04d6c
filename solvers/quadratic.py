"""Models with concave quadratic costs, as plain data written to JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Term = tuple[int, int]
"""Index of a variable, and its coefficient."""

TOLERANCE = 1e-6
"""SCIP's feasibility tolerance, relative to the size of a constraint."""


@dataclass(slots=True)
class QuadraticModel:
    """Minimise Σ prices, subject to rows and to z ≥ c (total - c).

    PuLP has no quadratic terms. The model is passed to the solver's process as JSON, an
    object with the fields below.
    """

    variables: list[tuple[str, int, int, int, str]] = field(default_factory=list)
    """Name, bounds, start value and kind: B binary, I integer, M implied integer."""
    rows: list[tuple[list[Term], int | None, int | None]] = field(default_factory=list)
    """Terms with lower and upper bound of their sum, None for unbounded."""
    squares: list[tuple[int, int, int]] = field(default_factory=list)
    """z, c and total of every concave constraint."""
    prices: list[Term] = field(default_factory=list)
    """Terms of the objective."""

    def variable(
        self, name: str, low: int, high: int, start: int, *, implied: bool = False
    ) -> int:
        """Add an integer variable and return its index."""
        kind = "M" if implied else "B" if (low, high) == (0, 1) else "I"
        self.variables.append((name, low, high, start, kind))
        return len(self.variables) - 1

    def row(self, terms: Sequence[Term], low: int | None, high: int | None) -> None:
        """Bound a linear sum."""
        self.rows.append(([term for term in terms if term[1]], low, high))

    def concave(self, z: int, c: int, total: int) -> None:
        """Add the constraint z ≥ c (total - c)."""
        self.squares.append((z, c, total))

    def price(self, variable: int, weight: int) -> None:
        """Add a term to the objective."""
        self.prices.append((variable, weight))

    @property
    def slack(self) -> float:
        """How far below the true optimum the tolerance may move the model's optimum."""
        weight = dict(self.prices)
        return TOLERANCE * sum(
            weight.get(z, 0) * (total * total / 4 + total + 1)
            for z, _, total in self.squares
        )

    def write(self, file: Path) -> None:
        """Write the model as JSON, see `read`."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        file.write_text(json.dumps(fields), encoding="utf-8")


def read(file: Path) -> QuadraticModel:
    """Read a model written by `QuadraticModel.write`."""
    return QuadraticModel(**json.loads(file.read_text(encoding="utf-8")))
