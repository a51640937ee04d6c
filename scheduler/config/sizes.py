"""Ranges of job sizes in blocks of prices and in constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...instances.errors import InputError
from ...instances.value import LARGEST
from .findings import Diagnostics
from .source import Sizes

Bounds = tuple[int, int] | None


def heading(sizes: Bounds) -> str:
    """Write the sizes of a block or a constraint in the configuration language.

    >>> heading((1, 4)), heading(None)
    ('when PEs in [1,4]', 'otherwise')
    """
    return f"when PEs in [{sizes[0]},{sizes[1]}]" if sizes else "otherwise"


def pick(ranges: tuple[Bounds, ...], pes: int) -> int | None:
    """Return the index of the range of a size, else of ``otherwise``, else None."""
    for i, sizes in enumerate(ranges):
        if sizes is not None and sizes[0] <= pes <= sizes[1]:
            return i
    return ranges.index(None) if None in ranges else None


def refuse_sizes(ranges: tuple[Bounds, ...], field_: str) -> None:
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


def read_sizes(sizes: Sequence[Sizes], findings: Diagnostics) -> list[Bounds]:
    """Return the bounds of each range, and record errors.

    Bounds are None for ``otherwise`` and for invalid ranges.
    """
    found: list[Bounds] = []
    for i, one in enumerate(sizes):
        bounds = None if one.bounds is None else _bounds(one, findings)
        for j, other in enumerate(found):
            if bounds and other and bounds[0] <= other[1] and other[0] <= bounds[1]:
                shared = max(bounds[0], other[0]), min(bounds[1], other[1])
                findings.error(
                    one,
                    f"{heading(bounds)} overlaps {heading(other)} of line "
                    f"{sizes[j].line}: both hold for {ranges_text([shared])}",
                )
                break
        if one.bounds is None:
            if any(other.bounds is None for other in sizes[:i]):
                findings.error(one, "expected otherwise once only, found it again")
            elif any(other.bounds for other in sizes[i + 1 :]):
                findings.error(one, "expected otherwise last, found it before a when")
        found.append(bounds)
    return found


def _bounds(sizes: Sizes, findings: Diagnostics) -> Bounds:
    assert sizes.bounds is not None
    assert sizes.bounds.last is not None
    first, last = int(sizes.bounds.first.text), int(sizes.bounds.last.text)
    if first < 1:
        findings.error(sizes.bounds.first, f"expected a size from 1 on, found {first}")
        return None
    if last >= LARGEST:
        findings.error(sizes.bounds.last, f"expected a size below 2^62, found {last}")
        return None
    if last < first:
        findings.error(sizes.bounds.first, f"the range [{first},{last}] is empty")
        return None
    return first, last


def left_over(bounds: Sequence[Bounds], most: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of sizes from 1 to ``most`` that are not covered.

    >>> list(left_over([(5, 8), (1, 2)], 10))
    [(3, 4), (9, 10)]
    """
    begin = 1
    for first, last in sorted(filter(None, bounds)):
        if first > begin:
            yield begin, min(first - 1, most)
        begin = max(begin, last + 1)
        if begin > most:
            return
    if begin <= most:
        yield begin, most


def ranges_text(ranges: Sequence[tuple[int, int]]) -> str:
    """Describe ranges of sizes.

    >>> ranges_text([(3, 4), (9, 9)])
    'jobs of 3..4, 9 processors'
    """
    texts = [f"{a}..{b}" if a < b else str(a) for a, b in ranges[:8]]
    if len(ranges) > 8:
        texts.append("...")
    return f"jobs of {', '.join(texts)} processors"
