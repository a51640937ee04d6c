"""Check a solution file against its instance, from the definition.

The digest, the selection, its cost and what the status says are looked at, and a
bound of grade "checked" is derived again, if need be by following a certificate.
With --prove, any other bound is put to the test as well: by closeknit's own search,
within the time limit. Exit status 0 when all is true, 1 when something is not.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from . import running

if TYPE_CHECKING:
    from ..instances import KSubset
    from ..solvers.solution_json import Solution

HELP = "check a solution file, independently"


def options(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE", help="instance file")
    parser.add_argument("solution", metavar="SOLUTION", help="solution file")
    parser.add_argument(
        "--prove", action="store_true", help="prove the bound anew, whatever its grade"
    )
    parser.add_argument(
        "--certificate", metavar="FILE", help="the proof that solve wrote down"
    )
    running.add_settings(parser, time_limit=60.0)


def run(args: argparse.Namespace) -> int:
    """Print what is wrong, a line each, or that nothing is."""
    from ..instances import read_ksubset
    from ..solvers import complaints, read_solution

    settings = running.settings_of(args)
    instance = read_ksubset(args.file)
    solution = read_solution(args.solution)
    wrong = complaints(instance, solution)
    if not wrong:
        wrong = _of_bound(instance, solution, args.certificate)
    remark = ""
    if not wrong and args.prove and solution.bound is not None:
        from ..heuristics import KSUBSET

        result = KSUBSET["auto"](instance, settings)
        assert isinstance(result.objective, int)
        assert isinstance(solution.bound, int)
        if solution.bound > result.objective:
            wrong = [
                f"bound: claims at least {solution.bound}, "
                f"but {result.objective} is possible"
            ]
        elif result.bound is None or solution.bound > result.bound:  # type: ignore[operator]
            remark = f"; proved anew only up to {result.bound}"
        else:
            remark = f"; proved anew ({result.proof})"
    for problem in wrong:
        print(f"{args.solution}: {problem}")
    if wrong:
        return 1
    claim = f"{solution.status.value}, cost {solution.objective}"
    if solution.bound is not None:
        claim += f", bound {solution.bound} ({solution.proof})"
    print(f"{args.solution}: holds: {claim}{remark}")
    return 0


def _of_bound(
    instance: KSubset, solution: Solution, certificate: str | None
) -> list[str]:
    """Derive a bound of grade ``checked`` again, and follow a certificate."""
    from ..formulations.bounds import rederive
    from ..instances.certificate_file import check_certificate
    from ..instances.errors import InputError
    from ..solvers import Grade
    from ..solvers.result import CERTIFIED

    if certificate is not None:
        proved = check_certificate(instance, certificate)
        if solution.bound is not None and proved < solution.bound:  # type: ignore[operator]
            return [f"bound: is {solution.bound}, but the certificate is for {proved}"]
    if solution.proof is None or solution.proof.grade is not Grade.CHECKED:
        return []
    if solution.proof == CERTIFIED:
        if certificate is None:
            raise InputError("is needed to check this proof", field="--certificate")
        return []
    derived = rederive(instance, solution.proof.by)
    if derived is None:
        return [f"proof: there is no {solution.proof.by!r} for this instance"]
    assert isinstance(solution.bound, int)
    if solution.bound > derived:
        return [f"bound: is {solution.bound}, but the {solution.proof.by} is {derived}"]
    return []
