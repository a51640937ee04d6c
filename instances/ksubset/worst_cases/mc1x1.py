"""Worst case of ``mc1x1``: a group that is near in shells but not in hops."""

from __future__ import annotations

from fractions import Fraction

from ...errors import InputError
from ...numbers import at_least, at_most
from .case import WorstCase
from .layout import free_points, moved, packed, pair_sum, shells
from .parameters import LARGEST_K


def mc1x1_family(k: int, r: int, d: int = 2) -> WorstCase:
    """Show that (2 - 2/k) d is tight for ``mc1x1``: it tends there as r grows.

    k - 1 packed points and one at s(1, …, 1) form one group; k/2 packed points and as
    many r further along the first axis form another, far away. Counted in shells, the
    first group is nearer by one, since a shell costs the same in its corner as on its
    axis; counted in hops it costs about d times as much. s is the largest number for
    which that holds. The optimum is the second group: a set with points of both costs
    more than either. Derived, see docs/theory.md. k is even, and r large against k^(1 +
    1/d). Raises InputError for other k or d, or an r too small for the second group to
    be cheaper.

    >>> case = mc1x1_family(8, 50)
    >>> case.cost, case.optimum
    (2752, 824)
    """
    at_least(d, 1, "d")
    at_least(r, 1, "r")
    if k < 2 or k % 2:
        raise InputError("must be even and at least 2", "k", k)
    at_most(k * d, LARGEST_K, "k times d")
    half = packed(k // 2, d)
    pair = half + [moved(p, r) for p in half]
    block = packed(k - 1, d)
    s = shells(pair, pair) - shells(block, [(0,) * d]) - 1
    group = [*block, (s,) * d]
    cost, optimum = pair_sum(group), pair_sum(pair)
    if s <= max(map(max, block)) or optimum >= cost:
        raise InputError(f"is too small for k = {k}", "r", r)
    far = 10 * (s + r)
    return WorstCase(
        instance=free_points(
            f"mc1x1-worst-d{d}-k{k}-r{r}",
            group + [moved(p, far) for p in pair],
            k,
            f"worst case of mc1x1: k = {k}, r = {r}, d = {d}",
        ),
        method="mc1x1",
        cost=cost,
        optimum=optimum,
        statement=f"mc1x1 tends to (2 - 2/k)d = {(2 - Fraction(2, k)) * d} as r grows",
        source="derived",
    )
