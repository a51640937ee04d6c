"""Construction of a result from an order, which is checked and priced again."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ....solvers import Grade, Limit, Proof, Result, SolverError, Status
from ....solvers.running import clock
from ....solvers.running.interrupt import alarm_postponed
from ..instance import RankMapping
from .gilmore_lawler import MOST_RANKS, gilmore_lawler

_SECONDS, _SPARE = 2e-9, 0.1
"""Of the Gilmore-Lawler bound, times the cube of ranks; what it always may take."""
ROOT = Proof(Grade.ENUMERATED, "Gilmore-Lawler bound")
"""No code of its own derives it again, which ``checked`` would take."""


def mapping_result(
    mapping: RankMapping,
    order: Sequence[int],
    *,
    start: float,
    until: float = math.inf,
    bound: int | None = None,
    proof: Proof | None = None,
    limit: Limit | None = None,
    seed: int | None = None,
    nodes: int | None = None,
) -> Result:
    """Check an order, price it, and return the result.

    Parameters
    ----------
    mapping
        Ranks and processors.
    order
        Processors of the ranks.
    start
        ``clock.now()`` at the start of the run.
    until
        The end of the run's time: the Gilmore-Lawler bound is left out where it would
        not be there in time.
    bound, proof
        A lower bound and its proof; of None, and of less, the Gilmore-Lawler bound is
        taken in its place, up to 1024 ranks.
    limit, seed, nodes
        See `Result`.

    Raises
    ------
    SolverError
        If it is no order of the processors, or costs less than the bound.
    """
    with alarm_postponed():
        if wrong := mapping.check(order):
            raise SolverError(f"order: {'; '.join(wrong)}.")
        cost = mapping.cost(order)
        left = max(_SPARE, until - clock.now())
        quick = mapping.ranks <= MOST_RANKS and mapping.ranks**3 * _SECONDS < left
        if quick and bound != cost:
            root = gilmore_lawler(mapping)
            if bound is None or root >= bound:
                bound, proof = root, ROOT
        if bound is not None and bound > cost:
            raise SolverError(f"{proof} claims at least {bound}, but one costs {cost}.")
        return Result(
            status=Status.OPTIMAL if bound == cost else Status.FEASIBLE,
            chosen=tuple(int(p) for p in order),
            objective=cost,
            bound=bound,
            proof=proof,
            limit=None if bound == cost else limit,
            seconds=clock.now() - start,
            seed=seed,
            nodes=nodes,
        )
