"""Proven approximation factors, as exact fractions."""

from __future__ import annotations

from fractions import Fraction

from ...instances import KSubset, arrays
from ...solvers.running.method import LeastOf


def star(instance: KSubset) -> Fraction | None:
    """2 - 2/k, on any metric, when every free processor is tried as a centre.

    The k nearest to a member p of an optimal set cost at most (k - 1) times the
    star of p, and the stars of an optimal set S are 2 w(S)/k on average (Krumke
    et al. 1997).
    """
    if not arrays.is_metric(instance.topology):
        return None
    return max(Fraction(1), 2 - Fraction(2, instance.k))


def median_bounds(instance: KSubset) -> list[tuple[Fraction, str]]:
    """Return what is proven for medians: under L1 rho_k(d), and 2 - 2/k everywhere.

    With m = ⌊k/2⌋ and x the most even split of m into 2d parts, rho_k(d) =
    1 + (m² - Σ x_i²)/(m (k - m)): Bender et al. 2008, Theorem 2, evaluated for
    finite k; derived, see docs/science/theory.md. It is never above 2 - 1/(2d).

    >>> from closeknit.instances import mesh
    >>> [str(factor) for factor, _ in median_bounds(mesh(4, 4, k=12))]
    ['31/18', '7/4', '11/6']
    """
    k, topology = instance.k, instance.topology
    factor = star(instance)
    if factor is None:
        return []
    bounds = [(factor, "2 - 2/k, on any network: the star of the best centre")]
    if not topology.is_flat:
        return bounds
    d = topology.dimension
    return [
        (rho(k, d), f"rho_{k}({d}): the median's star under L1, for this k"),
        (2 - Fraction(1, 2 * d), "2 - 1/(2d): the same for every k"),
        *bounds,
    ]


manhattan_median = LeastOf(median_bounds)
"""rho_k(d) under L1, never above 2 - 1/(2d); 2 - 2/k where no median exists."""


def rho(k: int, d: int) -> Fraction:
    """Worst ratio of the Manhattan median algorithm with k points in d dimensions.

    >>> rho(8, 2), rho(16, 1), rho(3, 2)
    (Fraction(7, 4), Fraction(3, 2), Fraction(1, 1))
    """
    m = k // 2
    if not m:
        return Fraction(1)
    small, large = divmod(m, 2 * d)
    squares = (2 * d - large) * small**2 + large * (small + 1) ** 2
    return 1 + Fraction(m * m - squares, m * (k - m))


def shells(instance: KSubset) -> Fraction:
    """(2 - 2/k) d for L-infinity shells: Bender et al. 2008, Theorem 3.

    >>> from closeknit.instances import mesh
    >>> shells(mesh(4, 4, k=8))
    Fraction(7, 2)
    """
    factor = 2 - Fraction(2, max(2, instance.k))
    return factor * instance.topology.dimension
