"""Whether a solution is true, from the definition."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..formulations.ksubset.bounds.bounds import rederive
from ..instances import InputError, Instance, KSubset, Value
from ..instances import check as check_chosen
from ..instances.ksubset.certificate import Checker
from ..instances.ksubset.certificate_file import check_certificate
from ..instances.plain import plain as plainly
from ..instances.problems import problem_of
from ..instances.proofs import Limits, Propagator, Refused, check_proof_file
from ..instances.value import cost_text, ordered
from ..solvers import Grade, Status, read_solution, solution_errors
from ..solvers.certificate_kernels import FastChecker
from ..solvers.propagation_kernels import FastPropagator
from ..solvers.result import CERTIFIED, LOGGED, NOTHING
from ..solvers.solution_json import SolutionFile, parse_solution
from .solution import Solution, indices_of, instance_of


def check(
    job: Instance | Solution | str | Path,
    solution: Solution | Collection[Any] | str | Path | None = None,
    *,
    certificate: str | Path | None = None,
    proof: str | Path | None = None,
) -> list[str]:
    """List what is wrong with a solution or a selection; nothing if it is right.

    The selection is checked and priced by the definition. A bound of grade
    ``checked`` is derived again; the word of a search or of a solver is not.

    Parameters
    ----------
    job
        An instance, or the path of its file; or a `Solution`, alone.
    solution
        A `Solution`, the path of a solution file, or a selection as indices or
        locations, of which nothing is claimed but that it is valid.
    certificate
        Path of the certificate on which the proof rests, if it rests on one.
    proof
        Path of a pseudo-Boolean proof of the bound, see docs/proofs.md.

    Returns
    -------
    list of str
        One line for each fault.

    Raises
    ------
    InputError
        When a file cannot be read, or a certificate is missing or does not hold.

    Examples
    --------
    >>> import closeknit as ck
    >>> job = ck.ksubset(ck.Mesh(2, 2), k=2)
    >>> ck.check(job, ck.solve(job)), ck.check(job, [(0, 0), (0, 1)])
    ([], [])
    >>> ck.check(job, [0, 4])
    ['no free processor 4']
    """
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
        try:
            chosen = indices_of(instance, solution)
        except InputError as error:
            return [str(error)]
        return check_chosen(instance, chosen)
    return objections(instance, claimed, certificate, proof)


def objections(
    instance: Instance,
    solution: SolutionFile,
    certificate: str | Path | None,
    proof: str | Path | None = None,
    *,
    again: bool = False,
    limits: Limits | None = None,
    plain: bool = False,
) -> list[str]:
    """List what is untrue in a solution; a bound of grade ``checked`` is derived.

    One that rests on a certificate needs it, unless it is proved ``again`` after this.
    """
    return (
        solution_errors(instance, solution)
        or _of_shape(instance, solution.bound)
        or _of_proof(instance, solution, proof, limits, plain)
        or _of_bound(
            *(instance, solution, certificate, again or proof is not None),
            *(limits, plain),
        )
    )


def _of_proof(
    instance: Instance,
    solution: SolutionFile,
    path: str | Path | None,
    limits: Limits | None,
    plain: bool,
) -> list[str]:
    """Check a pseudo-Boolean proof of the bound, or of infeasibility."""
    if path is None:
        if solution.proof == LOGGED:
            raise InputError("is needed to check this proof", field="--proof")
        return []
    try:
        proved = check_proof_file(
            instance, path, limits, Propagator if plain else FastPropagator
        )
    except Refused as refused:
        return [str(refused)]
    if solution.status is Status.INFEASIBLE:
        if proved.bound is None:
            return []
        return [f"{path}: proves a bound of {cost_text(proved.bound)} only"]
    if proved.bound is None:
        return [f"{path}: proves that there is no solution"]
    if solution.bound is None:
        return [f"{path}: the solution claims no bound"]
    if ordered(proved.bound) < ordered(solution.bound):
        claimed, found = cost_text(solution.bound), cost_text(proved.bound)
        return [f"bound: is {claimed}, but {path} proves {found}"]
    return []


def without_certificate(why: str = "") -> InputError:
    """Return the error that a proof cannot be checked without its certificate."""
    problem = f"is needed to check this proof{f': {why}' if why else ''}"
    return InputError(problem, field="--certificate")


def _of_shape(instance: Instance, bound: Value | None) -> list[str]:
    """Complain of a bound that is no cost of this problem."""
    levels = problem_of(instance).levels(instance)
    found = len(bound) if isinstance(bound, tuple) else None
    if bound is None or found == levels:
        return []
    what = "an integer" if levels is None else f"a list of {levels} levels"
    return [f"bound: is {cost_text(bound)}, but a cost is {what}"]


def _of_bound(
    instance: Instance,
    solution: SolutionFile,
    certificate: str | Path | None,
    again: bool,
    limits: Limits | None,
    plain: bool,
) -> list[str]:
    """Derive a bound of grade ``checked`` again, and follow a certificate."""
    bound, proof = solution.bound, solution.proof
    if certificate is not None and isinstance(instance, KSubset):
        proved = check_certificate(
            *(instance, certificate),
            seconds=(limits or Limits()).seconds,
            by=Checker if plain else FastChecker,
        )
        if bound is not None and proved < bound:  # type: ignore[operator]
            return [f"bound: is {bound}, but the certificate is for {proved}"]
    if bound is None or proof is None or proof.grade is not Grade.CHECKED:
        return []  # infeasibility is looked at with the rest
    if proof == LOGGED or (proof == NOTHING and not any(ordered(bound))):
        return []
    if proof == CERTIFIED:
        if certificate is None and not again:
            raise without_certificate()
        return []
    derived = rederive(instance, proof.by) if isinstance(instance, KSubset) else None
    if derived is None:
        return [f"proof: there is no {proof.by!r} for this instance"]
    if bound > derived:  # type: ignore[operator]  # both are integers by now
        return [f"bound: is {bound}, but the {proof.by} is {derived}"]
    return []
