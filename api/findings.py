"""What a check of a solution's claims finds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..instances.value import cost_text
from ..solvers.running.solution_json import SolutionFile


@dataclass(frozen=True, slots=True)
class Findings:
    """The outcome of a check: faults, or else which claims were derived again.

    ``cost``, ``bound`` and ``status`` are True where a claim was derived, False where
    it was not, and None where nothing is claimed.
    """

    claimed: SolutionFile
    wrong: list[str]
    cost: bool | None
    bound: bool | None
    status: bool | None
    remark: str
    """What ``prove`` added, or why it did not."""

    @property
    def open(self) -> str:
        """One line on what holds and what was not derived; empty if all was."""
        if False not in (self.bound, self.status):
            return ""
        price, bound = self.claimed.objective, self.claimed.bound
        holds = "" if price is None else f"cost {cost_text(price)} holds; "
        what = "infeasibility" if bound is None else f"bound {cost_text(bound)}"
        return f"{holds}{what} not re-derived ({self.claimed.proof})"

    def accepted(self, grades: Collection[str]) -> bool:
        """Whether the grade of what was not derived is among the given ones."""
        proof = self.claimed.proof
        return proof is not None and proof.grade.value in grades

    def objection(self, grades: Collection[str], cure: str) -> list[str]:
        """Return the line about what was not derived, unless its grade will do.

        ``cure`` names the arguments or options that help.
        """
        if not self.open or self.accepted(grades):
            return []
        return [f"{self.open}: {self.remark or f'give {cure}'}"]


class Untrue(Exception):
    """A claim of a solution is false, or names what does not exist."""
