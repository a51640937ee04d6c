"""The rules of Volcano's network-topology-aware plugin, re-implemented.

They follow the source of Volcano 1.14 for HyperNodes that are the domains of a
hierarchy and pods that take a node each. Volcano draws lots where scores are equal;
here the first is taken, so that the same state gives the same choice.
"""

from __future__ import annotations

from .state import HierarchyState

Chosen = tuple[int, ...] | None


def volcano_binpack(state: HierarchyState, k: int, /) -> Chosen:
    """Take the lowest domain that is fullest with the job, segment by segment.

    That is the mode hard: of the lowest HyperNodes with room the one with the largest
    share of nodes in use afterwards. Within it, tasks go one by one to what is nearest
    to those before, which is in order from the first free node. The mode soft is the
    same without a choice of HyperNodes: from the first free node it is `flux_low`.

    Guarantee: none.
    Time: O(domains) for each candidate and segment.
    Ties: the first.
    Source: Volcano 1.14, network-topology-aware, mode hard.
    """
    fits = state.lowest(k)
    if not fits:
        return None
    if state.size > 1:
        found = [_segments(state, top, k) for top in fits]
        return state.first(max(found, key=lambda one: one[0])[1])
    best = max(fits, key=lambda v: _use(state, v, state.below[v], k))
    taken: dict[int, int] = {}
    for v in state.layout.inside(best):
        if k and state.at[v]:
            taken[v] = min(k, state.at[v])
            k -= taken[v]
    return state.first(taken)


def _use(state: HierarchyState, v: int, free: int, more: int) -> float:
    """Return which share of a domain's nodes is in use with some more."""
    total = state.layout.total[v]
    return (total - free + more) / total


def _segments(state: HierarchyState, top: int, k: int) -> tuple[float, dict[int, int]]:
    """Place segments one by one; return the sum of their scores, and the nodes."""
    leaves = [v for v in state.layout.inside(top) if state.room[v]]
    left = {v: state.at[v] for v in leaves}
    score, taken = 0.0, dict.fromkeys(leaves, 0)
    for _ in range(k):
        use = {
            v: _use(state, v, left[v], state.size)
            for v in leaves
            if left[v] >= state.size
        }
        best = max(use, key=lambda v: use[v])
        score += use[best]
        left[best] -= state.size
        taken[best] += state.size
    return score, taken
