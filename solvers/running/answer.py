"""Construction of a `Result` from a choice, which is checked and priced again."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ...instances import Instance, Value, check, cost, problem_of
from ...instances.outcome import Result
from ...instances.result import COUNTED, Limit, Proof, Status
from ...instances.support import support_of
from ...instances.value import as_tuple
from . import clock, progress
from .errors import SolverError
from .interrupt import alarm_postponed
from .settings import Settings


def infeasible_by_count(instance: Instance, *, start: float) -> Result | None:
    """Return an infeasible result if counting shows that; else None."""
    if not problem_of(instance).unsolvable(instance):
        return None
    return Result(status=Status.INFEASIBLE, proof=COUNTED, seconds=clock.now() - start)


def answer(
    instance: Instance,
    chosen: Collection[int] | None,
    *,
    start: float,
    bound: Value | None = None,
    proof: Proof | None = None,
    limit: Limit | None = None,
    seed: int | None = None,
    nodes: int | None = None,
) -> Result:
    """Check a choice, price it from the definition, and return the result.

    Parameters
    ----------
    instance
        The instance to solve.
    chosen
        Indices of processors or items, in any order; None if nothing was found.
    start
        ``clock.now()`` at the start of the run.
    bound, proof
        A proved lower bound and its proof.
    limit
        What ended the run early; ignored if the result is optimal.
    seed
        Random seed of the run.
    nodes
        Number of search nodes, if counted.

    Raises
    ------
    SolverError
        If the choice is invalid or costs less than the bound.
    """
    with alarm_postponed():  # so that the solution found is not lost
        if chosen is None:
            return Result(
                status=Status.UNKNOWN,
                bound=bound,
                proof=proof,
                limit=limit,
                seconds=clock.now() - start,
                seed=seed,
                nodes=nodes,
            )
        picked = tuple(support_of(instance).canonical(int(i) for i in chosen))
        if wrong := check(instance, picked):
            raise SolverError(f"{instance.name}: {'; '.join(wrong)}.")
        objective = cost(instance, picked)
        if bound is not None and as_tuple(bound) > as_tuple(objective):
            raise SolverError(
                f"{instance.name}: {proof} claims at least {bound}, "
                f"but a solution costs {objective}."
            )
        optimal = bound == objective
        return Result(
            status=Status.OPTIMAL if optimal else Status.FEASIBLE,
            chosen=picked,
            objective=objective,
            bound=bound,
            proof=proof,
            limit=None if optimal else limit,
            seconds=clock.now() - start,
            seed=seed,
            nodes=nodes,
        )


def solve_prepaid(
    run: Callable[[Any, Settings], Result], instance: Instance, settings: Settings
) -> Result:
    """Run a method on the instance that requires nothing; see `Support`.

    What is required joins its choice; its bound rises by what that costs. Progress is
    not reported, since its costs would be those of the other instance.
    """
    start = clock.now()
    support = support_of(instance)
    assert support.prepay is not None
    other, paid = support.prepay(instance)
    with progress.silence():
        found = run(other, settings)
    bound = found.bound
    if isinstance(bound, int):
        bound += paid
    elif bound is not None:
        bound = tuple(a + b for a, b in zip(bound, paid, strict=True))
    return answer(
        instance,
        None if found.chosen is None else support.join(instance, found.chosen),
        start=start,
        bound=bound,
        proof=found.proof,
        limit=found.limit,
        seed=found.seed,
        nodes=found.nodes,
    )
