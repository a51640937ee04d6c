"""What answers claim: status, bound, proof.

All problems minimise integers. A bound is *proved* to be at most the optimum; results
of heuristics without a proof have none.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from .value import Value as Value
from .value import as_tuple, shape


class Status(Enum):
    """What is known at the end of a run."""

    OPTIMAL = "optimal"
    """A solution and a bound of the same value."""
    FEASIBLE = "feasible"
    """A solution, not proved optimal."""
    INFEASIBLE = "infeasible"
    """A proof that there is no solution."""
    UNKNOWN = "unknown"
    """Neither a solution nor a proof that there is none."""


class Limit(Enum):
    """What ended a search early."""

    TIME = "time"
    NODES = "nodes"
    MEMORY = "memory"
    INTERRUPT = "interrupt"


class Grade(Enum):
    """How far a proof can be trusted, best first."""

    CHECKED = "checked"
    """Re-derived by closeknit's arithmetic, without search or solver."""
    ENUMERATED = "enumerated"
    """Proved by an exhaustive search of closeknit."""
    CONFIRMED = "confirmed"
    """Claimed by a solver, and by other code that shares nothing with it."""
    SOLVER = "solver"
    """Claimed by a solver alone."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The grade and source of a proof.

    >>> str(Proof(Grade.SOLVER, "cp-sat 9.15"))
    'solver: cp-sat 9.15'
    """

    grade: Grade
    by: str

    def __post_init__(self) -> None:
        if not self.by:
            raise ValueError("A proof must name its source.")

    def __str__(self) -> str:
        return f"{self.grade.value}: {self.by}"


COUNTED = Proof(Grade.CHECKED, "counting")
"""More is requested than there is."""

NOTHING = Proof(Grade.CHECKED, "costs that are not negative")
"""A solution costs nothing."""

LOGGED = Proof(Grade.CHECKED, "pseudo-Boolean proof")
"""A proof in the format of VeriPB, which ``closeknit check --proof`` verifies."""

ACCEPTABLE = tuple(one.value for one in Grade if one is not Grade.CHECKED)
"""Grades whose word may be taken for a bound that nothing derives again."""


def contradiction(
    status: Status,
    chosen: Any,
    objective: Value | None,
    bound: Value | None,
    proof: Proof | None,
) -> str:
    """Return how the parts of a result contradict each other; "" if they do not."""
    has_solution = status in (Status.OPTIMAL, Status.FEASIBLE)
    if {chosen is None, objective is None} != {not has_solution}:
        return f"{status} contradicts the given solution."
    if (bound is not None or status is Status.INFEASIBLE) != (proof is not None):
        return "A bound needs a proof, and a proof a bound."
    if status is Status.INFEASIBLE and bound is not None:
        return "An infeasible instance has no bound."
    if objective is None or bound is None:
        return "An optimal result needs a bound." * (status is Status.OPTIMAL)
    if shape(bound) != shape(objective):
        return "Bound and cost must have the same number of levels."
    if as_tuple(bound) > as_tuple(objective):
        return f"Bound {bound} is above cost {objective}."
    if (status is Status.OPTIMAL) != (bound == objective):
        return "A result is optimal if its bound equals its cost."
    return ""
