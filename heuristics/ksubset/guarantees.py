"""Proven approximation factors, as exact fractions."""

from __future__ import annotations

from fractions import Fraction

from ...instances import KSubset, Mesh, Points


def star(instance: KSubset) -> Fraction:
    """2 - 2/k, on any metric, when every free processor is tried as a centre.

    The k nearest to a member p of an optimal set cost at most (k - 1) times the
    star of p, and the stars of an optimal set S are 2 w(S)/k on average (Krumke
    et al. 1997).
    """
    return max(Fraction(1), 2 - Fraction(2, instance.k))


def manhattan_median(instance: KSubset) -> Fraction:
    """rho_k(d) under L1, never above 2 - 1/(2d); 2 - 2/k where no median exists.

    With m = ⌊k/2⌋ and x the most even split of m into 2d parts, rho_k(d) =
    1 + (m² - Σ x_i²)/(m (k - m)): Bender et al. 2008, Theorem 2, evaluated for
    finite k; derived, see docs/theory.md.

    >>> from closeknit.instances import mesh
    >>> manhattan_median(mesh(4, 4, k=8))
    Fraction(7, 4)
    """
    if not isinstance(instance.topology, Mesh | Points):
        return star(instance)
    return min(rho(instance.k, instance.topology.dimension), star(instance))


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
    return max(Fraction(1), star(instance) * instance.topology.dimension)
