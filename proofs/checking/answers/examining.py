"""What of a solution's claims is true, and what of it was derived again."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from ....instances.errors import InputError
from ....instances.problems import Instance, problem_of
from ....instances.result import NOTHING, Grade, Proof, Status
from ....instances.solution import SolutionFile, contradictions, solution_errors
from ....instances.value import Value, as_tuple, cost_text
from ..alarm import end_in_time
from ..kinds import FILE_KINDS
from ..proof_file import PLAIN, Ways, check_proof_file
from ..statements import CheckLimits, Refused

Again = Callable[[], tuple[bool, str]]
"""Proves a claim by another run: whether it is proved, and what is; or `Untrue`."""


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

    def objection(self, grades: Collection[str], cure: str) -> list[str]:
        """Return the line about what was not derived, unless its grade will do.

        ``cure`` names the arguments or options that help.
        """
        proof = self.claimed.proof
        if not self.open or (proof is not None and proof.grade.value in grades):
            return []
        return [f"{self.open}: {self.remark or f'give {cure}'}"]


class Untrue(Exception):
    """A claim of a solution is false, or names what does not exist."""


def examine(
    instance: Instance,
    solution: SolutionFile,
    proof: str | Path | None = None,
    *,
    again: Again | None = None,
    limits: CheckLimits | None = None,
    ways: Ways = PLAIN,
) -> Findings:
    """Check a solution; derive its bound, or that there is none, where anything can.

    A bound that rests on a proof in a file needs that file, unless it is proved
    ``again``. ``ways`` are what follows proofs of each kind.
    """
    limits = (limits or CheckLimits()).from_now()

    def errors() -> list[str]:
        return solution_errors(instance, solution) or _shape_errors(instance, solution)

    def derive() -> bool:
        derived = proof is not None and _by_proof(
            instance, solution, proof, limits, ways
        )
        if solution.bound is not None:
            return derived | _by_arithmetic(instance, solution, limits, ways)
        if solution.status is Status.INFEASIBLE:
            known = problem_of(instance).unsolvable(instance) is not None
            return derived or known or solution.certificate is not None  # is checked
        return True  # nothing is claimed

    if wrong := end_in_time(limits, errors):
        return _findings(solution, wrong, holds=False)
    try:
        derived, remark = end_in_time(limits, derive), ""
        if not derived and again is not None:
            derived, remark = again()
    except Untrue as untrue:
        return _findings(solution, [str(untrue)])
    if not derived and again is None and _is_in_file(instance, solution.proof):
        raise InputError("is needed to check this proof", field="proof")
    return _findings(solution, [], derived=derived, remark=remark)


def _findings(
    solution: SolutionFile,
    wrong: list[str],
    *,
    holds: bool = True,
    derived: bool = False,
    remark: str = "",
) -> Findings:
    """Say what was derived of what is claimed; ``holds`` if the selection does."""
    status = {Status.FEASIBLE: holds, Status.UNKNOWN: None}
    return Findings(
        *(solution, wrong),
        cost=None if solution.selection is None else holds,
        bound=None if solution.bound is None else derived,
        status=status.get(solution.status, derived),
        remark=remark,
    )


def _shape_errors(instance: Instance, solution: SolutionFile) -> list[str]:
    """Complain of claims without a selection, and of a bound that is no cost."""
    bound, levels = solution.bound, problem_of(instance).levels(instance)
    if solution.selection is None and (wrong := contradictions(solution, None)):
        return wrong
    if bound is None or levels == (len(bound) if isinstance(bound, tuple) else None):
        return []
    what = "an integer" if levels is None else f"a list of {levels} levels"
    return [f"bound: is {cost_text(bound)}, but a cost is {what}"]


def _reaches(solution: SolutionFile, proved: Value, by: str) -> bool:
    """Whether a bound is claimed and was proved; raise `Untrue` if it is above.

    Or if the selection costs less than what was proved: then the proof, or what checks
    it, is wrong.
    """
    bound, price = solution.bound, solution.objective
    if price is not None and as_tuple(price) < as_tuple(proved):
        raise Untrue(
            f"objective: is {cost_text(price)}, but {by} proves {cost_text(proved)}"
        )
    if bound is not None and as_tuple(bound) > as_tuple(proved):
        raise Untrue(
            f"bound: is {cost_text(bound)}, but {by} proves {cost_text(proved)}"
        )
    return bound is not None


def _by_proof(
    instance: Instance,
    solution: SolutionFile,
    path: str | Path,
    limits: CheckLimits,
    ways: Ways,
) -> bool:
    """Follow a proof of the bound, or of infeasibility."""
    try:
        proved = check_proof_file(instance, path, limits, ways).bound
    except Refused as refused:
        raise Untrue(str(refused)) from None
    if solution.status is Status.INFEASIBLE:
        if proved is not None:
            raise Untrue(f"{path}: proves a bound of {cost_text(proved)} only")
        return True
    if proved is None:
        raise Untrue(f"{path}: proves that there is no solution")
    if solution.bound is None:
        raise Untrue(f"{path}: the solution claims no bound")
    return _reaches(solution, proved, str(path))


def _is_in_file(instance: Instance, proof: Proof | None) -> bool:
    """Whether what vouches for a claim is a proof in a file."""
    if proof is None or proof.grade is not Grade.CHECKED:
        return False
    kind = FILE_KINDS.get(proof.by)
    return kind is not None and kind.is_about(instance)


def _by_arithmetic(
    instance: Instance, solution: SolutionFile, limits: CheckLimits, ways: Ways
) -> bool:
    """Derive a bound by the name of its proof; raise `Untrue` if there is none."""
    bound, proof = solution.bound, solution.proof
    assert bound is not None
    assert proof is not None
    nothing = (0,) * len(bound) if isinstance(bound, tuple) else 0
    if proof == NOTHING:
        return _reaches(solution, nothing, "that costs are not negative")
    if proof.grade is not Grade.CHECKED:
        return as_tuple(bound) <= as_tuple(nothing)
    if _is_in_file(instance, proof):
        return False  # which says it
    derived = problem_of(instance).derive_bound(
        instance, proof.by, seconds=limits.left(), checker=ways.checker
    )
    if derived is None:
        raise Untrue(f"proof: there is no {proof.by!r} for this instance")
    return _reaches(solution, derived, f"the {proof.by}")
