"""Distinct points of the plane on which ``mm`` pays up to 7/4, k a multiple of 8."""

from __future__ import annotations

from fractions import Fraction

from ...errors import InputError
from ...numbers import at_least, at_most
from ...topologies import Site
from .case import WorstCase
from .layout import free_points, pair_sum
from .parameters import LARGEST_K

_LEAST_GAP = 16
"""Gap in units of q from which the two blocks are known to be the optimum."""


def mm_blocks(k: int, L: int) -> WorstCase:
    """Build distinct points in the plane that cost ``mm`` up to 7/4, k any 8q.

    Theorem 1's construction with rows of points in the place of coinciding ones. Two
    blocks, rows of 4q points, lie a gap of L apart and are optimal. Decoys, q points
    each, lie at a distance of D = L - 4q behind each block and above and below its
    inner end. From every centre in a block the k nearest are this block, its three
    decoys and the q nearest points of the other block, in that order and without a tie
    at the end: the farthest of them is 1 nearer than the next. Other centres do no
    better. Derived, see docs/theory.md. L is at least 16q = 2k; the ratio tends to 7/4
    as L/k grows. Raises InputError for any other k or L.

    >>> mm_blocks(16, 40).ratio
    Fraction(1065, 794)
    """
    if k < 8 or k % 8:
        raise InputError("must be a multiple of 8", "k", k)
    at_most(k, LARGEST_K, "k")
    q = k // 8
    at_least(L, _LEAST_GAP * q, "L")
    far = L - 4 * q
    block: list[Site] = [(-i, 0) for i in range(4 * q)]
    decoys: list[Site] = [(1 - 4 * q - far - i, 0) for i in range(q)]
    decoys += [(0, sign * (far + i)) for sign in (-1, 1) for i in range(q)]

    def mirrored(points: list[Site]) -> list[Site]:
        return [(L - x, y) for x, y in points]

    cost = pair_sum(block + decoys + mirrored(block[:q]))
    optimum = pair_sum(block + mirrored(block))
    return WorstCase(
        instance=free_points(
            f"mm-blocks-k{k}-L{L}",
            block + decoys + mirrored(block + decoys),
            k,
            f"distinct points for mm: k = {k}, L = {L}",
        ),
        method="mm",
        cost=cost,
        optimum=optimum,
        statement=f"mm tends to 7/4 as L grows; here {Fraction(cost, optimum)}",
        source="derived from Bender et al. 2008, Theorem 1",
    )
