"""The default exact route: heuristic, bounds, dynamic program or searches."""

from __future__ import annotations

from ...exact.ksubset.cuts_bb import search as cuts_bb
from ...exact.ksubset.distances_bb import search as distances_bb
from ...exact.ksubset.dnn_bb import search as dnn_bb
from ...exact.ksubset.line import line_window
from ...exact.ksubset.ring_dp.program import ring_dp
from ...exact.ksubset.search import KSubsetSearch
from ...exact.ksubset.tree_dp.program import tree_dp
from ...formulations.ksubset.bounds.bounds import best_bound
from ...heuristics.ksubset import one_axis
from ...heuristics.ksubset.mm_inc import first_solution
from ...instances import InputError, KSubset, arrays
from ...solvers import DEFAULT, Limit, Proof, Result, Settings, answer
from ...solvers.blas import blas_threads
from ...solvers.running import clock
from ...solvers.running.interrupt import OutOfTimeError
from ...solvers.running.progress import report

_WORK = 2 * 10**8
"""Pairs of distances that distances-bb looks at, about a second, before dnn-bb."""
_MOST_RING_STEPS = 10**9
"""Steps n k² up to which the dynamic program for rings is faster than the search."""


def refusal(instance: KSubset) -> str | None:
    """Return why no search supports an instance; None if one may."""
    return dnn_bb.refusal(instance) if instance.required else None


def auto(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Prove an optimum by the exact method that suits the instance best.

    Trees, rings and lines have dynamic programs of their own. Otherwise mm-inc finds a
    first solution; if a bound that can be recomputed (stars, towns, axes) already
    equals its cost, the proof is of grade ``checked`` and there is no search. If not,
    a search continues from both: cuts-bb where the distances are known to be sums of
    cuts; else distances-bb for about a second, and dnn-bb after it. Where processors
    are required, it is dnn-bb alone.

    Guarantee: exact.
    Time: O(n k) on trees, O(n log n) on lines; else exponential at worst, see cuts-bb.
    Source: derived for closeknit, see docs/science/exact.md.
    """
    if instance.required:
        if why := refusal(instance):
            raise InputError(why, "auto")
    elif arrays.tree_of(instance):
        return tree_dp(instance, settings)
    elif one_axis.refuse_line(instance) is None:
        return line_window(instance, settings)
    elif (
        one_axis.refuse_ring(instance) is None
        and instance.n * instance.k**2 <= _MOST_RING_STEPS
    ):
        return ring_dp(instance, settings)
    start = clock.now()
    first = first_solution(instance, settings)
    if first.limit is Limit.INTERRUPT:
        return first
    chosen, known = first.chosen, first.objective
    limit: Limit | None = first.limit
    nodes = 0
    assert chosen is not None
    assert isinstance(known, int)
    try:
        bound, proof = best_bound(instance, cost=known)
    except KeyboardInterrupt:
        return answer(instance, chosen, start=start, limit=Limit.INTERRUPT)
    report(known, bound)
    if bound < known:
        try:
            search, search_proof = _search(instance, chosen, bound)
            until = start + settings.time_limit
            limit = search.run(until, _nodes(search, settings.node_limit))
            if limit is Limit.NODES and _goes_on(search, settings.node_limit):
                chosen, nodes = search.chosen, search.nodes
                if search.bound > bound:
                    bound, proof = search.bound, search_proof
                search = dnn_bb.DnnSearch(instance, chosen, bound)
                search.nodes, search_proof = nodes, dnn_bb.PROOF
                with blas_threads(settings.threads):
                    limit = search.run(until, settings.node_limit)
        except OutOfTimeError:  # during set-up, or within a step
            limit = Limit.TIME
            return answer(
                instance, chosen, start=start, bound=bound, proof=proof, limit=limit
            )
        chosen, nodes = search.chosen, search.nodes
        if search.bound > bound:
            bound, proof = search.bound, search_proof
    return answer(
        instance,
        chosen,
        start=start,
        bound=bound,
        proof=proof,
        limit=limit,
        nodes=nodes,
    )


def _nodes(search: KSubsetSearch, most: int | None) -> int | None:
    """Return the limit on nodes of the first search."""
    if not isinstance(search, distances_bb.DistancesSearch):
        return most
    few = max(_WORK // search.instance.n**2, 1)
    if dnn_bb.refusal(search.instance):
        return most
    return few if most is None else min(few, most)


def _goes_on(search: KSubsetSearch, most: int | None) -> bool:
    """Whether the second search follows a first one that has not proved anything."""
    return most is None or search.nodes < most


def _search(
    instance: KSubset, chosen: tuple[int, ...], bound: int
) -> tuple[KSubsetSearch, Proof]:
    """Choose the search by the instance."""
    if instance.required:
        return dnn_bb.DnnSearch(instance, chosen, bound), dnn_bb.PROOF
    if arrays.has_cuts(instance):
        return cuts_bb.CutsSearch(instance, chosen, bound), cuts_bb.PROOF
    if why := distances_bb.refusal(instance):
        raise InputError(why, "auto")
    return distances_bb.DistancesSearch(instance, chosen, bound), distances_bb.PROOF
