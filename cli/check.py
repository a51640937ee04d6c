"""Check a solution file against its instance, from the definition.

The digest, the selection, its cost and the status are checked. A bound of grade
"checked" is derived again, if need be by following a certificate; so is infeasibility,
from the certificate in the solution of a submesh request. With --prove, every other
bound is proved again too, by closeknit's own search within the time limit; one that
rests on a certificate then needs no certificate. With --proof, a pseudo-Boolean proof
in the format of VeriPB is checked step by step, for any problem, about the formula that
export --to opb writes. Exit status 0 when everything is true, 1 when something is not,
2 when a file cannot be used.
"""

from __future__ import annotations

import argparse

from ..instances import Instance, Value, problem_of, read_instance
from ..instances.errors import InputError
from ..instances.files import writing
from ..instances.proofs import Limits, formula_of
from ..instances.proofs.proof_file import proof_lines
from ..instances.value import cost_text, ordered
from ..methods import METHODS
from ..solvers import Settings, Status, clock, read_solution
from ..solvers.proof_syntax import SYNTAXES, rewritten
from ..solvers.result import CERTIFIED
from ..solvers.solution_json import SolutionFile
from . import outputs, shared
from .parser import Parser, flag

_OPEN = "; not proved again"


def options(parser: Parser) -> None:
    """Declare the options."""
    parser.add_argument("file", metavar="FILE", help="instance file")
    parser.add_argument("solution", metavar="SOLUTION", help="solution file")
    flag(parser, "--prove", "prove the bound again, whatever its grade")
    parser.add_argument(
        "--certificate", metavar="FILE", help="proof that solve --certificate wrote"
    )
    parser.add_argument(
        "--proof", metavar="FILE", help="pseudo-Boolean proof of the bound, maybe .xz"
    )
    flag(parser, "--plain", "check the proof in plain Python, nothing compiled")
    parser.add_argument(
        "--rewrite",
        type=outputs.file,
        metavar="OUT",
        help="with --proof: write the proof, if it holds, in another syntax",
    )
    parser.add_argument(
        "--syntax",
        choices=SYNTAXES,
        default=SYNTAXES[-1],
        help="version of VeriPB's syntax for --rewrite (default: %(default)s)",
    )
    shared.add_settings(parser, time_limit=60.0)
    parser.examples(
        "check instance.json solution.json --proof proof.pbp.xz",
        "check instance.json solution.json",
        "check instance.json solution.json --prove --time-limit 300",
    )


def run(args: argparse.Namespace) -> int:
    """Print one line per objection, or that everything holds."""
    from ..api.checking import objections, without_certificate

    settings = shared.settings_of(args)
    instance = read_instance(args.file)
    if args.certificate is not None:
        shared.refuse_certificate(instance)
    if args.rewrite and args.proof is None:
        raise InputError("is for --proof", field="--rewrite")
    solution = read_solution(args.solution)
    again = args.prove and solution.bound is not None
    wrong = objections(
        instance,
        solution,
        args.certificate,
        args.proof,
        again=again,
        limits=Limits(seconds=settings.time_limit, now=clock.now),
        plain=args.plain,
    )
    remark = ""
    if not wrong and again:
        assert solution.bound is not None
        wrong, remark = _proved_again(instance, solution.bound, settings)
        if remark.startswith(_OPEN) and _rests_on_certificate(solution, args):
            raise without_certificate(remark.removeprefix("; "))
    for problem in wrong:
        print(f"{args.solution}: {problem}")
    if wrong:
        return 1
    if args.rewrite:
        with proof_lines(args.proof) as lines, writing(args.rewrite) as stream:
            stream.writelines(rewritten(formula_of(instance), lines, args.syntax))
    claim = solution.status.value
    if solution.objective is not None:
        claim += f", cost {cost_text(solution.objective)}"
    if solution.bound is not None:
        claim += f", bound {cost_text(solution.bound)} ({solution.proof})"
    if solution.status is Status.INFEASIBLE:
        why = problem_of(instance).unsolvable(instance)
        claim += f" ({solution.proof})" + (f": {why}" if why else "")
    print(f"{args.solution}: holds: {claim}{remark}")
    return 0


def _rests_on_certificate(solution: SolutionFile, args: argparse.Namespace) -> bool:
    return solution.proof == CERTIFIED and args.certificate is None


def _proved_again(
    instance: Instance, bound: Value, settings: Settings
) -> tuple[list[str], str]:
    """Solve the instance; return what is wrong with a bound, and what was proved."""
    result = METHODS[problem_of(instance).name]["auto"](instance, settings)
    if result.objective is not None and ordered(bound) > ordered(result.objective):
        claimed, possible = cost_text(bound), cost_text(result.objective)
        return [f"bound: claims at least {claimed}, but {possible} is possible"], ""
    if result.bound is None:
        return [], _OPEN
    if ordered(bound) > ordered(result.bound):
        return [], f"{_OPEN} beyond {cost_text(result.bound)}"
    return [], f"; proved again ({result.proof})"
