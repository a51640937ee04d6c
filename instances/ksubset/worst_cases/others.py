"""Worst cases of ``mm-free`` (GenAlg), ``mc1x1``, ring windows and Hilbert's curve."""

from __future__ import annotations

from fractions import Fraction

from ...errors import InputError
from ...reading.numbers import at_least, at_most
from ...topologies import MOST_PROCESSORS, Mesh, Torus, Tree
from ..instance import KSubset
from .case import (
    LARGEST_K,
    WorstCase,
    free_points,
    packed_cube,
    pair_sum,
    shells,
    shift,
)


def genalg(L: int = 100) -> WorstCase:
    """Show that 4/3 is tight for ``mm-free`` (GenAlg) at k = 3: 8L - 4 against 6L.

    Three points lie 2L apart around an empty centre; each has two decoys at
    distance 2L - 1, on opposite sides of it along the third axis. Derived, see
    docs/science/theory.md.

    Parameters
    ----------
    L
        Distance of the optimal points from their centre, at least 3.

    Raises
    ------
    InputError
        When L is smaller.

    Examples
    --------
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

    k optimal leaves hang L below a root that is no processor; below each hang
    k - 1 decoys, 2L - 1 away from it and twice that from one another. ``mm-free``
    pays (k - 1)² (2L - 1), the optimum is k (k - 1) L. Derived, see
    docs/science/theory.md.

    Parameters
    ----------
    k
        Processors to choose, at least 3.
    L
        Hops between the root and the optimal processors, at least k.

    Raises
    ------
    InputError
        When k or L is smaller.

    Examples
    --------
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


def mc1x1_family(k: int, r: int, d: int = 2) -> WorstCase:
    """Show that (2 - 2/k) d is tight for ``mc1x1``: it tends there as r grows.

    k - 1 packed points and one at s(1, …, 1) form one group; k/2 packed points and
    as many r further along the first axis form another, far away. Counted in
    shells, the first group is nearer by one, since a shell costs the same in its
    corner as on its axis; counted in hops it costs about d times as much. s is the
    largest number for which that holds. The optimum is the second group: a set
    with points of both costs more than either. Derived, see docs/science/theory.md.

    Parameters
    ----------
    k
        Processors to choose; even.
    r
        Distance of the two halves; large against k^(1 + 1/d).
    d
        Dimension, at least 1.

    Raises
    ------
    InputError
        For other k or d, or an r too small for the second group to be cheaper.

    Examples
    --------
    >>> case = mc1x1_family(8, 50)
    >>> case.cost, case.optimum
    (2752, 824)
    """
    at_least(d, 1, "d")
    at_least(r, 1, "r")
    if k < 2 or k % 2:
        raise InputError("must be even and at least 2", "k", k)
    at_most(k * d, LARGEST_K, "k times d")
    half = packed_cube(k // 2, d)
    pair = half + [shift(p, r) for p in half]
    block = packed_cube(k - 1, d)
    s = shells(pair, pair) - shells(block, [(0,) * d]) - 1
    group = [*block, (s,) * d]
    cost, optimum = pair_sum(group), pair_sum(pair)
    if s <= max(map(max, block)) or optimum >= cost:
        raise InputError(f"is too small for k = {k}", "r", r)
    far = 10 * (s + r)
    return WorstCase(
        instance=free_points(
            f"mc1x1-worst-d{d}-k{k}-r{r}",
            group + [shift(p, far) for p in pair],
            k,
            f"worst case of mc1x1: k = {k}, r = {r}, d = {d}",
        ),
        method="mc1x1",
        cost=cost,
        optimum=optimum,
        statement=f"mc1x1 tends to (2 - 2/k)d = {(2 - Fraction(2, k)) * d} as r grows",
        source="derived",
    )


_NODES, _K = 46, 10
_FREE = (2, 11, 14, 15, 17, 26, 29, 31, 32, 39, 44, 45)


def ring_gap(s: int = 1) -> WorstCase:
    """Show that windows fail on rings: 532 s against 530 s for 10 of 12 processors.

    Of the twelve free processors of a ring of 46 the cheapest ten leave out 2 and 39,
    and are not consecutive. With s nodes for each of these all distances are s times
    as long. Found by search, see docs/science/theory.md.

    Parameters
    ----------
    s
        Scale, at least 1.

    Raises
    ------
    InputError
        When s is smaller, or the ring too long.

    Examples
    --------
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


_LARGEST_SIDE = 4096
"""A mesh has at most 2^24 processors."""


def hilbert_gap(N: int) -> WorstCase:
    """Show that ``hilbert/best-fit`` pays 5N/4 - 2 times the least on an N x N mesh.

    Of the four free processors, (N/2 - 1, 0) and (N/2, 0) are neighbours, but the
    curve passes them at the places (N²/4 - 1)/3 and N² - 1 - (N²/4 - 1)/3. It passes
    (0, N - 1) and (3N/4 - 1, N/2), which are 5N/4 - 2 hops apart, at (N² - 1)/3 and
    3N²/16 later, and between the others; that is the least span of any two. Derived,
    see docs/science/allocators.md.

    Parameters
    ----------
    N
        Side of the mesh: a power of two from 4 to 4096.

    Raises
    ------
    InputError
        For any other N.

    Examples
    --------
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
