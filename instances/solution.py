"""``closeknit/solution`` files: their shape, reading and checking them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import InputError, in_file
from .problems import Instance, check, cost, problem_of
from .problems import sha256 as digest
from .reading import fields
from .reading.files import read_text
from .reading.parsing import parse_json
from .result import COUNTED, LOGGED, Grade, Limit, Proof, Status, contradiction
from .value import Value

FORMAT = "closeknit/solution"


SOLUTION = fields.file(
    FORMAT,
    {
        "instance": fields.string,
        "sha256": fields.string,
        "method": fields.string,
        "status": fields.string,
    },
    {
        "objective": fields.cost,
        "bound": fields.cost,
        "proof": fields.record({"grade": fields.string, "by": fields.string}),
        "certificate": fields.objects,
        "limit": fields.string,
        "selection": fields.anything,
        "seconds": fields.seconds,
        "seed": fields.integer,
    },
)
"""Decodes a parsed file; `parse_solution` decodes the words, and whoever uses its
selection or its certificate decodes these further."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolutionFile:
    """The content of a solution file, not yet checked."""

    instance: str
    sha256: str
    method: str
    status: Status
    objective: Value | None
    bound: Value | None
    proof: Proof | None
    selection: Any
    certificate: Any = None


def read_solution(path: str | Path) -> SolutionFile:
    """Read a solution file without checking its claims.

    Raises
    ------
    InputError
        If the file is malformed: one line with the file, the field and the value.
    """
    with in_file(path):
        return parse_solution(parse_json(read_text(path), file=path))


def solution_errors(instance: Instance, solution: SolutionFile) -> list[str]:
    """List the errors of a solution: digest, selection, cost, bound, status.

    The bound is only compared with the cost; deriving it again is up to the caller.
    """
    wrong = []
    if solution.certificate is not None and solution.status is not Status.INFEASIBLE:
        wrong.append(f"certificate: of infeasibility, but {solution.status.value}")
    if solution.instance != instance.name:
        wrong.append(f"instance: is for {solution.instance!r}, not {instance.name!r}")
    if solution.sha256 != digest(instance):
        wrong.append("sha256: is for another instance")
    if solution.selection is None:
        if solution.status in (Status.OPTIMAL, Status.FEASIBLE):
            wrong.append(f"selection: missing, but status is {solution.status.value}")
        if solution.status is Status.INFEASIBLE:
            wrong += _infeasibility_errors(instance, solution)
        return wrong
    try:
        chosen = problem_of(instance).chosen_of(instance, solution.selection)
    except InputError as error:
        return [*wrong, str(error)]
    if invalid := check(instance, chosen):
        return [*wrong, *(f"selection: {problem}" for problem in invalid)]
    true_cost = cost(instance, chosen)
    if solution.objective != true_cost:
        wrong.append(f"objective: is {solution.objective}, but it costs {true_cost}")
    return wrong + contradictions(solution, chosen)


def contradictions(solution: SolutionFile, chosen: Any) -> list[str]:
    """List how status, selection, cost, bound and proof contradict each other."""
    parts = solution.objective, solution.bound, solution.proof
    found = contradiction(solution.status, chosen, *parts)
    return [f"status: {solution.status.value}: {found}"] if found else []


def _infeasibility_errors(instance: Instance, solution: SolutionFile) -> list[str]:
    """Check infeasibility by counting, or by the problem's certificate.

    Other problems are infeasible only by counting. Claims of a search or a solver
    without a certificate are accepted.
    """
    problem = problem_of(instance)
    if solution.certificate is not None and problem.check_infeasible is None:
        return ["certificate: there is none for this problem"]
    if problem.unsolvable(instance) is None:
        if problem.check_infeasible is not None:
            return _certificate_errors(instance, solution, problem.check_infeasible)
        return ["status: infeasible, but there are solutions"]
    if solution.certificate is not None:
        return ["certificate: there is none where counting alone shows it"]
    if solution.proof not in (COUNTED, LOGGED):  # or it is in a file all the same
        return [f"proof: is {solution.proof}, but counting alone shows it"]
    return []


def _certificate_errors(
    instance: Instance, solution: SolutionFile, check: Callable[[Any, Any], list[str]]
) -> list[str]:
    """Check the certificate of infeasibility, if the solution has one."""
    proof, certificate = solution.proof, solution.certificate
    if proof is None:
        return ["proof: missing"]
    if certificate is None:
        if proof.grade is Grade.CHECKED and proof != LOGGED:  # that is in a file
            return ["certificate: missing, but the proof is checked"]
        return []
    if wrong := check(instance, certificate):
        return [f"certificate: {problem}" for problem in wrong]
    if proof != Proof(Grade.CHECKED, certificate["kind"]):
        return [f"proof: is {proof}, but the certificate is {certificate['kind']}"]
    return []


def parse_solution(value: Any) -> SolutionFile:
    """Return the content of a solution file from parsed JSON.

    Raises InputError if it is malformed; names the field and the value.
    """
    document = SOLUTION(value)
    if "limit" in document:
        _member(Limit, document["limit"], "limit")
    proof = document.get("proof")
    return SolutionFile(
        instance=document["instance"],
        sha256=document["sha256"],
        method=document["method"],
        status=_member(Status, document["status"], "status"),
        objective=document.get("objective"),
        bound=document.get("bound"),
        proof=None if proof is None else _proof(proof),
        selection=document.get("selection"),
        certificate=document.get("certificate"),
    )


def _member(kind: Any, word: str, field: str) -> Any:
    return kind(fields.one_of(*(each.value for each in kind))(word, field))


def _proof(document: dict[str, str]) -> Proof:
    grade = _member(Grade, document["grade"], "proof.grade")
    if not document["by"]:
        raise InputError("must not be empty", "proof.by", "")
    return Proof(grade, document["by"])
