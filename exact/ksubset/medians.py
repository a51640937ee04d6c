"""Exact search by medians: one CP-SAT model for each median that may be optimal."""

from __future__ import annotations

from dataclasses import replace

from ...formulations.ksubset.medians import PROOF, Medians
from ...formulations.ksubset.strengthening import Strengthening
from ...instances import KSubset, cost
from ...solvers import Limit, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.interrupt import deferred


def by_medians(
    instance: KSubset, strengthening: Strengthening, *, settings: Settings, start: float
) -> Result:
    """Solve the models of all medians in the order of their bounds.

    Each model must improve on the best choice so far; medians whose bound excludes
    that are not built. All share the time limit. Stopped early, the bound is the least
    over the unfinished medians, for each the better of its secant bound and CP-SAT's.

    The instance is on a mesh or on points, see `Medians`. Of ``strengthening`` count
    the known incumbent, bound and proof (``hint``, ``bound``, ``proof``), and whether
    to nest counts.
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
                break  # all that follow are at least as expensive
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
