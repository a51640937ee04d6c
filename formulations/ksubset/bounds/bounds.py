"""Lower bounds in closeknit's own integers: no solver, cheap to compute.

``instances.ksubset.lower_bounds`` derives those of grade ``checked`` a second time.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ....instances import KSubset, arrays
from ....instances.ksubset.lower_bounds import AXIS, STAR, TOWN
from ....instances.ksubset.towns import has_certificate
from ....solvers import Grade, Proof
from .stars import cheapest_stars
from .towns import TOWN_SEARCH, town_bound_value


def best_bound(instance: KSubset, *, cost: int | None = None) -> tuple[int, Proof]:
    """Return the strongest of the bounds below and its proof; of equals, a checked one.

    Parameters
    ----------
    instance
        The instance to bound.
    cost
        Cost of a good choice, if known. If it is far from any town's, towns of many
        points are skipped, as their bound would not be worth its running time.

    Running time: that of `star_bound`.

    >>> from closeknit.instances import mesh
    >>> bound, proof = best_bound(mesh(5, 5, k=5))
    >>> bound, str(proof)
    (16, 'checked: town bound')
    """
    value, _, by = max(
        (bound, grade_of(instance, name) is Grade.CHECKED, name)
        for name in (STAR, TOWN, AXIS)
        if not (name == TOWN and cost is not None and _far_from_town(instance, cost))
        and (bound := compute_bound(instance, name)) is not None
    )
    return value, Proof(grade_of(instance, by), by)


def compute_bound(instance: KSubset, by: str) -> int | None:
    """Compute the bound of a name; None if there is none such for this instance."""
    if by == STAR:
        return star_bound(instance)
    if by == TOWN:
        return town_bound(instance)
    if by == AXIS:
        return axis_bound(instance)
    return None


def grade_of(instance: KSubset, by: str) -> Grade:
    """Return the grade of a bound: ``checked`` if code of its own derives it again.

    For towns that takes a certificate, which only small ones have.
    """
    dimension = instance.topology.dimension
    derived = by != TOWN or has_certificate(instance.k, dimension)
    return Grade.CHECKED if derived else Grade.ENUMERATED


def star_bound(instance: KSubset) -> int:
    """Bound w(S) by half the sum of the k cheapest stars.

    The star of p is what p and its k - 1 nearest free processors cost from p. Every
    pair of S is counted in two stars, and the star of p within S costs at
    least the cheapest of p; so 2 w(S) ≥ the sum over S ≥ that over the k cheapest.
    Holds for any distances. It is at least k/2 times the cheapest star, which is
    Krumke et al. 1997. Running time: see `stars.cheapest_stars`.

    >>> from closeknit.instances import mesh
    >>> star_bound(mesh(3, 3, k=4))
    6
    """
    return -(-cheapest_stars(instance) // 2)


def town_bound(instance: KSubset) -> int | None:
    """Bound w(S) by the cost of the optimal town of k lattice points.

    Any k distinct lattice points under L1 cost at least w(k), the cost of k
    points placed freely; see `towns.town_bound_value`, which states up to which k
    w(k) is exact. None if points repeat, rings wrap round, or there are more
    than three axes.
    """
    topology = instance.topology
    if not topology.is_flat:
        return None
    if topology.repeats and _repeats(instance):
        return None
    return town_bound_value(instance.k, topology.dimension)


def axis_bound(instance: KSubset) -> int | None:
    """Bound w(S) on points by the cheapest k coordinates of each axis separately.

    On a line k consecutive coordinates are cheapest. Stronger than the stars only
    where coordinates lie far apart. O(n log n) per axis.
    """
    if not instance.topology.is_flat or instance.topology.grid:
        return None
    k = instance.k
    total = 0
    for axis in arrays.points(instance).T:
        x = [int(value) for value in np.sort(axis)]
        cost = best = sum((2 * r - k + 1) * value for r, value in enumerate(x[:k]))
        between = sum(x[1:k])
        for left in range(len(x) - k):
            cost += (k - 1) * (x[left] + x[left + k]) - 2 * between
            between += x[left + k] - x[left + 1]
            best = min(best, cost)
        total += best
    return total


def _far_from_town(instance: KSubset, cost: int) -> bool:
    """Estimate whether the bound by towns is slow and useless.

    w(k) is about 0.325 k^2.5 in the plane, 0.46 k^(7/3) in space. Beyond the largest k
    that is searched it is extrapolated and does not reach the cost of any choice; where
    not many more than k are free, the search is faster anyway.
    """
    k, d = instance.k, instance.topology.dimension
    if d not in TOWN_SEARCH or k <= (40 if d == 2 else 12):
        return False
    near = 0.335 * k**2.5 if d == 2 else 0.47 * k ** (7 / 3)
    return k > TOWN_SEARCH[d] or instance.n <= 3 * k or cost > near


def _repeats(instance: KSubset) -> bool:
    return any(p == q for p, q in pairwise(instance.free))
