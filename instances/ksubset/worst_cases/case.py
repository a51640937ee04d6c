"""The type of a worst case: an instance, the cost of a method on it, the optimum."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..instance import KSubset


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """An instance, the cost of a method on it, and the optimum."""

    instance: KSubset
    """The instance; costs below are in its units."""
    method: str
    """Name of the method."""
    cost: int
    """Cost of the method's solution, for any tie-breaking."""
    optimum: int
    """The least cost."""
    statement: str
    """What the instance shows, in one line."""
    source: str
    """Publication, or "derived"."""

    @property
    def ratio(self) -> Fraction:
        """The method's cost over the optimum, exact."""
        return Fraction(self.cost, self.optimum)
