"""Exact algorithm on a line: some k consecutive processors are optimal."""

from __future__ import annotations

from ...heuristics.ksubset.one_axis import along
from ...instances import KSubset
from ...solvers import DEFAULT, Grade, Proof, Result, Settings, answer
from ...solvers.running import clock

PROOF = Proof(Grade.ENUMERATED, "line-window")


def line_window(instance: KSubset, /, settings: Settings = DEFAULT) -> Result:
    """Find an optimum on a line: the cheapest k consecutive free processors.

    If a free x between two chosen processors is not chosen, let D(y) be the sum of
    the distances from y to the chosen. D is convex and so at x no larger than at
    one of the two, y. Taking x for y lowers the cost by D(y) - D(x) + |x - y|,
    unless x = y; hence some optimum is a window. That of x_0 ≤ ... ≤ x_(k-1) costs
    Σ (2r - k + 1) x_r, and the next one, with x_k for x_0, (k - 1)(x_0 + x_k)
    - 2 (x_1 + ... + x_(k-1)) more.

    Guarantee: exact.
    Time: O(n) once sorted, in integers of any size.
    Ties: the first window.
    Source: Leung et al. 2003, as described in Bender et al. 2008, section 1; the
        recurrence is derived for closeknit, see docs/science/theory.md.
    """
    start = clock.now()
    n, k = instance.n, instance.k
    x: list[int] = along(instance).tolist()
    price = sum((2 * r - k + 1) * x[r] for r in range(k))
    between = sum(x[1:k])
    best, first = price, 0
    for left in range(n - k):
        price += (k - 1) * (x[left] + x[left + k]) - 2 * between
        between += x[left + k] - x[left + 1]
        if price < best:
            best, first = price, left + 1
    window = range(first, first + k)
    return answer(instance, window, start=start, bound=best, proof=PROOF)
