"""Aggregation of like processors into classes.

Available processors that lie in the same sets form a class and are interchangeable. A
set whose available members all lie in one class is private to it: its cost is the
class's own, paid once if any of the class is taken. The other sets are shared. Sets
that cost nothing, or have no available member, are dropped, and shared sets with the
same available members are merged into one set with the sum of the costs.

So any choice is: some classes, whole or in part. It pays the private costs of these
classes and the costs of all shared sets that contain them. Once a class is open, all
of it may be taken, so that at most the last one is taken in part.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import gcd

from ...instances import ProcSet
from ...instances.support.record import fill_up

Cost = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetClasses:
    """Classes of like processors, and the sets they share."""

    members: tuple[tuple[int, ...], ...]  # indices, ascending; classes by first
    private: tuple[Cost, ...]  # of taking any of a class, without shared sets
    opens: tuple[tuple[int, ...], ...]  # shared sets that contain a class, ascending
    shared: tuple[Cost, ...]  # cost of each shared set
    request: int
    levels: int  # length of every cost
    required: tuple[int, ...] = ()  # processors that every choice contains

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of processors of each class."""
        return tuple(len(members) for members in self.members)

    @property
    def total(self) -> Cost:
        """Cost of opening all classes, the maximum at every level."""
        everything = (*self.private, *self.shared)
        return tuple(sum(c[level] for c in everything) for level in range(self.levels))

    def pick(self, classes: Collection[int]) -> tuple[int, ...]:
        """Return exactly ``request`` processors of these classes, by index, ascending.

        After those required, classes are used in the order of their first members. The
        caller ensures that they hold enough.
        """
        of_classes = (i for c in sorted(classes) for i in self.members[c])
        return fill_up(self.required, of_classes, self.request)

    @property
    def must_open(self) -> tuple[int, ...]:
        """Classes of which something is required."""
        must = set(self.required)
        return tuple(k for k, m in enumerate(self.members) if not must.isdisjoint(m))


def classes_of(instance: ProcSet) -> SetClasses:
    """Aggregate an instance's like processors; see the module.

    Running time: O(total size of all sets), and a sort.

    >>> from closeknit.instances import ProcessorSet
    >>> rack = ProcessorSet("rack", (0, 1, 2), (1, 0))
    >>> host = ProcessorSet("host", (0, 1), (0, 2))
    >>> names = ("a.1", "a.2", "b.1")
    >>> found = classes_of(ProcSet("three", names, (0, 1, 2), 2, (rack, host)))
    >>> found.members, found.private, found.opens, found.shared
    (((0, 1), (2,)), ((0, 2), (0, 0)), ((0,), (0,)), ((1, 0),))
    """
    available = set(instance.available)
    zero = (0,) * instance.levels
    costs: dict[tuple[int, ...], Cost] = {}
    for one in instance.sets:
        present = tuple(i for i in one.members if i in available)
        if present and any(one.cost):
            costs[present] = _plus(costs.get(present, zero), one.cost)
    inside: dict[int, list[int]] = {i: [] for i in instance.available}
    for number, present in enumerate(costs):
        for i in present:
            inside[i].append(number)
    alike: dict[tuple[int, ...], list[int]] = {}
    for i, numbers in inside.items():
        alike.setdefault(tuple(numbers), []).append(i)
    lies_in = [0] * len(costs)
    for numbers_of in alike:
        for number in numbers_of:
            lies_in[number] += 1
    price = list(costs.values())
    new_name: dict[int, int] = {}
    for number, classes in enumerate(lies_in):
        if classes > 1:
            new_name[number] = len(new_name)
    private = []
    for numbers_of in alike:
        own = [price[number] for number in numbers_of if number not in new_name]
        private.append(tuple(map(sum, zip(zero, *own, strict=True))))
    return SetClasses(
        members=tuple(tuple(members) for members in alike.values()),
        private=tuple(private),
        opens=tuple(
            tuple(new_name[number] for number in numbers_of if number in new_name)
            for numbers_of in alike
        ),
        shared=tuple(price[number] for number in new_name),
        request=instance.request,
        levels=instance.levels,
        required=instance.required,
    )


def _plus(a: Cost, b: Cost) -> Cost:
    return tuple(x + y for x, y in zip(a, b, strict=True))


@dataclass(frozen=True, slots=True)
class Radix:
    """A lexicographic cost as one integer, exactly: mixed radix.

    Level l counts ``weights[l]`` times its units; a unit is the greatest common
    divisor of all costs of that level. Each weight exceeds any sum of the levels
    below it, so that integers compare as the tuples do.
    """

    weights: tuple[int, ...]
    units: tuple[int, ...]

    def fold(self, cost: Cost) -> int:
        """Return the integer of a cost."""
        return sum(
            weight * (c // unit)
            for weight, unit, c in zip(self.weights, self.units, cost, strict=True)
        )

    def unfold(self, folded: int) -> Cost:
        """Return the cost of a sum of folded costs."""
        levels = []
        for weight, unit in zip(self.weights, self.units, strict=True):
            digit, folded = divmod(folded, weight)
            levels.append(digit * unit)
        return tuple(levels)


def radix_of(costs: Sequence[Cost], levels: int) -> Radix:
    """Return a folding under which different sums of these costs stay different.

    The largest folded sum is ``weights[0] * (total of level 0 + 1) - 1`` in units;
    the caller checks whether it fits its integers, see `fits`.

    >>> radix = radix_of([(4, 0, 5), (4, 1, 10)], 3)
    >>> radix.weights, radix.units, radix.fold((4, 1, 10))
    ((8, 4, 1), (4, 1, 5), 14)
    >>> radix.unfold(14)
    (4, 1, 10)
    """
    units = [gcd(*(c[level] for c in costs)) or 1 for level in range(levels)]
    weights = [1] * levels
    for level in range(levels - 1, 0, -1):
        most = sum(c[level] for c in costs) // units[level]
        weights[level - 1] = weights[level] * (most + 1)
    return Radix(tuple(weights), tuple(units))


def fits(costs: Sequence[Cost], radix: Radix, bits: int = 62) -> bool:
    """Return whether the folded sum of all these costs stays below 2^bits."""
    most = sum(radix.fold(cost) for cost in costs)
    return most.bit_length() <= bits
