"""Exact search by medians: a model for CP-SAT for every one that may matter."""

from __future__ import annotations

from dataclasses import replace

from ...formulations.ksubset.medians import PROOF, Medians
from ...formulations.ksubset.strengthening import Strengthening
from ...instances import KSubset, cost
from ...solvers import Limit, Result, Settings, answer, clock
from ...solvers.interrupt import deferred


def by_medians(
    instance: KSubset, strengthening: Strengthening, *, settings: Settings, start: float
) -> Result:
    """Solve the models of all medians, cheapest bound first, one after the other.

    Each is asked for something cheaper than the best choice so far; those whose bound
    is no less than that are not even built. All share the time limit. What ends early
    has as its bound the least among the medians not finished, of each the better
    of its secants' and of CP-SAT's.

    Parameters
    ----------
    instance
        On a mesh or on points, see `Medians`.
    strengthening
        ``hint``, ``bound`` and ``proof`` of what is known beforehand, and whether to
        nest counts.
    settings, start
        As for ``cpsat.solve``.
    """
    from ...formulations.ksubset.cpsat import cuts_median
    from ...solvers import cpsat

    chosen = strengthening.hint or tuple(range(instance.k))
    best = bound = cost(instance, chosen)
    known = strengthening.bound or 0
    proof = PROOF
    limit: Limit | None = None
    with deferred() as pressed:
        medians = Medians(instance)
        for secants, median in medians.by_bound():
            least = max(secants, known)
            if least >= best:
                break  # and so have all that follow
            if pressed.is_set():
                limit = Limit.INTERRUPT
            elif limit is None and clock.now() - start > settings.time_limit:
                limit = Limit.TIME
            if limit:
                bound = min(bound, least)
                break
            box = medians.box(median, best)
            if box is None:
                continue
            box = replace(box, bound=max(least, box.bound))
            model = cuts_median(instance, box, best, strengthening)
            result = cpsat.solve(model, settings=settings, start=start, part=True)
            if result.proof != PROOF:
                proof = result.proof or proof
            if result.chosen is not None:
                chosen, best = result.chosen, cost(instance, result.chosen)
            if result.limit:
                limit = result.limit
                assert isinstance(result.bound, int)
                bound = result.bound
    bound = min(bound, best)
    if bound == strengthening.bound:
        proof = strengthening.proof or proof
    return answer(
        instance,
        chosen,
        start=start,
        bound=bound,
        proof=proof,
        limit=limit,
        seed=settings.seed,
    )
