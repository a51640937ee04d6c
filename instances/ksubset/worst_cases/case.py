"""A worst case: an instance, what a method pays on it, and the optimum."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..instance import KSubset


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """An instance, and how badly a method does on it.

    Parameters
    ----------
    instance
        The instance; costs below are in its units.
    method
        Name of the method in the registry.
    cost
        What the method pays, whichever of equally near processors it takes.
    optimum
        The least cost.
    statement
        What this shows, in one line.
    source
        Who found it.
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
