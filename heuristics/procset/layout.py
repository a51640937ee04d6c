"""Processor sets as arrays, prepared once for all requests.

Processors that lie in the same sets form a class, available or not. A cost vector is
stored in as few 64-bit words as hold it exactly, most often one: neighbouring levels
are folded together while every sum of costs stays below 2^62. Sums of such words
compare lexicographically as sums of the vectors do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...formulations.procset.set_classes import Cost, fits, radix_of
from ...instances import IntArray, ProcessorSet


class Layout(NamedTuple):
    """The sets of a machine as arrays; see the module."""

    home: IntArray  # (processors,) the class of each
    set_first: IntArray  # (sets + 1,) where the classes of a set begin in set_class
    set_class: IntArray
    class_first: IntArray  # (classes + 1,) where the sets of a class begin
    class_set: IntArray
    price: IntArray  # (sets, words)


def layout_of(processors: int, sets: Sequence[ProcessorSet]) -> Layout:
    """Return sets as arrays for kernels. Running time: O(total size of all sets).

    >>> pair = ProcessorSet("pair", (0, 1), (4, 1))
    >>> layout = layout_of(3, [pair, ProcessorSet("all", (0, 1, 2), (0, 3))])
    >>> layout.home.tolist(), layout.set_class.tolist(), layout.price.tolist()
    ([0, 0, 1], [0, 0, 1], [[6], [3]])
    """
    home, incidence = alike(processors, sets)
    classes: list[list[int]] = [[] for _ in sets]
    for c, numbers in enumerate(incidence):
        for number in numbers:
            classes[number].append(c)
    set_first, set_class = concatenate(classes)
    class_first, class_set = concatenate(incidence)
    return Layout(
        home=home,
        set_first=set_first,
        set_class=set_class,
        class_first=class_first,
        class_set=class_set,
        price=words([one.cost for one in sets]),
    )


def alike(
    processors: int, sets: Sequence[ProcessorSet]
) -> tuple[IntArray, list[tuple[int, ...]]]:
    """Return the class of each processor, and the sets that contain each class."""
    inside: list[list[int]] = [[] for _ in range(processors)]
    for number, one in enumerate(sets):
        for i in one.members:
            inside[i].append(number)
    names: dict[tuple[int, ...], int] = {}
    home = [names.setdefault(tuple(numbers), len(names)) for numbers in inside]
    return np.array(home, dtype=np.int64), list(names)


def words(costs: Sequence[Cost]) -> IntArray:
    """Fold cost vectors into words, shape (costs, words); see the module.

    >>> words([(1, 2), (0, 5)]).tolist()
    [[10], [5]]
    >>> words([(1, 2**61), (0, 2**60)]).tolist() == [[1, 2], [0, 1]]
    False
    """
    levels = len(costs[0])
    columns = []
    first = 0
    while first < levels:
        last = first + 1
        while last < levels and _fit(costs, first, last + 1):
            last += 1
        part = [cost[first:last] for cost in costs]
        radix = radix_of(part, last - first)
        columns.append([radix.fold(cost) for cost in part])
        first = last
    return np.ascontiguousarray(np.array(columns, dtype=np.int64).T)


def _fit(costs: Sequence[Cost], first: int, last: int) -> bool:
    part = [cost[first:last] for cost in costs]
    return fits(part, radix_of(part, last - first))


def concatenate(rows: Sequence[Sequence[int]]) -> tuple[IntArray, IntArray]:
    """Concatenate rows; return where each begins, and the values."""
    first = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    held = np.fromiter((x for row in rows for x in row), np.int64, int(first[-1]))
    return first, held
