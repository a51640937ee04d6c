"""What a solver or a heuristic hands back.

Everything is a minimisation in integers. A bound is a number *proved* to be at
most the optimum; a heuristic that proves nothing has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from ..instances.value import Value as Value
from ..instances.value import cost_text, ordered, shape
from ..instances.visible import brief


class Status(Enum):
    """What is known at the end."""

    OPTIMAL = "optimal"
    """A solution and a bound of the same value."""
    FEASIBLE = "feasible"
    """A solution, not proved optimal."""
    INFEASIBLE = "infeasible"
    """Proved: there is no solution."""
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
    """Re-derived by closeknit's own arithmetic, no search and no solver involved."""
    ENUMERATED = "enumerated"
    """An exhaustive search of closeknit's own."""
    SOLVER = "solver"
    """The word of a named solver."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What proves a bound.

    >>> str(Proof(Grade.SOLVER, "cp-sat 9.15"))
    'solver: cp-sat 9.15'
    """

    grade: Grade
    by: str

    def __post_init__(self) -> None:
        if not self.by:
            raise ValueError("A proof names who vouches for it.")

    def __str__(self) -> str:
        return f"{self.grade.value}: {self.by}"


COUNTED = Proof(Grade.CHECKED, "counting")
"""More is asked for than there is, which anyone can count."""

CERTIFIED = Proof(Grade.CHECKED, "certificate")
"""A proof that lies in a file, which ``closeknit check`` can follow."""


class SolverError(RuntimeError):
    """The solver broke: missing, crashed, a rejected model, a wrong solution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The outcome of one run.

    Parameters
    ----------
    status
        What is known.
    chosen
        The solution, as sorted indices into the instance; None if there is none.
    objective
        Its cost, recomputed from the definition. Never the solver's float.
    bound
        Proved lower bound on the optimum; None if nothing is proved.
    proof
        Proof of the bound, or of infeasibility.
    limit
        What ended the search early; None if it ended by itself.
    seconds
        Wall-clock time of the run.
    seed
        Of the run's own randomness; None where there is none.
    certificate
        A proof of infeasibility that can be followed, as solution files hold it.
    nodes
        Nodes of the search; None if the method does not count any.

    Raises
    ------
    ValueError
        When the parts contradict one another.
    """

    status: Status
    chosen: tuple[int, ...] | None = None
    objective: Value | None = None
    bound: Value | None = None
    proof: Proof | None = None
    limit: Limit | None = None
    seconds: float = 0.0
    seed: int | None = None
    certificate: Mapping[str, Any] | None = None
    nodes: int | None = None

    def __repr__(self) -> str:
        known = [self.status.value]
        if self.objective is not None:
            known.append(f"cost {cost_text(self.objective)}")
        if self.bound is not None:
            known.append(f"bound {cost_text(self.bound)}")
        if self.proof is not None:
            known.append(str(self.proof))
        if self.limit is not None:
            known.append(f"stopped by {self.limit.value}")
        return brief("Result", f"{', '.join(known)}, {self.seconds:.3f} s")

    def __post_init__(self) -> None:
        has_solution = self.status in (Status.OPTIMAL, Status.FEASIBLE)
        if has_solution != (self.chosen is not None) or has_solution != (
            self.objective is not None
        ):
            raise ValueError(f"{self.status} disagrees with the solution given.")
        proves = self.bound is not None or self.status is Status.INFEASIBLE
        if proves != (self.proof is not None):
            raise ValueError("A bound and its proof come together.")
        if self.status is Status.INFEASIBLE and self.bound is not None:
            raise ValueError("An infeasible instance has no bound.")
        if self.certificate is not None and self.status is not Status.INFEASIBLE:
            raise ValueError("A certificate is for what is infeasible.")
        if self.objective is not None and self.bound is not None:
            if shape(self.bound) != shape(self.objective):
                raise ValueError("Bound and cost of different shape.")
            if ordered(self.bound) > ordered(self.objective):
                raise ValueError(f"Bound {self.bound} above cost {self.objective}.")
            if (self.status is Status.OPTIMAL) != (self.bound == self.objective):
                raise ValueError("Optimal is: bound equal to cost.")
        elif self.status is Status.OPTIMAL:
            raise ValueError("Optimal needs a bound.")

    @property
    def ratio(self) -> Fraction | None:
        """Proved upper bound on cost / optimum, exact; None if nothing is proved.

        Lexicographic costs have a ratio only when optimal: 1.

        >>> Result(
        ...     status=Status.FEASIBLE, chosen=(0, 1), objective=7, bound=4,
        ...     proof=Proof(Grade.SOLVER, "example"),
        ... ).ratio
        Fraction(7, 4)
        """
        if self.status is Status.OPTIMAL:
            return Fraction(1)
        if isinstance(self.objective, int) and isinstance(self.bound, int):
            return Fraction(self.objective, self.bound) if self.bound > 0 else None
        return None
