"""Reductions of packings: remove full rows, and cut sides to sums of lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ...instances.submesh import Box, box_at
from ...instances.submesh.packing import Packing, ways


@dataclass(frozen=True, slots=True)
class Tight:
    """A reduced packing, and the boxes of the items that were removed."""

    shape: tuple[int, int]
    left: tuple[int, ...]  # items still to be packed
    sizes: tuple[tuple[tuple[int, int], ...], ...]  # in each rotation, maybe enlarged
    aside: tuple[tuple[int, Box], ...]  # items put at the end of the mesh

    @property
    def waste(self) -> int:
        """Cells that stay free when all is packed; negative if that is impossible."""
        return prod(self.shape) - sum(prod(several[0]) for several in self.sizes)


def tighten(packing: Packing) -> Tight | None:
    """Reduce a packing to an equivalent one; None if it is infeasible.

    Three rules are applied along both axes until none changes anything:

    - An item next to which nothing fits is put at the far end, as what lies beyond it
      can be pushed to where it was, and the mesh is shortened by it.
    - Boxes pushed back start at sums of sides of others, so the mesh may be cut to the
      greatest sum of sides that it holds.
    - Boxes before an item can be pushed back and those behind it pushed forward. So the
      item may be enlarged to what the greatest sum of the other items next to it
      leaves. Items that may be rotated keep their size.

    Parameters
    ----------
    packing
        Two-dimensional, nothing fixed or blocked, no torus.

    Notes
    -----
    Time: O(n^2) sums of bits of a side, each time anything has changed. Source:
    Boschetti and Montaletti 2010; Carlier, Clautiaux and Moukrim 2007.

    Examples
    --------
    >>> from closeknit.instances.submesh.packing import Item
    >>> tight = tighten(Packing("few", (7, 5), (Item((6, 2)), Item((4, 2)))))
    >>> tight.shape, tight.left, tight.aside
    ((0, 0), (), ((0, (0, 3, 5, 4)), (1, (0, 1, 3, 2))))
    """
    side = [packing.shape[0], packing.shape[1]]
    sizes: dict[int, tuple[tuple[int, ...], ...]] = {
        i: tuple(ways(packing, item)) for i, item in enumerate(packing.items)
    }
    aside: list[tuple[int, Box]] = []
    while True:
        before = (tuple(side), tuple(sizes.items()))
        for a in (0, 1):
            for i in list(sizes):
                if len(sizes[i]) == 1 and not _fits_beside(sizes, i, side, 1 - a):
                    (size,) = sizes.pop(i)
                    corner = [0, 0]
                    corner[a] = side[a] - size[a]
                    side[a] -= size[a]
                    aside.append((i, box_within(packing, i, corner, size)))
            sizes = {
                i: tuple(s for s in several if all(map(int.__le__, s, side)))
                for i, several in sizes.items()
            }
            if not all(sizes.values()) or min(side) < 0:
                return None
            side[a] = reachable(side[a], [[s[a] for s in q] for q in sizes.values()])
            _lengthen(sizes, side[a], a)
        if (tuple(side), tuple(sizes.items())) == before:
            break
    return Tight(
        (side[0], side[1]),
        tuple(sizes),
        tuple(tuple((w, h) for w, h in several) for several in sizes.values()),
        tuple(aside),
    )


def box_within(
    packing: Packing, i: int, corner: Sequence[int], size: Sequence[int]
) -> Box:
    """Return the box of an item, at the corner of its possibly enlarged box."""
    several = ways(packing, packing.items[i])
    real = [s for s in several if all(map(int.__le__, s, size))]
    return box_at(corner, tuple(size) if tuple(size) in several else real[0])


def _fits_beside(
    sizes: dict[int, tuple[tuple[int, ...], ...]], i: int, side: list[int], axis: int
) -> bool:
    """Return whether some other item fits next to this one along an axis."""
    (size,) = sizes[i]
    if size[axis] > side[axis]:
        return True  # fits nowhere, which is detected later
    rest = side[axis] - size[axis]
    return any(
        s[axis] <= rest for j, several in sizes.items() if j != i for s in several
    )


def _lengthen(
    sizes: dict[int, tuple[tuple[int, ...], ...]], side: int, axis: int
) -> None:
    """Enlarge items into space next to them that no other item can use."""
    for i, several in sizes.items():
        if len(several) > 1:
            continue
        (size,) = several
        others = [[s[axis] for s in q] for j, q in sizes.items() if j != i]
        longer = list(size)
        longer[axis] = side - reachable(side - size[axis], others)
        sizes[i] = (tuple(longer),)


def reachable(side: int, lengths: Sequence[Sequence[int]]) -> int:
    """Return the greatest sum of lengths, at most one of each item, within the side.

    >>> reachable(10, [[4], [3, 8], [4]])
    8
    """
    sums = 1
    for several in lengths:
        before = sums
        for x in set(several):
            sums |= before << x
    return (sums & ((1 << side + 1) - 1)).bit_length() - 1
