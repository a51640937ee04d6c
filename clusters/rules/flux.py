"""Match policies of Flux's scheduler Fluxion, re-implemented.

They follow the source of flux-sched (``resource/policies`` as of 2024) for jobs that
ask for nodes alone. The number of a node is its place in the topology. For such jobs
lonode and lonodex choose as low, hinode and hinodex as high; first takes what its walk
meets first, here the lowest numbers, too; variation needs classes of performance.
"""

from __future__ import annotations

import numpy as np

from .state import HierarchyState

Chosen = tuple[int, ...] | None


def flux_low(state: HierarchyState, k: int, /) -> Chosen:
    """Take the free nodes with the lowest numbers.

    Guarantee: none.
    Time: O(n).
    Ties: none.
    Source: Flux, match-policy low, flux-sched of 2024.
    """
    free = np.flatnonzero(state.free)
    return tuple(free[:k].tolist()) if len(free) >= k else None


def flux_high(state: HierarchyState, k: int, /) -> Chosen:
    """Take the free nodes with the highest numbers.

    Guarantee: none.
    Time: O(n).
    Ties: none.
    Source: Flux, match-policy high, flux-sched of 2024.
    """
    free = np.flatnonzero(state.free)
    return tuple(free[-k:].tolist()) if len(free) >= k else None


def flux_locality(state: HierarchyState, k: int, /) -> Chosen:
    """Take runs of successive free nodes, those with the highest numbers first.

    Runs are compared by where they begin, not by how long they are. Within a run the
    order is left open by the sort that Flux uses; here it is upwards.

    Guarantee: none.
    Time: O(n).
    Ties: none.
    Source: Flux, match-policy locality, flux-sched of 2024.
    """
    free = np.flatnonzero(state.free)
    if len(free) < k:
        return None
    begins = np.flatnonzero(np.diff(free, prepend=-2) > 1)
    first = begins[begins <= len(free) - k][-1]  # of the last run that is touched
    end = begins[begins > first][:1]
    later = free[end[0] :].tolist() if len(end) else []
    return (*free[first : first + k - len(later)].tolist(), *later)
