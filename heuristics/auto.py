"""The strongest exact route at hand: heuristic, bounds, programme or search."""

from __future__ import annotations

from time import perf_counter

from ..formulations.bounds import best_bound
from ..instances import KSubset, Tree, cost
from ..solvers import DEFAULT, Limit, Result, Settings, answer
from . import one_axis
from .cuts_bb import PROOF, Search, first_solution
from .line import line_window
from .ring_dp import ring_dp
from .tree_dp import tree_dp

_MOST_RING_STEPS = 10**9
"""Steps n k² up to which the programme for rings beats the search."""


def auto(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by whatever suits the instance best.

    Trees, rings and lines have dynamic programmes of their own. Elsewhere mm-inc
    makes a start; where a bound that anyone can derive again (stars, towns, axes)
    already meets it, the proof is of grade ``checked`` and nothing is searched;
    else cuts-bb goes on from both.

    Guarantee: exact.
    Time: O(n k) on trees, O(n log n) on lines; else exponential at worst, see cuts-bb.
    Source: derived for closeknit, see docs/exact.md.
    """
    if isinstance(instance.topology, Tree):
        return tree_dp(instance, settings)
    if one_axis.refuse_line(instance) is None:
        return line_window(instance, settings)
    steps = instance.n * instance.k**2
    if one_axis.refuse_ring(instance) is None and steps <= _MOST_RING_STEPS:
        return ring_dp(instance, settings)
    return _searched(instance, settings)


def _searched(instance: KSubset, settings: Settings) -> Result:
    start = perf_counter()
    chosen, limit = first_solution(instance, settings)
    if limit is Limit.INTERRUPT:
        return answer(instance, chosen, start=start, limit=limit)
    try:
        bound, proof = best_bound(instance)
    except KeyboardInterrupt:
        return answer(instance, chosen, start=start, limit=Limit.INTERRUPT)
    if bound == cost(instance, chosen):
        return answer(instance, chosen, start=start, bound=bound, proof=proof)
    search = Search(instance, chosen, bound)
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
