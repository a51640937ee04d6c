"""The result of a method: status, solution, cost, bound, proof."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .escape_hidden import brief
from .result import Grade, Limit, Proof, Status, contradiction
from .value import Value, cost_text

CERTIFIED = Proof(Grade.CHECKED, "certificate")
"""A proof in a file, which ``closeknit check`` verifies."""
BOUNDED = Proof(Grade.CHECKED, "dnn certificate")
"""A proof by semidefinite matrices, which ``closeknit check --proof`` verifies."""


def programs_of(proof: Proof) -> frozenset[str]:
    """Return the programs that a proof rests on, without their versions.

    >>> sorted(programs_of(Proof(Grade.SOLVER, "migrate and cp-sat 9.15")))
    ['cp-sat', 'migrate']
    """
    parts = re.split(", | and ", proof.by)
    return frozenset(part.split()[0].lower() for part in parts if part.strip())


def confirmation(proof: Proof, other: Proof) -> Proof | None:
    """Return the word of a solver with that of other code that states the same.

    None if this is no word of a solver alone, or the other rests on the same code.

    >>> highs = Proof(Grade.SOLVER, "highs 1.15")
    >>> str(confirmation(Proof(Grade.SOLVER, "cp-sat 9.15"), highs))
    'confirmed: cp-sat 9.15, highs 1.15'
    """
    if proof.grade is not Grade.SOLVER or programs_of(proof) & programs_of(other):
        return None
    return Proof(Grade.CONFIRMED, f"{proof.by}, {other.by}")


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
        parts = self.status, self.chosen, self.objective, self.bound, self.proof
        if wrong := contradiction(*parts):
            raise ValueError(wrong)
        if self.certificate is not None and self.status is not Status.INFEASIBLE:
            raise ValueError("Only an infeasible instance has a certificate.")

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
