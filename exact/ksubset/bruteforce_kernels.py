"""Kernel of the exhaustive search over all k-subsets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...solvers.kernels import kernel

Ints = npt.NDArray[np.int64]


@kernel
def search(
    hops: Ints,
    picked: Ints,
    star: Ints,
    total: Ints,
    depth: int,
    best: int,
    best_picked: Ints,
    budget: int,
) -> tuple[int, int, int]:
    """Go on through the subsets in lexicographic order.

    A beginning that costs as much as the best subset is not continued: distances
    are not negative. The last processor is found by looking through the sums.

    Parameters
    ----------
    hops
        Shape (n, n): distances.
    picked
        Shape (k,): the present subset up to ``depth``, ascending.
    star
        Shape (k, n): distances to the first i picked, summed.
    total
        Shape (k,): pair sum of the first i picked.
    depth
        How many are picked; -1 when all is done.
    best, best_picked
        The cheapest subset so far.
    budget
        Number of processors to pick at most before returning.

    Returns
    -------
    tuple
        The new depth, the new best and how many were picked.
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
