"""Whether a solution is true, from the definition, and what of it was derived again."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

from ..instances import InputError, Instance, Value
from ..instances import check as check_chosen
from ..instances.ksubset.certificate import Checker
from ..instances.problems import problem_of
from ..instances.reading.plain import plain as plainly
from ..instances.value import cost_text, ordered
from ..methods import METHODS
from ..proofs.checking import Limits, Propagator, Refused, check_proof_file
from ..proofs.checking.kinds import kinds_about
from ..solvers import (
    Grade,
    Proof,
    Result,
    Settings,
    Status,
    read_solution,
    solution_errors,
)
from ..solvers.running.result import ACCEPTABLE, NOTHING
from ..solvers.running.solution_json import SolutionFile, parse_solution

if TYPE_CHECKING:
    from .solution import Solution


def check(
    job: Instance | Solution | str | Path,
    solution: Solution | Collection[Any] | str | Path | None = None,
    *,
    proof: str | Path | None = None,
    accept: str | Iterable[str] = (),
    certificate: str | Path | None = None,
) -> list[str]:
    """List what is wrong with a solution or a selection; nothing if it is right.

    The selection is checked and priced by the definition. A bound of grade ``checked``
    is derived again, by other code than found it. The word of a search or of a solver
    is an objection, unless a proof is given or its grade accepted.

    Parameters
    ----------
    job
        An instance, or the path of its file; or a `Solution`, alone.
    solution
        A `Solution`, the path of a solution file, or a selection as indices or
        locations, of which nothing is claimed but that it is valid.
    proof
        Path of a proof of the bound, of any kind, see docs/proofs.md.
    accept
        A grade, or several, whose word is taken: ``enumerated``, ``confirmed``,
        ``solver``; exactly those named.
    certificate
        Old name of ``proof``.

    Returns
    -------
    list of str
        One line for each fault.

    Raises
    ------
    InputError
        When a file cannot be read, or a proof that is in a file is missing.

    Examples
    --------
    >>> import closeknit as ck
    >>> job = ck.ksubset(ck.Mesh(2, 2), k=2)
    >>> ck.check(job, ck.solve(job)), ck.check(job, [(0, 0), (0, 1)])
    ([], [])
    >>> ck.check(job, [0, 4])
    ['no free processor 4']
    >>> job = ck.ksubset(ck.Mesh(3, 3), k=3, busy=[(1, 1)])
    >>> ck.check(job, ck.solve(job, method="cuts-bb"), accept="enumerated")
    []
    >>> for line in ck.check(job, ck.solve(job, method="cuts-bb")):
    ...     print(line)
    cost 4 holds; bound 4 not re-derived (enumerated: cuts-bb): give proof or accept
    """
    from .solution import Solution, indices_of, instance_of  # needs numpy

    if certificate is not None:
        warn("certificate= is now proof=", DeprecationWarning, stacklevel=2)
        if proof is not None:
            raise InputError("is the old name of proof: give one", "certificate")
        proof = certificate
    accepted = [accept] if isinstance(accept, str) else list(accept)
    for one in accepted:
        if one not in ACCEPTABLE:
            what = f"must be one of {', '.join(ACCEPTABLE)}"
            raise InputError(what, "accept", one)
    instance = instance_of(job)
    if solution is None:
        if not isinstance(job, Solution):
            raise InputError("is missing", field="solution")
        solution = job
    if isinstance(solution, Solution):
        claimed = parse_solution(plainly(solution.document()))
    elif isinstance(solution, str | Path):
        claimed = read_solution(solution)
    else:
        if proof is not None:
            raise InputError("is for a solution, not for a selection", "proof")
        try:
            chosen = indices_of(instance, solution)
        except InputError as error:
            return [str(error)]
        return check_chosen(instance, chosen)
    found = examine(instance, claimed, proof)
    return found.wrong or found.objection(accepted, "proof or accept")


@dataclass(frozen=True, slots=True)
class Findings:
    """What a check found: faults, or else what of the claims was derived again.

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
        """What holds and what was not derived, in one line; empty if all was."""
        if False not in (self.bound, self.status):
            return ""
        price, bound = self.claimed.objective, self.claimed.bound
        holds = "" if price is None else f"cost {cost_text(price)} holds; "
        what = "infeasibility" if bound is None else f"bound {cost_text(bound)}"
        return f"{holds}{what} not re-derived ({self.claimed.proof})"

    def accepted(self, grades: Collection[str]) -> bool:
        """Whether the grade of what was not derived is among those."""
        proof = self.claimed.proof
        return proof is not None and proof.grade.value in grades

    def objection(self, grades: Collection[str], cure: str) -> list[str]:
        """Return the line about what was not derived, unless its grade will do.

        ``cure`` names the arguments or options that help.
        """
        if not self.open or self.accepted(grades):
            return []
        return [f"{self.open}: {self.remark or f'give {cure}'}"]


class _Untrue(Exception):
    """A claim of a solution is false, or names what does not exist."""


