"""The result of a method: status, solution, cost, bound, proof.

All problems minimise integers. A bound is *proved* to be at most the optimum; results
of heuristics without a proof have none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from .escape_hidden import brief
from .value import Value as Value
from .value import as_tuple, cost_text, shape


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

    @property
    def code(self) -> frozenset[str]:
        """The programs that the proof rests on, without their versions.

        >>> sorted(Proof(Grade.SOLVER, "migrate and cp-sat 9.15").code)
        ['cp-sat', 'migrate']
        """
        return frozenset(
            part.split()[0].lower()
            for part in re.split(", | and ", self.by)
            if part.strip()
        )

    def confirmed_by(self, other: Proof) -> Proof | None:
        """Return the word of a solver with that of other code that states the same.

        None if this is no word of a solver alone, or the other rests on the same code.

        >>> highs = Proof(Grade.SOLVER, "highs 1.15")
        >>> str(Proof(Grade.SOLVER, "cp-sat 9.15").confirmed_by(highs))
        'confirmed: cp-sat 9.15, highs 1.15'
        """
        if self.grade is not Grade.SOLVER or self.code & other.code:
            return None
        return Proof(Grade.CONFIRMED, f"{self.by}, {other.by}")


COUNTED = Proof(Grade.CHECKED, "counting")
"""More is requested than there is."""

NOTHING = Proof(Grade.CHECKED, "costs that are not negative")
"""A solution costs nothing."""

CERTIFIED = Proof(Grade.CHECKED, "certificate")
"""A proof in a file, which ``closeknit check`` verifies."""
BOUNDED = Proof(Grade.CHECKED, "dnn certificate")
"""A proof by semidefinite matrices, which ``closeknit check --proof`` verifies."""

LOGGED = Proof(Grade.CHECKED, "pseudo-Boolean proof")
"""A proof in the format of VeriPB, which ``closeknit check --proof`` verifies."""

ACCEPTABLE = tuple(one.value for one in Grade if one is not Grade.CHECKED)
"""Grades whose word may be taken for a bound that nothing derives again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The outcome of one run.

    Parameters
    ----------
    status
        What is known.
    chosen
        The solution, as sorted indices into the instance (of a task mapping the
        processor of each rank); None if there is none.
    objective
        Its cost, recomputed from the definition; never the solver's float.
    bound
        Proved lower bound on the optimum; None if nothing is proved.
    proof
        Proof of the bound, or of infeasibility.
    limit
        What ended the search early; None if it ended by itself.
    seconds
        Wall-clock time of the run.
    seed
        Random seed of the run; None for deterministic methods.
    certificate
        A verifiable proof of infeasibility, as in solution files.
    nodes
        Number of search nodes; None if the method counts none.

    Raises
    ------
    ValueError
        If the parts contradict each other.
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
            raise ValueError(f"{self.status} contradicts the given solution.")
        proves = self.bound is not None or self.status is Status.INFEASIBLE
        if proves != (self.proof is not None):
            raise ValueError("A bound needs a proof, and a proof a bound.")
        if self.status is Status.INFEASIBLE and self.bound is not None:
            raise ValueError("An infeasible instance has no bound.")
        if self.certificate is not None and self.status is not Status.INFEASIBLE:
            raise ValueError("Only an infeasible instance has a certificate.")
        if self.objective is not None and self.bound is not None:
            if shape(self.bound) != shape(self.objective):
                raise ValueError("Bound and cost must have the same number of levels.")
            if as_tuple(self.bound) > as_tuple(self.objective):
                raise ValueError(f"Bound {self.bound} is above cost {self.objective}.")
            if (self.status is Status.OPTIMAL) != (self.bound == self.objective):
                raise ValueError("A result is optimal if its bound equals its cost.")
        elif self.status is Status.OPTIMAL:
            raise ValueError("An optimal result needs a bound.")

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
