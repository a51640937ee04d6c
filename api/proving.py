"""Claims that are proved again by another search: what `check --prove` loads."""

from __future__ import annotations

from ..instances import Instance
from ..instances.problems import problem_of
from ..instances.solution import SolutionFile
from ..instances.value import as_tuple, cost_text
from ..methods import METHODS
from ..proofs.checking.answers.examining import Untrue
from ..solvers import Grade, Settings, Status


def prove_again(
    instance: Instance, solution: SolutionFile, settings: Settings
) -> tuple[bool, str]:
    """Solve the instance; return whether that proves the claim, and what it proves."""
    result = METHODS[problem_of(instance).name]["auto"](instance, settings)
    bound, found, again = solution.bound, result.objective, f"({result.proof})"
    if bound is None:
        if found is not None:
            raise Untrue(f"status: infeasible, but {cost_text(found)} is possible")
        proved = result.status is Status.INFEASIBLE
    elif found is not None and as_tuple(bound) > as_tuple(found):
        raise Untrue(
            f"bound: claims at least {cost_text(bound)}, but {cost_text(found)} is "
            "possible"
        )
    elif result.bound is None:
        proved = False
    else:
        proved = as_tuple(bound) <= as_tuple(result.bound)
        if not proved:
            return False, f"proved again up to {cost_text(result.bound)} only {again}"
    if proved and result.proof and result.proof.grade is Grade.SOLVER:
        return False, f"again only the word of a solver {again}"
    return proved, f"proved again {again}" if proved else "not proved again"
