"""Least pair sums of k distinct grid points, and following their certificates.

For every k of the table, ``data/towns`` has a certificate that no k points of a box
cost less; by `longest_side` the box is large enough, given the entry before. So the
entries prove each other, from k = 2 on, by arithmetic that shares no code with the
searches for towns. docs/science/theory.md, section 5, has the proofs.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from pathlib import Path
from time import monotonic
from types import MappingProxyType

from ..errors import InputError
from ..topologies import Mesh
from .certificate import CertificateChecker
from .certificate_file import check_certificate
from .instance import KSubset

CERTIFIED_TOWNS: Mapping[int, tuple[int, ...]] = MappingProxyType(
    {
        2: (
            *(0, 0, 1, 4, 8, 16, 25, 38, 54, 72, 96, 124, 152, 188, 227, 272, 318, 374),
            *(433, 496, 563, 632, 716, 804, 895, 992, 1091, 1204, 1318, 1442, 1570),
            *(1704, 1840, 1996, 2153, 2318, 2486, 2656, 2847, 3040, 3241, 3446, 3662),
            *(3886, 4112, 4360, 4612, 4868, 5128, 5398, 5675),
        ),
        3: (0, 0, 1, 4, 8, 16, 25, 36, 48, 68, 89, 112, 136, 168),
    }
)
"""Least pair sums by k, from 0 on, for the dimensions with certificates."""

_DATA = Path(__file__).resolve().parents[1] / "data" / "towns"
_followed: dict[tuple[int, type[CertificateChecker]], int] = {}
"""Up to which k the certificates of a dimension were followed in this process."""


def has_certificate(k: int, dimension: int) -> bool:
    """Whether `least_sum` derives the least sum of k points of a grid.

    >>> has_certificate(9, 2), has_certificate(99, 2), has_certificate(9999, 1)
    (True, False, True)
    """
    return dimension == 1 or k < len(CERTIFIED_TOWNS.get(dimension, ()))


def least_sum(
    k: int,
    dimension: int,
    *,
    seconds: float = inf,
    by: type[CertificateChecker] = CertificateChecker,
) -> int | None:
    """Derive the least pair sum of k distinct grid points; None where nothing does.

    On a line the points i and j of k differ by at least j - i. Otherwise all
    certificates up to k are followed, once in a process.

    Raises
    ------
    InputError
        If a certificate does not hold, or the time is over.

    >>> least_sum(4, 1), least_sum(9, 2), least_sum(8, 3), least_sum(999, 2)
    (10, 72, 48, None)
    """
    if dimension == 1:
        return sum(j * (k - j) for j in range(1, k))
    if not has_certificate(k, dimension):
        return None
    until = monotonic() + seconds
    for n in range(_followed.get((dimension, by), 1) + 1, k + 1):
        box = town_box(n, dimension)
        path, left = _DATA / f"{box.name}.xz", max(0.0, until - monotonic())
        proved = check_certificate(box, path, seconds=left, by=by)
        if proved < CERTIFIED_TOWNS[dimension][n]:
            raise InputError(f"is for {proved} only", file=path)
        _followed[dimension, by] = n
    return CERTIFIED_TOWNS[dimension][k]


def town_box(k: int, dimension: int) -> KSubset:
    """Return the mesh, all free, that the certificate of an entry is about."""
    table = CERTIFIED_TOWNS[dimension]
    side = longest_side(k, table[k] - table[k - 1], dimension)
    box = Mesh(*[side] * dimension)
    return KSubset(f"town-{dimension}d-k{k}", box, tuple(box.locations()), k)


def longest_side(k: int, room: int, dimension: int) -> int:
    """Return a side of a box that holds some cheapest k points of the grid.

    These form a centred (plane) partition. Let it have a layers along an axis, and p be
    the point on that axis in the last of them. If k points cost at most ``room`` more
    than the least of k - 1, the distances from p add up to at most that. Along the axis
    they add up to at least k (a - 1) / 2, and across it to the least that k points can
    have of which each line along the axis holds at most a.
    """
    sides = range(1, k + 1)
    least = (-(-k * (a - 1) // 2) + _across(k, a, dimension) for a in sides)
    return max(a for a, sums in zip(sides, least, strict=True) if sums <= room)


def _across(n: int, a: int, dimension: int) -> int:
    """Return the least sum of distances from an axis, a points on a line along it."""
    total = r = 0
    while n:
        lines = 1 if not r else 2 if dimension == 2 else 4 * r
        taken = min(n, a * lines)
        total, n, r = total + r * taken, n - taken, r + 1
    return total
