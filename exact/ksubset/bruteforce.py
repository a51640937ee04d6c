"""Enumeration of all k-subsets."""

from __future__ import annotations

from math import comb

import numpy as np

from ...instances import InputError, IntArray, KSubset, arrays
from ...solvers import DEFAULT, Grade, Limit, Proof, Result, Settings, answer
from ...solvers.running import clock
from ...solvers.running.kernels import kernel

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
            f"{n} free processors; at most {MOST_FREE} are tried", "bruteforce"
        )
    if (subsets := comb(n, k)) > MOST:
        raise InputError(
            f"C({n}, {k}) = {subsets} subsets; at most {MOST} are tried", "bruteforce"
        )
    deadline = start + settings.time_limit
    hops = arrays.hops(instance).copy()
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


@kernel
def search(
    hops: IntArray,
    picked: IntArray,
    star: IntArray,
    total: IntArray,
    depth: int,
    best: int,
    best_picked: IntArray,
    budget: int,
) -> tuple[int, int, int]:
    """Go on through the subsets in lexicographic order.

    A beginning that costs as much as the best subset is not continued: distances
    are not negative. The last processor is found by looking through the sums.

    ``picked[: depth]`` is the present subset, ascending; ``star[i]`` and ``total[i]``
    are the sums of the distances to and among the first i picked. At most ``budget``
    processors are picked. Returns the new depth, -1 when all is done, the least cost
    and how many were picked.
    """
    k, n = star.shape
    used = 0
    while depth >= 0 and used < budget:
        used += 1
        p = picked[depth]  # the next to try at this place
        if depth == k - 1:
            for q in range(p, n):
                if total[depth] + star[depth, q] < best:
                    best = total[depth] + star[depth, q]
                    best_picked[:depth] = picked[:depth]
                    best_picked[depth] = q
            p = n
        if p > n - (k - depth):
            depth -= 1
            if depth >= 0:
                picked[depth] += 1
            continue
        cost = total[depth] + star[depth, p]
        if cost >= best:
            picked[depth] += 1
            continue
        total[depth + 1] = cost
        for q in range(p + 1, n):
            star[depth + 1, q] = star[depth, q] + hops[p, q]
        picked[depth + 1] = p + 1
        depth += 1
    return depth, best, used
