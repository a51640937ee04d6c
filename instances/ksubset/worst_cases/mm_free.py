"""Worst cases of ``mm-free`` (GenAlg), whose best centres are no free processors."""

from __future__ import annotations

from fractions import Fraction

from ...numbers import at_least, at_most
from ...topologies import Tree
from ..instance import KSubset
from .case import WorstCase
from .layout import free_points
from .parameters import LARGEST_K


def genalg(L: int = 100) -> WorstCase:
    """Show that 4/3 is tight for ``mm-free`` (GenAlg) at k = 3: 8L - 4 against 6L.

    Three points lie 2L apart around an empty centre; each has two decoys at distance 2L
    - 1, on opposite sides of it along the third axis. Derived, see docs/theory.md.
    Raises InputError when L is smaller.

    L is at least 3.

    >>> genalg(1000).ratio
    Fraction(1999, 1500)
    """
    at_least(L, 3, "L")
    points = [
        (x, y, z)
        for x, y in ((L, 0), (0, L), (-L, 0))
        for z in (0, 2 * L - 1, 1 - 2 * L)
    ]
    return WorstCase(
        instance=free_points(
            f"genalg-L{L}", points, 3, f"worst case of GenAlg: L = {L}"
        ),
        method="mm-free",
        cost=8 * L - 4,
        optimum=6 * L,
        statement="mm-free tends to 4/3 at k = 3",
        source="derived; the bound is Krumke et al. 1997",
    )


def genalg_tree(k: int, L: int = 100) -> WorstCase:
    """Show that 2 - 2/k is tight for ``mm-free`` on trees, for every k.

    k optimal leaves hang L below a root that is no processor; below each hang k - 1
    decoys, 2L - 1 away from it and twice that from one another. ``mm-free`` pays (k -
    1)² (2L - 1), the optimum is k (k - 1) L. Derived, see docs/theory.md. k is at least
    3, and L at least k. Raises InputError when k or L is smaller.

    >>> genalg_tree(4, 1000).ratio
    Fraction(5997, 4000)
    """
    at_least(k, 3, "k")
    at_most(k, LARGEST_K, "k")
    at_least(L, k, "L")
    centres = range(1, k + 1)
    parent = [-1] + [0] * k + [v for v in centres for _ in range(k - 1)]
    weight = [0] + [L] * k + [2 * L - 1] * (k * (k - 1))
    tree = Tree(tuple(parent), tuple(weight), tuple(range(1, len(parent))))
    return WorstCase(
        instance=KSubset(
            f"genalg-tree-k{k}-L{L}",
            tree,
            tuple(tree.locations()),
            k,
            source=f"worst case of GenAlg on a tree: k = {k}, L = {L}",
        ),
        method="mm-free",
        cost=(k - 1) ** 2 * (2 * L - 1),
        optimum=k * (k - 1) * L,
        statement=f"mm-free tends to 2 - 2/k = {2 - Fraction(2, k)} as L grows",
        source="derived; the bound is Krumke et al. 1997",
    )
