"""The formulas of the four problems, solved by Exact, and its logs checked."""

from __future__ import annotations

from ..instances import Instance, cost
from ..instances.result import LOGGED
from ..instances.support import support_of
from ..proofs.checking import Proved
from ..proofs.writing.exact_log import Unusable, exact_version, solve_by_exact
from ..solvers import Grade, Limit, Proof, Result, Settings, SolverError, Status, answer
from ..solvers.running import clock
from ..solvers.running.logs import LOG
from ..solvers.running.method import AnyMethod, Method, Variant

NAME = "opb/exact"
_DOC = """Solve the formula of ``export --to opb`` by Exact, and check its log.

The optimum is of grade ``checked`` if the log holds, and of grade ``solver``, with a
warning, if the time limit ends the check or the log is of no use: cut off, unreadable,
about other rows, or without a conclusion that follows. A log with a step that does not
hold is an error. Exact is the extra ``proofs``.

Guarantee: exact.
Time: exponential at worst; measured in docs/science/proofs.md.
Source: Devriendt, Gocht, Demirovic, Nordstrom and Stuckey 2021, on cores and cuts.
"""


def method() -> AnyMethod:
    """Return the method, which takes instances of every problem."""
    return Method(
        NAME, Variant(run, (), _DOC), exact=True, takes_required=True, runs_solver=True
    )


def run(instance: Instance, settings: Settings) -> Result:
    """Solve an instance, and check what Exact logged."""
    start = clock.now()
    fallback = support_of(instance).any_choice(instance)
    try:
        solved = solve_by_exact(instance, seconds=settings.time_limit)
    except KeyboardInterrupt:
        return answer(instance, fallback, start=start, limit=Limit.INTERRUPT)
    if not solved.ended:
        found = fallback if solved.chosen is None else solved.chosen
        return answer(instance, found, start=start, limit=Limit.TIME)
    proof, proved = LOGGED, solved.proved
    if not isinstance(proved, Proved):
        proof = Proof(Grade.SOLVER, f"exact {exact_version()}")
        why = "the check of its proof was stopped"
        if isinstance(proved, Unusable):
            why = f"Exact's answer is not checked: its log {proved}"
        LOG.warning("%s: %s", instance.name, why)
    elif (proved.bound is None) != (solved.chosen is None):
        raise SolverError(f"{instance.name}: Exact's log contradicts its answer")
    if solved.chosen is None:
        spent = clock.now() - start
        return Result(status=Status.INFEASIBLE, proof=proof, seconds=spent)
    chosen = solved.chosen
    bound = proved.bound if isinstance(proved, Proved) else cost(instance, chosen)
    return answer(instance, chosen, start=start, bound=bound, proof=proof)
