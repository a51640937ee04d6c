"""The strongest exact route at hand: heuristic, bounds, search."""

from __future__ import annotations

from collections.abc import Collection
from time import perf_counter

from ..formulations.bounds import best_bound
from ..instances import KSubset, cost
from ..solvers import DEFAULT, Limit, Result, Settings, answer
from .cuts_bb import PROOF, Search, first_solution


def auto(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum: mm-inc for a start, checked bounds, then cuts-bb.

    Where a bound that anyone can re-derive (stars, towns, axes) already meets
    the solution, no search is needed and the proof is of grade ``checked``.

    Guarantee: exact.
    Time: exponential at worst; see mm-inc and cuts-bb.
    Source: derived for closeknit, see docs/theory.md.
    """
    start = perf_counter()
    chosen: Collection[int] = range(instance.k)
    try:
        chosen = first_solution(instance, settings)
        bound, proof = best_bound(instance)
    except KeyboardInterrupt:
        return answer(instance, chosen, start=start, limit=Limit.INTERRUPT)
    if bound == cost(instance, chosen):
        return answer(instance, chosen, start=start, bound=bound, proof=proof)
    search = Search(instance, tuple(chosen), bound)
    limit = search.run(start + settings.time_limit, settings.node_limit)
    checked = search.bound <= bound
    return answer(
        instance,
        search.chosen,
        start=start,
        bound=bound if checked else search.bound,
        proof=proof if checked else PROOF,
        limit=limit,
    )
