"""Ranges of job sizes in blocks of prices and in constraints."""

from __future__ import annotations

from itertools import pairwise

from ...instances.errors import InputError


def heading(sizes: tuple[int, int] | None) -> str:
    """Write the sizes of a block or a constraint in the configuration language.

    >>> heading((1, 4)), heading(None)
    ('when PEs in [1,4]', 'otherwise')
    """
    return f"when PEs in [{sizes[0]},{sizes[1]}]" if sizes else "otherwise"


def pick(ranges: tuple[tuple[int, int] | None, ...], pes: int) -> int | None:
    """Return the index of the range of a size, else of ``otherwise``, else None."""
    for i, sizes in enumerate(ranges):
        if sizes is not None and sizes[0] <= pes <= sizes[1]:
            return i
    return ranges.index(None) if None in ranges else None


def refuse_sizes(ranges: tuple[tuple[int, int] | None, ...], field_: str) -> None:
    """Refuse ranges that are empty or overlap, and ``otherwise`` unless it is last."""
    if None in ranges[:-1]:
        raise InputError("otherwise must be the last", field_)
    given = sorted(sizes for sizes in ranges if sizes is not None)
    for sizes in given:
        if not 1 <= sizes[0] <= sizes[1]:
            raise InputError("must be 1 ≤ first ≤ last", field_, sizes)
    for one, other in pairwise(given):
        if other[0] <= one[1]:
            raise InputError(f"{heading(one)} and {heading(other)} overlap", field_)
