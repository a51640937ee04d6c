"""Processors that can stand for each other: twins, and the symmetries of a torus.

A symmetry moves processors so that all distances stay. Where it maps what a node has
chosen, and what is left, to itself, a choice without i that takes its image costs what
one with i does. So when i is left out, all such images are left out with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from ....instances import IntArray
from ..distances_bb.search import twins

_MOST_PLACES = 2**22
"""Places of all symmetries up to which each of them is kept."""


class Symmetries:
    """Twins, and those symmetries that move digits of the processors' numbers.

    The numbers are read in any mixed radix; a digit is rotated or negated, or two of
    one size are swapped. On a torus, row by row, these generate all symmetries.
    """

    def __init__(self, hops: IntArray) -> None:
        self.twins = twins(hops)
        n = len(hops)
        self.generators = [
            one for one in _moved_digits(n) if _keeps_distances(hops, one)
        ]
        self._whole = _closure(n, self.generators)

    def alike(self, i: int, chosen: IntArray, left: IntArray) -> dict[int, list[int]]:
        """Map those left that can stand for i to a symmetry: pairs of place and image.

        The symmetry maps i to it.
        """
        found = {}
        twin = left[self.twins[left] == self.twins[i]].tolist()
        for j in twin:
            found[j] = [i, j, j, i]
        inside = np.zeros((2, len(self.twins)), dtype=bool)
        inside[0, left], inside[1, chosen] = True, True
        keeps = np.ones(len(self._whole), dtype=bool)
        for some in inside:
            keeps &= (some[self._whole] == some).all(axis=1)
        both = np.flatnonzero(inside.any(axis=0))
        images, first = np.unique(self._whole[keeps, i], return_index=True)
        for j, at in zip(images.tolist(), first.tolist(), strict=True):
            image = self._whole[keeps][at]
            found.setdefault(j, np.column_stack((both, image[both])).ravel().tolist())
        found.pop(i, None)
        return found


def _moved_digits(n: int) -> Iterator[IntArray]:
    """Yield the permutations that change a digit, or swap two of one size."""
    numbers = np.arange(n)
    sizes = [m for m in range(2, n + 1) if n % m == 0]
    for m, unit in product(sizes, [1, *sizes]):
        if n % (m * unit):
            continue
        digit = numbers // unit % m
        yield numbers + ((digit + 1) % m - digit) * unit
        yield numbers + (-digit % m - digit) * unit
        if n % (m * m * unit) == 0:
            yield numbers + (numbers // unit // m % m - digit) * (unit - unit * m)


def _keeps_distances(hops: IntArray, image: IntArray) -> bool:
    if (hops[image[0], image] != hops[0]).any() or (
        image == np.arange(len(hops))
    ).all():
        return False  # or nothing moves
    return bool((hops[image][:, image] == hops).all())


def _closure(n: int, generators: list[IntArray]) -> npt.NDArray[np.int64]:
    """Return all products; the identity alone, and what was found, if too many."""
    found = {np.arange(n).tobytes(): np.arange(n)}
    waiting = list(found.values())
    while waiting:
        one = waiting.pop()
        for image in generators:
            more = image[one]
            if more.tobytes() not in found:
                found[more.tobytes()] = more
                waiting.append(more)
        if len(found) * n > _MOST_PLACES:
            break
    return np.array(list(found.values()))
