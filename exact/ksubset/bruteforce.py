"""Enumeration of all k-subsets."""

from __future__ import annotations

from math import comb

import numpy as np

from ...instances import InputError, KSubset
from ...solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer, clock
from .bruteforce_kernels import search

MOST = 200_000_000
"""Number of subsets up to which the search runs."""
MOST_FREE = 2000
"""Number of free processors up to which the search runs."""
_PROOF = Proof(Grade.ENUMERATED, "bruteforce")
_SECONDS = 0.1


def bruteforce(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Enumerate all k-subsets.

    Prefixes that already cost as much as the best subset are skipped. If a limit is
    reached first, the result is the best subset so far, without a proof.

    Guarantee: exact.
    Time: O(n) for each of up to C(n, k - 1) prefixes; refused beyond C(n, k) =
        2e8 or n = 2000.
    Ties: the first in lexicographic order of indices.
    Source: the definition.

    Raises
    ------
    InputError
        If there are too many subsets or processors.
    """
    start = clock.now()
    n, k = instance.n, instance.k
    if n > MOST_FREE:
        raise InputError(
            f"{n} free processors; at most {MOST_FREE} are tried", field="bruteforce"
        )
    if (subsets := comb(n, k)) > MOST:
        raise InputError(
            f"C({n}, {k}) = {subsets} subsets; at most {MOST} are tried",
            field="bruteforce",
        )
    deadline = start + settings.time_limit
    hops = instance.hops.copy()
    picked, total = np.zeros((2, k), dtype=np.int64)
    star = np.zeros((k, n), dtype=np.int64)
    best_picked = np.arange(k)
    best = int(hops[:k, :k].sum()) // 2
    depth = nodes = 0
    budget = 1000
    limit: Limit | None = None
    try:
        while depth >= 0 and limit is None:
            if settings.node_limit is not None:
                budget = min(budget, settings.node_limit - nodes)
            began = clock.now()
            depth, best, used = search(
                hops, picked, star, total, depth, best, best_picked, budget
            )
            nodes += used
            now = clock.now()
            if now > deadline:
                limit = Limit.TIME
            elif settings.node_limit is not None and nodes >= settings.node_limit:
                limit = Limit.NODES
            elif now - began < _SECONDS / 2:
                budget *= 2
    except KeyboardInterrupt:
        limit = Limit.INTERRUPT
    if depth >= 0:
        return answer(instance, best_picked, start=start, limit=limit, nodes=nodes)
    return answer(
        instance, best_picked, start=start, bound=best, proof=_PROOF, nodes=nodes
    )
