"""The type of a worst case: an instance, the cost of a method on it, the optimum."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..instance import KSubset


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """An instance, the cost of a method on it, and the optimum.

    Parameters
    ----------
    instance
        The instance; costs below are in its units.
    method
        Name of the method.
    cost
        Cost of the method's solution, for any tie-breaking.
    optimum
        The least cost.
    statement
        What the instance shows, in one line.
    source
        Publication, or "derived".
    """

    instance: KSubset
    method: str
    cost: int
    optimum: int
    statement: str
    source: str

    @property
    def ratio(self) -> Fraction:
        """The method's cost over the optimum, exact."""
        return Fraction(self.cost, self.optimum)
