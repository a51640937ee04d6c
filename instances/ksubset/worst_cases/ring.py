"""A ring on which no window of consecutive processors is optimal."""

from __future__ import annotations

from ...numbers import at_least, at_most
from ...topologies import MOST_PROCESSORS, Torus
from ..instance import KSubset
from .case import WorstCase

_NODES, _K = 46, 10
_FREE = (2, 11, 14, 15, 17, 26, 29, 31, 32, 39, 44, 45)


def ring_gap(s: int = 1) -> WorstCase:
    """Show that windows fail on rings: 532 s against 530 s for 10 of 12 processors.

    Of the twelve free processors of a ring of 46 the cheapest ten leave out 2 and 39,
    and are not consecutive. With s nodes for each of these all distances are s times as
    long. Found by search, see docs/theory.md. Raises InputError when s is smaller, or
    the ring too long.

    >>> ring_gap(3).ratio
    Fraction(266, 265)
    """
    at_least(s, 1, "s")
    at_most(s, MOST_PROCESSORS // _NODES, "s")
    return WorstCase(
        instance=KSubset(
            f"ring-gap-s{s}",
            Torus((_NODES * s,)),
            tuple((x * s,) for x in _FREE),
            _K,
            source=f"worst case of ring-window: s = {s}",
        ),
        method="ring-window",
        cost=532 * s,
        optimum=530 * s,
        statement="windows of consecutive processors of a ring are not always optimal",
        source="derived",
    )
