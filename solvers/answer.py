"""From a choice to a `Result`: checked, priced again, never worse than proved."""

from __future__ import annotations

from collections.abc import Collection

from ..instances import Instance, Value, check, cost, problem_of
from ..instances.value import ordered
from . import clock
from .interrupt import unhurried
from .result import COUNTED, Limit, Proof, Result, SolverError, Status


def too_much_asked(instance: Instance, *, start: float) -> Result | None:
    """Return that an instance is infeasible if counting shows it; else None.

    Parameters
    ----------
    instance
        What is to be solved.
    start
        ``clock.now()`` when the run began.
    """
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
    """Check a choice, price it from the definition, and say what is known.

    Parameters
    ----------
    instance
        What was to be solved.
    chosen
        Indices of processors or items, in any order; None if nothing was found.
    start
        ``clock.now()`` when the run began.
    bound, proof
        A proved lower bound and its proof.
    limit
        What ended the run early; dropped when the result is optimal anyway.
    seed
        Of the run's own randomness.
    nodes
        Nodes of the search, if it counts them.

    Raises
    ------
    SolverError
        When the choice is not valid or costs less than the bound.
    """
    with unhurried():  # the search is over, what it found is not to be lost
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
        picked = tuple(problem_of(instance).canonical(int(i) for i in chosen))
        if wrong := check(instance, picked):
            raise SolverError(f"{instance.name}: {'; '.join(wrong)}.")
        objective = cost(instance, picked)
        if bound is not None and ordered(bound) > ordered(objective):
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
