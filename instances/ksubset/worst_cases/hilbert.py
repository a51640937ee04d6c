"""Neighbours far apart along Hilbert's curve: for ``hilbert/best-fit``."""

from __future__ import annotations

from ...errors import InputError
from ...numbers import at_least, at_most
from ...topologies import Mesh
from ..instance import KSubset
from .case import WorstCase

_LARGEST_SIDE = 4096
"""A mesh has at most 2^24 processors."""


def hilbert_gap(N: int) -> WorstCase:
    """Show that ``hilbert/best-fit`` pays 5N/4 - 2 times the least on an N x N mesh.

    Of the four free processors, (N/2 - 1, 0) and (N/2, 0) are neighbours, but the curve
    passes them at the places (N²/4 - 1)/3 and N² - 1 - (N²/4 - 1)/3. It passes (0, N -
    1) and (3N/4 - 1, N/2), which are 5N/4 - 2 hops apart, at (N² - 1)/3 and 3N²/16
    later, and between the others; that is the least span of any two. Derived, see
    docs/allocators.md. N is a power of two from 4 to 4096. Raises InputError for any
    other N.

    >>> hilbert_gap(16).ratio
    Fraction(18, 1)
    """
    at_least(N, 4, "N")
    at_most(N, _LARGEST_SIDE, "N")
    if N & (N - 1):
        raise InputError("must be a power of two", "N", N)
    near = [(N // 2 - 1, 0), (N // 2, 0)]
    far = [(0, N - 1), (3 * N // 4 - 1, N // 2)]
    return WorstCase(
        instance=KSubset(
            f"hilbert-gap-N{N}",
            Mesh((N, N)),
            (*near, *far),
            2,
            source=f"worst case of hilbert/best-fit: N = {N}",
        ),
        method="hilbert/best-fit",
        cost=5 * N // 4 - 2,
        optimum=1,
        statement=f"hilbert/best-fit pays 5N/4 - 2 = {5 * N // 4 - 2} times the least",
        source="derived; Bender et al. 2008, section 5, say Omega(N)",
    )