def examine(
    instance: Instance,
    solution: SolutionFile,
    proof: str | Path | None = None,
    *,
    prove: Settings | None = None,
    limits: Limits | None = None,
    plain: bool = False,
) -> Findings:
    """Check a solution; derive its bound, or that there is none, where anything can.

    A bound that rests on a proof in a file needs that file, unless ``prove``, the
    settings of another run, has it proved again.
    """
    if wrong := solution_errors(instance, solution) or _shape_errors(
        instance, solution
    ):
        return _findings(solution, wrong, holds=False)
    limits = limits or Limits()
    derived, remark = False, ""
    try:
        if proof is not None:
            derived = _by_proof(instance, solution, proof, limits, plain)
        if solution.bound is not None:
            derived |= _by_arithmetic(instance, solution, limits, plain)
        elif solution.status is Status.INFEASIBLE:
            known = problem_of(instance).unsolvable(instance) is not None
            derived |= known or solution.certificate is not None  # checked above
        else:
            return _findings(solution, [])
        if not derived and prove is not None:
            derived, remark = _by_search(instance, solution, prove)
    except _Untrue as untrue:
        return _findings(solution, [str(untrue)])
    if not derived and prove is None and _is_in_file(instance, solution.proof):
        raise InputError("is needed to check this proof", field="proof")
    return _findings(solution, [], derived=derived, remark=remark)


def _twins(plain: bool) -> tuple[type[Propagator], type[Checker]]:
    """Return what follows proofs and certificates; plain Python imports no numpy."""
    if plain:
        return Propagator, Checker
    from ..proofs.writing.certificate_kernels import FastChecker
    from ..proofs.writing.propagation_kernels import FastPropagator

    return FastPropagator, FastChecker


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
    if solution.selection is None:
        try:
            Result(
                status=solution.status,
                objective=solution.objective,
                bound=bound,
                proof=solution.proof,
            )
        except ValueError as error:
            return [f"status: {solution.status.value}: {error}"]
    if bound is None or levels == (len(bound) if isinstance(bound, tuple) else None):
        return []
    what = "an integer" if levels is None else f"a list of {levels} levels"
    return [f"bound: is {cost_text(bound)}, but a cost is {what}"]


def _reaches(solution: SolutionFile, proved: Value, by: str) -> bool:
    """Whether a bound is claimed and was proved; raise `_Untrue` if it is above.

    Or if the selection costs less than what was proved: then the proof, or what checks
    it, is wrong.
    """
    bound, price = solution.bound, solution.objective
    if price is not None and ordered(price) < ordered(proved):
        raise _Untrue(
            f"objective: is {cost_text(price)}, but {by} proves {cost_text(proved)}"
        )
    if bound is not None and ordered(bound) > ordered(proved):
        raise _Untrue(
            f"bound: is {cost_text(bound)}, but {by} proves {cost_text(proved)}"
        )
    return bound is not None


def _by_proof(
    instance: Instance,
    solution: SolutionFile,
    path: str | Path,
    limits: Limits,
    plain: bool,
) -> bool:
    """Follow a proof of the bound, or of infeasibility."""
    ways = _twins(plain)
    try:
        proved = check_proof_file(instance, path, limits, *ways).bound
    except Refused as refused:
        raise _Untrue(str(refused)) from None
    if solution.status is Status.INFEASIBLE:
        if proved is not None:
            raise _Untrue(f"{path}: proves a bound of {cost_text(proved)} only")
        return True
    if proved is None:
        raise _Untrue(f"{path}: proves that there is no solution")
    if solution.bound is None:
        raise _Untrue(f"{path}: the solution claims no bound")
    return _reaches(solution, proved, str(path))


def _is_in_file(instance: Instance, proof: Proof | None) -> bool:
    """Whether what vouches for a claim is a proof in a file."""
    if proof is None or proof.grade is not Grade.CHECKED:
        return False
    return proof.by in kinds_about(instance)


def _by_arithmetic(
    instance: Instance, solution: SolutionFile, limits: Limits, plain: bool
) -> bool:
    """Derive a bound by the name of its proof; raise `_Untrue` if there is none."""
    bound, proof = solution.bound, solution.proof
    assert bound is not None
    assert proof is not None
    nothing = (0,) * len(bound) if isinstance(bound, tuple) else 0
    if proof == NOTHING:
        return _reaches(solution, nothing, "that costs are not negative")
    if proof.grade is not Grade.CHECKED:
        return ordered(bound) <= ordered(nothing)
    if _is_in_file(instance, proof):
        return False  # which says it
    checker = _twins(plain)[1]
    derived = problem_of(instance).derive_bound(
        instance, proof.by, seconds=limits.seconds, checker=checker
    )
    if derived is None:
        raise _Untrue(f"proof: there is no {proof.by!r} for this instance")
    return _reaches(solution, derived, f"the {proof.by}")


def _by_search(
    instance: Instance, solution: SolutionFile, settings: Settings
) -> tuple[bool, str]:
    """Solve the instance; return whether that proves the claim, and what it proves."""
    result = METHODS[problem_of(instance).name]["auto"](instance, settings)
    bound, found, again = solution.bound, result.objective, f"({result.proof})"
    if bound is None:
        if found is not None:
            raise _Untrue(f"status: infeasible, but {cost_text(found)} is possible")
        proved = result.status is Status.INFEASIBLE
    elif found is not None and ordered(bound) > ordered(found):
        raise _Untrue(
            f"bound: claims at least {cost_text(bound)}, but {cost_text(found)} is "
            "possible"
        )
    elif result.bound is None:
        proved = False
    else:
        proved = ordered(bound) <= ordered(result.bound)
        if not proved:
            return False, f"proved again up to {cost_text(result.bound)} only {again}"
    if proved and result.proof and result.proof.grade is Grade.SOLVER:
        return False, f"again only the word of a solver {again}"
    return proved, f"proved again {again}" if proved else "not proved again"
