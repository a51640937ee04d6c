"""The two sequences, the rooms in which their terms are certified, and b-files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...formulations.ksubset.bounds.towns import (
    town,
    town_in_space,
    town_sites,
    town_sites_in_space,
)
from ...instances import KSubset, Site, mesh
from ...instances.ksubset.towns import longest_side


@dataclass(frozen=True, slots=True)
class OeisSequence:
    """A sequence of the encyclopedia: least pair sums of n points of a grid.

    ``offset`` is the number of its first term there, ``listed`` of its last, and
    ``default`` and ``full`` are how far a run goes.
    """

    name: str
    dimension: int
    offset: int
    listed: int
    default: int
    full: int

    @property
    def file(self) -> str:
        """Name of its b-file."""
        return f"b{self.name[1:]}.txt"

    def term(self, n: int) -> int:
        """Return a(n), by the search over (plane) partitions."""
        return town(n) if self.dimension == 2 else town_in_space(n)

    def sites(self, n: int) -> tuple[Site, ...]:
        """Return n points of pair sum a(n), shifted to coordinates from 0."""
        return town_sites(n) if self.dimension == 2 else town_sites_in_space(n)

    def room(self, n: int) -> KSubset:
        """Return the mesh in which the cheapest n processors cost a(n), all free."""
        side = side_of(self, n)
        name = f"{self.name}-n{n}"
        found = mesh(*[side] * self.dimension, k=n)
        return KSubset(name, found.topology, found.free, n)


PLANE = OeisSequence("A193452", 2, 1, 49, 60, 400)
SPACE = OeisSequence("A290190", 3, 2, 13, 20, 64)
SEQUENCES = (PLANE, SPACE)


def side_of(sequence: OeisSequence, n: int) -> int:
    """Return the side of a box that holds some cheapest n points of the grid."""
    room = sequence.term(n) - sequence.term(n - 1)
    return longest_side(n, room, sequence.dimension)


def b_file(
    sequence: OeisSequence, terms: Sequence[int], certified: Sequence[int]
) -> str:
    """Write a b-file: comments, then ``n a(n)`` from the offset on, in ASCII.

    ``terms`` are those from the offset on, ``certified`` the n that have a certificate.
    """
    last, d = sequence.offset + len(terms) - 1, sequence.dimension
    over = "partitions" if d == 2 else "plane partitions"
    head = (
        f"# {sequence.name}: least sum of the pairwise Manhattan distances of n points",
        f"# of the grid in {d} dimensions, n = {sequence.offset}..{last}",
        f"# by an exhaustive search over {over} (closeknit)",
        f"# with a certificate that can be checked by itself: {spans(certified)}",
    )
    lines = (f"{n} {term}" for n, term in enumerate(terms, sequence.offset))
    return "\n".join([*head, *lines, ""])


def spans(numbers: Sequence[int]) -> str:
    """Write ascending numbers as ranges.

    >>> spans([50, 51, 52, 60]), spans([])
    ('50..52, 60', 'none')
    """
    found: list[list[int]] = []
    for n in numbers:
        if found and n == found[-1][-1] + 1:
            found[-1][1:] = [n]
        else:
            found.append([n])
    return ", ".join("..".join(map(str, one)) for one in found) or "none"
