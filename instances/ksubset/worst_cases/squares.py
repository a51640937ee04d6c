"""Distinct points of the plane on which ``mm`` pays up to 7/4."""

from __future__ import annotations

from ...numbers import at_least
from .case import WorstCase
from .layout import free_points


def mm_distinct(L: int) -> WorstCase:
    """Build distinct points in the plane, k = 8, that cost ``mm`` 28L - 47.

    Two 2x2 squares lie L apart and are optimal, 16L + 24; six single decoys lie at
    distance L - 3 around them. L = 555 gives 1.74000; the limit is 7/4. Derived, see
    docs/theory.md. L is at least 6: nearer, the squares are not optimal. Raises
    InputError when L is smaller.

    >>> case = mm_distinct(20)
    >>> case.cost, case.optimum
    (513, 344)
    """
    at_least(L, 6, "L")
    far = L - 3
    squares = [(x, y) for x in (0, 1, L, L + 1) for y in (0, 1)]
    decoys = [(-far, 0), (L + 1 + far, 0)]
    decoys += [(x, y) for x in (0, L + 1) for y in (far, -far)]
    return WorstCase(
        instance=free_points(
            f"mm-distinct-L{L}",
            squares + decoys,
            8,
            f"distinct points for mm: L = {L}",
        ),
        method="mm",
        cost=28 * L - 47,
        optimum=16 * L + 24,
        statement="mm pays 28L - 47 where 16L + 24 is enough, without repeated points",
        source="derived",
    )
